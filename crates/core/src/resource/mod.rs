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
use crate::settings::{Act, Resources, StatefulTool};
use crate::wildcard;
use arguments::{Argument, Arguments};
pub use table::is_known_ephemeral;

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

/// The source of the knowledge that a tool holds a resource.
#[derive(Clone, Copy, Debug)]
enum Row<'a> {
    Given(&'a StatefulTool),
    BuiltIn(&'static table::Row),
}

/// The row for `tool`; the first of the user's counts, and one without paths says that there is none.
fn row<'a>(tool: &str, resources: &'a Resources) -> Option<Row<'a>> {
    match resources
        .stateful
        .iter()
        .find(|row| wildcard::matches(&row.tool.to_lowercase(), &tool.to_lowercase()))
    {
        Some(row) => Some(Row::Given(row)).filter(|_| !row.paths.is_empty()),
        None if resources.built_in => table::row_of(tool).map(Row::BuiltIn),
        None => None,
    }
}

/// Whether `tool` may hold a resource at all.
pub fn is_stateful_tool(tool: &str, resources: &Resources) -> bool {
    let holds = |act: Act| !matches!(act, Act::Delete | Act::Move);
    row(tool, resources).is_some_and(|row| match row {
        Row::Given(row) => holds(row.act.unwrap_or_else(|| table::act_of(tool))),
        Row::BuiltIn(row) => holds(row.act),
    })
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
    let Some(row) = row(tool, resources) else {
        return Ok(Vec::new());
    };
    let Some(arguments) = read(view, i, block)? else {
        return Ok(Vec::new());
    };
    let (act, partial): (Act, &[String]) = match row {
        Row::Given(row) => (row.act.unwrap_or_else(|| table::act_of(tool)), &row.partial),
        Row::BuiltIn(row) => (row.act, &[]),
    };
    let path = match row {
        Row::Given(row) => row.paths.iter().find_map(|name| arguments.text(name)),
        Row::BuiltIn(row) => row.paths.iter().find_map(|name| arguments.text(name)),
    };
    if act == Act::Patch {
        let patch = path
            .or(arguments.text.as_deref())
            .or_else(|| table::PATCHES.iter().find_map(|name| arguments.text(name)));
        return Ok(patch.map(patch::accesses).unwrap_or_default());
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
    let is_partial = partial
        .iter()
        .any(|name| arguments.get(name).is_some_and(narrows))
        || table::narrows(&arguments);
    let whole = match act {
        Act::Read => !is_partial,
        Act::Write => true,
        _ => false,
    };
    Ok(path
        .map(|path| ResourceAccess {
            path: path.to_owned(),
            act,
            whole,
        })
        .into_iter()
        .collect())
}

/// Whether an argument that narrows a read is given at all.
fn narrows(argument: &Argument) -> bool {
    !matches!(argument, Argument::Null)
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
