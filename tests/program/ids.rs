//! Ids are equal only if their bytes are. The pairs below had one hash in version 0.1.0, which compared unkeyed hashes.

use crate::support::deadhead;
use serde_json::{Value, json};

const SAME_BEFORE: [(&str, &str); 2] = [
    ("toolu_01AbCdEf42", "toolu_02ZyXwVu24"),
    ("toolu_01AbCdEf42", "42XbcIO7IHJWI9zw"),
];

fn step(ids: &[&str]) -> [Value; 2] {
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({"type": "tool_use", "id": id, "name": "f", "input": {}}))
        .collect();
    let results: Vec<Value> = ids
        .iter()
        .map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": format!("ok {id}")}))
        .collect();
    [
        json!({"role": "assistant", "content": calls}),
        json!({"role": "user", "content": results}),
    ]
}

fn body(steps: &[&[&str]]) -> String {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    messages.extend(steps.iter().flat_map(|ids| step(ids)));
    let tools = json!([{"name": "f", "input_schema": {"type": "object"}}]);
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages})
        .to_string()
}

#[test]
fn different_ids_are_never_one() {
    for (one, two) in SAME_BEFORE {
        for body in [body(&[&[one], &[two]]), body(&[&[one, two]])] {
            let output = deadhead()
                .args(["check", "--repair"])
                .write_stdin(body.as_str())
                .output()
                .unwrap();
            assert!(
                output.status.success() && output.stdout == body.as_bytes(),
                "{body}: {output:?}"
            );
        }
    }
}

#[test]
fn an_escaped_id_is_the_same_id() {
    let text = body(&[&["toolu_a"]]).replacen("\"id\":\"toolu_a\"", "\"id\":\"toolu\\u005fa\"", 1);
    let output = deadhead()
        .args(["check", "--repair"])
        .write_stdin(text.as_str())
        .output()
        .unwrap();
    assert!(
        text.contains("u005f") && output.status.success() && output.stdout == text.as_bytes(),
        "{output:?}"
    );
}
