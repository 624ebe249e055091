//! Conversations as request bodies of each format, for the tests of repair.

use super::conversation::{Call, Ids, Message, Outcome, Part};
use serde_json::{Value, json};

/// A way to write conversations.
pub struct Spelling {
    /// The format, and behind a slash which of its ways this is.
    pub name: &'static str,
    pub ids: Ids,
    pub write: fn(&[Message]) -> String,
}

pub const BODIES: [Spelling; 18] = [
    Spelling {
        name: "anthropic",
        ids: Ids::Named,
        write: |m| anthropic(m).to_string(),
    },
    Spelling {
        name: "anthropic/marked",
        ids: Ids::Named,
        write: marked,
    },
    Spelling {
        name: "anthropic/escaped",
        ids: Ids::Named,
        write: escaped,
    },
    Spelling {
        name: "openai-chat",
        ids: Ids::Named,
        write: |m| format!("{:#}", json!({"model": "gpt-5", "messages": chat(m, TOOL)})),
    },
    Spelling {
        name: "openai-responses",
        ids: Ids::Named,
        write: |m| json!({"model": "gpt-5", "store": false, "input": items(m)}).to_string(),
    },
    Spelling {
        name: "gemini",
        ids: Ids::Named,
        write: |m| {
            format!(
                "{:#}",
                json!({"model": "models/gemini-2.5-flash", "contents": gemini(m)})
            )
        },
    },
    Spelling {
        name: "gemini/names",
        ids: Ids::Tools,
        write: |m| json!({"contents": gemini(m)}).to_string(),
    },
    Spelling {
        name: "gemini/order",
        ids: Ids::Order,
        write: |m| json!({"contents": gemini(m)}).to_string(),
    },
    Spelling {
        name: "bedrock-converse",
        ids: Ids::Named,
        write: |m| converse(m).to_string(),
    },
    Spelling {
        name: "mistral",
        ids: Ids::Named,
        write: mistral,
    },
    Spelling {
        name: "mistral/names",
        ids: Ids::Tools,
        write: mistral,
    },
    Spelling {
        name: "mistral/order",
        ids: Ids::Order,
        write: mistral,
    },
    Spelling {
        name: "cohere",
        ids: Ids::Named,
        write: |m| json!({"model": "command-a-03-2025", "messages": chat(m, TOOL)}).to_string(),
    },
    Spelling {
        name: "cohere/first",
        ids: Ids::Whole,
        write: |m| first_cohere(m).to_string(),
    },
    Spelling {
        name: "ollama",
        ids: Ids::Tools,
        write: |m| {
            json!({"model": "llama3", "options": {}, "messages": chat(m, "tool_name")}).to_string()
        },
    },
    Spelling {
        name: "ollama/order",
        ids: Ids::Order,
        write: |m| {
            json!({"model": "llama3", "options": {}, "messages": chat(m, "tool_name")}).to_string()
        },
    },
    Spelling {
        name: "messages",
        ids: Ids::Named,
        write: |m| lines(chat(m, TOOL)),
    },
    Spelling {
        name: "messages/parts",
        ids: Ids::Named,
        write: |m| lines(anthropic_messages(m)),
    },
];

/// The key of a result's tool in formats whose tool messages do not name the tool.
const TOOL: &str = "";

pub fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|v| format!("{v}\n")).collect()
}

/// Ids that are written in two ways, and white space everywhere.
fn escaped(messages: &[Message]) -> String {
    let pieces: Vec<String> = format!("{:#}", anthropic(messages))
        .split("\"call_")
        .map(str::to_owned)
        .collect();
    let joined = pieces.iter().enumerate().map(|(i, piece)| {
        if i == 0 {
            piece.clone()
        } else {
            ["\"call_", "\"call\\u005f"][i % 2].to_owned() + piece
        }
    });
    joined.collect()
}

