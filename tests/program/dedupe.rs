//! dedupe: its cuts, the results that it leaves alone, and a second run that changes nothing.

use assert_cmd::Command;
use serde_json::{Value, json};

/// A session of calls `(tool, arguments, text, failed)`, and three more steps that are in no pass's reach.
fn session(calls: &[(&str, Value, &str, bool)]) -> String {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/"}),
    ];
    let mut add = |message: Value| {
        let parent = lines
            .last()
            .and_then(|line| line["id"].as_str())
            .map(str::to_owned);
        lines.push(json!({"type": "message", "id": format!("{:08x}", lines.len()), "parentId": parent, "timestamp": "2026-01-01T00:00:00Z", "message": message}));
    };
    add(json!({"role": "user", "content": "go"}));
    let tail = [
        ("wait", json!({}), "done", false),
        ("wait", json!({}), "done", false),
        ("wait", json!({}), "done", false),
    ];
    for (i, (tool, arguments, text, failed)) in calls.iter().chain(&tail).enumerate() {
        let call = json!({"type": "toolCall", "id": format!("c{i}"), "name": tool, "arguments": arguments});
        add(
            json!({"role": "assistant", "provider": "anthropic", "model": "claude-sonnet-4-5", "content": [call]}),
        );
        let content = json!([{"type": "text", "text": text}]);
        add(
            json!({"role": "toolResult", "toolCallId": format!("c{i}"), "toolName": tool, "content": content, "isError": failed}),
        );
    }
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

fn prune(input: &str) -> String {
    let passes = ["--pass", "dedupe", "--no-pass", "soft-trim,hard-clear"];
    let run = Command::cargo_bin("deadhead")
        .unwrap()
        .args(["prune", "-q", "--mode", "adaptive"])
        .args(passes)
        .write_stdin(input)
        .unwrap();
    String::from_utf8(run.stdout).unwrap()
}

/// The texts of results, in order.
fn texts(output: &str) -> Vec<String> {
    let results = output
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let results = results.filter(|value| value["message"]["role"] == "toolResult");
    results
        .map(|value| {
            value["message"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

const SAME: &str = "[Same output as a later call; see there]";
const AGAIN: &str = "[Read again later; see there]";

#[test]
fn the_later_one_stays() {
    let (long, other) = ("x".repeat(400), "y".repeat(400));
    let read = |path: &str| json!({"path": path});
    let lines = |from: u64, n: u64| json!({"path": "/p", "offset": from, "limit": n});
    let input = session(&[
        ("bash", json!({"command": "ls"}), &long, false),
        ("bash", json!({"command": "ls -a"}), &long, false),
        ("read", read("/a"), &other, false),
        ("read", read("/a"), &long, false),
        ("read", lines(20, 10), &"w".repeat(400), false),
        ("read", lines(1, 100), &"z".repeat(400), false),
    ]);
    let output = prune(&input);
    let found = texts(&output);
    assert_eq!(
        found[..6],
        [SAME, &long, AGAIN, &long, AGAIN, &"z".repeat(400)]
    );
    assert_eq!(prune(&output), output, "a second run changes nothing");
}

#[test]
fn different_results_are_kept() {
    let long = "x".repeat(400);
    let input = session(&[
        ("read", json!({"path": "/a"}), &long, false),
        // A part does not replace the whole, a failure nothing, another tool this one.
        ("read", json!({"path": "/a", "limit": 3}), "part", false),
        ("read", json!({"path": "/a"}), "no such file", true),
        ("cat", json!({"path": "/a"}), &long, false),
        // Short doubles are cheaper than a note.
        ("bash", json!({"command": "true"}), "ok", false),
        ("bash", json!({"command": "true"}), "ok", false),
        // A tool that writes reads nothing.
        ("edit", json!({"path": "/b"}), &"e".repeat(300), false),
        ("edit", json!({"path": "/b"}), &"f".repeat(300), false),
    ]);
    assert_eq!(prune(&input), input);
}

#[test]
fn replaced_results_are_not_trimmed() {
    let long = "x".repeat(9000);
    let double = ("bash", json!({"command": "ls"}), long.as_str(), false);
    let input = session(&[double.clone(), double]);
    let args = [
        "prune",
        "-q",
        "--mode",
        "adaptive",
        "--pass",
        "dedupe",
        "--context-window",
        "5000",
        "--set",
        "contextPruning.hardClear.enabled=false",
    ];
    let run = Command::cargo_bin("deadhead")
        .unwrap()
        .args(args)
        .write_stdin(input)
        .unwrap();
    let found = texts(&String::from_utf8(run.stdout).unwrap());
    assert_eq!(found[0], SAME);
    assert!(found[1].contains("[Tool result trimmed"));
}

#[test]
fn the_tail_is_out_of_reach() {
    let long = "x".repeat(400);
    let double = ("bash", json!({"command": "ls"}), long.as_str(), false);
    let input = session(&[double.clone(), double]);
    let whole = input.lines().count();
    // Without the last three steps the doubles are the newest that there is.
    let short: String = input
        .lines()
        .take(whole - 6)
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(prune(&short), short);
    assert_ne!(prune(&input), input);
}

#[test]
fn hard_clear_leaves_notes_also_in_the_next_run() {
    let (long, other) = ("x".repeat(400), "y".repeat(400));
    let read = json!({"path": "/a"});
    let bash = json!({"command": "ls"});
    let input = session(&[
        ("bash", bash.clone(), &long, false),
        ("bash", bash, &long, false),
        ("read", read.clone(), &other, false),
        ("read", read, &long, false),
    ]);
    for placeholder in ["[gone]".to_owned(), "[gone]".repeat(60)] {
        let set = format!("contextPruning.hardClear.placeholder={placeholder:?}");
        let prune = |input: &str| {
            let run = Command::cargo_bin("deadhead").unwrap();
            let run = { run }
                .args([
                    "prune",
                    "-q",
                    "--mode",
                    "aggressive",
                    "--pass",
                    "dedupe",
                    "--set",
                    &set,
                ])
                .write_stdin(input)
                .unwrap();
            String::from_utf8(run.stdout).unwrap()
        };
        let output = prune(&input);
        assert_eq!(
            texts(&output)[..4],
            [SAME, &placeholder, AGAIN, &placeholder]
        );
        assert_eq!(prune(&output), output, "a second run changes nothing");
    }
}
