//! `deadhead statusline`: the line of an agent's screen, and the plugin that has it. Its input is as Claude Code 2.1.332 sends it.

use crate::data::sample;
use crate::support::{Place, deadhead};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};

/// The line for an event, with a cache folder in `place`.
fn line(place: &Place, args: &[&str], event: &str) -> String {
    let output = deadhead()
        .env("XDG_CACHE_HOME", place.path("cache"))
        .arg("statusline")
        .args(args)
        .write_stdin(event)
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

fn event(log: &Path, misses: u64, tokens: u64) -> Value {
    json!({
        "transcript_path": log,
        "model": {"id": "claude-opus-4-8", "display_name": "Opus"},
        "cost": {"total_cost_usd": 1.234},
        "context_window": {"total_input_tokens": 146_000, "context_window_size": 200_000},
        "prompt_cache": {
            "ttl": "5m",
            "misses": misses,
            "miss_recache_tokens": tokens,
            "last_miss_cause": {"causes": ["tools_changed"], "tools_added": 2},
        },
    })
}

#[test]
fn the_line_has_what_a_dry_run_says() {
    let place = Place::new();
    let log = place.file(
        "session.jsonl",
        &sample("claude-code/git-sync__0cd46975-a945-4e8b-b0fa-f6cf392e38b2.jsonl").bytes,
    );
    let report = deadhead()
        .args([
            "prune",
            "-n",
            "--preset",
            "break-even-safe",
            "--report-format",
            "json",
        ])
        .arg(&log)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let tokens = |side: &str| report[side]["tokens"].as_f64().unwrap();
    let saved = tokens("before") - tokens("after");
    assert!(saved > 10_000.0);
    let said = line(&place, &["--wait"], &event(&log, 0, 0).to_string());
    let want = format!(
        "146.0k of 200.0k tokens (73 %) · $1.23 · pruning would save {:.1}k tokens a request (-{:.0} %)\n",
        saved / 1000.0,
        saved / tokens("before") * 100.0
    );
    assert_eq!(said, want);
    // Without --wait it has what is known, though the log has grown since.
    fs::write(&log, [fs::read(&log).unwrap(), b"\n".to_vec()].concat()).unwrap();
    assert_eq!(line(&place, &[], &event(&log, 0, 0).to_string()), want);
    // What is known of one policy is not said of another.
    let other = line(&place, &["--mode", "off"], &event(&log, 0, 0).to_string());
    assert_eq!(other, "146.0k of 200.0k tokens (73 %) · $1.23\n");
}

#[test]
fn a_miss_has_the_tokens_that_came_with_it() {
    let place = Place::new();
    let log = place.path("none.jsonl");
    let ends = |misses, tokens, end: &str| {
        let said = line(&place, &[], &event(&log, misses, tokens).to_string());
        assert!(said.ends_with(&format!("{end}\n")), "{said}");
    };
    // $5 for a million tokens: written for 1.25 of it, where a tenth would have read them.
    ends(
        1,
        40_000,
        "last cache miss: tools changed, 40.0k tokens, $0.2300",
    );
    ends(
        2,
        50_000,
        "last cache miss: tools changed, 10.0k tokens, $0.0575",
    );
    ends(
        2,
        50_000,
        "last cache miss: tools changed, 10.0k tokens, $0.0575",
    );
    // Of two at once nobody knows what the last one was.
    ends(4, 90_000, "last cache miss: tools changed");
    ends(
        5,
        91_000,
        "last cache miss: tools changed, 1,000 tokens, $0.0057",
    );
}

#[test]
fn what_is_not_known_is_left_out() {
    let place = Place::new();
    for (event, want) in [
        ("", ""),
        ("no json", ""),
        ("[1]", ""),
        (
            r#"{"context_window":5,"cost":"x","transcript_path":{},"prompt_cache":[3]}"#,
            "",
        ),
        (
            r#"{"cost":{"total_cost_usd":3},"transcript_path":"/dev/null/none"}"#,
            "$3.00",
        ),
        (r#"{"context_window":{"total_input_tokens":5}}"#, "5 tokens"),
        (
            r#"{"context_window":{"total_input_tokens":5,"context_window_size":0}}"#,
            "5 tokens",
        ),
        (
            r#"{"prompt_cache":{"misses":2,"last_miss_cause":{"causes":["\u001b[31m"]}}}"#,
            r"last cache miss: \u{1b}[31m",
        ),
    ] {
        let said = line(&place, &["--wait"], event);
        assert_eq!(said, format!("{want}\n"), "{event}");
    }
    // A log that is none, and a folder where one should be.
    let log = place.file("log", "text\n");
    for log in [log, place.path("")] {
        let said = line(&place, &["--wait"], &event(&log, 0, 0).to_string());
        assert_eq!(said, "146.0k of 200.0k tokens (73 %) · $1.23\n");
    }
}

#[test]
fn without_the_program_the_plugin_says_how_to_get_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let hooks: Value =
        serde_json::from_slice(&fs::read(root.join("claude-plugin/hooks/hooks.json")).unwrap())
            .unwrap();
    let plugin: Value = serde_json::from_slice(
        &fs::read(root.join("claude-plugin/.claude-plugin/plugin.json")).unwrap(),
    )
    .unwrap();
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let run = |path: &str, args: &str| {
        let command = format!(r#""${{CLAUDE_PLUGIN_ROOT}}/scripts/deadhead" {args}"#);
        let output = Command::new("/bin/sh")
            .args(["-c", &command])
            .env("CLAUDE_PLUGIN_ROOT", root.join("claude-plugin"))
            .env("PATH", path)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let get = "deadhead is not installed: in a clone of it, cargo install --locked --path . (or pip install deadhead, npm install deadhead)";
    for args in ["advise", "slim-sessions", "fork-session 1"] {
        assert_eq!(run("", args), format!("{get}\n"));
    }
    assert_eq!(run("", "hook claude-code"), "");
    assert_eq!(
        run("", "begin"),
        format!("{{\"systemMessage\": \"{get}\"}}\n")
    );
    let command = hooks["hooks"]["PostToolUse"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    assert!(
        command.contains(r#"" hook claude-code --sidecar ""#),
        "{command}"
    );
    let folder = Path::new(env!("CARGO_BIN_EXE_deadhead"))
        .parent()
        .unwrap()
        .display()
        .to_string();
    assert_eq!(run(&format!("{folder}:/usr/bin:/bin"), "begin"), "");
    assert!(run(&format!("{folder}:/usr/bin:/bin"), "--version").starts_with("deadhead "));
}
