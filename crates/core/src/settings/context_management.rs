//! Edits as Anthropic's `context_management` states them, as steps of ours.

use super::amounts::{Amount, Stop, Unit};
use super::keys::{ContextPruning, Errors, Step, StepType};
use super::steps::{StepError, WhichInputs};
use serde_json::{Map, Value, json};

/// The name of the edit that clears results.
pub const CLEAR_TOOL_USES: &str = "clear_tool_uses_20250919";
/// The name of the edit that removes reasoning.
pub const CLEAR_THINKING: &str = "clear_thinking_20251015";

/// The steps that a list of edits is; what it does not state is as `step` has it. Edits of other types are left out.
///
/// # Errors
/// A field is not of its kind.
pub fn steps(edits: &Value, step: &Value) -> Result<Vec<Value>, StepError> {
    let list = edits.as_array().ok_or_else(|| StepError::bad("", "a list of edits", edits))?;
    let mut found = Vec::new();
    for (i, edit) in list.iter().enumerate() {
        let members = edit.as_object().ok_or_else(|| StepError::bad(&format!("[{i}]"), "an object with type", edit))?;
        let place = |name: &str| format!("[{i}].{name}");
        match members.get("type").and_then(Value::as_str) {
            Some(CLEAR_TOOL_USES) => found.push(clear_tool_uses(members, step, &place)?),
            Some(CLEAR_THINKING) => found.push(clear_thinking(members, &place)?),
            _ => {}
        }
    }
    Ok(found)
}

fn clear_tool_uses(edit: &Map<String, Value>, step: &Value, place: &dyn Fn(&str) -> String) -> Result<Value, StepError> {
    let mut step = step.clone();
    for (name, value) in edit {
        if value.is_null() {
            continue;
        }
        let bad = |expected: &str| StepError::bad(&place(name), expected, value);
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

fn clear_thinking(edit: &Map<String, Value>, place: &dyn Fn(&str) -> String) -> Result<Value, StepError> {
    let keep = match edit.get("keep") {
        None | Some(Value::Null) => json!(1),
        Some(Value::String(all)) if all == "all" => json!("all"),
        Some(value) if value["type"] == "all" => json!("all"),
        Some(value) => {
            let number = typed(value, &["thinking_turns"]).map(|(_, number)| number).filter(|number| *number > 0);
            json!(number.ok_or_else(|| StepError::bad(&place("keep"), "{type: \"thinking_turns\", value} or \"all\"", value))?)
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
        "over": {"bytes": 46},
        "placeholder": PLACEHOLDER,
    })
}

/// The text that replaces a result; the server's own text is not documented.
const PLACEHOLDER: &str = "[Cleared by context management]";

/// Returns the edit that OpenClaw asks Anthropic's server for instead of pruning by `pruning` itself, since 2026.9.2. The window is in
/// tokens.
pub fn edit_of_pruning(pruning: &ContextPruning, window: u64) -> Value {
    let share = |share: f64, least: u64| ((share * window as f64) as u64).max(least);
    let mut denied = pruning.tools.deny.clone();
    denied.sort();
    json!({
        "type": CLEAR_TOOL_USES,
        "trigger": {"type": "input_tokens", "value": share(pruning.soft_trim_ratio, 50_000)},
        "keep": {"type": "tool_uses", "value": pruning.keep_last_assistants},
        "clear_at_least": {"type": "input_tokens", "value": share(0.05, 12_500)},
        "exclude_tools": denied,
        "clear_tool_inputs": false,
    })
}

/// Steps as edits, and why those are left out that cannot be said so. The window is in tokens.
pub fn edits_of(steps: &[Step], window: u64) -> (Vec<Value>, Vec<String>) {
    let (mut edits, mut left) = (Vec::new(), Vec::new());
    for (i, step) in steps.iter().enumerate() {
        match edit_of(step, window) {
            Ok(edit) => edits.push(edit),
            Err(why) => left.push(format!("edits[{i}] cannot be said in {MEMBER}: {why}")),
        }
    }
    // The server wants these first.
    edits.sort_by_key(|edit| edit["type"] != CLEAR_THINKING);
    (edits, left)
}

fn edit_of(step: &Step, window: u64) -> Result<Value, String> {
    if step.kind == StepType::ClearThinking {
        let keep = match step.keep {
            Some(keep) if keep.amount.number.is_infinite() => json!("all"),
            keep => json!({"type": "thinking_turns", "value": keep.map_or(1.0, |keep| keep.amount.number).max(1.0) as u64}),
        };
        return Ok(json!({"type": CLEAR_THINKING, "keep": keep}));
    }
    if step.kind != StepType::ClearToolResults {
        return Err(format!("it has nothing like {}", step.kind.name()));
    }
    let mut edit = json!({"type": CLEAR_TOOL_USES});
    let number = |amount: Amount| amount.number as u64;
    match step.trigger.map(|trigger| trigger.amount) {
        None => edit["trigger"] = json!({"type": "tool_uses", "value": 0}),
        Some(amount) => match amount.unit {
            Unit::InputTokens => edit["trigger"] = json!({"type": "input_tokens", "value": number(amount)}),
            Unit::ToolUses => edit["trigger"] = json!({"type": "tool_uses", "value": number(amount)}),
            Unit::ContextFraction => edit["trigger"] = json!({"type": "input_tokens", "value": (amount.number * window as f64) as u64}),
            unit => return Err(format!("it has no trigger {}", unit.name())),
        },
    }
    match step.keep.map(|keep| keep.amount) {
        None => edit["keep"] = json!({"type": "tool_uses", "value": 0}),
        Some(amount) if matches!(amount.unit, Unit::ToolUses | Unit::ToolResults) && amount.number.is_finite() => {
            edit["keep"] = json!({"type": "tool_uses", "value": number(amount)});
        }
        Some(amount) => return Err(format!("it does not keep by {}", amount.unit.name())),
    }
    match step.clear_at_least.map(|least| least.amount) {
        None => {}
        Some(amount) if amount.unit == Unit::InputTokens => {
            edit["clear_at_least"] = json!({"type": "input_tokens", "value": number(amount)})
        }
        Some(amount) => return Err(format!("it has no clear_at_least in {}", amount.unit.name())),
    }
    let other = [
        ("tools", !step.tools.is_empty()),
        ("errors", step.errors != Errors::Clear),
        ("duplicates", step.duplicates.is_some()),
        ("until", step.until != Stop::All),
        ("polling", step.polling.is_some()),
        ("input_placeholder", step.input_placeholder.is_some()),
    ];
    if let Some((name, _)) = other.iter().find(|(_, is_stated)| *is_stated) {
        return Err(format!("it has nothing like {name}"));
    }
    if !step.exclude_tools.is_empty() {
        let mut tools = step.exclude_tools.clone();
        tools.sort();
        edit["exclude_tools"] = json!(tools);
    }
    match &step.clear_tool_inputs {
        WhichInputs::None => {}
        WhichInputs::All => edit["clear_tool_inputs"] = json!(true),
        WhichInputs::Of(tools) => edit["clear_tool_inputs"] = json!(tools),
    }
    Ok(edit)
}
