//! Resources: finds the file or other object that a call reads or writes, from the argument that
//! names it, so that its versions can be compared.
//!
//! Which tools hold a resource is data: the user's rows (`resources.stateful`), then the built-in
//! ones (`table`). The arguments are read from the record when they are asked for ([`arguments`]);
//! a transcript keeps none. A path is compared as it is spelled.

pub mod arguments;
mod table;

use crate::{
    Result,
    edit::View,
    settings::{Act, Resources, StatefulTool},
    wildcard,
};
use arguments::{Argument, Arguments, place};
use serde_json::Value;
pub use table::{is_known_ephemeral, kind_of, says, words};

/// The access of a call to one resource.
#[derive(Debug)]
pub struct ResourceAccess {
    /// The resource, as the call spells it.
    pub path: String,
    /// The operation on the resource; never [`Act::Patch`] nor [`Act::Command`].
    pub act: Act,
    /// Whether the call shows or writes all of it.
    pub whole: bool,
}

/// Returns the row of a tool that holds a resource, and its operation. The user's first row for the
/// tool counts; a row without paths means that the tool holds no resource.
fn stateful<'a>(tool: &str, resources: &'a Resources) -> Option<(&'a StatefulTool, Act)> {
    let name = tool.to_lowercase();
    let mut given = resources.stateful.iter();
    let given = given.find(|row| wildcard::matches(&row.tool.to_lowercase(), &name));
    let built_in = || table::row_of(tool).filter(|_| resources.built_in);
    let row = given.or_else(built_in)?;
    let act = || row.act.unwrap_or_else(|| table::act_of(tool));
    (!row.paths.is_empty()).then(|| (row, act()))
}

/// Whether `tool` may hold a resource at all.
pub fn is_stateful_tool(tool: &str, resources: &Resources) -> bool {
    stateful(tool, resources).is_some_and(|(_, act)| !matches!(act, Act::Delete | Act::Move))
}

/// Returns the arguments of a call: for a text of JSON, its value; for anything else, a text.
/// `None` without arguments.
///
/// # Errors
/// The input cannot be read any more.
pub fn arguments_of(view: &View<'_>, (message, index): (u32, u32)) -> Result<Option<Value>> {
    let raw = view.bytes(message as usize, view.block(index).span)?;
    Ok(
        place(&raw).map(|(_, at)| match serde_json::from_slice(&raw[at.clone()]) {
            Ok(Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            Ok(value) => value,
            Err(_) => String::from_utf8_lossy(&raw[at]).into(),
        }),
    )
}

/// Returns the resources that the call at `block` of message `i` accesses, with the operation on
/// each; none if the tool has no resource or the call does not name it.
///
/// # Errors
/// The input cannot be read any more.
pub fn accesses(
    view: &View<'_>,
    i: usize,
    block: u32,
    resources: &Resources,
) -> Result<Vec<ResourceAccess>> {
    let tool = view.transcript.tool_of(view.transcript.block(block));
    if stateful(tool, resources).is_none() {
        return Ok(Vec::new());
    }
    let arguments = read(view, i, block)?.unwrap_or_default();
    Ok(accesses_by(tool, &arguments, resources))
}

/// Returns the resources that a call of a tool with these arguments accesses.
pub fn accesses_by(
    tool: &str,
    arguments: &Arguments,
    resources: &Resources,
) -> Vec<ResourceAccess> {
    let Some((row, act)) = stateful(tool, resources) else {
        return Vec::new();
    };
    let path = row.paths.iter().find_map(|name| arguments.text(name));
    if act == Act::Patch {
        let patch = path
            .or(arguments.text.as_deref())
            .or_else(|| words("patch").iter().find_map(|name| arguments.text(name)));
        return patch.map(in_patch).unwrap_or_default();
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
    // A tool that renames by a command names the old path in another argument.
    let renamed = || arguments.text("old_path").filter(|_| act == Act::Move);
    let path = path.or_else(renamed);
    let is_stated = |name: &String| {
        let argument = arguments.get(name);
        argument.is_some_and(|argument| *argument != Argument::Null)
    };
    let is_partial = row.partial.iter().any(is_stated) || table::narrows(arguments);
    let whole = act == Act::Write || act == Act::Read && !is_partial;
    let path = path.map(str::to_owned).into_iter();
    path.map(|path| ResourceAccess { path, act, whole })
        .collect()
}

/// Returns the paths that the call at `block` names, whatever its tool: for `protect.files`.
///
/// # Errors
/// The input cannot be read any more.
pub fn paths(view: &View<'_>, i: usize, block: u32, resources: &Resources) -> Result<Vec<String>> {
    let accesses = accesses(view, i, block, resources)?.into_iter();
    let mut found: Vec<String> = accesses.map(|access| access.path).collect();
    if let Some(Arguments { values, .. }) = read(view, i, block)? {
        let paths = values
            .iter()
            .filter(|(name, _)| words("path").contains(&&**name));
        found.extend(paths.flat_map(|(_, value)| value.texts()));
    }
    Ok(found)
}

/// The arguments of the call at `block` of message `i`.
///
/// # Errors
/// The input cannot be read any more.
pub fn read(view: &View<'_>, i: usize, block: u32) -> Result<Option<Arguments>> {
    Ok(Arguments::of(
        &view.bytes(i, view.transcript.block(block).span)?,
    ))
}

/// Beginnings of header lines, each with the operation on the file that the line names.
const HEADERS: [(&str, Act); 3] = [
    ("*** Add File: ", Act::Write),
    ("*** Update File: ", Act::Edit),
    ("*** Delete File: ", Act::Delete),
];
/// Under an update: the file gets another name.
const MOVE: &str = "*** Move to: ";

/// Returns the files that a patch changes, with the operation on each.
fn in_patch(patch: &str) -> Vec<ResourceAccess> {
    let mut found: Vec<ResourceAccess> = Vec::new();
    for line in patch.lines().map(str::trim_end) {
        let header = HEADERS
            .iter()
            .find_map(|(header, act)| line.strip_prefix(header).map(|path| (path, *act)));
        if let Some((path, act)) = header {
            found.push(ResourceAccess {
                path: path.to_owned(),
                act,
                whole: act == Act::Write,
            });
        } else if line.starts_with(MOVE)
            && let Some(last) = found.last_mut().filter(|last| last.act == Act::Edit)
        {
            last.act = Act::Move;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_files() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+*** Delete File: no\n*** Update File: b\r\n*** Move to: c\n*** Add File: d e\n+1\n*** Delete File: f\n*** End Patch";
        let found: Vec<_> = in_patch(patch)
            .into_iter()
            .map(|t| (t.path, t.act, t.whole))
            .collect();
        let want = [
            ("a.rs", Act::Edit, false),
            ("b", Act::Move, false),
            ("d e", Act::Write, true),
            ("f", Act::Delete, false),
        ];
        assert_eq!(
            found,
            want.map(|(path, act, whole)| (path.to_owned(), act, whole))
        );
        assert!(in_patch("nothing\n*** Move to: x").is_empty());
    }
}
