//! A session with the data that all simulated policies share.

use super::fit::{Fit, Point};
use super::recorded::{Recorded, recorded};
use super::session::Session;
use super::steps::{Branched, Call, Step};
use super::tokens::Tokens;
use super::weights::weights;
use deadhead_core::internal::dialect::usage::Usage;
use deadhead_core::internal::message_tokens::{PrefixSums, Weight};
use deadhead_core::settings::Settings;

/// Whether a policy keeps its cuts in later requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// Nothing is cut.
    Baseline,
    /// As OpenClaw until September 2026: each request starts from the whole history, and the clock is that of the turn.
    Transient,
    /// As this program: cuts stay, and the clock is that of the request.
    Sticky,
}

/// A session with the data that all policies share.
#[derive(Debug)]
pub struct Simulation<'a> {
    /// The session.
    pub session: &'a Session,
    /// The ratio of chars to tokens over the whole log, for the report and for logs without counts.
    pub fit: Fit,
    /// Tokens of messages and prompts.
    pub tokens: Tokens,
    /// Whether its prompts are cached for the long lifetime.
    pub long: bool,
    /// Each call without pruning.
    pub recorded: Vec<Recorded>,
    /// The same, as the first half of the counted requests predicts the others; none for a short log.
    pub predicted: Option<Predicted>,
}

/// Requests as others predict them.
#[derive(Debug)]
pub struct Predicted {
    /// The index of the first request that is predicted.
    pub from: usize,
    /// Whether the requests before it used a cache.
    pub caches: bool,
    /// All requests.
    pub calls: Vec<Recorded>,
}

/// The least number of counted requests by whose first half the others are predicted.
const PREDICTED: usize = 8;

/// Predicts the second half of the counted requests by the first.
fn predicted(
    session: &Session,
    weights: &[Weight],
    settings: &Settings,
    long: bool,
) -> Option<Predicted> {
    let counted = || {
        let calls = session.calls.iter().enumerate();
        calls.filter(|(_, call)| call.usage.is_some_and(|usage| usage.prompt() > 0))
    };
    let count = Some(counted().count()).filter(|count| *count >= PREDICTED)?;
    let (from, _) = counted().nth(count / 2)?;
    let mut calls = session.calls.clone();
    calls[from..].iter_mut().for_each(|call| call.usage = None);
    let fit = Fit::to(&points(session, &calls, weights));
    let tokens = Tokens::of(session, &calls, weights, &fit);
    let cached = |usage: Usage| usage.cache_read + usage.writes();
    Some(Predicted {
        from,
        caches: calls
            .iter()
            .filter_map(|call| call.usage)
            .any(|usage| cached(usage) > 0),
        calls: recorded(session, &calls, &tokens, settings, long),
    })
}

impl<'a> Simulation<'a> {
    /// Prepares a session.
    pub fn new(session: &'a Session, settings: &Settings) -> Simulation<'a> {
        let weights = weights(session);
        let calls = &session.calls;
        let fit = Fit::to(&points(session, calls, &weights));
        let tokens = Tokens::of(session, calls, &weights, &fit);
        let written = session
            .calls
            .iter()
            .filter_map(|call| call.usage)
            .fold((0, 0), |(short, long), usage| {
                (short + usage.cache_write5m, long + usage.cache_write1h)
            });
        let long = written.1 > written.0;
        let predicted = predicted(session, &weights, settings, long);
        let recorded = recorded(session, calls, &tokens, settings, long);
        Simulation {
            session,
            fit,
            tokens,
            long,
            recorded,
            predicted,
        }
    }
}

/// Returns the prompts that the provider counted; if there are several models, those of the one with most calls.
fn points(session: &Session, known: &[Call], weights: &[Weight]) -> Vec<Point> {
    let prompts = prompts(session, weights);
    let mut calls = vec![0usize; session.names.len()];
    known
        .iter()
        .filter(|call| call.usage.is_some())
        .for_each(|call| calls[call.model as usize] += 1);
    let model = (0..calls.len()).max_by_key(|&i| calls[i]).unwrap_or(0);
    let counted = known
        .iter()
        .zip(prompts)
        .filter(|(call, _)| call.model as usize == model);
    counted
        .filter_map(|(call, weight)| {
            Some(Point {
                weight,
                tokens: call.usage.filter(|u| u.prompt() > 0)?.prompt(),
            })
        })
        .collect()
}

/// Returns the size of the messages in each call's prompt.
fn prompts(session: &Session, weights: &[Weight]) -> Vec<Weight> {
    let mut prompts = vec![Weight::default(); session.calls.len()];
    for steps in &session.threads {
        let mut sums = Branched::new(PrefixSums::default());
        for step in steps {
            match *step {
                Step::Keep(length, _) => sums.truncate(length as usize),
                Step::Push { message, .. } => sums.push(weights[message as usize]),
                Step::Summary(message) => sums.replace_first(weights[message as usize]),
                Step::Branch(to, ends) => sums.turn(to, ends),
                Step::Call(number) => prompts[number as usize] = sums.all(),
            }
        }
    }
    prompts
}
