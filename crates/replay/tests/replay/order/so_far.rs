//! The context of a call in a replay is the context of the lines up to the call, for any tree.

use super::{read, text};
use crate::dice::Dice;
use crate::logs::{Log, Times};
use deadhead_core::internal::dialect::by_name;
use deadhead_replay::session::Session;
use deadhead_replay::steps::{Branched, Step};
use serde_json::{Value, json};

/// Kinds of lines, those of messages twice as often as the others.
const KINDS: &[&str] = &[
    "user",
    "user",
    "assistant",
    "assistant",
    "attachment",
    "system",
];

/// A log of Claude Code in which lines come from any line before them: of a message the pieces and results hang on each other, or
/// on what it came from.
fn wild(dice: &mut Dice) -> Log {
    let (n, near) = (4 + dice.below(30), dice.pick(&[1, 2, 5, 100]));
    let mut lines: Vec<Value> = Vec::new();
    // For each line its message, or what it comes from where it is a notice; and the calls so far, each with its line.
    let (mut messages, mut calls): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
    for i in 0..n {
        let back = if dice.once_in(4) {
            dice.below(i.max(1))
        } else {
            i.saturating_sub(1 + dice.below(near))
        };
        let is_root = i == 0;
        let parent = if is_root {
            Value::Null
        } else {
            json!(format!("l{back}"))
        };
        let time = format!("2026-01-02T00:{:02}:{:02}Z", i / 60, i % 60);
        let kind = if is_root { "user" } else { dice.pick(KINDS) };
        let mut line = json!({"parentUuid": parent, "uuid": format!("l{i}"), "isSidechain": false, "timestamp": time, "sessionId": "s", "type": kind});
        let sibling = (0..i).find(|&other| {
            lines[other]["type"] == "assistant" && lines[other]["parentUuid"] == parent
        });
        let near = sibling
            .map(|other| messages[other].clone())
            .or((!is_root && !messages[back].is_empty()).then(|| messages[back].clone()));
        let message = near
            .filter(|_| kind == "assistant" && !dice.once_in(3))
            .unwrap_or(format!("m{i}"));
        // Of a call all results hang on one line.
        let answered = |call: usize| {
            (0..i).find(|&other| {
                lines[other]["message"]["content"][0]["tool_use_id"] == format!("t{call}")
            })
        };
        let is_open = |&call: &usize| {
            !is_root
                && messages[call] == messages[back]
                && answered(call).is_none_or(|other| lines[other]["parentUuid"] == parent)
        };
        let open: Vec<usize> = calls.iter().copied().filter(is_open).collect();
        let answers =
            (kind == "user" && !open.is_empty() && !dice.once_in(4)).then(|| dice.pick(&open));
        messages.push(match (kind, answers) {
            ("assistant", _) => message.clone(),
            ("user", None) => String::new(),
            _ if is_root => String::new(),
            _ => messages[back].clone(),
        });
        line["message"] = match (kind, answers) {
            ("user", Some(call)) => {
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("t{call}"), "content": "r"}]})
            }
            ("user", None) => json!({"role": "user", "content": format!("q{i}")}),
            ("assistant", _) => {
                let is_call = !dice.once_in(3);
                calls.extend(is_call.then_some(i));
                let content = if is_call {
                    json!({"type": "tool_use", "id": format!("t{i}"), "name": "Read", "input": {}})
                } else {
                    json!({"type": "text", "text": "x"})
                };
                json!({"role": "assistant", "id": message, "model": "claude-opus-4-5", "content": [content], "usage": {"input_tokens": 3, "output_tokens": 7}})
            }
            _ => Value::Null,
        };
        if kind == "system" && dice.once_in(3) {
            line["subtype"] = json!("compact_boundary");
        }
        lines.push(line);
    }
    Log {
        format: "claude-code",
        times: Times::Growing,
        head: 0,
        lines,
    }
}

/// The lines of which the context of each call consists.
fn recorded(text: &str) -> Vec<(usize, Vec<usize>)> {
    let session = Session::read(text.as_bytes().to_vec(), by_name("claude-code").unwrap()).unwrap();
    let line = |message: u32| session.transcript.messages[message as usize].line as usize;
    let (mut context, mut calls) = (Branched::new(Vec::new()), Vec::new());
    for step in &session.threads[0] {
        match *step {
            Step::Keep(length, _) => context.truncate(length as usize),
            Step::Push { message, .. } => context.push(line(message)),
            Step::Summary(message) => context[0] = line(message),
            Step::Branch(to, ends) => {
                context.turn(to, ends);
            }
            Step::Call(call) => {
                calls.push((line(session.calls[call as usize].message), context.clone()))
            }
        }
    }
    calls
}

/// Returns the context of the lines before a call, with a question in the place of the call.
fn so_far(log: &Log, call: usize) -> Vec<usize> {
    let mut lines: Vec<&Value> = log.lines[..call - 1].iter().collect();
    let question = json!({"parentUuid": log.lines[call - 1]["parentUuid"], "uuid": "question", "isSidechain": false, "type": "user",
        "timestamp": "2026-02-01T00:00:00Z", "sessionId": "s", "message": {"role": "user", "content": "?"}});
    lines.push(&question);
    let mut found: Vec<usize> = read(log, &text(&lines))
        .messages
        .iter()
        .map(|m| m.line as usize)
        .collect();
    assert_eq!(found.pop(), Some(call));
    found.sort_unstable();
    found
}

#[test]
fn a_call_had_what_the_lines_up_to_it_make() {
    for n in 0..super::cases() {
        let log = wild(&mut Dice(0x2545_f491_4f6c_dd1du64.wrapping_mul(n + 1)));
        let written = text(&log.lines.iter().collect::<Vec<_>>());
        for (call, mut context) in recorded(&written) {
            context.sort_unstable();
            assert_eq!(
                context,
                so_far(&log, call),
                "case {n}, line {call}\n{written}"
            );
        }
    }
}
