//! Edits as Anthropic's `context_management` states them, as steps of ours.

use super::steps::StepError;
use serde_json::{Map, Value, json};

/// The name of the edit that clears results.
pub const CLEAR_TOOL_USES: &str = "clear_tool_uses_20250919";
/// The name of the edit that removes reasoning.
pub const CLEAR_THINKING: &str = "clear_thinking_20251015";

/// The steps that a list of edits is; what it does not state is as `step` has it, and of reasoning `turns` stay. Edits of other types
/// are left out.
///
/// # Errors
/// A field is not of its kind.
pub fn steps(edits: &Value, step: &Value, turns: &Value) -> Result<Vec<Value>, StepError> {
    let list = edits
        .as_array()
        .ok_or_else(|| StepError::bad("", "a list of edits", edits))?;
    let mut found = Vec::new();
    for (i, edit) in list.iter().enumerate() {
        let members = edit
            .as_object()
            .ok_or_else(|| StepError::bad(&format!("[{i}]"), "an object with type", edit))?;
        let place = |name: &str| format!("[{i}].{name}");
        match members.get("type").and_then(Value::as_str) {
            Some(CLEAR_TOOL_USES) => found.push(clear_tool_uses(members, step, &place)?),
            Some(CLEAR_THINKING) => found.push(clear_thinking(members, turns, &place)?),
            _ => {}
        }
    }
    Ok(found)
}

/// Whether the server would accept the edits: their members are known, and reasoning comes first.
///
/// # Errors
/// It would not.
pub fn check(edits: &Value) -> Result<(), StepError> {
    for (i, edit) in edits.as_array().into_iter().flatten().enumerate() {
        let kind = edit["type"].as_str().unwrap_or_default();
        let known = MEMBERS
            .iter()
            .find(|(name, _)| *name == kind)
            .map_or(&[][..], |(_, known)| known);
        if i > 0 && kind == CLEAR_THINKING {
            return Err(StepError::bad(
                &format!("[{i}].type"),
                "the first edit if it is",
                &edit["type"],
            ));
        }
        let mut names = edit.as_object().into_iter().flatten().map(|(name, _)| name);
        if let Some(name) = names.find(|name| !known.is_empty() && !known.contains(&name.as_str()))
        {
            return Err(StepError::unknown(&format!("[{i}].{name}"), known));
        }
    }
    Ok(())
}

/// The members of each edit.
const MEMBERS: [(&str, &[&str]); 2] = [
    (
        CLEAR_TOOL_USES,
        &[
            "type",
            "trigger",
            "keep",
            "clear_at_least",
            "exclude_tools",
            "clear_tool_inputs",
        ],
    ),
    (CLEAR_THINKING, &["type", "keep"]),
];

/// Members that are amounts: the types that they may have, and what is expected.
const AMOUNTS: [(&str, &[&str], &str); 3] = [
    (
        "trigger",
        &["input_tokens", "tool_uses"],
        "{type: \"input_tokens\" or \"tool_uses\", value}",
    ),
    ("keep", &["tool_uses"], "{type: \"tool_uses\", value}"),
    (
        "clear_at_least",
        &["input_tokens"],
        "{type: \"input_tokens\", value}",
    ),
];

fn clear_tool_uses(
    edit: &Map<String, Value>,
    step: &Value,
    place: &dyn Fn(&str) -> String,
) -> Result<Value, StepError> {
    let mut step = step.clone();
    for (name, value) in edit.iter().filter(|(_, value)| !value.is_null()) {
        let bad = |expected: &str| StepError::bad(&place(name), expected, value);
        let is_list = value
            .as_array()
            .is_some_and(|list| list.iter().all(Value::is_string));
        let of_type = AMOUNTS.iter().find(|(known, ..)| known == name);
        if let Some((_, types, expected)) = of_type {
            let (unit, number) = typed(value, types).ok_or_else(|| bad(expected))?;
            step[name] = json!({ unit: number });
        } else if name == "exclude_tools" && !is_list {
            return Err(bad("a list of names"));
        } else if name == "clear_tool_inputs" && !is_list && !value.is_boolean() {
            return Err(bad("true, false or a list of names"));
        } else if name == "exclude_tools" || name == "clear_tool_inputs" {
            step[name] = value.clone();
        }
        if name == "clear_at_least" {
            step[name]["batches"] = json!(true);
        }
    }
    Ok(step)
}

fn clear_thinking(
    edit: &Map<String, Value>,
    turns: &Value,
    place: &dyn Fn(&str) -> String,
) -> Result<Value, StepError> {
    let keep = match edit.get("keep") {
        None | Some(Value::Null) => turns.clone(),
        Some(Value::String(all)) if all == "all" => json!("all"),
        Some(value) if value["type"] == "all" => json!("all"),
        Some(value) => {
            let number = typed(value, &["thinking_turns"])
                .map(|(_, number)| number)
                .filter(|number| *number > 0);
            json!(number.ok_or_else(|| StepError::bad(
                &place("keep"),
                "{type: \"thinking_turns\", value} or \"all\"",
                value
            ))?)
        }
    };
    Ok(json!({"type": "clear_thinking", "keep": {"thinking_turns": keep}}))
}

/// The type and the value of `{type, value}`.
fn typed<'a>(value: &'a Value, types: &[&str]) -> Option<(&'a str, u64)> {
    let unit = value["type"].as_str().filter(|unit| types.contains(unit))?;
    Some((unit, value["value"].as_u64()?))
}

/// The member of a body.
pub const MEMBER: &str = "context_management";

/// A step that does what an edit without fields does.
pub fn template() -> Value {
    json!({
        "type": "clear_tool_results",
        "trigger": {"input_tokens": 100_000},
        "keep": {"tool_uses": 3},
        "exact_names": true,
        "newest_result": "keep",
        "over": {"bytes": SMALLEST},
        "placeholder": PLACEHOLDER,
    })
}

/// Bytes of a result that the server never clears, at most.
pub const SMALLEST: f64 = 46.0;

/// The text that replaces a result; the server's own text is not documented.
const PLACEHOLDER: &str = "[Cleared by context management]";
