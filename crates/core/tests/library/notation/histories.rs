//! Conversations as logs of agents.

use super::bodies::{DATA, anthropic_turn, items, openai_turn, parts};
use super::{Answer, Conversation, Id, Turn};
use serde_json::{Value, json};

fn lines(records: impl IntoIterator<Item = Value>) -> Vec<u8> {
    records
        .into_iter()
        .map(|record| format!("{record}\n"))
        .collect::<String>()
        .into_bytes()
}

/// A time for record `i`.
fn time(i: usize) -> String {
    format!("2026-01-01T00:{:02}:{:02}.000Z", i / 60 % 60, i % 60)
}

pub fn messages(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    lines(said.turns.iter().flat_map(|turn| openai_turn(turn, id)))
}

pub fn openclaw(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let text = |text: &str| json!({"type": "text", "text": text});
    let turn = |turn: &Turn| match turn {
        Turn::System(_) => Vec::new(),
        Turn::User(words) => vec![json!({"role": "user", "content": words})],
        Turn::Model(model) => {
            let thinking = model
                .thinking
                .iter()
                .map(|t| json!({"type": "thinking", "thinking": t, "thinkingSignature": "c2ln"}));
            let calls = model.calls.iter().map(|c| json!({"type": "toolCall", "id": id(&c.id), "name": c.tool, "arguments": c.arguments}));
            let content: Vec<Value> = thinking
                .chain(model.text.iter().map(|t| text(t)))
                .chain(calls)
                .collect();
            vec![
                json!({"role": "assistant", "content": content, "provider": "anthropic", "model": "claude-sonnet-4-5"}),
            ]
        }
        Turn::Results(answers) => {
            let image = json!({"type": "image", "data": DATA, "mimeType": "image/png"});
            let result = |a: &Answer| json!({"role": "toolResult", "toolCallId": id(&a.call), "toolName": a.tool, "content": parts(a, text, &image), "isError": a.error});
            answers.iter().map(result).collect()
        }
    };
    let head =
        json!({"type": "session", "version": 3, "id": "s", "timestamp": time(0), "cwd": "/"});
    let entries = said.turns.iter().flat_map(turn).enumerate().map(|(i, message)| {
        let parent = if i == 0 { Value::Null } else { json!(format!("e{}", i - 1)) };
        json!({"type": "message", "id": format!("e{i}"), "parentId": parent, "timestamp": time(i), "message": message})
    });
    lines([head].into_iter().chain(entries))
}

pub fn claude_code(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let turns = said
        .turns
        .iter()
        .filter_map(|turn| anthropic_turn(turn, id, true));
    lines(turns.enumerate().map(|(i, mut message)| {
        let parent = if i == 0 { Value::Null } else { json!(format!("u{}", i - 1)) };
        let role = message["role"].clone();
        if role == "assistant" {
            message["id"] = json!(format!("msg_{i}"));
            message["model"] = json!("claude-sonnet-4-5");
        }
        json!({"parentUuid": parent, "isSidechain": false, "sessionId": "s", "type": role, "message": message, "uuid": format!("u{i}"), "timestamp": time(i)})
    }))
}

pub fn cline(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let turns = said
        .turns
        .iter()
        .filter_map(|turn| anthropic_turn(turn, id, false));
    let messages = turns.enumerate().map(|(i, mut message)| {
        message["ts"] = json!(1_760_000_000_000u64 + i as u64);
        message
    });
    messages.collect::<Value>().to_string().into_bytes()
}

pub fn codex(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let head = json!({"timestamp": time(0), "type": "session_meta", "payload": {"id": "s", "timestamp": time(0), "cwd": "/", "model_provider": "openai"}});
    let items = said
        .turns
        .iter()
        .filter(|t| !matches!(t, Turn::System(_)))
        .flat_map(|turn| items(turn, id))
        .enumerate();
    lines([head].into_iter().chain(
        items.map(
            |(i, item)| json!({"timestamp": time(i), "type": "response_item", "payload": item}),
        ),
    ))
}

pub fn copilot_cli(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let turn = |turn: &Turn| match turn {
        Turn::System(text) => {
            vec![json!({"type": "system.message", "data": {"role": "system", "content": text}})]
        }
        Turn::User(text) => vec![json!({"type": "user.message", "data": {"content": text}})],
        Turn::Model(model) => {
            let calls: Value = model
                .calls
                .iter()
                .map(|c| json!({"toolCallId": id(&c.id), "name": c.tool, "arguments": c.arguments}))
                .collect();
            let mut data =
                json!({"content": model.text.clone().unwrap_or_default(), "toolRequests": calls});
            if let Some(thinking) = &model.thinking {
                data["reasoningText"] = json!(thinking);
            }
            vec![json!({"type": "assistant.message", "data": data})]
        }
        Turn::Results(answers) => answers
            .iter()
            .map(|a| {
                let said = if a.error {
                    json!({"error": {"message": a.text()}})
                } else {
                    json!({"result": {"content": a.text()}})
                };
                let mut data = json!({"toolCallId": id(&a.call), "success": !a.error});
                data.as_object_mut()
                    .unwrap()
                    .extend(said.as_object().unwrap().clone());
                json!({"type": "tool.execution_complete", "data": data})
            })
            .collect(),
    };
    let head = json!({"type": "session.start", "data": {"sessionId": "s", "version": 1}});
    let events = [head]
        .into_iter()
        .chain(said.turns.iter().flat_map(turn))
        .enumerate();
    lines(events.map(|(i, mut event)| {
        event["id"] = json!(format!("e{i}"));
        event["timestamp"] = json!(time(i));
        event["parentId"] = if i == 0 {
            Value::Null
        } else {
            json!(format!("e{}", i - 1))
        };
        event
    }))
}