/// Four parts at most with a cache mark.
fn marked(messages: &[Message]) -> String {
    let mut body = anthropic(messages);
    let parts = body["messages"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .filter_map(|message| message["content"].as_array_mut())
        .flatten();
    let step = messages.len();
    for part in parts.skip(step / 2).step_by(step).take(4) {
        part["cache_control"] = json!({"type": "ephemeral"});
    }
    body.to_string()
}

fn with_id(mut value: Value, key: &str, id: &str) -> Value {
    if !id.is_empty() {
        value[key] = json!(id);
    }
    value
}

fn anthropic(messages: &[Message]) -> Value {
    let tools = json!([{"name": "look", "input_schema": {"type": "object"}}]);
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": anthropic_messages(messages)})
}

pub fn anthropic_messages(messages: &[Message]) -> Vec<Value> {
    let part = |part: &Part| match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Call(call) => with_id(
            json!({"type": "tool_use", "name": call.tool, "input": {"n": call.n}}),
            "id",
            &call.id,
        ),
        Part::Result(outcome) => with_id(
            json!({"type": "tool_result", "content": typed(outcome)}),
            "tool_use_id",
            &outcome.to.id,
        ),
        Part::Server(n) => {
            json!({"type": "server_tool_use", "id": format!("srvtoolu_{n}"), "name": "web_search", "input": {}})
        }
        Part::Served(n) => {
            json!({"type": "web_search_tool_result", "tool_use_id": format!("srvtoolu_{n}"), "content": []})
        }
        Part::System(text) => json!({"type": "text", "text": text}),
    };
    let message = |message: &Message| {
        let role = if message.model { "assistant" } else { "user" };
        match &message.parts[..] {
            [Part::System(text)] => json!({"role": "system", "content": text}),
            [Part::Text(text)] if text.len() != 3 => json!({"role": role, "content": text}),
            parts => json!({"role": role, "content": parts.iter().map(part).collect::<Vec<_>>()}),
        }
    };
    messages.iter().map(message).collect()
}

/// The content of a result, as a string or as typed parts.
pub fn typed(outcome: &Outcome) -> Value {
    let text = |text: &str| json!({"type": "text", "text": text});
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
    match outcome.shape {
        _ if outcome.copy == usize::MAX => json!(outcome.text),
        0 => json!(outcome.said()),
        1 => json!([text(&outcome.said())]),
        2 => json!([text(&outcome.said()), text("and more")]),
        _ => json!([text(&outcome.said()), image]),
    }
}

/// Returns the text of a result as one string.
pub fn said(outcome: &Outcome) -> String {
    if outcome.copy == usize::MAX {
        outcome.text.clone()
    } else {
        outcome.said()
    }
}

/// Messages of OpenAI's kind. Results and calls that are with other things get messages of their own; `name` is the key of a
/// result's tool.
fn chat(messages: &[Message], name: &str) -> Vec<Value> {
    let mut written = Vec::new();
    for message in messages {
        if let [Part::System(text)] = &message.parts[..] {
            written.push(json!({"role": "system", "content": text}));
            continue;
        }
        let texts = message.texts();
        let calls: Vec<Value> = message
            .parts
            .iter()
            .filter_map(|p| {
                if let Part::Call(call) = p {
                    Some(tool_call(call, name))
                } else {
                    None
                }
            })
            .collect();
        let content = match &texts[..] {
            [] => Value::Null,
            [one] => json!(one),
            several if name == "tool_name" => json!(several.join("\n")),
            several => several
                .iter()
                .map(|text| json!({"type": "text", "text": text}))
                .collect(),
        };
        if !calls.is_empty() {
            let content = if name == "tool_name" && texts.is_empty() {
                json!("")
            } else {
                content
            };
            written.push(json!({"role": "assistant", "content": content, "tool_calls": calls}));
        } else if !texts.is_empty() {
            written.push(json!({"role": if message.model { "assistant" } else { "user" }, "content": content}));
        }
        for part in &message.parts {
            if let Part::Result(outcome) = part {
                let content = if name == TOOL && outcome.copy != usize::MAX && outcome.shape == 1 {
                    typed(outcome)
                } else {
                    json!(said(outcome))
                };
                let mut result = json!({"role": "tool", "content": content});
                if !name.is_empty() {
                    result[name] = json!(outcome.to.tool);
                }
                written.push(with_id(result, "tool_call_id", &outcome.to.id));
            }
        }
    }
    written
}

fn tool_call(call: &Call, name: &str) -> Value {
    let arguments = if name == "tool_name" {
        json!({"n": call.n})
    } else {
        json!(json!({"n": call.n}).to_string())
    };
    with_id(
        json!({"type": "function", "function": {"name": call.tool, "arguments": arguments}}),
        "id",
        &call.id,
    )
}

fn mistral(messages: &[Message]) -> String {
    let body = json!({"model": "mistral-large-latest", "messages": chat(messages, "name")});
    // Ids are of nine letters and digits.
    body.to_string().replace("\"call_", "\"call")
}

pub fn items(messages: &[Message]) -> Vec<Value> {
    let mut written = Vec::new();
    for message in messages {
        let (role, kind) = if message.model {
            ("assistant", "output_text")
        } else {
            ("user", "input_text")
        };
        for part in &message.parts {
            written.push(match part {
                Part::Text(text) => json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}),
                Part::Call(call) => with_id(
                    json!({"type": "function_call", "name": call.tool, "arguments": format!("{{\"n\":{}}}", call.n)}),
                    "call_id",
                    &call.id,
                ),
                Part::Result(outcome) => {
                    let output = match outcome.shape {
                        1 if outcome.copy != usize::MAX => json!([{"type": "input_text", "text": said(outcome)}]),
                        _ => json!(said(outcome)),
                    };
                    with_id(json!({"type": "function_call_output", "output": output}), "call_id", &outcome.to.id)
                }
                Part::Server(n) => json!({"type": "web_search_call", "id": format!("ws_{n}"), "status": "completed"}),
                Part::Served(_) | Part::System(_) => continue,
            });
        }
    }
    written
}

