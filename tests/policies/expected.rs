//! The parts of a conversation that vectors cover, and the comparison of an outcome with a vector.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One message of a body as the vectors see it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Message {
    text: String,
    thinking: Vec<String>,
    calls: Vec<String>,
    results: Vec<String>,
}

/// Calls and results of an input in any format, and of a body its messages.
pub struct Conversation {
    calls: BTreeMap<String, Value>,
    results: BTreeMap<String, String>,
    messages: Vec<Message>,
}

impl Conversation {
    pub fn read(bytes: &[u8], is_log: bool) -> Conversation {
        let values: Vec<Value> = serde_json::Deserializer::from_slice(bytes)
            .into_iter()
            .map(Result::unwrap)
            .collect();
        let mut found = Conversation {
            calls: BTreeMap::new(),
            results: BTreeMap::new(),
            messages: Vec::new(),
        };
        let body = &values[0];
        let list = if is_log {
            None
        } else {
            ["messages", "contents", "input"]
                .iter()
                .find_map(|key| body[*key].as_array())
        };
        // An export of a session has a list of messages with parts as well, and its calls and results are in one part.
        match list.filter(|_| body.get("info").is_none()) {
            Some(list) => list.iter().for_each(|message| {
                let mut read = Message::default();
                found.walk(message, &mut read);
                found.messages.push(read);
            }),
            None => values
                .iter()
                .for_each(|value| found.walk(value, &mut Message::default())),
        }
        found
    }

