//! A small notation for conversations, what can go wrong in them, and how every format writes them.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::LazyLock;

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

/// What it is written in: formats, each with the way in which it is spelled where there are several.
pub const FORMATS: [&str; 17] = [
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
    "gemini-cli",
    "gemini-cli/document",
    "gemini-cli/parts",
    "opencode",
    "opencode/stream",
    "cohere/first",
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
        "gemini-cli" => lines(std::iter::once(GEMINI.clone()).chain(gemini_cli(events))),
        "gemini-cli/document" => {
            let mut session = GEMINI.clone();
            session["messages"] = gemini_cli(events).into();
            format!("{session:#}\n")
        }
        "gemini-cli/parts" => {
            let message = |(i, content): (usize, Value)| {
                let kind = if content["role"] == "user" { "user" } else { "gemini" };
                json!({"id": format!("g{i}"), "timestamp": "t", "type": kind, "content": content["parts"]})
            };
            lines(std::iter::once(GEMINI.clone()).chain(gemini(events).into_iter().enumerate().map(message)))
        }
        "opencode" => json!({"info": {"id": "ses_1"}, "messages": opencode(events)}).to_string(),
        "opencode/stream" => opencode(events).iter().map(|message| format!("{message:#}\n")).collect(),
        "cohere/first" => cohere(events).to_string(),
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

/// The head of a session of Gemini CLI's.
static GEMINI: LazyLock<Value> = LazyLock::new(|| json!({"sessionId": "s", "projectHash": "p", "startTime": "2026-01-01T00:00:00Z"}));

/// For formats in which a call holds its result: the result of each call of each event, if it has one. Others have no place.
fn held(events: &[Event]) -> Vec<HashMap<&str, &str>> {
    let mut held = vec![HashMap::new(); events.len()];
    for (i, event) in events.iter().enumerate() {
        if let Result(id, text) = event {
            let made = |j: &usize| matches!(&events[*j], Calls(ids) if ids.contains(id));
            if let Some(j) = (0..i).rev().find(made).filter(|j| !held[*j].contains_key(&**id)) {
                held[j].insert(&**id, &**text);
            }
        }
    }
    held
}

fn gemini_cli(events: &[Event]) -> Vec<Value> {
    let held = held(events);
    let message =
        |i: usize, kind: &str, content: &Value| json!({"id": format!("g{i}"), "timestamp": "t", "type": kind, "content": content});
    let record = |(i, event): (usize, &Event)| match event {
        User(text) => Some(message(i, "user", &json!([{"text": text}]))),
        Say(text) => Some(message(i, "gemini", &json!(text))),
        Calls(ids) => {
            let mut held = held[i].clone();
            let run = |id: &String| {
                let mut run = json!({"id": id, "name": "f", "args": {}, "status": "executing"});
                if let Some(text) = held.remove(&**id) {
                    run["status"] = json!("success");
                    run["result"] = json!([{"functionResponse": {"id": id, "name": "f", "response": {"output": text}}}]);
                }
                run
            };
            let mut made = message(i, "gemini", &json!(""));
            made["toolCalls"] = ids.iter().map(run).collect();
            Some(made)
        }
        Result(..) => None,
    };
    events.iter().enumerate().filter_map(record).collect()
}

fn opencode(events: &[Event]) -> Vec<Value> {
    let held = held(events);
    let message = |i: usize, role: &str, parts: &Value| json!({"info": {"id": format!("msg_{i}"), "role": role, "time": {"created": 7}}, "parts": parts});
    let text = |text: &String| json!([{"type": "text", "text": text}]);
    let record = |(i, event): (usize, &Event)| match event {
        User(said) => Some(message(i, "user", &text(said))),
        Say(said) => Some(message(i, "assistant", &text(said))),
        Calls(ids) => {
            let mut held = held[i].clone();
            let mut state = |id: &String| match held.remove(&**id) {
                Some(text) => {
                    json!({"status": "completed", "input": {}, "output": text, "title": "t", "metadata": {}, "time": {"start": 1, "end": 2}})
                }
                None if i % 2 == 0 => json!({"status": "pending", "input": {}, "raw": ""}),
                None => json!({"status": "running", "input": {}, "time": {"start": 1}}),
            };
            let part = |id: &String| json!({"type": "tool", "callID": id, "tool": "f", "state": state(id)});
            Some(message(i, "assistant", &ids.iter().map(part).collect()))
        }
        Result(..) => None,
    };
    events.iter().enumerate().filter_map(record).collect()
}

/// A body of Cohere's first interface: what comes last stands beside the history.
fn cohere(events: &[Event]) -> Value {
    let call = |id: &str| json!({"name": "f", "parameters": {"id": id}});
    let mut turns = grouped(
        events,
        |id, text| json!({"call": call(id), "outputs": [{"said": text}]}),
        |event, results| match event {
            User(text) => json!({"role": "USER", "message": text}),
            Say(text) => json!({"role": "CHATBOT", "message": text}),
            Calls(ids) => json!({"role": "CHATBOT", "message": "", "tool_calls": ids.iter().map(|id| call(id)).collect::<Vec<_>>()}),
            Result(..) => json!({"role": "TOOL", "tool_results": results}),
        },
    );
    let mut body = json!({"model": "command-r-plus", "message": ""});
    if let Some(last) = turns.pop_if(|turn| turn["role"] == "USER" || turn["role"] == "TOOL") {
        let key = if last["role"] == "USER" { "message" } else { "tool_results" };
        body[key] = last[key].clone();
    }
    body["chat_history"] = turns.into();
    body
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
