//! Edits as Anthropic's `context_management` states them, as steps of ours.

use super::steps::Wrong;
use serde_json::{Map, Value, json};

/// The name of the edit that clears results.
pub const CLEAR_TOOL_USES: &str = "clear_tool_uses_20250919";
/// The name of the edit that removes reasoning.
pub const CLEAR_THINKING: &str = "clear_thinking_20251015";

/// The steps that a list of edits is; what it does not state is as `step` has it. Edits of other types are left out.
///
/// # Errors
/// A field is not of its kind.
pub fn steps(edits: &Value, step: &Value) -> Result<Vec<Value>, Wrong> {
    let list = edits.as_array().ok_or_else(|| Wrong::bad("", "a list of edits", edits))?;
    let mut found = Vec::new();
    for (i, edit) in list.iter().enumerate() {
        let members = edit.as_object().ok_or_else(|| Wrong::bad(&format!("[{i}]"), "an object with type", edit))?;
        let place = |name: &str| format!("[{i}].{name}");
        match members.get("type").and_then(Value::as_str) {
            Some(CLEAR_TOOL_USES) => found.push(clear_tool_uses(members, step, &place)?),
            Some(CLEAR_THINKING) => found.push(clear_thinking(members, &place)?),
            _ => {}
        }
    }
    Ok(found)
}

fn clear_tool_uses(edit: &Map<String, Value>, step: &Value, place: &dyn Fn(&str) -> String) -> Result<Value, Wrong> {
    let mut step = step.clone();
    for (name, value) in edit {
        if value.is_null() {
            continue;
        }
        let bad = |expected: &str| Wrong::bad(&place(name), expected, value);
        match name.as_str() {
            "trigger" => {
                let (unit, number) =
                    typed(value, &["input_tokens", "tool_uses"]).ok_or_else(|| bad("{type: \"input_tokens\" or \"tool_uses\", value}"))?;
                step["trigger"] = json!({ unit: number });
            }
            "keep" => {
                let (_, number) = typed(value, &["tool_uses"]).ok_or_else(|| bad("{type: \"tool_uses\", value}"))?;
                step["keep"] = json!({"tool_uses": number});
            }
            "clear_at_least" => {
                let (unit, number) = typed(value, &["input_tokens"]).ok_or_else(|| bad("{type: \"input_tokens\", value}"))?;
                step["clear_at_least"] = json!({ unit: number, "batches": true });
            }
            "exclude_tools" => {
                let is_list = value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
                step["exclude_tools"] = is_list.then(|| value.clone()).ok_or_else(|| bad("a list of names"))?;
            }
            "clear_tool_inputs" => {
                let is_list = value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
                step["clear_tool_inputs"] =
                    (is_list || value.is_boolean()).then(|| value.clone()).ok_or_else(|| bad("true, false or a list of names"))?;
            }
            _ => {}
        }
    }
    Ok(step)
}

fn clear_thinking(edit: &Map<String, Value>, place: &dyn Fn(&str) -> String) -> Result<Value, Wrong> {
    let keep = match edit.get("keep") {
        None | Some(Value::Null) => json!(1),
        Some(Value::String(all)) if all == "all" => json!("all"),
        Some(value) if value["type"] == "all" => json!("all"),
        Some(value) => {
            let number = typed(value, &["thinking_turns"]).map(|(_, number)| number).filter(|number| *number > 0);
            json!(number.ok_or_else(|| Wrong::bad(&place("keep"), "{type: \"thinking_turns\", value} or \"all\"", value))?)
        }
    };
    Ok(json!({"type": "clear_thinking", "keep": {"thinking_turns": keep}}))
}

/// The type and the value of `{type, value}`.
fn typed<'a>(value: &'a Value, types: &[&str]) -> Option<(&'a str, u64)> {
    let unit = value["type"].as_str().filter(|unit| types.contains(unit))?;
    Some((unit, value["value"].as_u64()?))
}
