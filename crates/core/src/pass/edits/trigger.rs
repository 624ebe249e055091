//! Trigger: the condition under which a step runs.

use super::StepContext;
use super::count::Count;
use crate::edit::{ToolUse, View};
use crate::settings::{Step, Unit, spoken_duration};

/// Whether the condition is about what the step may clear.
pub fn asks_uses(step: &Step) -> bool {
    step.trigger
        .is_some_and(|trigger| matches!(trigger.unit, Unit::ToolUses | Unit::Chars))
}

/// Asks whether the condition holds.
///
/// # Errors
/// It does not.
pub fn ask(
    view: &View<'_>,
    step: &Step,
    uses: &[ToolUse],
    count: &Count,
    step_context: StepContext,
) -> Result<(), String> {
    let Some(trigger) = step.trigger else {
        return Ok(());
    };
    let limit = trigger.number;
    let (have, what) = match trigger.unit {
        Unit::InputTokens => (count.context(view), "tokens in the context"),
        Unit::ContextFraction => (view.ratio(), "of the window is full"),
        Unit::ToolUses => (
            uses.iter().filter(|one| !one.excluded).count() as f64,
            "calls that may be cleared",
        ),
        Unit::Chars => (chars(view, uses), "chars in results that may be cleared"),
        Unit::Idle => {
            let rested = step.rested.map(|ms| ms as f64);
            let idle = rested
                .or(step_context.idle.map(|ms| ms as f64))
                .ok_or("no last call is known, so none is known to be old")?;
            let [ago, least] = [idle.max(0.0), limit].map(|ms| spoken_duration(ms as u64));
            return if idle < limit {
                Err(format!("the last call was {ago} ago, not at least {least}"))
            } else {
                Ok(())
            };
        }
        _ => return Ok(()),
    };
    if have > limit {
        return Ok(());
    }
    let have = (have * 1000.0).round() / 1000.0;
    Err(format!("{have} {what}, not more than {limit}"))
}

/// Chars of the results that the step may clear, those that it keeps among them.
pub fn chars(view: &View<'_>, uses: &[ToolUse]) -> f64 {
    uses.iter()
        .filter(|one| !one.excluded)
        .filter_map(|one| one.result)
        .map(|result| view.chars_of_result(result.1) as f64)
        .sum()
}
