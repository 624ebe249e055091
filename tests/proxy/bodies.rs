//! Conversations as agents send them: growing, with a result in each turn.

use serde_json::{Value, json};

fn output(turn: usize, size: usize) -> String {
    let line = format!("line of the output of turn {turn}\n");
    line.repeat(size / line.len() + 1)
}

/// As Claude Code 2.1 sends it: three parts of a system prompt, two of them marked, and a mark on the newest block; the session in a JSON
/// text.
pub fn claude(turns: usize, size: usize, session: &str) -> Vec<u8> {
    let mark = json!({"type": "ephemeral"});
    let mut messages = vec![json!({"role": "user", "content": [
        {"type": "text", "text": "<system-reminder>context</system-reminder>"}, {"type": "text", "text": "go on"}]})];
    for turn in 0..turns {
        let id = format!("toolu_{session}_{turn}");
        messages.push(json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": format!("/app/{turn}.txt")}}]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": output(turn, size)}]}));
    }
    let newest = messages.last_mut().unwrap()["content"]
        .as_array_mut()
        .unwrap()
        .last_mut()
        .unwrap();
    newest["cache_control"] = mark.clone();
    let user = json!({"device_id": "d".repeat(64), "account_uuid": "", "session_id": session});
    body(&json!({
        "model": "claude-sonnet-4-5-20250929", "max_tokens": 32000, "stream": true,
        "system": [{"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.330"},
            {"type": "text", "text": "You are Claude Code.", "cache_control": mark}, {"type": "text", "text": "Rules. ".repeat(2000), "cache_control": mark}],
        "metadata": {"user_id": user.to_string()}, "messages": messages,
    }))
}

/// A body of OpenAI's Chat Completions.
pub fn chat(turns: usize, size: usize) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "go on"})];
    for turn in 0..turns {
        let id = format!("call_{turn}");
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "read", "arguments": format!("{{\"path\":\"{turn}\"}}")}}]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": output(turn, size)}));
    }
    json!({"model": "gpt-5.1", "messages": messages})
}

/// A body of OpenAI's Responses.
pub fn responses(turns: usize, size: usize) -> Value {
    let mut input = vec![json!({"type": "message", "role": "user", "content": "go on"})];
    for turn in 0..turns {
        let id = format!("call_{turn}");
        input.push(json!({"type": "function_call", "call_id": id, "name": "read", "arguments": format!("{{\"path\":\"{turn}\"}}")}));
        input.push(
            json!({"type": "function_call_output", "call_id": id, "output": output(turn, size)}),
        );
    }
    json!({"model": "gpt-5.1", "input": input})
}

/// A body of Gemini's, which names no model.
pub fn gemini(turns: usize, size: usize) -> Value {
    let mut contents = vec![json!({"role": "user", "parts": [{"text": "go on"}]})];
    for turn in 0..turns {
        contents.push(json!({"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"path": format!("{turn}")}}}]}));
        contents.push(json!({"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": output(turn, size)}}}]}));
    }
    json!({"contents": contents})
}

/// A body of Bedrock's Converse, which names no model.
pub fn converse(turns: usize, size: usize) -> Value {
    let mut messages = vec![json!({"role": "user", "content": [{"text": "go on"}]})];
    for turn in 0..turns {
        let id = format!("call_{turn}");
        messages.push(json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": id, "name": "read", "input": {"path": format!("{turn}")}}}]}));
        messages.push(json!({"role": "user", "content": [{"toolResult": {"toolUseId": id, "content": [{"text": output(turn, size)}]}}]}));
    }
    json!({"messages": messages})
}

/// Claude's body for Bedrock and Vertex, which names no model.
pub fn hosted(turns: usize, size: usize) -> Value {
    let mut made: Value = serde_json::from_slice(&claude(turns, size, "h")).unwrap();
    let members = made.as_object_mut().unwrap();
    members.remove("model");
    members.remove("stream");
    members.insert("anthropic_version".to_owned(), json!("bedrock-2023-05-31"));
    made
}

pub fn body(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}
