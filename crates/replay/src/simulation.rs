//! A session with the data that all simulated policies share.

use super::{
    cost::rows,
    fit::{Fit, Point},
    recorded::{Recorded, recorded},
    session::Session,
    steps::{Call, Step, walk},
    tokens::Tokens,
};
use deadhead_core::{
    internal::{
        dialect::usage::Usage,
        message_tokens::{PrefixSums, Weight},
        prices::Row,
        transcript::Role,
    },
    settings::Settings,
};

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

/// A policy to run.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name in reports.
    pub name: String,
    /// The flags of a prune that runs it.
    pub flags: Vec<String>,
    /// Its settings.
    pub settings: Settings,
    /// The way in which the policy keeps its cuts.
    pub retention: Retention,
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
    /// The prices at each call, and whether its model has any.
    pub rows: Vec<(Row, bool)>,
    /// Whether its prompts are cached for the long lifetime.
    pub long: bool,
    /// Each call without pruning.
    pub recorded: Vec<Recorded>,
    /// Each call without pruning, as the first half of the counted requests predicts the others; none for a short log.
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
    rows: &[(Row, bool)],
    long: bool,
) -> Option<Predicted> {
    let counted = || {
        session
            .calls
            .iter()
            .enumerate()
            .filter(|(_, call)| call.counted().is_some())
    };
    let count = Some(counted().count()).filter(|count| *count >= PREDICTED)?;
    let (from, _) = counted().nth(count / 2)?;
    let mut calls = session.calls.clone();
    for call in &mut calls[from..] {
        call.usage = None;
    }
    let cached = |usage: Usage| usage.cache_read + usage.writes();
    Some(Predicted {
        from,
        caches: calls
            .iter()
            .filter_map(|call| call.usage)
            .any(|usage| cached(usage) > 0),
        calls: measured(session, &calls, weights, rows, long).2,
    })
}

/// Measures the requests of a session, of which `calls` have what was counted.
fn measured(
    session: &Session,
    calls: &[Call],
    weights: &[Weight],
    rows: &[(Row, bool)],
    long: bool,
) -> (Fit, Tokens, Vec<Recorded>) {
    let fit = Fit::to(&points(session, calls, weights));
    let tokens = Tokens::of(session, calls, weights, &fit);
    let recorded = recorded(session, calls, &tokens, rows, long);
    (fit, tokens, recorded)
}

impl<'a> Simulation<'a> {
    /// Prepares a session.
    pub fn new(session: &'a Session, settings: &Settings) -> Simulation<'a> {
        let weights = weights(session);
        let written = session
            .calls
            .iter()
            .filter_map(|call| call.usage)
            .fold((0, 0), |(short, long), usage| {
                (short + usage.cache_write5m, long + usage.cache_write1h)
            });
        let long = written.1 > written.0;
        let rows = rows(session, settings);
        let predicted = predicted(session, &weights, &rows, long);
        let (fit, tokens, recorded) = measured(session, &session.calls, &weights, &rows, long);
        Simulation {
            session,
            fit,
            tokens,
            rows,
            long,
            recorded,
            predicted,
        }
    }
}

/// Returns the prompts that the provider counted; if there are several models, those of the one with most calls.
fn points(session: &Session, known: &[Call], weights: &[Weight]) -> Vec<Point> {
    let mut calls = vec![0usize; session.names.len()];
    for call in known.iter().filter(|call| call.usage.is_some()) {
        calls[call.model as usize] += 1;
    }
    let model = (0..calls.len()).max_by_key(|&i| calls[i]).unwrap_or(0);
    let mut points = vec![None; known.len()];
    walk(
        &session.threads,
        |sums: &mut PrefixSums<Weight>, step| match step {
            Step::Keep(length, _) => sums.truncate(length as usize),
            Step::Push { message, .. } => sums.push(weights[message as usize]),
            Step::Summary(message) => sums.replace_first(weights[message as usize]),
            Step::Call(number) => {
                let call = &known[number as usize];
                let counted = call.counted().filter(|_| call.model as usize == model);
                points[number as usize] = counted.map(|usage| (sums.all(), usage.prompt()));
            }
            Step::Branch(..) => {}
        },
    );
    points.into_iter().flatten().collect()
}

/// Returns the size of each message as it is sent.
fn weights(session: &Session) -> Vec<Weight> {
    let transcript = &session.transcript;
    let of_message = |i: usize| {
        let shown = Weight::of(transcript.blocks_of(i));
        Weight {
            units: shown.units + u64::from(session.hidden[i]),
            ..shown
        }
    };
    let mut weights: Vec<Weight> = (0..transcript.messages.len()).map(of_message).collect();
    walk(
        &session.threads,
        |answered: &mut Option<&Call>, step| match step {
            Step::Call(number) => {
                *answered = Some(&session.calls[number as usize]).filter(|call| call.output > 0)
            }
            // The messages of the model since then are the answer, in one or several pieces.
            Step::Push { message, .. }
                if transcript.messages[message as usize].role == Role::Assistant =>
            {
                if let Some(call) = answered.filter(|call| message >= call.message) {
                    let is_first = message == call.message;
                    weights[message as usize] = Weight {
                        said: if is_first { call.output } else { 0 },
                        ..Weight::default()
                    };
                }
            }
            _ => {}
        },
    );
    weights
}
