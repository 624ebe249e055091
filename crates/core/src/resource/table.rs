//! The tools of known agents: those that hold a resource, with the argument that names it, and those without lasting effect.
//!
//! The table is tools.tsv. Names are compared in lower case, also behind the server's name of an MCP tool (`mcp__files__read_file`). Tools
//! of one name in several agents share a row, with each agent's spelling of the argument; the first that is there counts.

use super::arguments::{Argument, Arguments};
use crate::settings::{Act, ToolKind};
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};
use std::sync::LazyLock;

/// A tool.
#[derive(Debug)]
pub(super) struct Row {
    /// Its name in lower case.
    pub tool: &'static str,
    /// The operation of the tool on its resource; `None` if it holds none, and runs, searches or lists.
    pub act: Option<Act>,
    /// Arguments that may name the resource, the first that is there counts.
    pub paths: Vec<&'static str>,
    /// The kind of its results.
    kind: ToolKind,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let lines = include_str!("tools.tsv").lines().skip(1);
    lines.filter_map(parsed).collect()
});

fn parsed(line: &'static str) -> Option<Row> {
    let mut cells = line.split('\t');
    let word = StrDeserializer::<Error>::new;
    let (tool, act) = (cells.next()?, Act::deserialize(word(cells.next()?)).ok());
    let paths = cells.next()?.split_whitespace().collect();
    let kind = match act {
        Some(Act::Read | Act::Command) => ToolKind::Read,
        Some(_) => ToolKind::Edit,
        None => ToolKind::deserialize(word(cells.nth(1)?)).ok()?,
    };
    Some(Row {
        tool,
        act,
        paths,
        kind,
    })
}

/// Arguments that hold a patch.
pub(super) const PATCHES: &[&str] = &["input", "patch", "patchText"];

fn named(tool: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.tool == tool)
}

/// The row of `tool`, or of what follows the name of its server, that `is_meant`.
fn row_with(tool: &str, is_meant: fn(&Row) -> bool) -> Option<&'static Row> {
    let tool = tool.trim().to_lowercase();
    let of = |tool: &str| named(tool).filter(|row| is_meant(row));
    of(&tool).or_else(|| of(tool.rsplit_once("__")?.1))
}

/// The row of a tool that holds a resource.
pub(super) fn row_of(tool: &str) -> Option<&'static Row> {
    row_with(tool, |row| row.act.is_some())
}

/// Returns the kind of a tool's results.
pub fn kind_of(tool: &str) -> ToolKind {
    row_with(tool, |_| true).map_or(ToolKind::Other, |row| row.kind)
}

/// Whether a tool is known to be done with once it answered.
pub fn is_known_ephemeral(tool: &str) -> bool {
    named(&tool.trim().to_lowercase())
        .is_some_and(|row| matches!(row.act, None | Some(Act::Delete | Act::Move)))
}

/// Arguments that narrow a read to a part of the resource.
const PARTIAL: [&str; 20] = [
    "offset",
    "limit",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "line_start",
    "line_end",
    "start_line_one_indexed",
    "end_line_one_indexed_inclusive",
    "view_range",
    "line_range",
    "lineRange",
    "lines",
    "range",
    "ranges",
    "pages",
    "head",
    "tail",
    "cell_id",
];

/// Whether the arguments show a part only. A read from the first line on, without an end, shows all.
pub(super) fn narrows(arguments: &Arguments) -> bool {
    let begins = |name: &str| {
        matches!(
            name,
            "offset" | "start_line" | "startLine" | "line_start" | "start_line_one_indexed"
        )
    };
    PARTIAL.iter().any(|name| match arguments.get(name) {
        None | Some(Argument::Null) => false,
        Some(Argument::Number(from)) if begins(name) => *from > 1.0,
        Some(_) => true,
    })
}

/// Arguments that name a path, whatever the tool.
const PATHS: [&str; 20] = [
    "file_path",
    "filePath",
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "file_name",
    "absolute_path",
    "notebook_path",
    "target_file",
    "source",
    "destination",
    "old_path",
    "new_path",
    "dir_path",
    "directory",
    "folder",
    "cwd",
    "uri",
];

