//! Logs in which many lines have one parent.

use crate::support::{Place, deadhead};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const LINES: usize = 24_000;

fn line(n: usize, kind: &str, id: &str, parent: Option<&str>, message: &Value) -> String {
    let (hour, minute, second) = (n / 3600 % 24, n / 60 % 60, n % 60);
    let time = format!("2026-01-02T{hour:02}:{minute:02}:{second:02}Z");
    format!(
        "{}\n",
        json!({"type": kind, "uuid": id, "parentUuid": parent, "isSidechain": false, "sessionId": "s", "timestamp": time, "message": message})
    )
}

fn answer(id: &str, content: &[Value]) -> Value {
    json!({"role": "assistant", "id": id, "model": "claude-opus-4-5", "content": content, "usage": {"input_tokens": 9, "output_tokens": 2}})
}

fn call(n: usize) -> Value {
    json!({"type": "tool_use", "id": format!("t{n}"), "name": "Read", "input": {}})
}

fn result(n: usize) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("t{n}"), "content": "r"}]})
}

/// Returns the lines of the nth round after the root, for a kind of log.
fn round(kind: &str, n: usize) -> String {
    let (one, two, three) = (format!("a{n}"), format!("b{n}"), format!("c{n}"));
    let (user, said) = (json!({"role": "user", "content": "x"}), |message: &str| {
        answer(message, &[json!({"type": "text", "text": "y"})])
    });
    match kind {
        "answers" => line(n, "assistant", &one, Some("root"), &said(&one)),
        "questions" => {
            line(n, "user", &one, Some("root"), &user)
                + &line(n, "assistant", &two, Some(&one), &said(&two))
        }
        "calls and results" => {
            line(
                n,
                "assistant",
                &one,
                Some("root"),
                &answer(&one, &[call(n)]),
            ) + &line(n, "user", &two, Some("root"), &result(n))
        }
        "pieces of one message" => {
            let called = line(n, "assistant", &one, Some("root"), &answer("m", &[call(n)]))
                + &line(n, "user", &two, Some(&one), &result(n));
            called + &line(n, "assistant", &three, Some(&two), &said(&three))
        }
        _ => {
            line(n, "user", &one, Some("calls"), &result(n))
                + &line(n, "assistant", &two, Some(&one), &said(&two))
        }
    }
}

#[test]
fn fault_13_lines_of_one_parent_take_time_in_proportion() {
    let place = Place::new();
    for kind in [
        "answers",
        "questions",
        "calls and results",
        "pieces of one message",
        "results of one message",
    ] {
        let mut log = line(
            0,
            "user",
            "root",
            None,
            &json!({"role": "user", "content": "x"}),
        );
        if kind == "results of one message" {
            log += &line(
                0,
                "assistant",
                "calls",
                Some("root"),
                &answer("m", &(1..LINES / 2).map(call).collect::<Vec<_>>()),
            );
        }
        let lines = round(kind, 1).lines().count();
        (1..LINES / lines).for_each(|n| log += &round(kind, n));
        place.file("log.jsonl", &log);
        let since = Instant::now();
        let output = deadhead()
            .args(["replay", "--report-format=json"])
            .arg(place.path("log.jsonl"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{kind}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(
            since.elapsed() < Duration::from_secs(15),
            "{kind}: {:?}",
            since.elapsed()
        );
    }
}
