//! Conversations as request bodies.

use super::{Answer, Call, Conversation, Id, Model, Part, Turn};
use serde_json::{Value, json};

/// Bytes of an image that is none.
pub const DATA: &str = "aGk=";

fn system(said: &Conversation) -> String {
    let texts: Vec<&str> = said
        .turns
        .iter()
        .filter_map(|t| {
            if let Turn::System(text) = t {
                Some(text.as_str())
            } else {
                None
            }
        })
        .collect();
    texts.join("\n")
}

/// The parts of an answer, as a list of what `text` and `image` make.
pub fn parts(answer: &Answer, text: impl Fn(&str) -> Value, image: &Value) -> Value {
    answer
        .parts
        .iter()
        .map(|part| {
            if let Part::Text(t) = part {
                text(t)
            } else {
                image.clone()
            }
        })
        .collect()
}

fn typed(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// One message or more for each turn; those of the system are left out where `say` gives none.
fn messages(said: &Conversation, say: impl Fn(&Turn) -> Vec<Value>) -> Value {
    said.turns.iter().flat_map(say).collect()
}

fn tools(said: &Conversation, tool: impl Fn(&str) -> Value) -> Value {
    let mut names: Vec<&str> = said.calls().map(|call| call.tool.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(tool).collect()
}

/// A turn in Anthropic's shape.
pub fn anthropic_turn(turn: &Turn, id: Id<'_>, strings: bool) -> Option<Value> {
    Some(match turn {
        Turn::System(_) => return None,
        Turn::User(text) if strings => json!({"role": "user", "content": text}),
        Turn::User(text) => json!({"role": "user", "content": [typed(text)]}),
        Turn::Model(Model {
            thinking,
            text,
            calls,
        }) => {
            let thinking = thinking
                .iter()
                .map(|t| json!({"type": "thinking", "thinking": t, "signature": "c2ln"}));
            let calls = calls.iter().map(|c| json!({"type": "tool_use", "id": id(&c.id), "name": c.tool, "input": c.arguments}));
            json!({"role": "assistant", "content": thinking.chain(text.iter().map(|t| typed(t))).chain(calls).collect::<Vec<_>>()})
        }
        Turn::Results(answers) => {
            let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}});
            let result = |a: &Answer| {
                let content = if strings && !a.has_image() {
                    json!(a.text())
                } else {
                    parts(a, typed, &image)
                };
                let mut result =
                    json!({"type": "tool_result", "tool_use_id": id(&a.call), "content": content});
                if a.error {
                    result["is_error"] = json!(true);
                }
                result
            };
            json!({"role": "user", "content": answers.iter().map(result).collect::<Vec<_>>()})
        }
    })
}

fn anthropic_body(said: &Conversation, id: Id<'_>, strings: bool) -> Vec<u8> {
    let body = json!({
        "model": "claude-sonnet-4-5",
        "max_tokens": 1024,
        "system": system(said),
        "tools": tools(said, |name| json!({"name": name, "input_schema": {"type": "object"}})),
        "messages": messages(said, |turn| anthropic_turn(turn, id, strings).into_iter().collect()),
    });
    body.to_string().into_bytes()
}

pub fn anthropic(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    anthropic_body(said, id, false)
}

pub fn anthropic_strings(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    anthropic_body(said, id, true)
}

/// A turn in the shape of OpenAI's chat; `thinking` and `result` say what dialects differ in.
pub fn chat_turn(
    turn: &Turn,
    call: impl Fn(&Call) -> Value,
    think: impl Fn(&mut Value, &str),
    result: impl Fn(&Answer) -> Value,
) -> Vec<Value> {
    match turn {
        Turn::System(text) => vec![json!({"role": "system", "content": text})],
        Turn::User(text) => vec![json!({"role": "user", "content": text})],
        Turn::Model(model) => {
            let mut message =
                json!({"role": "assistant", "content": model.text.clone().unwrap_or_default()});
            if !model.calls.is_empty() {
                message["tool_calls"] = model.calls.iter().map(call).collect();
            }
            if let Some(thinking) = &model.thinking {
                think(&mut message, thinking);
            }
            vec![message]
        }
        Turn::Results(answers) => answers.iter().map(result).collect(),
    }
}

fn function(call: &Call, id: Id<'_>) -> Value {
    json!({"id": id(&call.id), "type": "function", "function": {"name": call.tool, "arguments": call.arguments.to_string()}})
}

fn declared(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}})
}

/// A turn of OpenAI's own.
pub fn openai_turn(turn: &Turn, id: Id<'_>) -> Vec<Value> {
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}});
    chat_turn(
        turn,
        |call| function(call, id),
        |message, text| message["reasoning_content"] = json!(text),
        |a| {
            let content = if a.parts.len() == 1 && !a.has_image() {
                json!(a.text())
            } else {
                parts(a, typed, &image)
            };
            json!({"role": "tool", "tool_call_id": id(&a.call), "content": content})
        },
    )
}