pub fn gemini(messages: &[Message]) -> Vec<Value> {
    let part = |part: &Part| match part {
        Part::Text(text) => json!({"text": text}),
        Part::Call(call) => {
            json!({"functionCall": with_id(json!({"name": call.tool, "args": {"n": call.n}}), "id", &call.id)})
        }
        Part::Result(outcome) => {
            let response = match outcome.shape {
                1 if outcome.copy != usize::MAX => {
                    json!({"result": {"deep": [said(outcome), 1.10]}})
                }
                2 if outcome.copy != usize::MAX => json!({"output": said(outcome), "more": 1}),
                _ => json!({"output": said(outcome)}),
            };
            json!({"functionResponse": with_id(json!({"name": outcome.to.tool, "response": response}), "id", &outcome.to.id)})
        }
        Part::Server(n) => json!({"text": format!("server {n}")}),
        Part::Served(n) => json!({"text": format!("served {n}")}),
        Part::System(text) => json!({"text": text}),
    };
    let message = |message: &Message| json!({"role": if message.model { "model" } else { "user" }, "parts": message.parts.iter().map(part).collect::<Vec<_>>()});
    messages.iter().map(message).collect()
}

fn converse(messages: &[Message]) -> Value {
    let part = |part: &Part| match part {
        Part::Text(text) => json!({"text": text}),
        Part::Call(call) => {
            json!({"toolUse": with_id(json!({"name": call.tool, "input": {"n": call.n}}), "toolUseId", &call.id)})
        }
        Part::Result(outcome) => {
            let text = said(outcome);
            let content = match outcome.shape {
                1 if outcome.copy != usize::MAX => json!([{"json": {"said": text}}]),
                2 if outcome.copy != usize::MAX => json!([{"text": text}, {"text": "and more"}]),
                _ => json!([{"text": text}]),
            };
            json!({"toolResult": with_id(json!({"content": content}), "toolUseId", &outcome.to.id)})
        }
        Part::Server(n) => json!({"text": format!("server {n}")}),
        Part::Served(n) => json!({"text": format!("served {n}")}),
        Part::System(text) => json!({"text": text}),
    };
    let message = |message: &Message| json!({"role": if message.model { "assistant" } else { "user" }, "content": message.parts.iter().map(part).collect::<Vec<_>>()});
    let messages: Vec<Value> = messages.iter().map(message).collect();
    json!({"modelId": "amazon.nova-pro-v1:0", "toolConfig": {"tools": [{"toolSpec": {"name": "look"}}]}, "messages": messages})
}

/// Turns of Cohere's first API; what the user says last is beside them.
fn first_cohere(messages: &[Message]) -> Value {
    let call = |call: &Call| json!({"name": call.tool, "parameters": {"n": call.n}});
    let mut turns = Vec::new();
    for message in messages {
        let texts = message.texts();
        let calls: Vec<Value> = message
            .parts
            .iter()
            .filter_map(|p| {
                if let Part::Call(c) = p {
                    Some(call(c))
                } else {
                    None
                }
            })
            .collect();
        let results = message.parts.iter().filter_map(|p| {
            if let Part::Result(outcome) = p {
                Some(outcome)
            } else {
                None
            }
        });
        let results: Vec<Value> =
            results.map(|outcome| json!({"call": call(&outcome.to), "outputs": [{"output": said(outcome)}]})).collect();
        if !calls.is_empty() {
            turns
                .push(json!({"role": "CHATBOT", "message": texts.join("\n"), "tool_calls": calls}));
        } else if !texts.is_empty() {
            turns.push(json!({"role": if message.model { "CHATBOT" } else { "USER" }, "message": texts.join("\n")}));
        }
        if !results.is_empty() {
            turns.push(json!({"role": "TOOL", "tool_results": results}));
        }
    }
    let mut body = json!({"model": "command-r-plus", "message": ""});
    if let Some(last) = turns.pop_if(|turn| turn["role"] == "USER" || turn["role"] == "TOOL") {
        let key = if last["role"] == "USER" {
            "message"
        } else {
            "tool_results"
        };
        body[key] = last[key].clone();
    }
    body["chat_history"] = turns.into();
    body
}
