//! A small notation for conversations, what can go wrong in them, and how every format writes them.

use serde_json::{Value, json};

/// What happens in a conversation. Texts are unique, so that one can see what stayed.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    User(String),
    Say(String),
    /// Calls made together, by their ids.
    Calls(Vec<String>),
    /// The result of the call of this id, and what it says.
    Result(String, String),
}
use Event::{Calls, Result, Say, User};

/// Formats it is written in.
pub const FORMATS: [&str; 11] = [
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "bedrock-converse",
    "openclaw",
    "claude-code",
    "codex",
    "copilot-cli",
    "cline",
    "messages",
];

/// A conversation without a defect: in every turn some steps of calls with their results, then an answer.
pub fn conversation(turns: &[Vec<usize>]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut n = 0;
    for (t, steps) in turns.iter().enumerate() {
        events.push(User(format!("user {t}.")));
        for calls in steps {
            let ids: Vec<String> = (0..*calls).map(|c| format!("call_{}", n + c)).collect();
            n += calls;
            events.push(Calls(ids.clone()));
            events.extend(ids.into_iter().map(|id| Result(id.clone(), format!("of {id}."))));
        }
        events.push(Say(format!("answer {t}.")));
    }
    events.push(User("the last.".to_owned()));
    events
}

/// Damages a conversation in the way of this number, at a place of this one.
pub fn damage(events: &mut Vec<Event>, way: u8, at: usize) {
    let places = |events: &[Event], wanted: fn(&Event) -> bool| -> Option<usize> {
        let found: Vec<usize> = (0..events.len()).filter(|&i| wanted(&events[i])).collect();
        (!found.is_empty()).then(|| found[at % found.len()])
    };
    let result = places(events, |e| matches!(e, Result(..)));
    let calls = places(events, |e| matches!(e, Calls(_)));
    let anywhere = (at / 7) % (events.len() + 1);
    match (way, result, calls) {
        (0, Some(i), _) => drop(events.remove(i)),
        (1, Some(i), _) => {
            let again = match &events[i] {
                Result(id, text) => Result(id.clone(), format!("again {text}{at}")),
                other => other.clone(),
            };
            events.insert(i + 1 + at % (events.len() - i), again);
        }
        (2, Some(i), _) => {
            let moved = events.remove(i);
            events.insert(anywhere.min(events.len()), moved);
        }
        (3, Some(i), _) => {
            if let Result(id, _) = &mut events[i] {
                *id = format!("nobody_{at}");
            }
        }
        (4, ..) => events.insert(anywhere, if at.is_multiple_of(2) { Say(" ".to_owned()) } else { User(String::new()) }),
        (5, ..) => events.insert(anywhere, if at.is_multiple_of(2) { Say(format!("more {at}.")) } else { User(format!("more {at}.")) }),
        (6, _, Some(i)) => drop(events.remove(i)),
        (7, _, Some(i)) => {
            if let Calls(ids) = &mut events[i] {
                let twice = ids[0].clone();
                ids.push(twice);
            }
        }
        (8, _, Some(i)) => {
            let again = events[i].clone();
            events.insert(if at.is_multiple_of(2) { i + 1 } else { anywhere }, again);
        }
        _ => {}
    }
}

/// The conversation as a format writes it.
pub fn write(events: &[Event], format: &str) -> String {
    match format {
        "anthropic" => {
            json!({"model": "claude-a", "max_tokens": 9, "tools": [{"name": "f", "input_schema": {}}], "messages": anthropic(events)})
                .to_string()
        }
        "cline" => {
            let mut messages = anthropic(events);
            messages.iter_mut().enumerate().for_each(|(i, m)| m["ts"] = json!(i));
            format!("{:#}", json!({"version": 1, "sessionId": "s", "messages": messages}))
        }
        "openai-chat" => format!("{:#}", json!({"model": "gpt-5", "messages": chat(events)})),
        "openai-responses" => json!({"model": "gpt-5", "store": false, "input": items(events)}).to_string(),
        "gemini" => format!("{:#}", json!({"contents": gemini(events)})),
        "bedrock-converse" => {
            json!({"modelId": "m", "toolConfig": {"tools": [{"toolSpec": {}}]}, "messages": converse(events)}).to_string()
        }
        "messages" => lines(chat(events)),
        "codex" => {
            let meta = json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "s"}});
            let item = |item| json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": item});
            lines(std::iter::once(meta).chain(items(events).into_iter().map(item)))
        }
        "openclaw" => {
            let messages = events.iter().map(|event| match event {
                User(text) => json!({"role": "user", "content": text}),
                Say(text) => json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop"}),
                Calls(ids) => {
                    let calls: Vec<Value> =
                        ids.iter().map(|id| json!({"type": "toolCall", "id": id, "name": "f", "arguments": {}})).collect();
                    json!({"role": "assistant", "content": calls})
                }
                Result(id, text) => json!({"role": "toolResult", "toolCallId": id, "content": [{"type": "text", "text": text}]}),
            });
            let head = json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z"});
            let entry = |i: usize, message: Value| json!({"type": "message", "id": format!("{i:08x}"), "parentId": parent(i, |i| format!("{i:08x}")), "timestamp": "t", "message": message});
            lines(std::iter::once(head).chain(messages.enumerate().map(|(i, m)| entry(i, m))))
        }
        "claude-code" => {
            let uuid = |i: usize| format!("{i:08x}-0000-4000-8000-000000000000");
            let line = |(i, message): (usize, Value)| json!({"parentUuid": parent(i, uuid), "isSidechain": false, "sessionId": "s", "cwd": "/", "type": message["role"], "message": message, "uuid": uuid(i), "timestamp": "t"});
            lines(anthropic(events).into_iter().enumerate().map(line))
        }
        _ => {
            let data = events.iter().map(|event| match event {
                User(text) => ("user.message", json!({"content": text})),
                Say(text) => ("assistant.message", json!({"content": text, "toolRequests": []})),
                Calls(ids) => {
                    let calls: Vec<Value> = ids.iter().map(|id| json!({"toolCallId": id, "name": "f", "arguments": {}})).collect();
                    ("assistant.message", json!({"content": "", "toolRequests": calls}))
                }
                Result(id, text) => ("tool.execution_complete", json!({"toolCallId": id, "success": true, "result": {"content": text}})),
            });
            let line = |(i, (kind, data)): (usize, (&str, Value))| json!({"type": kind, "data": data, "id": format!("e{i}"), "timestamp": "t", "parentId": parent(i, |i| format!("e{i}"))});
            lines(data.enumerate().map(line))
        }
    }
}

fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|v| format!("{v}\n")).collect()
}

fn parent(i: usize, id: impl Fn(usize) -> String) -> Value {
    i.checked_sub(1).map_or(Value::Null, |i| json!(id(i)))
}

/// Messages, in which results that follow each other are the parts of one.
fn grouped(events: &[Event], part: impl Fn(&str, &str) -> Value, message: impl Fn(&Event, Option<Vec<Value>>) -> Value) -> Vec<Value> {
    events
        .chunk_by(|a, b| matches!((a, b), (Result(..), Result(..))))
        .map(|run| {
            let results: Option<Vec<Value>> =
                run.iter().map(|e| if let Result(id, text) = e { Some(part(id, text)) } else { None }).collect();
            message(&run[0], results)
        })
        .collect()
}

fn anthropic(events: &[Event]) -> Vec<Value> {
    grouped(
        events,
        |id, text| json!({"type": "tool_result", "tool_use_id": id, "content": text}),
        |event, results| match event {
            User(text) => json!({"role": "user", "content": text}),
            Say(text) => json!({"role": "assistant", "content": [{"type": "text", "text": text}]}),
            Calls(ids) => {
                let calls: Vec<Value> = ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "f", "input": {}})).collect();
                json!({"role": "assistant", "content": calls})
            }
            Result(..) => json!({"role": "user", "content": results}),
        },
    )
}

fn converse(events: &[Event]) -> Vec<Value> {
    grouped(
        events,
        |id, text| json!({"toolResult": {"toolUseId": id, "content": [{"text": text}]}}),
        |event, results| match event {
            User(text) => json!({"role": "user", "content": [{"text": text}]}),
            Say(text) => json!({"role": "assistant", "content": [{"text": text}]}),
            Calls(ids) => {
                let calls: Vec<Value> = ids.iter().map(|id| json!({"toolUse": {"toolUseId": id, "name": "f", "input": {}}})).collect();
                json!({"role": "assistant", "content": calls})
            }
            Result(..) => json!({"role": "user", "content": results}),
        },
    )
}

fn gemini(events: &[Event]) -> Vec<Value> {
    grouped(
        events,
        |id, text| json!({"functionResponse": {"id": id, "name": "f", "response": {"output": text}}}),
        |event, results| match event {
            User(text) => json!({"role": "user", "parts": [{"text": text}]}),
            Say(text) => json!({"role": "model", "parts": [{"text": text}]}),
            Calls(ids) => {
                let calls: Vec<Value> = ids.iter().map(|id| json!({"functionCall": {"id": id, "name": "f", "args": {}}})).collect();
                json!({"role": "model", "parts": calls})
            }
            Result(..) => json!({"role": "user", "parts": results}),
        },
    )
}

fn chat(events: &[Event]) -> Vec<Value> {
    let message = |event: &Event| match event {
        User(text) => json!({"role": "user", "content": text}),
        Say(text) => json!({"role": "assistant", "content": text}),
        Calls(ids) => {
            let calls: Vec<Value> =
                ids.iter().map(|id| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}})).collect();
            json!({"role": "assistant", "content": null, "tool_calls": calls})
        }
        Result(id, text) => json!({"role": "tool", "tool_call_id": id, "content": text}),
    };
    events.iter().map(message).collect()
}

fn items(events: &[Event]) -> Vec<Value> {
    let item = |event: &Event| match event {
        User(text) => vec![json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})],
        Say(text) => vec![json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})],
        Calls(ids) => ids.iter().map(|id| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"})).collect(),
        Result(id, text) => vec![json!({"type": "function_call_output", "call_id": id, "output": text})],
    };
    events.iter().flat_map(item).collect()
}
