//! Resources: finds the file or other object that a call reads or writes, from the argument that names it, so that its versions can be
//! compared.
//!
//! Which tools hold a resource is data: the user's rows (`resources.stateful`), then the built-in ones (`table`). The
//! arguments are read from the record when they are asked for ([`arguments`]); a transcript keeps none. A path is compared
//! as it is spelled.

pub mod arguments;
mod patch;
mod table;

use crate::Error;
use crate::edit::View;
use crate::settings::{Act, Resources};
use crate::wildcard;
use arguments::{Argument, Arguments};
pub use table::{is_known_ephemeral, kind_of};

/// The access of a call to one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceAccess {
    /// The resource, as the call spells it.
    pub path: String,
    /// The operation on the resource; never [`Act::Patch`] nor [`Act::Command`].
    pub act: Act,
    /// Whether the call shows or writes all of it.
    pub whole: bool,
}

/// A tool that holds a resource.
struct Tool<'a> {
    act: Act,
    /// Arguments that may name the resource.
    paths: Vec<&'a str>,
    /// Arguments that make a read a partial one, beside those that are known.
    partial: &'a [String],
}

/// What is known of `tool`; the first row of the user's counts, and one without paths says that it holds no resource.
fn stateful<'a>(tool: &str, resources: &'a Resources) -> Option<Tool<'a>> {
    let name = tool.to_lowercase();
    let mut given = resources.stateful.iter();
    match given.find(|row| wildcard::matches(&row.tool.to_lowercase(), &name)) {
        Some(row) if row.paths.is_empty() => None,
        Some(row) => Some(Tool {
            act: row.act.unwrap_or_else(|| table::act_of(tool)),
            paths: row.paths.iter().map(String::as_str).collect(),
            partial: &row.partial,
        }),
        None => {
            let row = table::row_of(tool).filter(|_| resources.built_in)?;
            Some(Tool {
                act: row.act?,
                paths: row.paths.clone(),
                partial: &[],
            })
        }
    }
}

/// Whether `tool` may hold a resource at all.
pub fn is_stateful_tool(tool: &str, resources: &Resources) -> bool {
    stateful(tool, resources).is_some_and(|tool| !matches!(tool.act, Act::Delete | Act::Move))
}

/// Returns the resources that the call at `block` of message `i` accesses, with the operation on each; none if the tool has no
/// resource or the call does not name it.
///
/// # Errors
/// The input cannot be read any more.
pub fn accesses(
    view: &View<'_>,
    i: usize,
    block: u32,
    resources: &Resources,
) -> Result<Vec<ResourceAccess>, Error> {
    let tool = view
        .transcript
        .tool_of(&view.transcript.blocks[block as usize]);
    let Some(tool) = stateful(tool, resources) else {
        return Ok(Vec::new());
    };
    let arguments = read(view, i, block)?;
    Ok(arguments.map_or_else(Vec::new, |arguments| tool.accesses(&arguments)))
}

/// Returns the resources that a call of a tool with these arguments accesses.
pub fn accesses_by(
    tool: &str,
    arguments: &Arguments,
    resources: &Resources,
) -> Vec<ResourceAccess> {
    stateful(tool, resources).map_or_else(Vec::new, |tool| tool.accesses(arguments))
}

impl Tool<'_> {
    fn accesses(self, arguments: &Arguments) -> Vec<ResourceAccess> {
        let Tool {
            act,
            paths,
            partial,
        } = self;
        let path = paths.into_iter().find_map(|name| arguments.text(name));
        if act == Act::Patch {
            let patch = path
                .or(arguments.text.as_deref())
                .or_else(|| table::PATCHES.iter().find_map(|name| arguments.text(name)));
            return patch.map(patch::accesses).unwrap_or_default();
        }
        let act = match act {
            Act::Command => match arguments.text("command") {
                Some("view") => Act::Read,
                Some("create") => Act::Write,
                Some("delete") => Act::Delete,
                Some("rename") => Act::Move,
                _ => Act::Edit,
            },
            act => act,
        };
        // A tool that renames by a command names the old path otherwise.
        let path = if act == Act::Move {
            path.or_else(|| arguments.text("old_path"))
        } else {
            path
        };
        let is_stated = |name: &String| {
            let argument = arguments.get(name);
            argument.is_some_and(|argument| *argument != Argument::Null)
        };
        let is_partial = partial.iter().any(is_stated) || table::narrows(arguments);
        let whole = match act {
            Act::Read => !is_partial,
            Act::Write => true,
            _ => false,
        };
        path.map(|path| ResourceAccess {
            path: path.to_owned(),
            act,
            whole,
        })
        .into_iter()
        .collect()
    }
}

/// The paths that the call at `block` names, whatever its tool: for `protect.files`.
///
/// # Errors
/// The input cannot be read any more.
pub fn paths(
    view: &View<'_>,
    i: usize,
    block: u32,
    resources: &Resources,
) -> Result<Vec<String>, Error> {
    let mut found: Vec<String> = accesses(view, i, block, resources)?
        .into_iter()
        .map(|touch| touch.path)
        .collect();
    if let Some(arguments) = read(view, i, block)? {
        found.extend(
            arguments
                .values
                .iter()
                .filter(|(name, _)| table::is_path(name))
                .flat_map(|(_, value)| value.texts()),
        );
    }
    Ok(found)
}

/// The arguments of the call at `block` of message `i`.
///
/// # Errors
/// The input cannot be read any more.
pub fn read(view: &View<'_>, i: usize, block: u32) -> Result<Option<Arguments>, Error> {
    Ok(Arguments::of(
        &view.bytes(i, view.transcript.blocks[block as usize].span)?,
    ))
}
