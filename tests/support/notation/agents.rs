//! Conversations as the histories of agents that keep a result with its call.

use super::histories::{lines, time};
use super::{Answer, Conversation, Id, Model, Turn};
use serde_json::{Value, json};

/// How Gemini CLI stores a result.
#[derive(Clone, Copy)]
pub enum Result {
    Response,
    String,
}

/// What the model said, with what answers it: the results that follow.
fn spoken(said: &Conversation) -> impl Iterator<Item = (&Turn, &[Answer])> {
    said.turns.iter().enumerate().map(|(i, turn)| match said.turns.get(i + 1) {
        Some(Turn::Results(answers)) => (turn, &answers[..]),
        _ => (turn, &[][..]),
    })
}

pub fn gemini_cli(said: &Conversation, id: Id<'_>, how: Result) -> Vec<u8> {
    let head = json!({"sessionId": "s", "projectHash": "h", "startTime": time(0), "kind": "main"});
    let message =
        |i: usize, kind: &str, content: Value| json!({"id": format!("m{i}"), "timestamp": time(i), "type": kind, "content": content});
    let model = |i: usize, model: &Model, answers: &[Answer]| {
        let mut record = message(i, "gemini", json!(model.text.clone().unwrap_or_default()));
        record["thoughts"] = model.thinking.iter().map(|t| json!({"subject": "", "description": t, "timestamp": time(i)})).collect();
        let calls = model.calls.iter().map(|c| {
            let mut call = json!({"id": id(&c.id), "name": c.tool, "args": c.arguments, "status": "success", "timestamp": time(i)});
            if let Some(answer) = answers.iter().find(|a| a.call == c.id) {
                let response = json!({if answer.error { "error" } else { "output" }: answer.text()});
                call["result"] = match how {
                    Result::String => json!(answer.text()),
                    Result::Response => json!([{"functionResponse": {"id": id(&c.id), "name": c.tool, "response": response}}]),
                };
            }
            call
        });
        record["toolCalls"] = calls.collect();
        record
    };
    let records = spoken(said).enumerate().filter_map(|(i, (turn, answers))| match turn {
        Turn::User(text) => Some(message(i, "user", json!([{"text": text}]))),
        Turn::Model(spoken) => Some(model(i, spoken, answers)),
        Turn::System(_) | Turn::Results(_) => None,
    });
    lines([head].into_iter().chain(records))
}

pub fn opencode(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let message = |i: usize, role: &str, parts: Vec<Value>| json!({"info": {"id": format!("msg_{i}"), "role": role, "time": {"created": i}}, "parts": parts});
    let model = |model: &Model, answers: &[Answer]| {
        let mut parts = vec![json!({"type": "step-start"})];
        parts.extend(model.thinking.iter().map(|t| json!({"type": "reasoning", "text": t})));
        parts.extend(model.text.iter().map(|t| json!({"type": "text", "text": t})));
        parts.extend(model.calls.iter().map(|c| {
            let state = match answers.iter().find(|a| a.call == c.id) {
                Some(a) if a.error => json!({"status": "error", "input": c.arguments, "error": a.text()}),
                Some(a) => json!({"status": "completed", "input": c.arguments, "output": a.text()}),
                None => json!({"status": "pending", "input": c.arguments}),
            };
            json!({"type": "tool", "callID": id(&c.id), "tool": c.tool, "state": state})
        }));
        parts
    };
    lines(spoken(said).enumerate().filter_map(|(i, (turn, answers))| match turn {
        Turn::User(text) => Some(message(i, "user", vec![json!({"type": "text", "text": text})])),
        Turn::Model(spoken) => Some(message(i, "assistant", model(spoken, answers))),
        Turn::System(_) | Turn::Results(_) => None,
    }))
}
