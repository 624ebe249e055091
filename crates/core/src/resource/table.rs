//! The tools of known agents: those that hold a resource, with the argument that names it, and
//! those without lasting effect.
//!
//! The tools are in the files of `agents`, the arguments in words.tsv. Names are compared in lower
//! case, also behind the server's name of an MCP tool (`mcp__files__read_file`). Tools of one name
//! in several agents share a row, with each agent's spelling of the argument; the first that is
//! there counts.

use super::arguments::{Argument, Arguments};
use crate::{
    agents::AGENTS,
    settings::{Act, StatefulTool, ToolKind, word},
    tables::table_file,
};
use std::{collections::HashMap, sync::LazyLock};

/// A tool and the kind of its results. Its name is in lower case; it has no act and no paths if it
/// runs, searches or lists.
type Row = (StatefulTool, ToolKind);

/// The tools of all agents by their names. Each agent that has a tool adds its spelling of the
/// argument.
static ROWS: LazyLock<HashMap<&str, Row>> = LazyLock::new(|| {
    let mut rows: HashMap<&str, Row> = HashMap::new();
    for tools in AGENTS.iter().flat_map(|agent| &agent.tools) {
        let kind = match tools.act {
            Some(Act::Read | Act::Command) => ToolKind::Read,
            Some(_) => ToolKind::Edit,
            None => tools.kind.unwrap_or(ToolKind::Other),
        };
        for name in &tools.names {
            let row = || StatefulTool {
                tool: name.clone(),
                paths: Vec::new(),
                act: tools.act,
                partial: Vec::new(),
            };
            let (row, _) = rows.entry(name).or_insert_with(|| (row(), kind));
            row.paths.extend(tools.paths.iter().cloned());
        }
    }
    rows
});

/// The names that have a role in words.tsv, which says what the roles are.
pub fn words(role: &str) -> &'static [&'static str] {
    static WORDS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
        let mut words: HashMap<&str, Vec<&str>> = HashMap::new();
        for [role, name] in table_file!("words.tsv", 2, Ok) {
            words.entry(role).or_default().push(name);
        }
        words
    });
    WORDS.get(role).map_or(&[], Vec::as_slice)
}

/// Whether a word of this role is in the name of a tool.
pub fn says(tool: &str, role: &str) -> bool {
    let tool = tool.to_lowercase();
    words(role).iter().any(|word| tool.contains(word))
}

fn named(tool: &str) -> Option<&'static Row> {
    ROWS.get(tool)
}

/// Returns the row of `tool`, or of its name without that of its server, if it `is_meant`.
fn row_with(tool: &str, is_meant: fn(&Row) -> bool) -> Option<&'static Row> {
    let tool = tool.trim().to_lowercase();
    let of = |tool: &str| named(tool).filter(|row| is_meant(row));
    of(&tool).or_else(|| of(tool.rsplit_once("__")?.1))
}

/// Returns the row of a tool that holds a resource.
pub(super) fn row_of(tool: &str) -> Option<&'static StatefulTool> {
    row_with(tool, |(row, _)| row.act.is_some()).map(|(row, _)| row)
}

/// Returns the kind of a tool's results.
pub fn kind_of(tool: &str) -> ToolKind {
    row_with(tool, |_| true).map_or(ToolKind::Other, |(_, kind)| *kind)
}

/// Whether a tool is known to have no lasting effect.
pub fn is_known_ephemeral(tool: &str) -> bool {
    let row = named(&tool.trim().to_lowercase());
    row.is_some_and(|(row, _)| matches!(row.act, None | Some(Act::Delete | Act::Move)))
}

/// Whether the arguments show a part only. A read from the first line on, without an end, shows
/// all.
pub(super) fn narrows(arguments: &Arguments) -> bool {
    let begins = words("begins");
    words("narrows")
        .iter()
        .any(|name| match arguments.get(name) {
            None | Some(Argument::Null) => false,
            Some(Argument::Number(from)) if begins.contains(name) => *from > 1.0,
            Some(_) => true,
        })
}

/// Returns the operation of a tool of that name on its resource: that of the built-in row, else
/// that of a word in the name, else a read.
pub(super) fn act_of(tool: &str) -> Act {
    let acts = [Act::Delete, Act::Move, Act::Edit, Act::Write];
    let said = || acts.into_iter().find(|act| says(tool, &word(act)));
    row_of(tool)
        .and_then(|row| row.act)
        .or_else(said)
        .unwrap_or(Act::Read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_are_in_lower_case_and_do_one_thing_each() {
        for tools in AGENTS.iter().flat_map(|agent| &agent.tools) {
            assert!(tools.act.is_some() != tools.kind.is_some(), "{tools:?}");
            assert_eq!(tools.act.is_none(), tools.paths.is_empty(), "{tools:?}");
            for name in &tools.names {
                assert_eq!(*name, name.to_lowercase());
                assert_eq!(ROWS[&**name].0.act, tools.act, "{name}");
            }
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
