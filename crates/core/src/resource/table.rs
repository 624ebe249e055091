//! The tools of known agents, as data: those that hold a resource, with the argument that names it, and those without lasting
//! effect.
//!
//! Names are compared in lower case, also behind the server's name of an MCP tool (`mcp__files__read_file`). Tools of one name in
//! several agents share a row, with each agent's spelling of the argument.

use super::arguments::{Argument, Arguments};
use crate::settings::Act;

/// A tool that holds a resource.
#[derive(Debug)]
pub(super) struct Row {
    /// Its name in lower case.
    pub tool: &'static str,
    /// The operation of the tool on its resource.
    pub act: Act,
    /// Arguments that may name the resource, the first that is there counts.
    pub paths: &'static [&'static str],
}

const fn row(tool: &'static str, act: Act, paths: &'static [&'static str]) -> Row {
    Row { tool, act, paths }
}

const TOOLS: &[Row] = &[
    // Claude Code (Read, Write, Edit, …), OpenClaw and pi (read, write, edit), OpenCode (read, write, edit; filePath).
    row("read", Act::Read, &["file_path", "path", "filePath"]),
    row("write", Act::Write, &["file_path", "path", "filePath"]),
    row("edit", Act::Edit, &["file_path", "path", "filePath"]),
    row("multiedit", Act::Edit, &["file_path", "filePath"]),
    row("notebookread", Act::Read, &["notebook_path"]),
    row("notebookedit", Act::Edit, &["notebook_path"]),
    row("patch", Act::Patch, &["patchText", "patch"]),
    // Codex; OpenClaw has its apply_patch too.
    row("apply_patch", Act::Patch, PATCHES),
    row("view_image", Act::Read, &["path"]),
    // Gemini CLI, Codex, Cline, Roo Code and the MCP server for files.
    row(
        "read_file",
        Act::Read,
        &["file_path", "absolute_path", "path", "target_file"],
    ),
    row("write_file", Act::Write, &["file_path", "path"]),
    row("replace", Act::Edit, &["file_path"]),
    row("write_to_file", Act::Write, &["path"]),
    row("replace_in_file", Act::Edit, &["path"]),
    row("apply_diff", Act::Edit, &["path"]),
    row("insert_content", Act::Edit, &["path"]),
    row("read_text_file", Act::Read, &["path"]),
    row("read_media_file", Act::Read, &["path"]),
    row("edit_file", Act::Edit, &["path", "target_file"]),
    row("delete_file", Act::Delete, &["path", "target_file"]),
    row("move_file", Act::Move, &["source"]),
    // Copilot CLI; the editor tools that Anthropic defines.
    row("view", Act::Read, &["path"]),
    row("create", Act::Write, &["path"]),
    row("str_replace_editor", Act::Command, &["path"]),
    row("str_replace_based_edit_tool", Act::Command, &["path"]),
    row("str_replace", Act::Edit, &["path"]),
];

/// Arguments that hold a patch.
pub(super) const PATCHES: &[&str] = &["input", "patch", "patchText"];

/// The row of `tool`, or of what follows the name of its server.
pub(super) fn row_of(tool: &str) -> Option<&'static Row> {
    let tool = tool.trim().to_lowercase();
    let named = |name: &str| TOOLS.iter().find(|row| row.tool == name);
    named(&tool).or_else(|| named(tool.rsplit_once("__")?.1))
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
        .map(|row| row.act)
        .or_else(said)
        .unwrap_or(Act::Read)
}

/// Tools whose answers are done with: they run, search and list. In lower case.
const EPHEMERAL: &[&str] = &[
    // Claude Code
    "bash",
    "bashoutput",
    "killshell",
    "killbash",
    "grep",
    "glob",
    "ls",
    "webfetch",
    "websearch",
    "task",
    "agent",
    "todowrite",
    "todoread",
    "exitplanmode",
    "askuserquestion",
    "slashcommand",
    "skill",
    "toolsearch",
    "taskcreate",
    "taskupdate",
    "tasklist",
    "taskget",
    "taskoutput",
    // OpenClaw and pi
    "exec",
    "process",
    "find",
    "web_search",
    "web_fetch",
    "browser",
    "memory_search",
    "memory_get",
    "sessions_list",
    "sessions_history",
    // Codex
    "shell",
    "shell_command",
    "exec_command",
    "write_stdin",
    "local_shell",
    "update_plan",
    "list_dir",
    "grep_files",
    // Gemini CLI
    "run_shell_command",
    "list_directory",
    "search_file_content",
    "google_web_search",
    "save_memory",
    "write_todos",
    "read_many_files",
    // OpenCode, Cline, Roo Code, Copilot CLI
    "list",
    "codesearch",
    "execute_command",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "read_bash",
    "write_bash",
    "stop_bash",
    "report_intent",
    "delete_file",
    "move_file",
];

/// Whether a tool is known to be done with once it answered.
pub fn is_known_ephemeral(tool: &str) -> bool {
    let tool = tool.trim().to_lowercase();
    EPHEMERAL.contains(&&*tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_lower_case_and_name_each_tool_once() {
        for (n, row) in TOOLS.iter().enumerate() {
            assert!(
                row.tool == row.tool.to_lowercase() && !row.paths.is_empty(),
                "{}",
                row.tool
            );
            assert!(
                TOOLS.iter().skip(n + 1).all(|other| other.tool != row.tool),
                "{}",
                row.tool
            );
            assert!(
                !is_known_ephemeral(row.tool) || matches!(row.act, Act::Delete | Act::Move),
                "{}",
                row.tool
            );
        }
        assert!(EPHEMERAL.iter().all(|tool| *tool == tool.to_lowercase()));
        assert!(
            row_of("mcp__files__read_file").is_some()
                && row_of(" Read ").is_some()
                && row_of("x_read").is_none()
        );
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
