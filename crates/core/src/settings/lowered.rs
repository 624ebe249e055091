//! soft-trim and hard-clear as steps: the settings of `contextPruning`, in the vocabulary of `edits`.

use super::amounts::{Amount, Keep, Stop, Trigger, Unit};
use super::keys::{ContextPruning, Counting, Start, Step, StepType};

/// The steps with the names of the passes.
pub fn lowered(pruning: &ContextPruning) -> [(&'static str, Step); 2] {
    [("soft-trim", trimming(pruning)), ("hard-clear", clearing(pruning))]
}

/// The step that is soft-trim.
pub fn trimming(pruning: &ContextPruning) -> Step {
    let sizes = &pruning.soft_trim;
    let note = format!(
        "{{head}}\n...\n{{tail}}\n\n[Tool result trimmed: kept first {} chars and last {} chars of {{chars}} chars.]",
        sizes.head_chars, sizes.tail_chars
    );
    Step {
        kind: StepType::TruncateToolResults,
        over: chars(sizes.max_chars),
        head: chars(sizes.head_chars),
        tail: chars(sizes.tail_chars),
        note: Some(note),
        ..both(pruning, pruning.soft_trim_ratio)
    }
}

/// The step that is hard-clear.
pub fn clearing(pruning: &ContextPruning) -> Step {
    let least = pruning.min_prunable_tool_chars;
    Step {
        until: Stop::Fits { amount: fraction(pruning.hard_clear_ratio), below: true },
        candidates_hold: if least > 0 { chars(least) } else { None },
        only_if_smaller: pruning.hard_clear.skip_shorter.then_some(Unit::Chars),
        ..both(pruning, pruning.hard_clear_ratio)
    }
}

fn both(pruning: &ContextPruning, ratio: f64) -> Step {
    let keep = Amount { unit: Unit::AssistantMessages, number: pruning.keep_last_assistants as f64 };
    Step {
        trigger: Some(Trigger { amount: fraction(ratio), or_equal: true }),
        keep: Some(Keep { amount: keep, before_exclusions: false }),
        start: Start::FirstUserMessage,
        images: Some(pruning.images),
        tools: pruning.tools.allow.clone(),
        exclude_tools: pruning.tools.deny.clone(),
        placeholder: Some(pruning.hard_clear.placeholder.clone()),
        estimator: Counting::Chars,
        ..Step::default()
    }
}

fn chars(number: u64) -> Option<Amount> {
    Some(Amount { unit: Unit::Chars, number: number as f64 })
}

fn fraction(number: f64) -> Amount {
    Amount { unit: Unit::ContextFraction, number }
}
