//! Edits as Anthropic's `context_management` states them, as steps of ours, and policies as such
//! edits, for its server to perform.

use super::{
    error::ConfigError,
    keys::{ContextPruning, Step, StepType},
    kinds::word,
    steps::{ListPlace, Measure, Size, Unit},
};
use crate::wildcard;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The name of the edit that clears results.
pub const CLEAR_TOOL_USES: &str = "clear_tool_uses_20250919";
/// The name of the edit that removes reasoning.
pub const CLEAR_THINKING: &str = "clear_thinking_20251015";

/// Returns a list of edits as steps. Members that an edit does not state are those of `step`, and
/// `turns` of reasoning stay. Edits of other types are left out.
///
/// # Errors
/// A field is not of its kind.
pub fn steps(
    edits: &Value,
    list: ListPlace<'_>,
    step: &Value,
    turns: &Value,
) -> Result<Vec<Value>, ConfigError> {
    let all = edits
        .as_array()
        .ok_or_else(|| list.bad("", "a list of edits", edits))?;
    let mut found = Vec::new();
    for (i, edit) in all.iter().enumerate() {
        let members = edit
            .as_object()
            .ok_or_else(|| list.bad(&format!("[{i}]"), "an object with type", edit))?;
        let bad = |name: &str, expected: &str| {
            list.bad(&format!("[{i}].{name}"), expected, &members[name])
        };
        match members.get("type").and_then(Value::as_str) {
            Some(CLEAR_TOOL_USES) => found.push(clear_tool_uses(members, step, &bad)?),
            Some(CLEAR_THINKING) => found.push(clear_thinking(members, turns, &bad)?),
            _ => {}
        }
    }
    Ok(found)
}

