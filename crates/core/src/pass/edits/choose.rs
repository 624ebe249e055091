//! Choose: how many candidates are cut, from the oldest on, and which savings are too small.

use super::candidates::ToolUse;
use super::count::Count;
use super::trigger;
use crate::edit::{Cut, View};
use crate::settings::{Amount, Step, Stop, Unit};
use crate::transcript::BlockKind;

/// The effect of clearing one call.
#[derive(Debug, Default)]
pub struct ClearOutcome {
    /// Its cuts: of the result, and of the arguments.
    pub cuts: Vec<Cut>,
    /// Tokens that it frees.
    pub tokens: f64,
    /// By how many bytes the line of the log changes, as compact JSON in ASCII; known where the step asks for it.
    pub line: i64,
}

impl ClearOutcome {
    /// Chars that it frees, or those of its result alone.
    fn chars(&self, view: &View<'_>, of_results: bool) -> f64 {
        let is_result = |cut: &Cut| view.transcript.blocks[cut.block as usize].kind == BlockKind::Result;
        self.cuts.iter().filter(|cut| !of_results || is_result(cut)).map(|cut| removed(view, cut)).sum()
    }

    fn freed(&self, view: &View<'_>, unit: Unit) -> f64 {
        match unit {
            Unit::ToolResults => f64::from(u8::from(!self.cuts.is_empty())),
            Unit::Chars => self.chars(view, false),
            _ => self.tokens,
        }
    }
}

/// Chars that a cut removes of what earlier ones left.
pub fn removed(view: &View<'_>, cut: &Cut) -> f64 {
    view.cut(cut.block).map_or(cut.chars_before, |earlier| earlier.chars_after) as f64 - cut.chars_after as f64
}

/// Returns the number of elements of `done`, the oldest first, that are cut, or the reason why none is. `uses` are all uses that the step
/// is about.
pub fn choose(view: &View<'_>, step: &Step, uses: &[ToolUse], done: &[ClearOutcome], count: &Count) -> Result<usize, String> {
    let mut end = 0;
    let (mut freed, mut left) = (freed_before(view, step, uses, count), left(view, step, count, trigger::chars(view, uses)));
    for one in done {
        match step.until {
            Stop::Freed(amount) if freed >= amount.number && amount.number > 0.0 => break,
            Stop::Fits { amount, below } if (if below { left < amount.number } else { left <= amount.number }) => break,
            _ => {}
        }
        end += 1;
        match step.until {
            Stop::All => {}
            Stop::Freed(amount) => freed += one.freed(view, amount.unit),
            Stop::Fits { amount, .. } if amount.unit == Unit::ContextFraction => left -= view.fill(one.chars(view, false).max(0.0) as u64),
            // What the chars of all results are measured by.
            Stop::Fits { amount, .. } if amount.unit == Unit::Chars => left -= one.chars(view, true),
            Stop::Fits { amount, .. } => left -= one.freed(view, amount.unit),
        }
    }
    match step.clear_at_least {
        None => Ok(end),
        Some(least) if least.batches => Ok(batches(view, &done[..end], least.amount)),
        Some(least) => {
            let all: f64 = done[..end].iter().map(|one| one.freed(view, least.amount.unit)).sum();
            let (number, unit) = (least.amount.number, least.amount.unit.name());
            if all >= number { Ok(end) } else { Err(format!("it would free {all:.0}, less than clear_at_least {number} ({unit})")) }
        }
    }
}

/// Returns what earlier requests freed of the uses of the step, in the unit of `until`: the same request again frees no more.
fn freed_before(view: &View<'_>, step: &Step, uses: &[ToolUse], count: &Count) -> f64 {
    let Stop::Freed(Amount { unit, .. }) = step.until else { return 0.0 };
    let results = uses.iter().filter(|one| one.done).filter_map(|one| one.result);
    let cuts = results.filter_map(|result| view.cut(result.block)).filter(|cut| cut.is_earlier());
    let freed = |cut: &Cut| match unit {
        Unit::ToolResults => 1.0,
        Unit::Chars => cut.chars_before as f64 - cut.chars_after as f64,
        _ => (cut.chars_before as f64 - cut.chars_after as f64) / count.chars_per_token(),
    };
    cuts.map(freed).sum()
}

/// Returns the amount that `until` measures, before any cut.
fn left(view: &View<'_>, step: &Step, count: &Count, chars: f64) -> f64 {
    match step.until {
        Stop::Fits { amount, .. } => match amount.unit {
            Unit::ContextFraction => view.ratio(),
            Unit::Chars => chars,
            _ => count.context(view),
        },
        _ => 0.0,
    }
}

/// The end of the last batch that frees enough.
fn batches(view: &View<'_>, done: &[ClearOutcome], least: Amount) -> usize {
    let (mut end, mut freed) = (0, 0.0);
    for (i, one) in done.iter().enumerate() {
        freed += one.freed(view, least.unit);
        if freed >= least.number {
            (end, freed) = (i + 1, 0.0);
        }
    }
    end
}
