//! Choose: where a step stops, from the oldest candidate on, and which savings are too small.

use super::candidates::ToolUse;
use super::count::Count;
use super::trigger;
use crate::edit::{Cut, View};
use crate::settings::{Amount, Step, Stop, Unit};
use crate::transcript::BlockKind;
use std::ops::Range;

/// The effect of clearing one call.
#[derive(Debug)]
pub struct ClearOutcome {
    /// The indices of its cuts: of the result, and of the arguments.
    pub cuts: Range<usize>,
    /// Tokens that it frees.
    pub tokens: f64,
    /// By how many bytes the line of the log changes, as compact JSON in ASCII; known where the step asks for it.
    pub line: i64,
}

impl ClearOutcome {
    /// Chars that it frees of `all` cuts, or those of its result alone.
    fn chars(&self, view: &View<'_>, all: &[Cut], of_results: bool) -> f64 {
        let is_result = |cut: &Cut| view.transcript.blocks[cut.block as usize].kind == BlockKind::Result;
        all[self.cuts.clone()].iter().filter(|cut| !of_results || is_result(cut)).map(|cut| removed(view, cut)).sum()
    }

    fn freed(&self, view: &View<'_>, all: &[Cut], unit: Unit) -> f64 {
        match unit {
            Unit::ToolResults => f64::from(u8::from(!self.cuts.is_empty())),
            Unit::Chars => self.chars(view, all, false),
            _ => self.tokens,
        }
    }
}

/// Chars that a cut removes of what earlier ones left.
pub fn removed(view: &View<'_>, cut: &Cut) -> f64 {
    view.cut(cut.block).map_or(cut.chars_before, |earlier| earlier.chars_after) as f64 - cut.chars_after as f64
}

/// The stop of a step: counts what its cuts free, from the oldest on.
pub struct Progress<'a> {
    view: &'a View<'a>,
    until: Stop,
    freed: f64,
    left: f64,
    /// Chars of the context.
    chars: u64,
}

impl<'a> Progress<'a> {
    /// No cut yet. `uses` are all uses that the step is about.
    pub fn new(view: &'a View<'a>, step: &Step, uses: &[ToolUse], count: &Count) -> Progress<'a> {
        let left = match step.until {
            Stop::Fits { amount, .. } if amount.unit == Unit::Chars => trigger::chars(view, uses),
            Stop::Fits { amount, .. } if amount.unit != Unit::ContextFraction => count.context(view),
            _ => 0.0,
        };
        Progress { view, until: step.until, freed: freed_before(view, step, uses, count), left, chars: view.chars() }
    }

    /// Whether enough was cut.
    pub fn is_enough(&self) -> bool {
        match self.until {
            Stop::All => false,
            Stop::Freed(amount) => self.freed >= amount.number && amount.number > 0.0,
            Stop::Fits { amount, below } => {
                let left = if amount.unit == Unit::ContextFraction { self.view.fill(self.chars) } else { self.left };
                if below { left < amount.number } else { left <= amount.number }
            }
        }
    }

    /// Counts the cuts of a use, which are among `all`.
    pub fn add(&mut self, all: &[Cut], one: &ClearOutcome) {
        match self.until {
            Stop::All => {}
            Stop::Freed(amount) => self.freed += one.freed(self.view, all, amount.unit),
            Stop::Fits { amount, .. } if amount.unit == Unit::ContextFraction => {
                self.chars = self.chars.saturating_add_signed(-one.chars(self.view, all, false) as i64);
            }
            // What the chars of all results are measured by.
            Stop::Fits { amount, .. } if amount.unit == Unit::Chars => self.left -= one.chars(self.view, all, true),
            Stop::Fits { amount, .. } => self.left -= one.freed(self.view, all, amount.unit),
        }
    }
}

/// Whether the step asks how many tokens its cuts free.
pub fn counts_tokens(step: &Step) -> bool {
    let in_tokens = |amount: Amount| !matches!(amount.unit, Unit::ToolResults | Unit::Chars | Unit::ContextFraction);
    step.clear_at_least.is_some_and(|least| in_tokens(least.amount))
        || match step.until {
            Stop::All => false,
            Stop::Freed(amount) | Stop::Fits { amount, .. } => in_tokens(amount),
        }
}

/// Returns the number of elements of `done`, the oldest first, that are cut as they free enough, or the reason why none is.
pub fn worthwhile(view: &View<'_>, step: &Step, done: &[ClearOutcome], all: &[Cut]) -> Result<usize, String> {
    match step.clear_at_least {
        None => Ok(done.len()),
        Some(least) if least.batches => Ok(batches(view, done, all, least.amount)),
        Some(least) => {
            let sum: f64 = done.iter().map(|one| one.freed(view, all, least.amount.unit)).sum();
            let (number, unit) = (least.amount.number, least.amount.unit.name());
            if sum >= number { Ok(done.len()) } else { Err(format!("it would free {sum:.0}, less than clear_at_least {number} ({unit})")) }
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

/// The end of the last batch that frees enough.
fn batches(view: &View<'_>, done: &[ClearOutcome], all: &[Cut], least: Amount) -> usize {
    let (mut end, mut freed) = (0, 0.0);
    for (i, one) in done.iter().enumerate() {
        freed += one.freed(view, all, least.unit);
        if freed >= least.number {
            (end, freed) = (i + 1, 0.0);
        }
    }
    end
}