/// Whether the server would accept the edits: their members are known, and reasoning comes first.
///
/// # Errors
/// It would not.
pub fn check(edits: &Value, list: ListPlace<'_>) -> Result<(), ConfigError> {
    for (i, edit) in edits.as_array().into_iter().flatten().enumerate() {
        let kind = &edit["type"];
        if i > 0 && kind == CLEAR_THINKING {
            return Err(list.bad(&format!("[{i}].type"), "the first edit if it is", kind));
        }
        let Some((_, known)) = MEMBERS.iter().find(|(name, _)| kind == name) else {
            continue;
        };
        let mut names = edit.as_object().into_iter().flatten().map(|(name, _)| name);
        if let Some(name) = names.find(|name| !known.contains(&name.as_str())) {
            return Err(list.unknown(&format!("[{i}].{name}"), known));
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

/// Members that are amounts: the types that they accept, and what is expected.
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

/// The error for a member of an edit, by its name and what is expected.
type Bad<'a> = dyn Fn(&str, &str) -> ConfigError + 'a;

fn clear_tool_uses(
    edit: &Map<String, Value>,
    step: &Value,
    bad: &Bad<'_>,
) -> Result<Value, ConfigError> {
    let mut step = step.clone();
    for (name, value) in edit.iter().filter(|(_, value)| !value.is_null()) {
        let is_list = value
            .as_array()
            .is_some_and(|list| list.iter().all(Value::is_string));
        if let Some((_, types, expected)) = AMOUNTS.iter().find(|(known, ..)| known == name) {
            let (unit, number) = typed(value, types).ok_or_else(|| bad(name, expected))?;
            step[name] = json!({ unit: number });
        }
        match name.as_str() {
            "clear_at_least" => step[name]["batches"] = json!(true),
            "exclude_tools" if !is_list => return Err(bad(name, "a list of names")),
            "clear_tool_inputs" if !is_list && !value.is_boolean() => {
                return Err(bad(name, "true, false or a list of names"));
            }
            "exclude_tools" | "clear_tool_inputs" => step[name] = value.clone(),
            _ => {}
        }
    }
    Ok(step)
}

fn clear_thinking(
    edit: &Map<String, Value>,
    turns: &Value,
    bad: &Bad<'_>,
) -> Result<Value, ConfigError> {
    let keep = match edit.get("keep") {
        None | Some(Value::Null) => turns.clone(),
        Some(value) if value == "all" || value["type"] == "all" => json!("all"),
        Some(value) => {
            let number = typed(value, &["thinking_turns"]).filter(|(_, number)| *number > 0);
            let expected = "{type: \"thinking_turns\", value} or \"all\"";
            json!(number.ok_or_else(|| bad("keep", expected))?.1)
        }
    };
    Ok(json!({"type": "clear_thinking", "keep": {"thinking_turns": keep}}))
}

/// Returns the type and the value of `{type, value}`.
fn typed<'a>(value: &'a Value, types: &[&str]) -> Option<(&'a str, u64)> {
    let unit = value["type"].as_str().filter(|unit| types.contains(unit))?;
    Some((unit, value["value"].as_u64()?))
}

/// The member of a body.
pub const MEMBER: &str = "context_management";

/// Returns a step that does what an edit without fields does.
pub fn template() -> Value {
    json!({
        "type": "clear_tool_results",
        "trigger": {"input_tokens": 100_000},
        "keep": {"tool_uses": 3},
        "exact_names": true,
        "newest_result": "keep",
        "over": {"bytes": SMALLEST},
        "placeholder": SERVER_TEXT,
    })
}

/// The largest result, in bytes, that the server never clears.
pub const SMALLEST: f64 = 46.0;

/// The text that replaces a result; the server's own text is not documented.
pub const SERVER_TEXT: &str = "[Cleared by context management]";

/// Returns the edit by which the server keeps the newest `keep` results that it can clear, and
/// those of `excluded` tools.
pub fn edit_of_run(keep: usize, excluded: &[String]) -> Value {
    let mut edit = json!({
        "type": CLEAR_TOOL_USES,
        "trigger": {"type": "tool_uses", "value": 1},
        "keep": {"type": "tool_uses", "value": keep},
    });
    if !excluded.is_empty() {
        edit["exclude_tools"] = json!(excluded);
    }
    edit
}

/// Returns the step that clears as that edit does, except for the number that it keeps; `None` if
/// it is not a step.
pub fn step_of(excluded: &[String]) -> Option<Step> {
    let mut step = template();
    step["exclude_tools"] = json!(excluded);
    Step::deserialize(step).ok()
}

/// Returns the edit that OpenClaw asks Anthropic's server for instead of pruning by `pruning`
/// itself, since 2026.9.2. The window is in tokens.
///
/// `excluded` are the tools that it does not prune.
pub fn edit_of_pruning(
    pruning: &ContextPruning,
    window: u64,
    excluded: &BTreeSet<String>,
) -> Value {
    let share = |share: f64, least: u64| ((share * window as f64) as u64).max(least);
    json!({
        "type": CLEAR_TOOL_USES,
        "trigger": {"type": "input_tokens", "value": share(pruning.soft_trim_ratio, 50_000)},
        "keep": {"type": "tool_uses", "value": pruning.keep_last_assistants},
        "clear_at_least": {"type": "input_tokens", "value": share(0.05, 12_500)},
        "exclude_tools": excluded,
        "clear_tool_inputs": false,
    })
}

/// Returns steps as edits, and for each step that has no such edit the reason. The window is in
/// tokens, `tools` are those of the body.
pub fn edits_of(
    steps: &[Step],
    window: u64,
    tools: &BTreeSet<String>,
) -> (Vec<Value>, Vec<String>) {
    let (mut edits, mut left) = (Vec::new(), Vec::new());
    for (i, step) in steps.iter().enumerate() {
        match edit_of(step, window, tools) {
            Ok(edit) => edits.push(edit),
            Err(why) => left.push(format!("edits[{i}] cannot be written as {MEMBER}: {why}")),
        }
    }
    // The server wants these first.
    edits.sort_by_key(|edit| edit["type"] != CLEAR_THINKING);
    (edits, left)
}

/// Members of a step for which such an edit has no counterpart.
const OTHER: [&str; 10] = [
    "tools",
    "errors",
    "empty",
    "over",
    "spare",
    "duplicates",
    "until",
    "polling",
    "also_counted",
    "candidates_hold",
];

fn edit_of(step: &Step, window: u64, tools: &BTreeSet<String>) -> Result<Value, String> {
    if step.kind == StepType::ClearThinking {
        let number = step.keep.map_or(1.0, |keep| keep.amount.number);
        let keep = match number.is_infinite() {
            true => json!("all"),
            false => json!({"type": "thinking_turns", "value": number.max(1.0) as u64}),
        };
        return Ok(json!({"type": CLEAR_THINKING, "keep": keep}));
    }
    if step.kind != StepType::ClearToolResults {
        return Err(format!("it has nothing like {}", step.kind.name()));
    }
    let mut edit = json!({"type": CLEAR_TOOL_USES});
    let (unit, limit) = match step.trigger.map(|trigger| (trigger.unit, trigger.number)) {
        None => ("tool_uses", 0.0),
        Some((Unit::InputTokens, number)) => ("input_tokens", number),
        Some((Unit::ToolUses, number)) => ("tool_uses", number),
        Some((Unit::ContextFraction, share)) => ("input_tokens", share * window as f64),
        Some((unit, _)) => return Err(format!("it has no trigger {}", word(unit))),
    };
    edit["trigger"] = json!({"type": unit, "value": limit as u64});
    let kept = match step.keep.map(|keep| (keep.amount.unit, keep.amount.number)) {
        None => 0.0,
        Some((Unit::ToolUses | Unit::ToolResults, number)) if number.is_finite() => number,
        Some((unit, _)) => return Err(format!("it does not keep by {}", word(unit))),
    };
    edit["keep"] = json!({"type": "tool_uses", "value": kept as u64});
    if let Some(least) = step.clear_at_least {
        edit["clear_at_least"] = json!({"type": "input_tokens", "value": least.tokens as u64});
    }
    let stated = json!(step);
    let mut other = OTHER.iter().filter(|name| stated.get(**name).is_some());
    // The server leaves such results alone itself.
    let is_small = |size: Size| size.unit == Measure::Bytes && size.number <= SMALLEST;
    let is_over = !step.over.is_some_and(is_small);
    if let Some(name) = other.find(|name| **name != "over" || is_over) {
        return Err(format!("it has nothing like {name}"));
    }
    if step.keep.is_some_and(|keep| keep.before_exclusions) && !step.exclude_tools.is_empty() {
        return Err("it has nothing like keep counted before_exclusions".to_owned());
    }
    if !step.exclude_tools.is_empty() {
        edit["exclude_tools"] = json!(names(step, &step.exclude_tools, tools));
    }
    match &step.clear_tool_inputs[..] {
        [] => {}
        [all] if all == "*" => edit["clear_tool_inputs"] = json!(true),
        list => edit["clear_tool_inputs"] = json!(names(step, list, tools)),
    }
    Ok(edit)
}

/// Returns the tools that the patterns of a step mean, among `tools` and full names: the server
/// compares names letter by letter.
fn names(step: &Step, patterns: &[String], tools: &BTreeSet<String>) -> BTreeSet<String> {
    if step.exact_names {
        return patterns.iter().cloned().collect();
    }
    let fits = |pattern: &str, tool: &str| {
        wildcard::matches(&pattern.to_lowercase(), &tool.trim().to_lowercase())
    };
    let meant = tools
        .iter()
        .filter(|tool| patterns.iter().any(|pattern| fits(pattern, tool)));
    let in_full = patterns.iter().filter(|pattern| !pattern.contains('*'));
    meant.chain(in_full).cloned().collect()
}
