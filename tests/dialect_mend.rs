//! What `check --repair` mends of the dialects, and what it does not claim to.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use support::deadhead;

/// What comes out of a mend, and what is said of a plain check.
fn mend(format: &str, body: &Value) -> (Value, bool, String) {
    let check = deadhead().args(["check", "--format", format]).write_stdin(body.to_string()).output().unwrap();
    let mended = deadhead().args(["check", "--repair", "--format", format]).write_stdin(body.to_string()).output().unwrap();
    let told = String::from_utf8(check.stdout).unwrap();
    (serde_json::from_slice(&mended.stdout).unwrap(), mended.status.code() == Some(0), told)
}

fn call(id: Option<&str>) -> Value {
    let mut call = json!({"function": {"name": "f", "arguments": {}}});
    id.into_iter().for_each(|id| call["id"] = json!(id));
    json!({"role": "assistant", "content": "", "tool_calls": [call]})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

#[test]
fn mistral_gets_an_answer_between_result_and_user() {
    let result = json!({"role": "tool", "tool_call_id": "abcdefgh1", "name": "f", "content": "r"});
    for messages in [json!([user("x"), call(Some("abcdefgh1")), result, user("y")]), json!([user("x"), call(Some("abcdefgh1")), user("y")])]
    {
        let (out, whole, told) = mend("mistral", &json!({"model": "mistral-large", "messages": messages}));
        let roles: Vec<&str> = out["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"], "{out}");
        assert!(whole && told.contains("--repair"), "{told}");
    }
    // A late result moves to its call first: then nothing is missing between.
    let late = json!([user("x"), call(Some("abcdefgh1")), user("y"), result, json!({"role": "assistant", "content": "z"}), user("q")]);
    let (out, whole, _) = mend("mistral", &json!({"model": "mistral-large", "messages": late}));
    assert!(whole, "{out}");
    assert_eq!(out["messages"][2], result);
}

#[test]
fn ollama_is_answered_by_name() {
    let (out, whole, _) = mend("ollama", &json!({"model": "llama3", "options": {}, "messages": [user("x"), call(None), user("y")]}));
    assert!(whole, "{out}");
    assert_eq!((&out["messages"][2]["tool_name"], &out["messages"][2]["tool_call_id"]), (&json!("f"), &Value::Null));
}

#[test]
fn what_is_only_read_is_not_claimed() {
    let history =
        json!([{"role": "USER", "message": "x"}, {"role": "CHATBOT", "message": "", "tool_calls": [{"name": "f", "parameters": {}}]}]);
    let turn = |id: &str, kind: &str| json!({"id": id, "timestamp": "2026-01-01T00:00:00Z", "type": kind, "content": "x"});
    let mut model = turn("2", "gemini");
    model["toolCalls"] = json!([{"id": "c1", "name": "f", "args": {}, "status": "success"}]);
    let session = json!({"sessionId": "s", "projectHash": "p", "startTime": "2026-01-01T00:00:00Z", "lastUpdated": "2026-01-01T00:00:00Z",
        "messages": [turn("1", "user"), model, turn("3", "user")]});
    for (format, body) in [("cohere", json!({"model": "command-r", "message": "hi", "chat_history": history})), ("gemini-cli", session)] {
        let (out, whole, told) = mend(format, &body);
        assert_eq!((out, whole), (body, false), "{format}");
        assert!(told.contains("E01") && !told.contains("--repair"), "{format}: {told}");
    }
}
