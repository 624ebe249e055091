//! What the README shows is run: its recipes, its commands and the report it prints. This needs bash and jq.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A recipe by its title, and what must be in what it prints or writes.
const RECIPES: [(&str, &str); 11] = [
    ("Prune a request body on its way", "[Tool result trimmed: kept first 1500 chars"),
    ("See what a folder of logs would save", "2 inputs: 341,740 → 170,812 chars (-50 %)"),
    ("A cron line", "2 inputs: 341,740 chars, nothing cut"),
    ("Save disk space as well", "  mirrors      copies              12 cuts       17,347 bytes  no tokens"),
    ("A filter process beside a gateway", "[Tool result trimmed: kept first 1500 chars"),
    ("The same with memory", "2 sessions, "),
    ("A quality gate from cron", "chat: collecting, no scores, floor 0.900\n"),
    ("Rest the next step where this one cut", "x-deadhead-context-pruned: turns_removed="),
    ("Which tool costs most, with jq", "85144\tread\n320\tbash\n"),
    ("Choose by hand", "4 dropped"),
    ("Forget old commands and stale files", "stale-resource"),
];

#[test]
fn recipes() {
    let readme = readme();
    let (_, recipes) = readme.split_once("\n## Recipes\n").expect("the section is there");
    let recipes = recipes.split("\n## ").next().unwrap_or_default();
    let titles: Vec<&str> = recipes.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert_eq!(titles, RECIPES.map(|(title, _)| title));
    for ((title, want), text) in RECIPES.iter().zip(recipes.split("\n### ").skip(1)) {
        let scratch = scratch();
        let script = block(text, "sh").expect("a recipe has a script");
        let output = bash(uncron(script), scratch.path());
        let mut seen = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        for made in ["slim.json", "slim.jsonl"] {
            seen += &fs::read_to_string(scratch.path().join(made)).unwrap_or_default();
        }
        assert!(
            output.status.success() && seen.contains(want),
            "{title}: {}\n{}",
            output.status,
            seen.chars().take(2000).collect::<String>()
        );
        if *title == "A filter process beside a gateway" {
            assert_eq!(seen.lines().count(), 3, "a line for each body");
        }
    }
}

#[test]
fn the_report_shown_is_the_report_printed() {
    let readme = readme();
    let shown = block(&readme, "console").expect("a run is shown");
    let (command, report) = shown.split_once('\n').expect("a command and a report");
    let scratch = scratch();
    let output = bash(command.strip_prefix("$ ").expect("a prompt"), scratch.path());
    assert_eq!(String::from_utf8_lossy(&output.stderr), report);
    assert!(output.status.success() && scratch.path().join("pruned.jsonl").is_file());
}

#[test]
fn the_chunks_shown_are_those_that_stay() {
    let readme = readme();
    let (_, section) = readme.split_once("\n## Retrieved chunks\n").expect("the section is there");
    let shown = block(section, "console").expect("two commands and what they print");
    let mut commands = shown.split("$ ").filter(|part| !part.is_empty());
    let scratch = scratch();
    for want in [8, 4] {
        let (command, printed) = commands.next().and_then(|part| part.split_once('\n')).expect("a command");
        let output = bash(command, scratch.path());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), printed.trim_end());
        assert_eq!(printed.lines().filter(|line| line.starts_with('[')).count(), want);
    }
    assert_eq!(commands.next(), None);
}

#[test]
fn the_first_commands_are_those_of_ci() {
    let readme = readme();
    let (_, start) = readme.split_once("\n## Start\n").expect("the section is there");
    let commands: Vec<&str> = block(start, "").expect("two commands").lines().collect();
    let ci = fs::read_to_string(root().join(".ci/run")).expect("the script is there");
    for command in &commands {
        assert!(ci.lines().any(|line| line == format!("step {command}")), "{command} is not a step of .ci/run");
    }
    assert_eq!(commands.len(), 2);
    assert!(root().join(commands[0].split(' ').next_back().unwrap_or_default()).is_file(), "the sample is in the repository");
}

