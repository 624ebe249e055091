//! The cost of a regretted cut: the removed text is sent, and paid for, a second time.
//!
//! A recording does not show whether the model would have asked for the removed text. Here every regret is counted as such a request, which
//! overestimates the cost: a repeated read is in the recording already. The request reads its prompt from the cache, its answer is one
//! call, and the text is written to the cache again and read by every later request of the context.

use super::cost::rows;
use super::new_cut::NewCut;
use super::regret::Regret;
use super::run::Outcome;
use super::simulation::Simulation;
use super::steps::{RemovalReason, Step};
use deadhead_core::internal::prices::Row;
use deadhead_core::settings::Settings;

/// Output tokens of a call that asks for a text.
const ASKS: f64 = 100.0;

/// The prices of asking again at each request of a session.
pub struct PaidAgain<'a> {
    simulation: &'a Simulation<'a>,
    outcome: &'a Outcome,
    /// The prices at each request.
    rows: Vec<Row>,
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
        let mut later = vec![0.0; session.calls.len()];
        for steps in &session.threads {
            // Each branch that the thread leaves, and whether the next one begins there.
            let (mut left, mut now, mut sums) = (Vec::new(), 0, vec![0.0]);
            for step in steps {
                if let Step::Branch(to, _) = *step {
                    let begins = to as usize == sums.len();
                    left.push((now, begins));
                    sums.extend(begins.then_some(0.0));
                    now = to as usize;
                }
            }
            for step in steps.iter().rev() {
                let sum = &mut sums[now];
                match *step {
                    Step::Branch(..) => {
                        let (later, (before, begins)) = (*sum, left.pop().unwrap_or_default());
                        sums[before] += if begins { later } else { 0.0 };
                        now = before;
                    }
                    Step::Keep(_, RemovalReason::Compaction) | Step::Summary(_) => *sum = 0.0,
                    Step::Call(number) => {
                        let (row, spent) =
                            (&rows[number as usize], &outcome.calls[number as usize]);
                        later[number as usize] = *sum;
                        *sum += row.read * row.times(spent.prompt as u64).0;
                    }
                    Step::Keep(..) | Step::Push { .. } => {}
                }
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
        let (row, prompt) = (&self.rows[wanted], self.outcome.calls[wanted].prompt);
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
