//! The tokens of a report are those that the log recorded: made logs with known tokens.

use crate::support::{Place, deadhead};
use serde_json::{Value, json};

/// A Claude Code log of 20 calls. Each result has 4,000 chars, and `rate` of them are a token; `overhead` tokens come before all
/// messages.
fn log(rate: u64, overhead: u64) -> (String, u64) {
    let (mut lines, mut prompt, mut read) = (Vec::new(), overhead, 0);
    let mut add = |kind: &str, message: Value| {
        let n = lines.len();
        let parent = if n == 0 {
            Value::Null
        } else {
            json!(format!("u{}", n - 1))
        };
        let time = format!("2026-01-24T15:{:02}:{:02}.000Z", n / 60, n % 60);
        let line = json!({"parentUuid": parent, "isSidechain": false, "sessionId": "s", "version": "2.1.120", "type": kind,
            "message": message, "uuid": format!("u{n}"), "timestamp": time});
        lines.push(line.to_string());
    };
    add("user", json!({"role": "user", "content": "go"}));
    for i in 0..20 {
        let usage = json!({"input_tokens": 3, "cache_read_input_tokens": read, "cache_creation_input_tokens": prompt - read - 3,
            "output_tokens": 30});
        let content = match i {
            19 => json!([{"type": "text", "text": "done"}]),
            _ => {
                json!([{"type": "tool_use", "id": format!("t{i}"), "name": "Read", "input": {"file_path": format!("/w/{i}")}}])
            }
        };
        add(
            "assistant",
            json!({"role": "assistant", "id": format!("m{i}"), "model": "claude-opus-4-5", "content": content, "usage": usage}),
        );
        if i < 19 {
            let result = json!({"type": "tool_result", "tool_use_id": format!("t{i}"), "content": "word ".repeat(800)});
            add("user", json!({"role": "user", "content": [result]}));
            (read, prompt) = (prompt, prompt + 4000 / rate + 10);
        }
    }
    (lines.join("\n") + "\n", prompt)
}

fn report(text: &str, mode: &str) -> Value {
    let place = Place::new();
    let file = place.file("log.jsonl", text);
    let mut command = deadhead();
    command
        .args([
            "prune",
            "-n",
            "--report-format=json",
            "--context-window=20000",
            "--mode",
            mode,
        ])
        .arg(file);
    serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
}

#[test]
fn the_last_recorded_prompt_counts_and_what_a_cut_removes_of_it() {
    for (rate, overhead) in [(4, 30), (2, 30), (3, 17_000), (6, 400)] {
        let (text, prompt) = log(rate, overhead);
        let whole = report(&text, "off");
        let near = |found: &Value, want: f64| (found.as_f64().unwrap() / want - 1.0).abs() < 0.05;
        assert!(
            near(&whole["before"]["tokens"], prompt as f64),
            "{rate} {overhead}: {} of {prompt}",
            whole["before"]
        );
        assert_eq!(whole["tokensSource"], "recorded");
        let cut = report(&text, "aggressive");
        let removed =
            cut["before"]["chars"].as_u64().unwrap() - cut["after"]["chars"].as_u64().unwrap();
        let left = prompt as f64 - removed as f64 / rate as f64;
        assert!(
            removed > 50_000 && near(&cut["after"]["tokens"], left),
            "{rate} {overhead}: {} of {left}",
            cut["after"]
        );
    }
}

#[test]
fn a_log_without_counts_is_measured_by_its_chars() {
    let (text, _) = log(4, 30);
    let bare = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["message"].as_object_mut().unwrap().remove("usage");
        line.to_string() + "\n"
    });
    let found = report(&bare.collect::<String>(), "off");
    assert_eq!(found["tokensSource"], "chars");
    assert_eq!(
        found["before"]["tokens"],
        found["before"]["chars"].as_u64().unwrap() / 4
    );
    // A count that is too small for the messages is none of them.
    let small = report(&log(400, 9).0, "off");
    assert_eq!(small["tokensSource"], "chars");
}