#[test]
fn tables_name_what_there_is() {
    let readme = readme();
    for preset in deadhead_core::settings::presets() {
        assert!(readme.contains(&format!("`{}`", preset.name)), "{}", preset.name);
    }
    for pass in deadhead_core::pass::PASSES {
        assert!(readme.contains(&format!("**{}**", pass.name)), "{}", pass.name);
    }
    let help = Command::new(env!("CARGO_BIN_EXE_deadhead")).arg("--help").output().expect("it starts");
    let help = String::from_utf8_lossy(&help.stdout);
    let (_, table) = readme.split_once("| code | meaning |\n|---|---|\n").expect("exit codes");
    for row in table.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<String> = row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
        assert!(help.contains(&format!("  {}  {}\n", cells[0], cells[1])), "{row}");
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("the README is there")
}

/// The first fenced block of this language.
fn block<'a>(text: &'a str, language: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("\n```{language}\n"))?;
    rest.split_once("```\n").map(|(block, _)| block)
}

/// The command of a crontab line; any other script as it is.
fn uncron(script: &str) -> &str {
    let command = script.splitn(6, ' ').nth(5).unwrap_or_default();
    if script.starts_with(|c: char| c.is_ascii_digit()) { command } else { script }
}

/// A folder with the files that the README names: sessions, bodies, and the program as cargo installs it.
fn scratch() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a scratch folder");
    let at = |name: &str| dir.path().join(name);
    let sample = fs::read(root().join("tests/samples/demo-session.jsonl")).expect("the sample is there");
    fs::create_dir_all(at("logs/old")).expect("a folder");
    for name in ["demo-session.jsonl", "session.jsonl", "logs/session.jsonl", "logs/old/session.jsonl"] {
        fs::write(at(name), &sample).expect("a file");
    }
    let question = fs::read(root().join("tests/samples/question.json")).expect("the sample is there");
    fs::write(at("question.json"), question).expect("a file");
    let body = body();
    let workloads = "{ workloads: { chat: { canary: { floor: 0.9 } } } }";
    fs::write(at("chat.json5"), workloads).expect("a file");
    let run = Command::new(env!("CARGO_BIN_EXE_deadhead"))
        .current_dir(dir.path())
        .args(["prune", "-q", "--state", "state.db", "--session", "s", "logs/session.jsonl"])
        .output();
    assert!(run.is_ok_and(|o| o.status.success()), "a state file");
    fs::write(at("body.json"), &body).expect("a file");
    fs::write(at("bodies.jsonl"), format!("{body}\n").repeat(3)).expect("a file");
    fs::create_dir_all(at(".cargo/bin")).expect("a folder");
    symlink(env!("CARGO_BIN_EXE_deadhead"), at(".cargo/bin/deadhead")).expect("a link");
    dir
}

/// An Anthropic body of forty steps, whose results of 9,000 chars fill a good part of the window.
fn body() -> String {
    let step = |i: usize| {
        let text = "x".repeat(9_000);
        format!(
            r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{i}","name":"Read","input":{{"path":"{i}"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{i}","content":"{text}"}}]}}"#
        )
    };
    let steps: String = (0..40).map(step).collect();
    format!(r#"{{"model":"claude-sonnet-4-5","max_tokens":64,"messages":[{{"role":"user","content":"start"}}{steps}]}}"#)
}

/// Runs a script in `dir`, with the program on the path and nobody's configuration.
fn bash(script: &str, dir: &Path) -> Output {
    let path = format!("{}:{}", dir.join(".cargo/bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", script]).current_dir(dir);
    command.env("PATH", path).env("HOME", dir).env_remove("DEADHEAD_CONFIG").env_remove("XDG_CONFIG_HOME");
    command.output().expect("bash starts")
}