pub fn openai_chat(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let body = json!({"model": "gpt-5", "tools": tools(said, declared), "messages": messages(said, |turn| openai_turn(turn, id))});
    body.to_string().into_bytes()
}

pub fn mistral(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let image = json!({"type": "image_url", "image_url": "data:image/png;base64,aGk="});
    let turn = |turn: &Turn| {
        chat_turn(
            turn,
            |call| function(call, id),
            |message, text| {
                let thinking = json!({"type": "thinking", "thinking": [typed(text)]});
                message["content"] = json!([thinking, typed(message["content"].as_str().unwrap())]);
            },
            |a| {
                let content = if a.has_image() {
                    parts(a, typed, &image)
                } else {
                    json!(a.text())
                };
                json!({"role": "tool", "name": a.tool, "tool_call_id": id(&a.call), "content": content})
            },
        )
    };
    json!({"model": "mistral-large-latest", "tools": tools(said, declared), "messages": messages(said, turn)}).to_string().into_bytes()
}

pub fn cohere(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let document = |text: &str| json!({"type": "document", "document": {"data": text, "id": "1"}});
    let turn = |turn: &Turn| {
        chat_turn(
            turn,
            |call| function(call, id),
            |message, text| message["tool_plan"] = json!(text),
            |a| json!({"role": "tool", "tool_call_id": id(&a.call), "content": parts(a, document, &Value::Null)}),
        )
    };
    json!({"model": "command-a-03-2025", "tools": tools(said, declared), "messages": messages(said, turn)}).to_string().into_bytes()
}

pub fn ollama(said: &Conversation, _: Id<'_>) -> Vec<u8> {
    let turn = |turn: &Turn| {
        chat_turn(
            turn,
            |call| json!({"function": {"name": call.tool, "arguments": call.arguments}}),
            |message, text| message["thinking"] = json!(text),
            |a| json!({"role": "tool", "tool_name": a.tool, "content": a.text()}),
        )
    };
    json!({"model": "qwen3", "stream": false, "tools": tools(said, declared), "messages": messages(said, turn), "options": {"num_ctx": 4096}})
        .to_string()
        .into_bytes()
}

pub fn cohere_v1(said: &Conversation, _: Id<'_>) -> Vec<u8> {
    let call = |tool: &str, arguments: &Value| json!({"name": tool, "parameters": arguments});
    let results = |answers: &[Answer]| -> Value {
        answers
            .iter()
            .map(|a| json!({"call": call(&a.tool, &a.arguments), "outputs": [{"text": a.text()}]}))
            .collect()
    };
    let mut body = json!({"model": "command-r-plus-08-2024", "message": ""});
    let mut turns = said.turns.clone();
    let last = turns.pop_if(|turn| matches!(turn, Turn::User(_) | Turn::Results(_)));
    match last {
        Some(Turn::User(text)) => body["message"] = json!(text),
        Some(Turn::Results(answers)) => body["tool_results"] = results(&answers),
        _ => {}
    }
    let history = turns.iter().map(|turn| match turn {
        Turn::System(text) => json!({"role": "SYSTEM", "message": text}),
        Turn::User(text) => json!({"role": "USER", "message": text}),
        Turn::Model(model) => {
            let mut turn =
                json!({"role": "CHATBOT", "message": model.text.clone().unwrap_or_default()});
            if !model.calls.is_empty() {
                turn["tool_calls"] = model
                    .calls
                    .iter()
                    .map(|c| call(&c.tool, &c.arguments))
                    .collect();
            }
            turn
        }
        Turn::Results(answers) => json!({"role": "TOOL", "tool_results": results(answers)}),
    });
    body["chat_history"] = history.collect();
    body.to_string().into_bytes()
}

