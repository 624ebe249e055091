//! `deadhead judge` with commands whose answers are known.

use crate::support::{Place, deadhead};
use assert_cmd::Command;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

/// A policy that leaves the newest result, and says where it cut one.
const POLICY: [&str; 4] = [
    "--mode",
    "adaptive",
    "--set",
    "edits=[{type: 'clear_tool_results', keep: {tool_results: 1}, placeholder: 'GONE'}]",
];

/// A log with so many requests, of which all but the first two are behind cuts.
fn log(requests: usize, api: &str) -> String {
    let entry = |i: usize, message: Value| {
        json!({"type": "message", "id": format!("e{i}"), "timestamp": "2026-01-01T00:00:00.000Z",
        "parentId": i.checked_sub(1).map(|before| format!("e{before}")), "message": message})
    };
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"}),
        entry(0, json!({"role": "user", "content": "go"})),
    ];
    for i in 0..requests {
        let call = json!([{"type": "toolCall", "id": format!("c{i}"), "name": "read", "arguments": {"path": "a"}}]);
        let result = json!([{"type": "text", "text": format!("result {i} {}", "x".repeat(900))}]);
        lines.push(entry(2 * i + 1, json!({"role": "assistant", "content": call, "api": api, "provider": "p", "model": "m"})));
        lines.push(entry(2 * i + 2, json!({"role": "toolResult", "toolCallId": format!("c{i}"), "toolName": "read", "content": result})));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The program in a place with the log `log.jsonl` of twelve requests.
fn judge(place: &Place, command: &str) -> Command {
    place.file("log.jsonl", log(12, "anthropic-messages"));
    let mut judge = deadhead();
    judge
        .current_dir(place.root())
        .args(["judge", "log.jsonl", "--yes", "--command", command])
        .args(POLICY);
    judge
}

/// The report as JSON, and the measure of tool and target in it.
fn report(command: &str) -> (Value, Value) {
    let output = judge(&Place::new(), command)
        .arg("--json")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("10 requests behind cuts: 40 calls, about "),
        "{said}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let measure = report["agreement"][1].clone();
    assert_eq!(measure["of"], "tool and target");
    (report, measure)
}

/// A script that prints Anthropic's answer with a call that reads this path.
fn read(path: &str) -> String {
    format!(
        r#"echo '{{"content": [{{"type": "tool_use", "id": "t", "name": "Read", "input": {{"file_path": "{path}"}}}}]}}'"#
    )
}

fn shares(measure: &Value) -> [f64; 3] {
    ["whole", "pruned", "difference"].map(|key| measure[key].as_f64().unwrap())
}

#[test]
fn the_same_answer_is_no_difference() {
    let (report, measure) = report(&read("a"));
    assert_eq!(shares(&measure), [1.0, 1.0, 0.0]);
    let ends = [&measure["low"], &measure["high"]].map(|end| end.as_f64().unwrap());
    assert!(ends[0] < -0.2 && ends[1] > 0.2, "{ends:?}");
    assert_eq!(
        (&report["compared"], &report["calls"], &report["failures"]),
        (&json!(10), &json!(40), &json!({}))
    );
    let step = json!({"tool": "Read", "target": "a"});
    let lines: Vec<u64> = report["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            assert_eq!(
                (&row["whole"], &row["pruned"]),
                (&json!([step, step]), &json!([step, step]))
            );
            let tokens = [&row["tokens"][0], &row["tokens"][1]].map(|n| n.as_u64().unwrap());
            assert!(tokens[1] < tokens[0] - 100, "{tokens:?}");
            row["line"].as_u64().unwrap()
        })
        .collect();
    // The line before an answer is that of the result before it.
    let want: Vec<u64> = (2..12).map(|i| 2 * i + 2).collect();
    assert_eq!(lines, want);
}