/// Returns the model's messages, each with the results that follow it, for formats that keep them together, and the other turns alone.
fn steps(said: &Conversation) -> Vec<(&Turn, &[Answer])> {
    let mut steps: Vec<(&Turn, &[Answer])> = Vec::new();
    for turn in &said.turns {
        match (turn, steps.last_mut()) {
            (Turn::System(_), _) => {}
            (Turn::Results(answers), Some((Turn::Model(_), of_it))) => *of_it = answers,
            _ => steps.push((turn, &[])),
        }
    }
    steps
}

pub fn gemini_cli(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let head = json!({"sessionId": "s", "projectHash": "h", "startTime": time(0), "kind": "main"});
    let messages = steps(said).into_iter().enumerate().map(|(i, (turn, answers))| match turn {
        Turn::Model(model) => {
            let call = |c: &super::Call| {
                let mut call = json!({"id": id(&c.id), "name": c.tool, "args": c.arguments});
                if let Some(answer) = answers.iter().find(|a| a.call == c.id) {
                    let key = if answer.error { "error" } else { "output" };
                    call["result"] = json!([{"functionResponse": {"id": id(&c.id), "name": c.tool, "response": {key: answer.text()}}}]);
                    call["status"] = json!(if answer.error { "error" } else { "success" });
                }
                call
            };
            let thoughts: Vec<Value> = model.thinking.iter().map(|t| json!({"subject": "", "description": t})).collect();
            let mut message = json!({"id": format!("m{i}"), "timestamp": time(i), "type": "gemini", "content": model.text.clone().unwrap_or_default(), "thoughts": thoughts, "model": "gemini-3-pro"});
            if !model.calls.is_empty() {
                message["toolCalls"] = model.calls.iter().map(call).collect();
            }
            message
        }
        Turn::User(text) => json!({"id": format!("m{i}"), "timestamp": time(i), "type": "user", "content": [{"text": text}]}),
        other => unreachable!("{other:?} is alone"),
    });
    lines([head].into_iter().chain(messages))
}

pub fn qwen_code(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let record = |kind: &str, role: &str, parts: Vec<Value>| json!({"sessionId": "s", "type": kind, "cwd": "/w", "version": "0.24.4", "message": {"role": role, "parts": parts}});
    let turn = |turn: &Turn| {
        match turn {
        Turn::System(_) => Vec::new(),
        Turn::User(text) => vec![record("user", "user", vec![json!({"text": text})])],
        Turn::Model(model) => {
            let thinking = model.thinking.iter().map(|t| json!({"text": t, "thought": true}));
            let text = model.text.iter().map(|t| json!({"text": t}));
            let calls = model.calls.iter().map(
                |c| json!({"functionCall": {"id": id(&c.id), "name": c.tool, "args": c.arguments}}),
            );
            let mut record = record("assistant", "model", thinking.chain(text).chain(calls).collect());
            record["model"] = json!("qwen3-coder-plus");
            vec![record]
        }
        Turn::Results(answers) => answers
            .iter()
            .map(|a| {
                let key = if a.error { "error" } else { "output" };
                let part = json!({"functionResponse": {"id": id(&a.call), "name": a.tool, "response": {key: a.text()}}});
                record("tool_result", "user", vec![part])
            })
            .collect(),
    }
    };
    let records = said.turns.iter().flat_map(turn).enumerate();
    lines(records.map(|(i, mut record)| {
        record["uuid"] = json!(format!("q{i}"));
        record["parentUuid"] = match i {
            0 => Value::Null,
            i => json!(format!("q{}", i - 1)),
        };
        record["timestamp"] = json!(time(i));
        record
    }))
}

pub fn opencode(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let messages = steps(said).into_iter().enumerate().map(|(i, (turn, answers))| match turn {
        Turn::Model(model) => {
            let tool = |c: &super::Call| {
                let answer = answers.iter().find(|a| a.call == c.id);
                let state = match answer {
                    Some(a) if a.error => json!({"status": "error", "input": c.arguments, "error": a.text(), "time": {"start": 1, "end": 2}}),
                    Some(a) => json!({"status": "completed", "input": c.arguments, "output": a.text(), "title": "t", "metadata": {}, "time": {"start": 1, "end": 2}}),
                    None => json!({"status": "pending", "input": c.arguments}),
                };
                json!({"id": format!("prt_{}", c.id), "type": "tool", "callID": id(&c.id), "tool": c.tool, "state": state})
            };
            let thinking = model.thinking.iter().map(|t| json!({"type": "reasoning", "text": t}));
            let text = model.text.iter().map(|t| json!({"type": "text", "text": t}));
            let parts = [json!({"type": "step-start"})].into_iter().chain(thinking).chain(text).chain(model.calls.iter().map(tool));
            json!({"info": {"id": format!("msg_{i}"), "role": "assistant", "time": {"created": 1, "completed": 2}, "modelID": "claude-sonnet-4-5", "providerID": "anthropic"}, "parts": parts.collect::<Vec<_>>()})
        }
        Turn::User(text) => json!({"info": {"id": format!("msg_{i}"), "role": "user", "time": {"created": 1}}, "parts": [{"type": "text", "text": text}]}),
        other => unreachable!("{other:?} is alone"),
    });
    let export =
        json!({"info": {"id": "ses_1", "title": "t"}, "messages": messages.collect::<Vec<_>>()});
    lines([export])
}