/// A turn as items of OpenAI's Responses.
pub fn items(turn: &Turn, id: Id<'_>) -> Vec<Value> {
    let message = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    match turn {
        Turn::System(text) => vec![message("developer", "input_text", text)],
        Turn::User(text) => vec![message("user", "input_text", text)],
        Turn::Model(model) => {
            let thinking =
                model.thinking.iter().map(|t| json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": t}]}));
            let text = model
                .text
                .iter()
                .map(|t| message("assistant", "output_text", t));
            let calls = model
                .calls
                .iter()
                .map(|c| json!({"type": "function_call", "call_id": id(&c.id), "name": c.tool, "arguments": c.arguments.to_string()}));
            thinking.chain(text).chain(calls).collect()
        }
        Turn::Results(answers) => answers
            .iter()
            .map(|a| {
                let image =
                    json!({"type": "input_image", "image_url": "data:image/png;base64,aGk="});
                let text = |text: &str| json!({"type": "input_text", "text": text});
                let output = if a.parts.len() == 1 && !a.has_image() {
                    json!(a.text())
                } else {
                    parts(a, text, &image)
                };
                json!({"type": "function_call_output", "call_id": id(&a.call), "output": output})
            })
            .collect(),
    }
}

pub fn openai_responses(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let tools = tools(
        said,
        |name| json!({"type": "function", "name": name, "parameters": {"type": "object"}}),
    );
    json!({"model": "gpt-5", "input": messages(said, |turn| items(turn, id)), "tools": tools})
        .to_string()
        .into_bytes()
}

fn gemini_body(said: &Conversation, id: Id<'_>, words: [&str; 5]) -> Vec<u8> {
    let [call, response, data, mime, instruction] = words;
    let named = |name: &str| {
        if id(name).is_empty() {
            String::new()
        } else {
            format!(r#""id":{},"#, json!(id(name)))
        }
    };
    let content = |role: &str, parts: Vec<String>| {
        format!(r#"{{"role":"{role}","parts":[{}]}}"#, parts.join(","))
    };
    let turn = |turn: &Turn| match turn {
        Turn::System(_) => None,
        Turn::User(text) => Some(content("user", vec![json!({"text": text}).to_string()])),
        Turn::Model(model) => {
            let thinking = model
                .thinking
                .iter()
                .map(|t| json!({"text": t, "thought": true}).to_string());
            let text = model.text.iter().map(|t| json!({"text": t}).to_string());
            let calls = model.calls.iter().map(|c| {
                format!(
                    r#"{{"{call}":{{{}"name":{},"args":{}}}}}"#,
                    named(&c.id),
                    json!(c.tool),
                    c.arguments
                )
            });
            Some(content(
                "model",
                thinking.chain(text).chain(calls).collect(),
            ))
        }
        Turn::Results(answers) => {
            // Members in this order, as images must be directly after the response to go with it.
            let part = |a: &Answer| {
                let key = if a.error { "error" } else { "output" };
                let image =
                    format!(r#","parts":[{{"{data}":{{"{mime}":"image/png","data":"{DATA}"}}}}]"#);
                let image = if a.has_image() { image } else { String::new() };
                format!(
                    r#"{{"{response}":{{{}"name":{},"response":{}{image}}}}}"#,
                    named(&a.call),
                    json!(a.tool),
                    json!({key: a.text()})
                )
            };
            Some(content("user", answers.iter().map(part).collect()))
        }
    };
    let contents: Vec<String> = said.turns.iter().filter_map(turn).collect();
    let system = json!({"parts": [{"text": system(said)}]});
    format!(
        r#"{{"{instruction}":{system},"contents":[{}]}}"#,
        contents.join(",")
    )
    .into_bytes()
}

pub fn gemini(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    gemini_body(
        said,
        id,
        [
            "functionCall",
            "functionResponse",
            "inlineData",
            "mimeType",
            "systemInstruction",
        ],
    )
}

pub fn gemini_without_ids(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    gemini_body(
        said,
        id,
        [
            "function_call",
            "function_response",
            "inline_data",
            "mime_type",
            "system_instruction",
        ],
    )
}

pub fn converse(said: &Conversation, id: Id<'_>) -> Vec<u8> {
    let text = |text: &str| json!({"text": text});
    let turn = |turn: &Turn| match turn {
        Turn::System(_) => Vec::new(),
        Turn::User(words) => vec![json!({"role": "user", "content": [text(words)]})],
        Turn::Model(model) => {
            let thinking = model.thinking.iter().map(|t| json!({"reasoningContent": {"reasoningText": {"text": t, "signature": "c2ln"}}}));
            let said = model.text.iter().map(|t| text(t));
            let calls = model.calls.iter().map(|c| json!({"toolUse": {"toolUseId": id(&c.id), "name": c.tool, "input": c.arguments}}));
            vec![
                json!({"role": "assistant", "content": thinking.chain(said).chain(calls).collect::<Vec<_>>()}),
            ]
        }
        Turn::Results(answers) => {
            let image = json!({"image": {"format": "png", "source": {"bytes": DATA}}});
            let result = |a: &Answer| {
                let status = if a.error { "error" } else { "success" };
                json!({"toolResult": {"toolUseId": id(&a.call), "content": parts(a, text, &image), "status": status}})
            };
            vec![json!({"role": "user", "content": answers.iter().map(result).collect::<Vec<_>>()})]
        }
    };
    let tools = tools(
        said,
        |name| json!({"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}}),
    );
    json!({"modelId": "anthropic.claude-sonnet-4-5-20250929-v1:0", "system": [text(&system(said))], "messages": messages(said, turn), "toolConfig": {"tools": tools}})
        .to_string()
        .into_bytes()
}
