//! soft-trim and hard-clear as steps: the settings of `contextPruning`, in the vocabulary of `edits`.
//!
//! The two passes have code of their own, which foresees the results that will be cleared and does not trim these first, and gives
//! a reason for each result. Also, they leave alone all results before the first message of a user, and hard-clear requires
//! `minPrunableToolChars`.

use super::amounts::{Amount, Keep, Stop, Trigger, Unit};
use super::keys::{ContextPruning, Step, StepType};

/// The steps with the names of the passes.
pub fn lowered(pruning: &ContextPruning) -> [(&'static str, Step); 2] {
    let chars = |number: u64| Some(Amount { unit: Unit::Chars, number: number as f64 });
    let fraction = |number: f64| Amount { unit: Unit::ContextFraction, number };
    let trigger = |number: f64| Some(Trigger { amount: fraction(number), or_equal: true });
    let keep = Amount { unit: Unit::AssistantMessages, number: pruning.keep_last_assistants as f64 };
    let both = Step {
        keep: Some(Keep { amount: keep, before_exclusions: false }),
        tools: pruning.tools.allow.clone(),
        exclude_tools: pruning.tools.deny.clone(),
        ..Step::default()
    };
    let sizes = &pruning.soft_trim;
    let note = format!(
        "{{head}}\n...\n{{tail}}\n\n[Tool result trimmed: kept first {} chars and last {} chars of {{chars}} chars.]",
        sizes.head_chars, sizes.tail_chars
    );
    let trim = Step {
        kind: StepType::TruncateToolResults,
        trigger: trigger(pruning.soft_trim_ratio),
        over: chars(sizes.max_chars),
        head: chars(sizes.head_chars),
        tail: chars(sizes.tail_chars),
        note: Some(note),
        ..both.clone()
    };
    let clear = Step {
        trigger: trigger(pruning.hard_clear_ratio),
        until: Stop::Fits { amount: fraction(pruning.hard_clear_ratio), below: true },
        placeholder: Some(pruning.hard_clear.placeholder.clone()),
        ..both
    };
    [("soft-trim", trim), ("hard-clear", clear)]
}
