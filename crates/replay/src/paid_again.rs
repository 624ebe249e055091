//! The cost of a regretted cut: the removed text is sent, and paid for, a second time.
//!
//! A recording does not show whether the model would have asked for the removed text. Here every regret is counted as such a request, which
//! overestimates the cost: a repeated read is in the recording already. The request reads its prompt from the cache, its answer is one
//! call, and the text is written to the cache again and read by every later request of the context.

use super::{
    cost::rows,
    new_cut::NewCut,
    regret::Regret,
    run::Outcome,
    simulation::Simulation,
    steps::{RemovalReason, Step, walk},
};
use deadhead_core::{internal::prices::Row, settings::Settings};

/// Output tokens of a call that asks for a text.
const ASKS: f64 = 100.0;

/// The prices of asking again at each request of a session.
pub struct PaidAgain<'a> {
    simulation: &'a Simulation<'a>,
    outcome: &'a Outcome,
    /// The prices at each request.
    rows: Vec<(Row, bool)>,
    /// For each request, dollars for a million tokens read by every later request of its context.
    later: Vec<f64>,
}

impl<'a> PaidAgain<'a> {
    /// Prepares the prices for the outcome of a policy.
    pub fn new(
        simulation: &'a Simulation<'a>,
        outcome: &'a Outcome,
        settings: &Settings,
    ) -> PaidAgain<'a> {
        let session = simulation.session;
        let rows = rows(session, settings);
        // For each request the one before it in its context.
        let mut before = vec![None; rows.len()];
        walk(
            &session.threads,
            |newest: &mut Option<usize>, step| match step {
                Step::Keep(_, RemovalReason::Compaction) | Step::Summary(_) => *newest = None,
                Step::Call(number) => before[number as usize] = newest.replace(number as usize),
                _ => {}
            },
        );
        let mut later = vec![0.0; rows.len()];
        for (number, before) in before.into_iter().enumerate().rev() {
            let (row, prompt) = (&rows[number].0, outcome.calls[number].prompt);
            if let Some(before) = before {
                later[before] += later[number] + row.read * row.times(prompt as u64).0;
            }
        }
        PaidAgain {
            simulation,
            outcome,
            rows,
            later,
        }
    }

    /// Returns the dollars for asking again for what a cut removed.
    pub fn usd(&self, cut: &NewCut, regret: &Regret) -> f64 {
        let calls = &self.simulation.session.calls;
        let wanted = calls
            .partition_point(|call| call.message <= regret.message)
            .saturating_sub(1)
            .max(cut.call as usize);
        let (row, prompt) = (&self.rows[wanted].0, self.outcome.calls[wanted].prompt);
        let (times, times_output) = row.times(prompt as u64);
        let write = if self.simulation.long {
            row.write_long
        } else {
            row.write
        };
        let asked =
            (prompt * row.read + cut.tokens * write) * times + ASKS * row.output * times_output;
        (asked + cut.tokens * self.later[wanted]) / 1e6
    }
}
