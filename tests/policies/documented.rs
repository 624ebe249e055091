//! Presets without vectors, made from documentation: rows, and random conversations, compared with a slow implementation of each rule.

use crate::dice::Dice;
use crate::expected::{Conversation, difference};
use crate::support::{Place, deadhead};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

/// The outcome of a rule: the results by their ids, and the ids of the calls whose arguments are removed.
type Outcome = (Map<String, Value>, Vec<Value>);
/// A preset, options, and the rule.
type Case = (&'static str, Value, fn(&Value) -> Outcome);

/// Each preset with the options that it is tried with.
fn cases() -> Vec<Case> {
    vec![
        ("opencode-prune", json!({}), opencode),
        ("codex-truncation", json!({"limit": 25}), |body| {
            middle(body, 120)
        }),
        ("codex-truncation", json!({"limit": 1250}), |body| {
            middle(body, 6000)
        }),
    ]
}

pub fn trials() -> Vec<Trial> {
    let trial = |(preset, options, rule): Case| {
        Trial::test(format!("{preset} {options}"), move || {
            holds(preset, &options, rule)
        })
    };
    let asked = ASKED.iter().map(|row| {
        Trial::test(format!("anthropic-clear-tool-uses {}", row.0), move || {
            asked(row)
        })
    });
    let others = [
        Trial::test("vscode-copilot-chat", batches),
        Trial::test("anthropic-clear-thinking", turns),
    ];
    cases()
        .into_iter()
        .map(trial)
        .chain(asked)
        .chain(others)
        .collect()
}

/// Members of an edit, sizes of results in chars, and those that are cleared.
const ASKED: &[(&str, &[usize], &[usize])] = &[
    ("{}", &[100_000; 5], &[0, 1]),
    ("{}", &[50_000; 5], &[]),
    // From 1 to 46 bytes of text nothing is cleared, and nothing counts.
    (
        r#"{"trigger": {"type": "tool_uses", "value": 3}}"#,
        &[50, 46, 50, 1, 50, 50],
        &[0],
    ),
    (
        r#"{"trigger": {"type": "tool_uses", "value": 4}}"#,
        &[50, 46, 50, 1, 50, 50],
        &[],
    ),
    (
        r#"{"trigger": {"type": "tool_uses", "value": 1}, "keep": {"type": "tool_uses", "value": 1}}"#,
        &[50, 50, 50, 46],
        &[0, 1],
    ),
    (
        r#"{"trigger": {"type": "tool_uses", "value": 1}, "keep": {"type": "tool_uses", "value": 0}}"#,
        &[50, 50, 50],
        &[0, 1],
    ),
    (
        r#"{"trigger": {"type": "tool_uses", "value": 1}, "exclude_tools": ["read"]}"#,
        &[50; 6],
        &[],
    ),
    (
        r#"{"trigger": {"type": "tool_uses", "value": 1}, "clear_at_least": {"type": "input_tokens", "value": 90}}"#,
        &[431; 6],
        &[0, 1, 2],
    ),
    (
        r#"{"trigger": {"type": "tool_uses", "value": 1}, "clear_at_least": {"type": "input_tokens", "value": 150}}"#,
        &[431; 6],
        &[0, 1],
    ),
];

/// Anthropic's rule for results; four chars make a token.
fn asked((members, sizes, cleared): &(&str, &[usize], &[usize])) -> Result<(), Failed> {
    let mut edit: Value = serde_json::from_str(members).unwrap();
    edit["type"] = json!("clear_tool_uses_20250919");
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for (i, size) in sizes.iter().enumerate() {
        let call = json!({"id": format!("c{i}"), "type": "function", "function": {"name": "read", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(
            json!({"role": "tool", "tool_call_id": format!("c{i}"), "content": "x".repeat(*size)}),
        );
    }
    let results: Map<String, Value> = cleared
        .iter()
        .map(|i| (format!("c{i}"), json!("[Cleared by context management]")))
        .collect();
    let body = json!({"model": "gpt-5.1", "messages": messages});
    compare(
        "anthropic-clear-tool-uses",
        &json!({"edits": [edit]}),
        &body,
        &json!({ "results": results }),
    )
}

/// Anthropic's rule for reasoning: that of the newest answers with any stays.
fn turns() -> Result<(), Failed> {
    let keep = |keep: Value| json!({"edits": [{"type": "clear_thinking_20251015", "keep": keep}]});
    let number = |number: u64| keep(json!({"type": "thinking_turns", "value": number}));
    for (options, removed) in [
        (json!({}), &[1, 5][..]),
        (number(1), &[1, 5]),
        (number(2), &[1]),
        (number(3), &[]),
        (keep(json!("all")), &[]),
    ] {
        let mut messages = Vec::new();
        for (i, reasoning) in [true, false, true, true].into_iter().enumerate() {
            messages.push(json!({"role": "user", "content": format!("task {i}")}));
            let mut content = vec![json!({"type": "text", "text": "done"})];
            if reasoning {
                content.insert(
                    0,
                    json!({"type": "thinking", "thinking": format!("so {i}"), "signature": "s"}),
                );
            }
            messages.push(json!({"role": "assistant", "content": content}));
        }
        messages.push(json!({"role": "user", "content": "thanks"}));
        let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 9000, "thinking": {"type": "enabled", "budget_tokens": 2000}, "messages": messages});
        compare(
            "anthropic-clear-thinking",
            &options,
            &body,
            &json!({ "thinking_removed": removed }),
        )?;
    }
    Ok(())
}

/// From 80,000 tokens on all but three, in batches that free 10,000 tokens, with their arguments; four chars make a token.
fn batches() -> Result<(), Failed> {
    for (sizes, cleared) in [
        (&[60_000; 6][..], 3),
        (&[50_000; 6], 0),
        (&[60_000, 60_000, 4_000, 80_000, 80_000, 80_000], 2),
        (&[30_000, 30_000, 30_000, 100_000, 100_000, 100_000], 2),
        (&[4_000, 4_000, 4_000, 200_000, 200_000, 200_000], 0),
        (&[200_000, 200_000, 200_000], 0),
    ] {
        let mut messages = vec![json!({"role": "user", "content": "go"})];
        for (i, size) in sizes.iter().enumerate() {
            let call = json!({"id": format!("c{i}"), "type": "function", "function": {"name": "read", "arguments": "{\"path\":\"a\"}"}});
            messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
            messages.push(json!({"role": "tool", "tool_call_id": format!("c{i}"), "content": "x".repeat(*size)}));
        }
        let ids = || (0..cleared).map(|i| format!("c{i}"));
        let results: Map<String, Value> = ids()
            .map(|id| (id, json!("[Cleared by context management]")))
            .collect();
        let expected = json!({"results": results, "inputs_cleared": ids().collect::<Vec<_>>()});
        compare(
            "vscode-copilot-chat",
            &json!({}),
            &json!({"model": "gpt-5.1", "messages": messages}),
            &expected,
        )?;
    }
    Ok(())
}

fn holds(preset: &str, options: &Value, rule: fn(&Value) -> Outcome) -> Result<(), Failed> {
    let mut cut = 0;
    for seed in 0..40 {
        let body = conversation(&mut Dice(seed));
        let (results, inputs) = rule(&body);
        cut += results.len();
        let expected = json!({"results": results, "inputs_cleared": inputs});
        compare(preset, options, &body, &expected)
            .map_err(|what| format!("seed {seed}: {}", what.message().unwrap_or_default()))?;
    }
    if cut == 0 {
        Err("nothing was cut".into())
    } else {
        Ok(())
    }
}

/// Prunes `body` with a preset, and compares.
fn compare(preset: &str, options: &Value, body: &Value, expected: &Value) -> Result<(), Failed> {
    let place = Place::new();
    let config = place.file(
        "policy.json",
        json!({"preset": {"name": preset, "options": options}}).to_string(),
    );
    let mut command = deadhead();
    command
        .args([
            "prune",
            "-q",
            "--assume-cold",
            "--now=2030-01-01T00:00:00Z",
            "--config",
        ])
        .arg(config);
    let output = command.write_stdin(body.to_string()).output().unwrap();
    let (before, after) = (
        Conversation::read(body.to_string().as_bytes(), false),
        Conversation::read(&output.stdout, false),
    );
    difference(&before, &after, expected).map_or(Ok(()), |what| Err(what.into()))
}

/// A conversation with calls alone and side by side, results of many sizes and scripts, and a few turns of the user.
fn conversation(dice: &mut Dice) -> Value {
    let mut messages = vec![json!({"role": "system", "content": "be brief"})];
    let mut id = 0;
    for turn in 0..1 + dice.below(5) {
        messages.push(json!({"role": "user", "content": format!("task {turn}")}));
        for _ in 0..dice.below(6) {
            let ids: Vec<String> = (0..1 + dice.below(3))
                .map(|i| format!("call_{}", id + i))
                .collect();
            id += ids.len();
            let tool = dice.pick(&["read", "skill", "bash"]);
            let call = |id: &String| json!({"id": id, "type": "function", "function": {"name": tool, "arguments": "{\"path\":\"a\"}"}});
            messages.push(json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Vec<_>>()}));
            for id in ids {
                let piece = dice.pick(&["ls -l\n", "漢字", "😀 x", "é\r\n", "x"]);
                let size = dice.pick(&[0, 1, 10, 40, 300, 4000, 30_000]) + dice.below(9);
                messages.push(
                    json!({"role": "tool", "tool_call_id": id, "content": piece.repeat(size)}),
                );
            }
        }
        messages.push(json!({"role": "assistant", "content": "done"}));
    }
    json!({"model": "gpt-5.1", "messages": messages})
}