#[test]
fn the_name_of_a_log_need_not_be_utf_8() {
    let place = Place::new();
    let log_file = place.path(OsStr::from_bytes(b"log\xff.jsonl"));
    std::fs::write(&log_file, log(12, "anthropic-messages")).unwrap();
    let output = judge(&place, &read("a"))
        .arg("--json")
        .arg(&log_file)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = |row: &Value| row["input"] == log_file.display().to_string();
    assert!(
        report["requests"].as_array().unwrap().iter().any(named),
        "{report}"
    );
}

#[test]
fn another_answer_wherever_a_text_was_cut_is_all_the_difference() {
    let script = format!(
        "if grep -q GONE; then {}; else {}; fi",
        read("b"),
        read("a")
    );
    let (report, measure) = report(&script);
    assert_eq!(shares(&measure), [1.0, 0.0, -1.0]);
    assert!(measure["high"].as_f64().unwrap() < -0.5);
    // The tool is the same.
    assert_eq!(shares(&report["agreement"][0]), [1.0, 1.0, 0.0]);
}

#[test]
fn noise_comes_out_as_it_was_made() {
    // The calls of a request are whole, pruned, whole, pruned. The answers of every fifth request change after the second call.
    let count = "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count; cat > /dev/null";
    let script = format!(
        "{count}; if [ $((n / 4 % 5)) = 0 ] && [ $((n % 4)) -gt 1 ]; then {}; else {}; fi",
        read("b"),
        read("a")
    );
    let (_, measure) = report(&script);
    let found = shares(&measure);
    for (found, want) in found.iter().zip([0.8, 0.9, 0.1]) {
        assert!((found - want).abs() < 1e-9, "{measure}");
    }
    // A third of the pruned answers, two thirds of the whole ones: each of 40 answers is of its own.
    let script = format!(
        "{count}; if [ $((n % 2)) = 1 ] && [ $((n % 6)) = 1 ]; then {}; else {}; fi",
        read("b"),
        read("a")
    );
    let [whole, pruned, difference] = shares(&report(&script).1);
    assert_eq!(
        (whole, (pruned * 20.0).round(), (difference * 20.0).round()),
        (1.0, 13.0, -7.0)
    );
}

#[test]
fn each_form_of_an_answer_is_understood() {
    let chat = |message: Value| json!({"choices": [{"message": message}]});
    let function = json!({"name": "bash", "arguments": "{\"why\": \"n\", \"command\": \"ls\"}"});
    let ls = json!({"tool": "bash", "target": "ls"});
    let text = json!({"tool": "text", "target": ""});
    for (answer, want) in [
        (
            json!({"content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "x"}]}),
            text.clone(),
        ),
        (
            json!({"content": [{"type": "text", "text": "x"}, {"type": "tool_use", "name": "bash", "input": {"command": "ls"}}]}),
            ls.clone(),
        ),
        (
            json!({"content": [{"type": "tool_use", "name": "bash", "input": {}}]}),
            json!({"tool": "bash", "target": ""}),
        ),
        (
            chat(json!({"role": "assistant", "content": "x", "tool_calls": null})),
            text.clone(),
        ),
        (
            chat(json!({"role": "assistant", "content": "x", "tool_calls": []})),
            text.clone(),
        ),
        (
            chat(
                json!({"content": null, "tool_calls": [{"id": "i", "type": "function", "function": function}]}),
            ),
            ls.clone(),
        ),
        (
            chat(json!({"content": null, "function_call": function, "name": "bash"})),
            ls.clone(),
        ),
        (
            json!({"output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": []}]}),
            text,
        ),
        (
            json!({"output": [{"type": "function_call", "name": "bash", "arguments": "{\"command\": [\"ls\"]}"}]}),
            ls,
        ),
        (
            json!({"output": [{"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n*** Add File: a.rs"}]}),
            json!({"tool": "apply_patch", "target": "a.rs"}),
        ),
    ] {
        let place = Place::new();
        place.file("answer", answer.to_string());
        let output = judge(&place, "cat answer")
            .args(["--json", "--requests=1"])
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            report["requests"][0]["pruned"],
            json!([want, want]),
            "{answer}"
        );
    }
}

