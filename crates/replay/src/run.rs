//! Simulates one policy over one session: the tokens that each request sends, reads from the cache and writes to it, and their cost.

use super::cache::CallCost;
use super::cost::rows;
use super::simulation::{Retention, Simulation};
use super::steps::Step;
use super::thread::Thread;
use deadhead_core::Error;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::transcript::Transcript;
use deadhead_core::settings::Settings;

/// The outcome of a part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// It was trimmed.
    Trimmed,
    /// It was replaced by something shorter.
    Replaced,
    /// It was removed.
    Removed,
}

/// A part of a message that was cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewCut {
    /// The index of the call before which it was cut.
    pub call: u32,
    /// The index of its message in the session.
    pub message: u32,
    /// The index of its block in the session.
    pub block: u32,
    /// The pass that cut it.
    pub pass: &'static str,
    /// The form of the block after the cut.
    pub form: Form,
    /// Chars before and after, as the estimator counts them.
    pub chars: (u64, u64),
    /// Tokens that the cut saves in a prompt.
    pub tokens: f64,
    /// Whether no request had sent its message yet, so that the model never read all of it.
    pub is_unread: bool,
}

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
) -> Result<Outcome, Error> {
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
