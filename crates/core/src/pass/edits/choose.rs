//! Choose: where a step stops, from the oldest candidate on, and which savings are too small.

use super::count::Count;
use super::trigger;
use crate::edit::{Cut, ToolUse, View};
use crate::settings::{Step, Stop, Unit};
use crate::transcript::BlockKind;

/// The effect of clearing one call.
#[derive(Debug)]
pub struct ClearOutcome {
    /// The number of cuts of this call and all before it.
    pub end: usize,
    /// Tokens that it frees.
    pub tokens: f64,
}

/// Chars that a cut removes of what earlier ones left.
pub fn removed(view: &View<'_>, cut: &Cut) -> f64 {
    view.cut(cut.block)
        .map_or(cut.chars_before, |earlier| earlier.chars_after) as f64
        - cut.chars_after as f64
}

/// The stop of a step: counts what its cuts free, from the oldest on.
pub struct Progress<'a> {
    view: &'a View<'a>,
    until: Stop,
    /// The amount that was freed, or that is left, in the unit of `until`.
    amount: f64,
}

impl<'a> Progress<'a> {
    /// No cut yet. `uses` are all uses that the step is about.
    pub fn new(view: &'a View<'a>, step: &Step, uses: &[ToolUse], count: &Count) -> Progress<'a> {
        let amount = match step.until {
            Stop::All => 0.0,
            Stop::Freed(_) => freed_before(view, uses, count),
            Stop::Fits(limit) if limit.unit == Unit::Chars => trigger::chars(view, uses),
            Stop::Fits(_) => view.chars() as f64,
        };
        Progress {
            view,
            until: step.until,
            amount,
        }
    }

    /// Whether enough was cut.
    pub fn is_enough(&self) -> bool {
        match self.until {
            Stop::All => false,
            Stop::Freed(tokens) => self.amount >= tokens && tokens > 0.0,
            Stop::Fits(limit) if limit.unit == Unit::Chars => self.amount <= limit.number,
            Stop::Fits(limit) => self.view.fill(self.amount as u64) < limit.number,
        }
    }

    /// Counts the cuts of a use, which free so many tokens.
    pub fn add(&mut self, cuts: &[Cut], tokens: f64) {
        self.amount = match self.until {
            Stop::Freed(_) => self.amount + tokens,
            // The chars of all results: a cleared one counts nothing.
            Stop::Fits(limit) if limit.unit == Unit::Chars => {
                let results = cuts.iter().filter(|cut| {
                    self.view.transcript.blocks[cut.block as usize].kind == BlockKind::Result
                });
                self.amount
                    - results
                        .map(|cut| removed(self.view, cut) + cut.chars_after as f64)
                        .sum::<f64>()
            }
            Stop::All | Stop::Fits(_) => {
                self.amount - cuts.iter().map(|cut| removed(self.view, cut)).sum::<f64>()
            }
        };
    }
}

/// Whether the step asks how many tokens its cuts free.
pub fn counts_tokens(step: &Step) -> bool {
    step.clear_at_least.is_some() || matches!(step.until, Stop::Freed(_))
}

/// Returns the number of elements of `done`, the oldest first, that are cut as they free enough, or the reason why none is.
pub fn worthwhile(step: &Step, done: &[ClearOutcome]) -> Result<usize, String> {
    let Some(least) = step.clear_at_least else {
        return Ok(done.len());
    };
    if !least.batches {
        let sum: f64 = done.iter().map(|one| one.tokens).sum();
        let enough = sum >= least.tokens;
        return enough.then_some(done.len()).ok_or_else(|| {
            format!(
                "it would free {sum:.0}, less than clear_at_least {} (input_tokens)",
                least.tokens
            )
        });
    }
    // The end of the last batch that frees enough.
    let (mut end, mut freed) = (0, 0.0);
    for (i, one) in done.iter().enumerate() {
        freed += one.tokens;
        if freed >= least.tokens {
            (end, freed) = (i + 1, 0.0);
        }
    }
    Ok(end)
}

/// The tokens that earlier requests freed of the uses of the step: the same request again frees no more.
fn freed_before(view: &View<'_>, uses: &[ToolUse], count: &Count) -> f64 {
    let results = uses
        .iter()
        .filter(|one| one.done)
        .filter_map(|one| one.result);
    let cuts = results
        .filter_map(|result| view.cut(result.1))
        .filter(|cut| cut.is_earlier());
    cuts.map(|cut| (cut.chars_before as f64 - cut.chars_after as f64) / count.chars_per_token())
        .sum()
}
