//! Planted defects: for every code and every provider that has it a body, and whether it is repaired; and what bodies are made of.

use serde_json::{Value, json};

/// A code, whether it is repaired, and a body that has this defect.
pub type Planted = (&'static str, bool, Value);

/// All of them, a line each: bodies of Anthropic's and of OpenAI's chat, Bedrock's, Gemini's, OpenAI's Responses; then ids, names and
/// fields that are not spelled as the provider wants them; then blocks and messages where the provider does not take them.
pub fn planted() -> Vec<Planted> {
    include_str!("planted.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A body of Anthropic's with these messages.
pub fn anthropic(messages: Value) -> Value {
    json!({"model": "claude-a", "max_tokens": 1, "tools": [{"name": "f", "input_schema": {}}], "messages": messages})
}

/// A chat body with these messages.
pub fn chat(messages: Value) -> Value {
    json!({"model": "gpt-5", "messages": messages})
}

pub fn user(content: impl Into<Value>) -> Value {
    json!({"role": "user", "content": content.into()})
}

pub fn assistant(content: impl Into<Value>) -> Value {
    json!({"role": "assistant", "content": content.into()})
}

pub fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "f", "input": {}})
}

pub fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": format!("of {id}")})
}

pub fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub fn marked(ttl: &str) -> Value {
    json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": ttl}})
}

pub fn calls(ids: &[&str]) -> Value {
    let calls: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}})).collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

pub fn thoughtful(id: &str) -> Value {
    let mut message = calls(&[id]);
    message["reasoning_content"] = json!("hm");
    message
}

pub fn tool(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": format!("of {id}")})
}
