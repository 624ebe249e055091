//! The folder that the examples run in, and how one is run.

use crate::data::{Sample, sample, samples};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with the files that the examples name: sessions, bodies, and the program as cargo installs it.
pub fn scratch() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a scratch folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    };
    let sample =
        fs::read(root().join("tests/samples/demo-session.jsonl")).expect("the sample is there");
    for name in [
        "demo-session.jsonl",
        "session.jsonl",
        "logs/session.jsonl",
        "logs/old/session.jsonl",
    ] {
        write(name, &sample);
    }
    write(
        "question.json",
        &fs::read(root().join("tests/samples/question.json")).expect("the sample is there"),
    );
    let body = body();
    write("body.json", body.as_bytes());
    write("bodies.jsonl", format!("{body}\n").repeat(3).as_bytes());
    write("broken.json", BROKEN.as_bytes());
    write(
        "chat.json5",
        b"{ workloads: { chat: { canary: { floor: 0.9 } } } }",
    );
    fs::create_dir_all(dir.path().join(".cargo/bin")).expect("a folder");
    symlink(
        env!("CARGO_BIN_EXE_deadhead"),
        dir.path().join(".cargo/bin/deadhead"),
    )
    .expect("a link");
    let stored = bash(
        "deadhead prune -q --state state.db --session s -o /dev/null logs/session.jsonl",
        dir.path(),
    );
    assert!(stored.status.success(), "a state file");
    dir
}

/// Writes sample logs that a replay counts into `sessions`, a folder for each agent, and one where Claude Code keeps its own. They are
/// small, as examples run many policies over them, and enough for one that pays.
pub fn add_sessions(dir: &Path) {
    add_logs(dir, 600_000);
    let write = |path: &str, bytes: &[u8]| {
        fs::create_dir_all(dir.join(path).parent().expect("a folder")).expect("a folder");
        fs::write(dir.join(path), bytes).expect("a file");
    };
    write(
        "sessions/openclaw/demo-session.jsonl",
        &sample("demo-session.jsonl").bytes,
    );
    let own = samples()
        .iter()
        .find(|sample| sample.name.starts_with("claude-code/git-sync__0cd46975"))
        .expect("the sample is there");
    write(".claude/projects/git-sync/0cd46975.jsonl", &own.bytes);
}

/// Writes the sample logs that a replay counts and that have at most so many bytes into `sessions`.
pub fn add_logs(dir: &Path, most: usize) {
    let counted = |sample: &&Sample| {
        ["claude-code", "codex", "copilot-cli", "openclaw"].contains(&sample.folder())
    };
    for sample in samples()
        .iter()
        .filter(counted)
        .filter(|sample| sample.bytes.len() <= most)
    {
        let path = dir.join("sessions").join(&sample.name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, &sample.bytes).expect("a file");
    }
}

/// Runs a script in `dir`, with the program on the path and nobody's configuration.
pub fn bash(script: &str, dir: &Path) -> Output {
    let path = format!(
        "{}:{}",
        dir.join(".cargo/bin").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut command = Command::new("bash");
    command
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(dir);
    command
        .env("PATH", path)
        .env("HOME", dir)
        .env_remove("DEADHEAD_CONFIG")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_STATE_HOME");
    command.output().expect("bash starts")
}

/// A body with a call that nothing answers.
const BROKEN: &str = r#"{"model":"claude-sonnet-4-5","max_tokens":64,"tools":[{"name":"Read","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Read","input":{"path":"a"}}]},{"role":"user","content":"and now?"}]}"#;

/// An Anthropic body of forty steps, whose results of 9,000 chars fill a good part of the window.
fn body() -> String {
    let step = |i: usize| {
        let text = "x".repeat(18_000);
        format!(
            r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{i}","name":"Read","input":{{"path":"{i}"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{i}","content":"{text}"}}]}}"#
        )
    };
    let steps: String = (0..40).map(step).collect();
    let tools = r#"[{"name":"Read","input_schema":{"type":"object"}}]"#;
    format!(
        r#"{{"model":"claude-sonnet-4-5","max_tokens":64,"tools":{tools},"messages":[{{"role":"user","content":"start"}}{steps}]}}"#
    )
}
