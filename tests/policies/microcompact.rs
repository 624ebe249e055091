//! `claude-microcompact`, made from what others report: after an hour without a call, results of eight tools are cleared but for the
//! newest five of them, in the main conversation only.

use crate::expected::{Conversation, difference};
use crate::support::{Place, deadhead};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

/// The name of the case, options, minutes since the last call, the calls from the oldest on, and those whose results are cleared.
///
/// A call is a tool, with `!` where it failed, `0` where it said nothing, and `&` where it is in one message with the one before.
const CASES: &[(&str, &str, u64, &str, &[usize])] = &[
    (
        "an hour later",
        "{}",
        60,
        "Read Read Read Read Read Read Read",
        &[0, 1],
    ),
    (
        "a minute less",
        "{}",
        59,
        "Read Read Read Read Read Read Read",
        &[],
    ),
    ("five results", "{}", 600, "Read Bash Grep Glob Edit", &[]),
    (
        "each of the tools",
        "{}",
        60,
        "Bash Glob Grep Read WebFetch WebSearch Edit Write Bash Bash Bash Bash Bash",
        &[0, 1, 2, 3, 4, 5, 6, 7],
    ),
    (
        "other tools neither go nor count",
        "{}",
        60,
        "Task Read TodoWrite Read mcp__a__Read Read Read Read Read Task",
        &[1],
    ),
    (
        "results count, not messages",
        "{}",
        60,
        "Read &Read &Read &Read Bash &Bash &Bash &Bash",
        &[0, 1, 2],
    ),
    (
        "errors neither go nor count",
        "{}",
        60,
        "Read! Read Read! Read Read Read Read Read!  Read",
        &[1],
    ),
    (
        "empty results neither go nor count",
        "{}",
        60,
        "Read0 Read Read0 Read Read Read Read Read0 Read",
        &[1],
    ),
    (
        "keep",
        r#"{"toolResultsNumToKeep": 1}"#,
        60,
        "Read Read Read",
        &[0, 1],
    ),
    (
        "keep is one at least",
        r#"{"toolResultsNumToKeep": 0}"#,
        60,
        "Read Read Read",
        &[0, 1],
    ),
    (
        "minutes",
        r#"{"toolResultsThresholdMinutes": 5, "toolResultsNumToKeep": 2}"#,
        5,
        "Read Read Read",
        &[0],
    ),
    (
        "off",
        r#"{"toolResultsThresholdMinutes": -1, "toolResultsNumToKeep": 1}"#,
        6000,
        "Read Read Read",
        &[],
    ),
];

pub fn trials() -> Vec<Trial> {
    CASES
        .iter()
        .map(|case| {
            Trial::test(format!("claude-microcompact {}", case.0), move || {
                holds(case)
            })
        })
        .collect()
}

fn holds(
    (_, options, minutes, calls, cleared): &(&str, &str, u64, &str, &[usize]),
) -> Result<(), Failed> {
    let mut lines = Vec::new();
    let mut push = |role: &str, content: Value| {
        let parent = match lines.len() {
            0 => Value::Null,
            // The main conversation continues where the subagent began.
            3 => json!("u0"),
            n => json!(format!("u{}", n - 1)),
        };
        lines.push(json!({
            "type": role, "uuid": format!("u{}", lines.len()), "parentUuid": parent, "isSidechain": content[0].to_string().contains("\"side\""), "sessionId": "s",
            "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": role, "content": content},
        }));
    };
    push("user", json!("go"));
    // What a subagent says is not sent with it.
    for (role, part) in [
        (
            "assistant",
            json!({"type": "tool_use", "id": "side", "name": "Read", "input": {}}),
        ),
        (
            "user",
            json!({"type": "tool_result", "tool_use_id": "side", "content": "aside"}),
        ),
    ] {
        push(role, json!([part]));
    }
    let calls: Vec<&str> = calls.split_whitespace().collect();
    let (mut uses, mut results) = (Vec::new(), Vec::new());
    for (i, call) in calls.iter().enumerate() {
        let name = call.trim_start_matches('&').trim_end_matches(['!', '0']);
        uses.push(
            json!({"type": "tool_use", "id": format!("t{i}"), "name": name, "input": {"n": i}}),
        );
        let text = if call.ends_with('0') {
            String::new()
        } else {
            format!("result {i}")
        };
        let mut result =
            json!({"type": "tool_result", "tool_use_id": format!("t{i}"), "content": text});
        if call.ends_with('!') {
            result["is_error"] = json!(true);
        }
        results.push(result);
        if calls.get(i + 1).is_none_or(|next| !next.starts_with('&')) {
            push("assistant", json!(std::mem::take(&mut uses)));
            push("user", json!(std::mem::take(&mut results)));
        }
    }
    push("assistant", json!([{"type": "text", "text": "done"}]));
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let place = Place::new();
    let options: Value = serde_json::from_str(options).unwrap();
    let config = place.file(
        "c.json",
        json!({"preset": {"name": "claude-microcompact", "options": options}}).to_string(),
    );
    let mut command = deadhead();
    command
        .args(["prune", "-q", "--format=claude-code", "--config"])
        .arg(config);
    command.arg(format!(
        "--now=2026-01-{:02}T{:02}:{:02}:00Z",
        1 + minutes / 1440,
        minutes / 60 % 24,
        minutes % 60
    ));
    let output = command.write_stdin(input.clone()).output().unwrap();
    let results: Map<String, Value> = cleared
        .iter()
        .map(|i| (format!("t{i}"), json!("[Old tool result content cleared]")))
        .collect();
    let (before, after) = (
        Conversation::read(input.as_bytes(), true),
        Conversation::read(&output.stdout, true),
    );
    difference(&before, &after, &json!({ "results": results }))
        .map_or(Ok(()), |what| Err(what.into()))
}
