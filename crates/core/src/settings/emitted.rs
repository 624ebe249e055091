//! Policies as edits of Anthropic's `context_management`, for its server to perform.

use super::amounts::{Measure, Stop, Unit};
use super::context_management::{CLEAR_THINKING, CLEAR_TOOL_USES, MEMBER, SMALLEST};
use super::keys::{ContextPruning, Errors, Exemption, Step, StepType};
use super::kinds::word;
use crate::wildcard;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Returns the edit that OpenClaw asks Anthropic's server for instead of pruning by `pruning` itself, since 2026.9.2. The window is in tokens.
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

/// Returns steps as edits, and for each step that has no such edit the reason. The window is in tokens, `tools` are those of the body.
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

fn edit_of(step: &Step, window: u64, tools: &BTreeSet<String>) -> Result<Value, String> {
    if step.kind == StepType::ClearThinking {
        let keep = match step.keep {
            Some(keep) if keep.amount.number.is_infinite() => json!("all"),
            keep => {
                json!({"type": "thinking_turns", "value": keep.map_or(1.0, |keep| keep.amount.number).max(1.0) as u64})
            }
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
    let kept = match step.keep.map(|keep| keep.amount) {
        None => 0.0,
        Some(amount)
            if matches!(amount.unit, Unit::ToolUses | Unit::ToolResults)
                && amount.number.is_finite() =>
        {
            amount.number
        }
        Some(amount) => return Err(format!("it does not keep by {}", word(amount.unit))),
    };
    edit["keep"] = json!({"type": "tool_uses", "value": kept as u64});
    if let Some(least) = step.clear_at_least {
        edit["clear_at_least"] = json!({"type": "input_tokens", "value": least.tokens as u64});
    }
    let other = [
        ("tools", !step.tools.is_empty()),
        ("errors", step.errors != Errors::Clear),
        ("empty", step.empty != Exemption::Clear),
        // The server leaves such results alone itself.
        (
            "over",
            step.over
                .is_some_and(|over| over.unit != Measure::Bytes || over.number > SMALLEST),
        ),
        ("spare", step.spare.is_some()),
        ("duplicates", step.duplicates.is_some()),
        ("until", step.until != Stop::All),
        ("polling", step.polling.is_some()),
        ("also_counted", step.also_counted.is_some()),
        ("candidates_hold", step.candidates_hold.is_some()),
        (
            "keep counted before_exclusions",
            step.keep.is_some_and(|keep| keep.before_exclusions) && !step.exclude_tools.is_empty(),
        ),
    ];
    if let Some((name, _)) = other.iter().find(|(_, is_stated)| *is_stated) {
        return Err(format!("it has nothing like {name}"));
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

/// The tools that the patterns of a step mean, of `tools` and those named in full: the server compares names letter by letter.
fn names(step: &Step, patterns: &[String], tools: &BTreeSet<String>) -> BTreeSet<String> {
    if step.exact_names {
        return patterns.iter().cloned().collect();
    }
    let means = |tool: &&String| {
        patterns
            .iter()
            .any(|pattern| wildcard::matches(&pattern.to_lowercase(), &tool.trim().to_lowercase()))
    };
    tools
        .iter()
        .filter(means)
        .chain(patterns.iter().filter(|pattern| !pattern.contains('*')))
        .cloned()
        .collect()
}
