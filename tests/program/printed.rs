//! The commands that reports print are taken, and do what was measured.

use crate::data::sample;
use crate::replay_command::session;
use crate::support::Place;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// What follows the flags of a printed command.
const STATE: &str = " --state ~/.local/state/deadhead.db";

/// Runs a line of bash as a user does; returns what it printed.
fn run(place: &Place, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_deadhead"));
    let folders = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{folders}", program.parent().unwrap().display());
    let mut bash = Command::new("bash");
    bash.args(["-c", line])
        .current_dir(place.root())
        .env("HOME", place.root())
        .env("PATH", path)
        .env_remove("DEADHEAD_CONFIG")
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::null());
    let output = bash.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}\n{error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Replays logs; returns the rows of the policies whose cuts stay.
fn rows(place: &Place, flags: &str, logs: &str) -> Vec<Value> {
    let printed = run(
        place,
        &format!("deadhead replay --report-format json {flags} {logs}"),
    );
    let all: Value = serde_json::from_str(&printed).unwrap();
    let sums = match all.as_array() {
        Some(all) => &all.last().unwrap()["totals"],
        None => &all,
    };
    let rows = sums["policies"].as_array().unwrap();
    let mut rows = rows.clone();
    rows.retain(|row| row["manner"] == "sticky");
    rows
}

/// The commands that a replay prints behind "use it".
fn commands(text: &str) -> Vec<&str> {
    let (_, printed) = text.split_once("  use it\n").unwrap_or_default();
    let lines = printed.lines().map_while(|line| line.strip_prefix("    "));
    lines.collect()
}

/// Runs a command that was printed, as it is copied from the report but for the port: a proxy listens until it is ended.
fn serves(place: &Place, command: &str) {
    let tries = "for i in $(seq 100); do grep -m 1 listening said && break; sleep 0.1; done";
    let line = format!("{command} --listen 127.0.0.1:0 2> said & {tries}; kill $!; wait");
    assert!(run(place, &line).contains("listening"), "{command}");
}

/// The flags of a command that was printed.
fn flags(command: &str) -> &str {
    let flags = command.trim().strip_prefix("deadhead proxy ");
    flags.and_then(|flags| flags.strip_suffix(STATE)).unwrap()
}

#[test]
fn the_command_of_a_replay_cuts_what_was_measured() {
    let place = Place::new();
    session(place.root());
    place.file(
        "own.json5",
        b"{ contextPruning: { softTrimRatio: 0.1 }, workloads: { chat: { contextPruning: { ttl: '2m' } } } }",
    );
    place.file(
        "dear.tsv",
        super::prices::line("claude-sonnet-4-5", 10).as_bytes(),
    );
    let mut printed = 0;
    for given in [
        "--preset break-even",
        "--preset break-even,openclaw-2026.1",
        "-c own.json5",
        "-c own.json5 --workload chat --preset openclaw-2026.9",
        "--mode aggressive --pass dedupe,turn-drop --no-pass ephemeral",
        "--mode break-even --set breakEven.minTokens=1000 --expect-requests 9",
        "--preset openclaw-2026.1 --ttl 5m --only-if always",
        "--preset break-even --sweep breakEven.minTokens=1000,4000",
        "--preset break-even --prices dear.tsv --context-window 60000",
        "--auth oauth --set 'protect.tools=[\"no such tool\"]'",
    ] {
        let text = run(&place, &format!("deadhead replay {given} session.jsonl"));
        let measured = rows(&place, given, "session.jsonl");
        let usd = |row: &Value| row["usd"].as_f64().unwrap();
        let Some(command) = commands(&text).pop() else {
            assert!(text.contains("nothing here saves money"), "{given}\n{text}");
            continue;
        };
        printed += 1;
        let fits = |row: &&Value| row["unread"] == 0;
        let best = measured.iter().filter(fits);
        let best = best.min_by(|a, b| usd(a).total_cmp(&usd(b))).unwrap();
        let again = &rows(&place, flags(command), "session.jsonl")[0];
        for figure in ["usd", "cuts", "tokensCut", "cacheRead", "regret"] {
            assert_eq!(again[figure], best[figure], "{given}: {command}: {figure}");
        }
        serves(&place, command);
        let flags = flags(command);
        run(
            &place,
            &format!("deadhead prune {flags}{STATE} -q session.jsonl > pruned.jsonl"),
        );
        run(&place, "deadhead check -q pruned.jsonl && rm -r .local");
    }
    assert!(printed > 6, "{printed} commands");
}

#[test]
fn the_command_of_an_advice_cuts_what_was_measured() {
    let place = Place::new();
    session(place.root());
    place.file("demo.jsonl", &sample("demo-session.jsonl").bytes);
    let logs = "session.jsonl demo.jsonl";
    for write in ["", "--write policy.json5"] {
        let printed = run(
            &place,
            &format!("deadhead advise --report-format json {write} {logs}"),
        );
        let advice: Value = serde_json::from_str(&printed).unwrap();
        let command = advice["useIt"].as_str().unwrap();
        let best = &advice["policies"][advice["best"].as_u64().unwrap() as usize];
        let cuts = |half: &str| best[half]["cuts"].as_u64().unwrap();
        let again = &rows(&place, flags(command), logs)[0];
        assert_eq!(
            again["cuts"].as_u64().unwrap(),
            cuts("choosing") + cuts("measured"),
            "{command}"
        );
        serves(&place, command);
    }
}

#[test]
fn the_agent_of_a_log_is_run_by_the_command_that_is_printed() {
    let place = Place::new();
    let log = sample("claude-code/git-sync__5b613073-e70b-48a1-b6ae-c6aaa99ec2b1.jsonl");
    place.file("log.jsonl", &log.bytes);
    // An agent that shows what it was started with.
    let agent = place.file("bin/claude", "#!/bin/sh\necho \"$ANTHROPIC_BASE_URL\"\n");
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    let text = run(&place, "deadhead replay --preset break-even log.jsonl");
    let command = commands(&text)[0];
    assert_eq!(
        command, "deadhead run --preset break-even -- claude",
        "{text}"
    );
    let shown = run(&place, &format!("PATH=$HOME/bin:$PATH; {command}"));
    assert!(shown.starts_with("http://127.0.0.1:"), "{shown}");
}

#[test]
fn the_plugin_of_openclaw_gets_the_policy_by_the_command_that_is_printed() {
    let place = Place::new();
    let log = sample("openclaw/pi-mono__large-session.jsonl");
    place.file("session.jsonl", &log.bytes);
    // A program that shows what it was told.
    let agent = place.file(
        "bin/openclaw",
        "#!/bin/sh\nprintf '%s|' \"$@\" | sed 's/|$/\\n/'\n",
    );
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    let flags = "--preset break-even --set 'contextPruning.tools.deny=[\"it'\\''s\"]'";
    let text = run(&place, &format!("deadhead replay {flags} session.jsonl"));
    let shown = run(
        &place,
        &format!("PATH=$HOME/bin:$PATH; {}", commands(&text)[0]),
    );
    let lines: Vec<&str> = shown.lines().collect();
    let [inspected, slot, entry] = lines[..] else {
        panic!("{text}\n{shown}")
    };
    assert_eq!(inspected, "plugins|inspect|deadhead");
    assert_eq!(slot, "config|set|plugins.slots.contextEngine|deadhead");
    let entry = entry.strip_prefix("config|set|plugins.entries.deadhead|");
    let entry: Value = serde_json::from_str(entry.unwrap()).unwrap();
    let args = [
        "--preset",
        "break-even",
        "--set",
        "contextPruning.tools.deny=[\"it's\"]",
    ];
    let want = serde_json::json!({"enabled": true, "config": {"args": args}});
    assert_eq!(entry, want);
    // Where the plugin is not installed nothing is set, and its package is named.
    std::fs::write(&agent, "#!/bin/sh\necho \"$1\"; [ \"$1\" != plugins ]\n").unwrap();
    let line = format!("PATH=$HOME/bin:$PATH; {} || true", commands(&text)[0]);
    assert_eq!(
        run(&place, &line),
        "plugins\nfirst install the package deadhead-openclaw\n"
    );
}
