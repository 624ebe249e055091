//! A conversation has the same cuts by the proxy as by the command: for the vectors of tests/turns.json, which the tests of the Python hooks
//! and of Node's fetch read too.

use crate::client::post;
use crate::process::{Proxy, pruned};
use crate::provider::Provider;
use serde_json::{Value, json};

/// A body of these turns: for each how many calls it has, with thinking before them, and its answer; none while the loop is open.
fn conversation(model: &str, turns: &Value) -> Value {
    let (mut messages, mut calls) = (Vec::new(), 0);
    for turn in turns.as_array().unwrap() {
        messages.push(json!({"role": "user", "content": "go"}));
        for _ in 0..turn[0].as_u64().unwrap() {
            messages.push(json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": format!("why {calls}"), "signature": format!("s{calls}")},
                {"type": "tool_use", "id": format!("c{calls}"), "name": "run", "input": {"n": calls}}]}));
            messages.push(json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": format!("c{calls}"), "content": "line of the output\n".repeat(6950)}]}));
            calls += 1;
        }
        if turn[1] != "" {
            messages.push(json!({"role": "assistant", "content": turn[1]}));
        }
    }
    if messages.last().unwrap()["role"] == "assistant" {
        messages.push(json!({"role": "user", "content": "on"}));
    }
    json!({"model": model, "max_tokens": 9, "messages": messages})
}

#[test]
fn the_proxy_cuts_what_the_command_cuts() {
    let vectors: Value = serde_json::from_str(include_str!("../turns.json")).unwrap();
    let (policy, mut cut) = (["--preset", "break-even"], Vec::new());
    for model in vectors["models"].as_array().unwrap() {
        for (name, turns) in vectors["turns"].as_object().unwrap() {
            let body = conversation(model.as_str().unwrap(), turns).to_string();
            let want = pruned(body.as_bytes(), &policy);
            let provider = Provider::start();
            let proxy = Proxy::start(&[&["--upstream", &provider.url], &policy[..]].concat());
            post(&proxy.url, "/v1/messages", &[], body.as_bytes());
            let got = provider.last().body;
            assert_eq!(
                String::from_utf8(got),
                String::from_utf8(want.clone()),
                "{model} {name}"
            );
            if want != body.as_bytes() {
                cut.push(format!("{} {name}", model.as_str().unwrap()));
            }
        }
    }
    assert!(!cut.contains(&"claude-opus-5-5 open".to_owned()), "{cut:?}");
    for name in ["claude-opus-5-5 closed", "claude-opus-4-8 open"] {
        assert!(cut.contains(&name.to_owned()), "{cut:?}");
    }
}
