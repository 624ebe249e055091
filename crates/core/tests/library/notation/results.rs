//! Finds the results in any format by their JSON structure, without any code of the program.

use serde_json::{Map, Value, json};

/// The text of every result, in order: its texts, one below the other, and `[image]` for an image.
pub fn results(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for mut value in values(bytes) {
        each(&mut value, &mut |content| found.push(reported(content)));
    }
    found
}

/// All of it but the contents of results.
pub fn without_results(bytes: &[u8]) -> Vec<Value> {
    let mut all = values(bytes);
    all.iter_mut()
        .for_each(|value| each(value, &mut |content| *content = Value::Null));
    all
}

fn values(bytes: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_slice(bytes)
        .into_iter()
        .map(|value| value.unwrap())
        .collect()
}

/// Calls `with` on the content of every result.
fn each(value: &mut Value, with: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| each(element, with)),
        Value::Object(members) => {
            if result(members, with) {
                return;
            }
            members.values_mut().for_each(|member| each(member, with));
        }
        _ => {}
    }
}

/// Whether an object is a result; its content is passed to `with`.
fn result(object: &mut Map<String, Value>, with: &mut impl FnMut(&mut Value)) -> bool {
    let is = |key: &str, want: &str| object.get(key).is_some_and(|value| value == want);
    let key = if is("type", "tool_result") && !object.contains_key("message")
        || is("role", "tool")
        || is("role", "toolResult")
    {
        "content"
    } else if is("type", "function_call_output") {
        "output"
    } else if is("type", "tool") {
        let state = &mut object["state"];
        let key = if state["status"] == "error" {
            "error"
        } else {
            "output"
        };
        with(&mut state[key]);
        return true;
    } else if object.contains_key("outputs") && object.contains_key("call") {
        "outputs"
    } else if is("type", "tool.execution_complete") {
        let data = &mut object["data"];
        let content = if data["success"] == true {
            data.pointer_mut("/result/content")
        } else {
            data.pointer_mut("/error/message")
        };
        with(content.unwrap());
        return true;
    } else {
        let inner = ["functionResponse", "function_response", "toolResult"]
            .into_iter()
            .find(|key| object.contains_key(*key));
        let Some(Value::Object(inner)) = inner.and_then(|key| object.get_mut(key)) else {
            return false;
        };
        if let Some(content) = inner.get_mut("content") {
            with(content);
            return true;
        }
        // What is beside a response belongs to it.
        let beside = inner.remove("parts");
        let response = inner.get_mut("response").unwrap();
        if let Some(Value::Array(beside)) = beside {
            *response = json!([response, beside]);
        }
        with(response);
        return true;
    };
    with(object.get_mut(key).unwrap());
    true
}

/// Returns the text of a content.
fn reported(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(reported).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => {
            let text = ["text", "output", "error", "data", "document"]
                .iter()
                .find_map(|key| members.get(*key));
            text.filter(|_| !members.contains_key("inlineData")).map_or(
                "[image]".to_owned(),
                |text| match text {
                    // The bytes of OpenClaw's images.
                    Value::String(_) if members.get("type").is_some_and(|kind| kind == "image") => {
                        "[image]".to_owned()
                    }
                    text => reported(text),
                },
            )
        }
        other => other.to_string(),
    }
}