    fn walk(&mut self, value: &Value, message: &mut Message) {
        match value {
            Value::Array(list) => list.iter().for_each(|value| self.walk(value, message)),
            Value::Object(members) => {
                let is = |kinds: &[&str]| {
                    value["type"]
                        .as_str()
                        .is_some_and(|kind| kinds.contains(&kind))
                };
                let of = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
                if is(&["tool_result"]) {
                    return self.result(of("tool_use_id"), text(&value["content"]), message);
                } else if is(&["function_call_output", "custom_tool_call_output"]) {
                    return self.result(of("call_id"), text(&value["output"]), message);
                } else if is(&["tool"]) && value["callID"].is_string() {
                    let state = &value["state"];
                    self.call(of("callID"), state["input"].clone(), message);
                    return self.result(
                        of("callID"),
                        text(state.get("output").unwrap_or(&state["error"])),
                        message,
                    );
                } else if value["role"] == "tool" && value["tool_call_id"].is_string() {
                    return self.result(of("tool_call_id"), text(&value["content"]), message);
                } else if is(&["thinking"]) {
                    return message.thinking.push(of("thinking"));
                } else if is(&["tool_use"]) {
                    return self.call(of("id"), value["input"].clone(), message);
                } else if is(&["function_call", "custom_tool_call"]) && value["call_id"].is_string()
                {
                    return self.call(
                        of("call_id"),
                        value.get("arguments").unwrap_or(&value["input"]).clone(),
                        message,
                    );
                }
                for call in value["tool_calls"].as_array().into_iter().flatten() {
                    self.call(
                        call["id"].as_str().unwrap_or_default().to_owned(),
                        call["function"]["arguments"].clone(),
                        message,
                    );
                }
                let named = |part: &Value| {
                    part.get("id")
                        .unwrap_or(&part["name"])
                        .as_str()
                        .unwrap_or_default()
                        .to_owned()
                };
                if let Some(part) = value.get("functionCall") {
                    self.call(named(part), part["args"].clone(), message);
                } else if let Some(part) = value.get("functionResponse") {
                    return self.result(named(part), text(&part["response"]), message);
                }
                for (key, inner) in members.iter().filter(|(key, _)| {
                    !["tool_calls", "toolUseResult", "functionCall"].contains(&&***key)
                }) {
                    match inner.as_str() {
                        Some(words) if ["text", "content"].contains(&&**key) => {
                            message.text.push_str(words)
                        }
                        _ => self.walk(inner, message),
                    }
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, id: String, arguments: Value, message: &mut Message) {
        message.calls.push(id.clone());
        // Arguments that are a text of JSON are compared as JSON.
        let read = arguments
            .as_str()
            .and_then(|text| serde_json::from_str(text).ok());
        self.calls.insert(id, read.unwrap_or(arguments));
    }

    fn result(&mut self, id: String, text: String, message: &mut Message) {
        message.results.push(id.clone());
        self.results.insert(id, text);
    }
}

/// The text of a result's content; of what is neither text nor has one, its JSON.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text).collect(),
        Value::Object(members) => match ["text", "output", "content", "result"]
            .iter()
            .find_map(|key| members.get(*key))
        {
            Some(inner) => text(inner),
            None => content.to_string(),
        },
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Returns a difference between `after` and the changes of `before` that `expected` has, if there is one.
pub fn difference(before: &Conversation, after: &Conversation, expected: &Value) -> Option<String> {
    let list = |key: &str| expected[key].as_array().cloned().unwrap_or_default();
    let removed: BTreeSet<String> = list("removed")
        .iter()
        .map(|id| id.as_str().unwrap().to_owned())
        .collect();
    for (id, was) in before
        .results
        .iter()
        .filter(|(id, _)| !removed.contains(*id))
    {
        let wanted = expected["results"][id].as_str().unwrap_or(was);
        match after.results.get(id) {
            Some(found) if found == wanted => {}
            found => {
                return Some(format!(
                    "result {id}: wanted {}, found {}",
                    show(wanted),
                    found.map_or("none".into(), |text| show(text))
                ));
            }
        }
    }
    let gone: BTreeSet<&String> = before
        .calls
        .keys()
        .filter(|id| !after.calls.contains_key(*id))
        .collect();
    let wanted: BTreeSet<&String> = before
        .calls
        .keys()
        .filter(|id| removed.contains(*id))
        .collect();
    if gone != wanted || after.results.keys().any(|id| removed.contains(id)) {
        return Some(format!("calls removed: wanted {wanted:?}, found {gone:?}"));
    }
    for (id, arguments) in &after.calls {
        let is_cleared = list("inputs_cleared").iter().any(|cleared| cleared == id);
        let cleared = expected["inputs_after"]
            .get(id)
            .cloned()
            .unwrap_or_else(|| Value::Object(Default::default()));
        let wanted = if is_cleared {
            cleared
        } else {
            before.calls.get(id).cloned().unwrap_or_default()
        };
        if *arguments != wanted {
            return Some(format!(
                "input of {id}: wanted {}, found {}",
                show(&wanted.to_string()),
                show(&arguments.to_string())
            ));
        }
    }
    let wanted = messages(before, expected, &removed);
    // Messages that lose all they hold go, unless the original keeps them.
    let keeps_empty = !list("messages_emptied").is_empty();
    let is_left = |message: &&Message| keeps_empty || **message != Message::default();
    let found: Vec<&Message> = after.messages.iter().filter(is_left).collect();
    let wanted: Vec<&Message> = wanted.iter().filter(is_left).collect();
    if let Some(i) = (0..found.len().max(wanted.len())).find(|&i| found.get(i) != wanted.get(i)) {
        return Some(format!(
            "message {i}: wanted {}, found {}",
            show_message(wanted.get(i)),
            show_message(found.get(i))
        ));
    }
    None
}

/// The messages of `before` as `expected` wants them.
fn messages(before: &Conversation, expected: &Value, removed: &BTreeSet<String>) -> Vec<Message> {
    let has = |key: &str, i: usize| {
        expected[key]
            .as_array()
            .is_some_and(|list| list.iter().any(|index| *index == i))
    };
    let mut messages = Vec::new();
    for (i, message) in before
        .messages
        .iter()
        .enumerate()
        .filter(|(i, _)| !has("messages_removed", *i))
    {
        let mut message = message.clone();
        message.calls.retain(|id| !removed.contains(id));
        message.results.retain(|id| !removed.contains(id));
        if has("thinking_removed", i) {
            message.thinking.clear();
        }
        let index = i.to_string();
        if let Some(text) = expected["texts"][&index].as_str() {
            text.clone_into(&mut message.text);
        }
        for text in expected["texts_appended"][&index]
            .as_array()
            .into_iter()
            .flatten()
        {
            message.text.push_str(text.as_str().unwrap());
        }
        messages.push(message);
    }
    messages
}

fn show_message(message: Option<&&Message>) -> String {
    message.map_or("none".into(), |m| {
        format!(
            "text {}, {} thinking, calls {:?}, results {:?}",
            show(&m.text),
            m.thinking.len(),
            m.calls,
            m.results
        )
    })
}

/// A text, of a long one its length, beginning and end.
fn show(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    match chars.len() {
        0..=160 => format!("{text:?}"),
        length => {
            let (head, tail): (String, String) = (
                chars[..70].iter().collect(),
                chars[length - 70..].iter().collect(),
            );
            format!("{length} chars {head:?} … {tail:?}")
        }
    }
}