/// Whether an argument of that name names paths.
pub(super) fn is_path(name: &str) -> bool {
    PATHS.contains(&name)
}

/// Words in the name of a tool that say what it does, where the user's row does not.
const WORDS: [(&str, Act); 15] = [
    ("delete", Act::Delete),
    ("remove", Act::Delete),
    ("unlink", Act::Delete),
    ("move", Act::Move),
    ("rename", Act::Move),
    ("patch", Act::Edit),
    ("edit", Act::Edit),
    ("replace", Act::Edit),
    ("insert", Act::Edit),
    ("append", Act::Edit),
    ("update", Act::Edit),
    ("modify", Act::Edit),
    ("write", Act::Write),
    ("create", Act::Write),
    ("save", Act::Write),
];

/// Returns the operation of a tool of that name on its resource: that of the built-in row, else that of a word in the name, else a read.
pub(super) fn act_of(tool: &str) -> Act {
    let name = tool.to_lowercase();
    let said = || {
        WORDS
            .iter()
            .find(|(word, _)| name.contains(word))
            .map(|(_, act)| *act)
    };
    row_of(tool)
        .and_then(|row| row.act)
        .or_else(said)
        .unwrap_or(Act::Read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_lower_case_and_names_each_tool_once() {
        assert_eq!(ROWS.len() + 1, include_str!("tools.tsv").lines().count());
        for (line, row) in include_str!("tools.tsv").lines().skip(1).zip(&*ROWS) {
            let cells: Vec<&str> = line.split('\t').collect();
            let (tool, act, agents) = (cells[0], cells[1], cells[3]);
            assert_eq!(tool, tool.to_lowercase(), "{line}");
            assert!(
                !agents.is_empty() && row.act.is_none() == (act == "-"),
                "{line}"
            );
            assert_eq!(row.act.is_none(), row.paths.is_empty(), "{line}");
            assert!(std::ptr::eq(named(tool).unwrap(), row), "{line}");
        }
        assert!(
            row_of("mcp__files__read_file").is_some()
                && row_of(" Read ").is_some()
                && row_of("x_read").is_none()
                && row_of("bash").is_none()
        );
        let kinds = ["Bash", "mcp__x__grep", "Read", "Edit", "Task", "frobnicate"].map(kind_of);
        let of = [
            ToolKind::Shell,
            ToolKind::Search,
            ToolKind::Read,
            ToolKind::Edit,
            ToolKind::Task,
            ToolKind::Other,
        ];
        assert_eq!(kinds, of);
        assert!(is_known_ephemeral("Bash") && is_known_ephemeral("delete_file"));
        assert!(!is_known_ephemeral("read") && !is_known_ephemeral("mcp__x__bash"));
    }

    #[test]
    fn names_say_what_a_tool_does() {
        for (tool, want) in [
            ("readFile", Act::Read),
            ("appendToFile", Act::Edit),
            ("createFile", Act::Write),
            ("deleteFile", Act::Delete),
        ] {
            assert_eq!(act_of(tool), want, "{tool}");
        }
        assert_eq!(
            (act_of("Edit"), act_of("moveFile"), act_of("get")),
            (Act::Edit, Act::Move, Act::Read)
        );
    }

    #[test]
    fn arguments_narrow_a_read() {
        for (arguments, want) in [
            (r#"{"input":{}}"#, false),
            (r#"{"input":{"offset":0}}"#, false),
            (r#"{"input":{"offset":1,"limit":null}}"#, false),
            (r#"{"input":{"offset":2}}"#, true),
            (r#"{"input":{"limit":1}}"#, true),
            (r#"{"input":{"view_range":[1,5]}}"#, true),
            (r#"{"input":{"pages":"1-2"}}"#, true),
        ] {
            assert_eq!(
                narrows(&Arguments::of(arguments.as_bytes()).unwrap()),
                want,
                "{arguments}"
            );
        }
    }
}
