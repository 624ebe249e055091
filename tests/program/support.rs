//! Shared functions of the tests of the program: the program with a clean environment, and directories that are removed after the
//! test.

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Output};

/// The program, without the user's configuration and without a state folder.
pub fn deadhead() -> Command {
    Command::from_std(program())
}

/// The same as a command of the standard library.
pub fn program() -> std::process::Command {
    without_settings(env!("CARGO_BIN_EXE_deadhead"))
}

/// A script of bash in a directory, without input; `deadhead` in it is the program.
pub fn script(place: &Place, script: &str) -> std::process::Command {
    let mut command = without_settings("env");
    // What started the tests may ignore signals, as `nohup` does.
    command.args([
        "--default-signal=HUP,INT,TERM",
        "bash",
        "-c",
        &script.replace("deadhead", "\"$0\""),
    ]);
    command
        .arg(env!("CARGO_BIN_EXE_deadhead"))
        .current_dir(place.root())
        .stdin(std::process::Stdio::null());
    command
}

/// A program, without the user's configuration and without a state folder.
pub fn without_settings(program: impl AsRef<OsStr>) -> std::process::Command {
    let mut command = std::process::Command::new(program);
    command
        .env_remove("DEADHEAD_CONFIG")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env_remove("XDG_STATE_HOME")
        .env_remove("HOME")
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100");
    command
}

/// A directory of a test's own.
pub struct Place(tempfile::TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.0.path().join(name.as_ref())
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Names of what lies here, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.root())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The files here that a process has open, with links to them: an output has no name until it is whole.
    pub fn open_files(&self, process: &Child) -> BTreeMap<PathBuf, PathBuf> {
        let root = std::fs::canonicalize(self.root()).unwrap();
        let open = std::fs::read_dir(format!("/proc/{}/fd", process.id()))
            .unwrap()
            .filter_map(|entry| {
                let link = entry.unwrap().path();
                Some((std::fs::read_link(&link).ok()?, link))
            });
        open.filter(|(path, _)| path.parent() == Some(&root))
            .collect()
    }
}

/// A body with a result that `tiny` flags trim and one that they keep.
pub const BODY: &str = include_str!("../cases/body.json");

/// Flags under which even small results are cut.
pub const TINY: [&str; 10] = [
    "--mode=adaptive",
    "--context-window=10",
    "--set=contextPruning.keepLastAssistants=1",
    "--set=contextPruning.minPrunableToolChars=0",
    "--set=contextPruning.softTrim.maxChars=20",
    "--set=contextPruning.softTrim.headChars=4",
    "--set=contextPruning.softTrim.tailChars=4",
    "--set=contextPruning.hardClear.enabled=false",
    "--now=2026-01-31T12:00:00Z",
    "--progress=never",
];

/// A body whose result is trimmed, as the program answers it.
pub fn pruned() -> Vec<u8> {
    deadhead()
        .arg("prune")
        .arg("-q")
        .args(TINY)
        .write_stdin(BODY)
        .output()
        .unwrap()
        .stdout
}

/// A history of `n` steps, some 1.1 KB each, that `TINY` cuts.
pub fn history(n: usize) -> String {
    let mut lines = vec![r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}"#.to_owned()];
    let mut entry = |message: String| {
        let parent = if lines.len() > 1 {
            format!("\"e{}\"", lines.len() - 1)
        } else {
            "null".to_owned()
        };
        lines.push(format!(r#"{{"type":"message","id":"e{}","parentId":{parent},"timestamp":"t","message":{message}}}"#, lines.len()));
    };
    entry(r#"{"role":"user","content":"go"}"#.to_owned());
    for i in 0..n {
        entry(format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"t{i}","name":"exec","arguments":{{}}}}]}}"#
        ));
        let text = "0123456789".repeat(80);
        entry(format!(
            r#"{{"role":"toolResult","toolCallId":"t{i}","toolName":"exec","content":[{{"type":"text","text":"{text}"}}]}}"#
        ));
    }
    entry(r#"{"role":"assistant","content":[{"type":"text","text":"ok"}]}"#.to_owned());
    lines.join("\n") + "\n"
}

/// One line on stderr, exit 2.
pub fn is_refused(output: &Output, words: &str) {
    let reported = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{reported}");
    assert!(
        reported.lines().count() == 1
            && reported.starts_with("deadhead: ")
            && reported.contains(words),
        "{reported}"
    );
}