#[test]
fn failures_are_counted_by_their_reason() {
    let count = "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count";
    let script = format!(
        "{count}; case $n in 0) exit 3;; 5) kill -9 $$;; 9) echo '{{}}';; 13) sleep 60;; 14) echo {{;; *) {};; esac",
        read("a")
    );
    let output = judge(&Place::new(), &script)
        .args(["--timeout", "300ms"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    // Of the first and the fourth request a whole answer is missing.
    for line in [
        "8 requests compared\n",
        "1 × exit status: 3\n",
        "1 × no answer in 300ms\n",
        "2 × no answer of a known form\n",
        "  failed       1 × ",
        "log.jsonl:6: whole: (exit status: 3) | Read a  pruned: Read a | Read a\n",
    ] {
        assert!(text.contains(line), "{line} {text}");
    }
    for (script, why) in [
        ("exit 1", "40 × exit status: 1"),
        ("cat", "40 × no answer of a known form"),
        (
            "echo '{\"error\": {\"message\": \"x\"}}'",
            "40 × no answer of a known form",
        ),
        ("echo '{\"content\": []}'", "40 × no answer of a known form"),
        ("", "40 × no answer of a known form"),
        (
            "no-such-program-anywhere 2>/dev/null",
            "40 × exit status: 127",
        ),
    ] {
        let output = judge(&Place::new(), script).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{script}");
        assert!(
            said.ends_with(&format!(
                "deadhead: no request has answers to compare: {why}\n"
            )),
            "{said}"
        );
    }
}

#[test]
fn a_late_command_is_ended_with_all_that_it_started() {
    let place = Place::new();
    let begun = Instant::now();
    let script = "sleep 300 & echo $! >> started; wait";
    judge(&place, script)
        .args(["--timeout=100ms", "--requests=1"])
        .assert()
        .code(2);
    assert!(begun.elapsed() < Duration::from_secs(60));
    let started = std::fs::read_to_string(place.path("started")).unwrap();
    assert_eq!(started.lines().count(), 4);
    for id in started.lines() {
        // What is ended and not yet waited for has no arguments.
        let arguments = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        assert!(arguments.is_empty(), "{id}");
    }
}

#[test]
fn an_answer_without_end_is_not_kept() {
    let output = judge(&Place::new(), "yes")
        .arg("--requests=1")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.ends_with(": 4 × an answer of more than 64 MB\n"),
        "{said}"
    );
}

#[test]
fn nothing_is_asked_without_yes_and_a_refused_log_is_emit_s_error() {
    let place = Place::new();
    place.file("log.jsonl", log(12, "anthropic-messages"));
    place.file("other.jsonl", log(12, "google-generative-ai"));
    place.file("one.jsonl", log(2, "anthropic-messages"));
    let said = |log: &str, flags: &[&str]| {
        let output = deadhead()
            .current_dir(place.root())
            .args(["judge", log, "--command", "touch asked"])
            .args(flags)
            .output()
            .unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()));
        String::from_utf8(output.stderr).unwrap()
    };
    let text = said("log.jsonl", &POLICY);
    assert!(
        text.starts_with("deadhead: note: 10 requests behind cuts: 40 calls, about "),
        "{text}"
    );
    assert!(
        text.ends_with("deadhead: nothing was asked: --yes is missing\n"),
        "{text}"
    );
    let text = said("other.jsonl", &POLICY);
    assert!(
        text.starts_with("deadhead: other.jsonl: no request can be made of it: "),
        "{text}"
    );
    let text = said("one.jsonl", &POLICY);
    assert_eq!(
        text,
        "deadhead: the policy cuts nothing before any of 2 requests; choose another one\n"
    );
    let text = said("log.jsonl", &["--mode=off"]);
    assert_eq!(
        text,
        "deadhead: the policy cuts nothing before any of 12 requests; choose another one\n"
    );
    assert!(!place.path("asked").exists());
}
