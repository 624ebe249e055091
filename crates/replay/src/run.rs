//! Simulates one policy over one session: the tokens that each request sends, reads from the cache and writes to it, and their cost.

use super::{
    cache::CallCost,
    cost::rows,
    new_cut::NewCut,
    simulation::{Retention, Simulation},
    steps::Step,
    thread::Thread,
};
use deadhead_core::{
    Result,
    internal::{edit::View, transcript::Transcript},
    settings::Settings,
};

/// The outcome of a policy.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The cost of each call.
    pub calls: Vec<CallCost>,
    /// The cuts, each part once in each form.
    pub cuts: Vec<NewCut>,
    /// The warning about the policy's ttl, if there is one.
    pub ttl_warning: Option<String>,
}

/// Runs a policy. `counted` is the session's transcript as the policy's estimator counts it; `seen` is called with the cuts of each context
/// for which the passes ran.
///
/// # Errors
/// The text of a part cannot be read.
pub fn run(
    simulation: &Simulation<'_>,
    counted: &Transcript,
    settings: &Settings,
    retention: Retention,
    seen: &mut dyn FnMut(u32, &View<'_>),
) -> Result<Outcome> {
    let session = simulation.session;
    let mut outcome = Outcome {
        calls: vec![CallCost::default(); session.calls.len()],
        ..Outcome::default()
    };
    let rows = rows(session, settings);
    for steps in &session.threads {
        let mut thread = Thread::new(simulation, counted, settings, retention);
        for step in steps {
            match *step {
                Step::Keep(length, _) => thread.branch.truncate(length as usize),
                Step::Push { message, continues } => thread.push(message, continues),
                Step::Summary(message) => thread.summarize(message),
                Step::Branch(to, ends) => thread.branch.turn(to, ends),
                Step::Call(number) => {
                    let row = &rows[number as usize].0;
                    outcome.calls[number as usize] =
                        thread.call(number, row, &mut outcome.cuts, seen)?;
                }
            }
        }
        outcome.ttl_warning = outcome.ttl_warning.take().or(thread.ttl_warning);
    }
    outcome.cuts.sort_by_key(|cut| (cut.call, cut.block));
    Ok(outcome)
}