/// Each result of the conversation: its place in the list of messages, its id, its tool and its text.
fn results(body: &Value) -> Vec<(usize, String, String, String)> {
    let messages = body["messages"].as_array().unwrap();
    let tool = |id: &Value| {
        let calls = messages
            .iter()
            .flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
        calls.into_iter().find(|call| call["id"] == *id).unwrap()["function"]["name"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let found = messages
        .iter()
        .enumerate()
        .filter(|(_, message)| message["role"] == "tool");
    found
        .map(|(i, m)| {
            (
                i,
                text(&m["tool_call_id"]),
                tool(&m["tool_call_id"]),
                text(&m["content"]),
            )
        })
        .collect()
}

/// The longest beginning, or end, of `text` with at most `bytes` bytes.
fn part(text: &str, bytes: usize, is_end: bool) -> &str {
    let mut count = bytes.min(text.len());
    loop {
        let part = if is_end {
            text.get(text.len() - count..)
        } else {
            text.get(..count)
        };
        match part {
            Some(part) => return part,
            None => count -= 1,
        }
    }
}

/// Behind the newest two turns of the user: what is older than 40,000 tokens of results, if that is more than 20,000 tokens.
fn opencode(body: &Value) -> Outcome {
    let messages = body["messages"].as_array().unwrap();
    let users: Vec<usize> = (0..messages.len())
        .filter(|&i| messages[i]["role"] == "user")
        .collect();
    let Some(from) = users.len().checked_sub(2).map(|at| users[at]) else {
        return Outcome::default();
    };
    let (mut total, mut pruned, mut changed) = (0, 0, Map::new());
    for (_, id, _, text) in results(body)
        .into_iter()
        .rev()
        .filter(|(i, _, tool, _)| *i < from && tool != "skill")
    {
        let tokens = (text.encode_utf16().count() + 2) / 4;
        total += tokens;
        if total > 40_000 {
            pruned += tokens;
            changed.insert(id, json!("[Old tool result content cleared]"));
        }
    }
    if pruned > 20_000 {
        (changed, Vec::new())
    } else {
        Outcome::default()
    }
}

/// All results of more than `limit` bytes: half of them from the beginning, half from the end.
fn middle(body: &Value, limit: usize) -> Outcome {
    let mut changed = Map::new();
    for (_, id, _, text) in results(body)
        .into_iter()
        .filter(|(.., text)| text.len() > limit)
    {
        let (head, tail) = (
            part(&text, limit / 2, false),
            part(&text, limit - limit / 2, true),
        );
        let removed = (text.len() - limit).div_ceil(4);
        changed.insert(
            id,
            json!(format!("{head}…{removed} tokens truncated…{tail}")),
        );
    }
    (changed, Vec::new())
}
