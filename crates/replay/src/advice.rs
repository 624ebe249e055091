//! Advice: chooses the policy that saves most on some recorded sessions, and measures it on the others.
//!
//! The sessions are halved. On one half the policies are compared, on the other the chosen ones are measured, which reveals a policy that
//! fits one half by chance. The range of a figure comes from a bootstrap over the sessions of the second half.

mod figures;
mod trial;

pub use figures::{Figures, WorstSession};
pub use trial::{SessionTrial, Trial, mixed};

use super::{
    recorded::Cause,
    rounded::dollars,
    summary::{Example, Group, MissRow},
    sums::{EXAMPLES, add_group},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The increase of cost, as a share, above which a session counts as dearer than without pruning.
pub const DEARER: f64 = 0.0005;

/// Sessions from which on figures have a range.
const FEW: usize = 5;

/// A policy to try: its name, and the flags that select it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Candidate {
    /// The preset, with the settings of a grid.
    pub name: String,
    /// The flags of `deadhead prune` that select it.
    pub flags: Vec<String>,
    /// Keys and values for a configuration file.
    pub settings: serde_json::Map<String, serde_json::Value>,
}

/// A place where logs were found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LogLocation {
    /// File or folder.
    pub path: String,
    /// The agent that keeps its logs there, if it is a known one.
    pub agent: Option<&'static str>,
    /// The number of sessions with requests that count.
    pub sessions: u64,
}

/// The advice: the policies that were tried, with their figures.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// Version of this schema.
    #[schemars(extend("const" = 1))]
    pub schema: u32,
    /// `"advice"`.
    #[schemars(extend("const" = "advice"))]
    pub kind: &'static str,
    /// The program.
    pub tool: deadhead_core::diagnostics::Tool,
    /// The files and folders of the logs.
    pub places: Vec<LogLocation>,
    /// The number of inputs that could not be read.
    pub failed: u64,
    /// The number of sessions whose tokens the provider counted and whose model has a price.
    pub sessions: u64,
    /// The number of their requests; one that several logs contain counts once.
    pub requests: u64,
    /// The number of requests that an earlier log contains.
    pub repeated: u64,
    /// The number of sessions without counts or prices, which are left out.
    pub uncounted: u64,
    /// Time of the first request.
    #[schemars(extend("format" = "date-time"))]
    pub from: Option<String>,
    /// Time of the last request.
    #[schemars(extend("format" = "date-time"))]
    pub to: Option<String>,
    /// Dollars that all sessions cost, by the provider's counts.
    #[serde(serialize_with = "dollars")]
    pub spent: f64,
    /// The number of sessions on which the policies were chosen.
    pub chosen_on: u64,
    /// The number of sessions on which they were measured; with a single session these are the same.
    pub measured_on: u64,
    /// The index in `policies` of the policy with most left on the first half, if each text that is needed again is paid for once more,
    /// and with something left on the second; null if there is none.
    pub best: Option<usize>,
    /// The number of inputs of which these are a sample; null if all were read.
    pub sample_of: Option<u64>,
    /// The measured sessions by format: what the best policy saves.
    pub agents: Vec<Group>,
    /// The index of the configuration in force.
    pub today: usize,
    /// The command that prunes the requests of any client by the best policy; null if none pays.
    pub use_it: Option<String>,
    /// The commands that run the agents of these logs with the best policy.
    #[serde(skip)]
    pub run_agents: Vec<String>,
    /// All policies that were tried.
    pub policies: Vec<Row>,
    /// The measured sessions, by the week in which they began: without pruning, and with the best policy.
    pub weeks: Vec<Group>,
    /// The prompts that were not in the cache, without pruning, by cause.
    pub misses: BTreeMap<Cause, MissRow>,
    /// Regrets of the best policy.
    pub examples: Vec<Example>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// A policy that was tried.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// The policy that was tried.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// The number of cuts of text that the model had not read completely: such a policy is never advised.
    pub unread: u64,
    /// The savings on the sessions by which the policies were chosen.
    pub choosing: Figures,
    /// The savings on the other sessions.
    pub measured: Figures,
}

impl Advice {
    /// Compares candidates over all sessions; the first candidate is the configuration in force.
    pub fn new(candidates: Vec<Candidate>, mut trials: Vec<Trial>) -> Advice {
        let repeated = trials.iter().map(|trial| trial.repeated).sum();
        let uncounted = trials
            .iter()
            .filter(|trial| trial.requests > 0 && !trial.is_counted())
            .count() as u64;
        trials.retain(Trial::is_counted);
        let (choosing, measured) = halves(&trials);
        let row = |(at, candidate): (usize, Candidate)| Row {
            candidate,
            unread: trials.iter().map(|trial| trial.policies[at].unread).sum(),
            choosing: Figures::of(&choosing, at),
            measured: Figures::of(&measured, at),
        };
        let policies: Vec<Row> = candidates.into_iter().enumerate().map(row).collect();
        let best = most(&policies);
        let times = |of: fn(&Trial) -> &Option<String>| {
            trials.iter().filter_map(move |trial| of(trial).clone())
        };
        let mut advice = Advice {
            schema: 1,
            kind: "advice",
            sessions: trials.len() as u64,
            requests: trials.iter().map(|trial| trial.requests).sum(),
            repeated,
            uncounted,
            from: times(|trial| &trial.from).min(),
            to: times(|trial| &trial.to).max(),
            spent: trials.iter().map(|trial| trial.spent).sum(),
            chosen_on: choosing.len() as u64,
            measured_on: measured.len() as u64,
            best,
            policies,
            ..Advice::default()
        };
        for (cause, missed) in trials.iter().flat_map(|trial| &trial.misses) {
            advice.misses.entry(*cause).or_default().add(missed);
        }
        if let Some(at) = best {
            let week = |trial: &Trial| trial.week.clone().unwrap_or_default();
            advice.weeks = groups(&measured, at, week);
            advice.agents = groups(&measured, at, |trial| trial.format.to_owned());
            advice.examples = measured
                .iter()
                .filter_map(|trial| trial.policies[at].example.clone())
                .take(EXAMPLES)
                .collect();
        }
        advice.warn();
        advice
    }

    /// Returns a policy of `policies`.
    pub fn policy(&self, at: Option<usize>) -> Option<&Row> {
        at.and_then(|at| self.policies.get(at))
    }

    fn warn(&mut self) {
        let few = match self.sessions {
            1 => Some("one session alone: it chose the policy and measures it, and the figures promise nothing".to_owned()),
            n if n < 2 * FEW as u64 => {
                Some(format!("{n} sessions are too few to choose a policy by"))
            }
            n if n < 20 => Some(format!("{n} sessions are few: the range is wide")),
            _ => None,
        };
        let left_out = match self.uncounted {
            0 => None,
            1 => Some(
                "1 session is left out: its log counts no tokens, or its model has no price"
                    .to_owned(),
            ),
            n => Some(format!(
                "{n} sessions are left out: their logs count no tokens, or their models have no price"
            )),
        };
        let repeated = match self.repeated {
            0 => None,
            n => Some(format!("{n} requests are in several logs and count once")),
        };
        self.warnings = [few, left_out, repeated].into_iter().flatten().collect();
    }
}

/// Returns the sessions for choosing policies and those for measuring them. A single session is used for both.
///
/// Two sessions of similar cost form a pair, and each half gets one of them, as their keys decide. So both halves cost about the same, and
/// neither paths nor the order of inputs change the result.
fn halves(trials: &[Trial]) -> (Vec<&Trial>, Vec<&Trial>) {
    let mut sorted: Vec<&Trial> = trials.iter().collect();
    sorted.sort_by(|a, b| {
        b.usd
            .total_cmp(&a.usd)
            .then(a.key.cmp(&b.key))
            .then(a.path.cmp(&b.path))
    });
    if sorted.len() < 2 {
        return (sorted.clone(), sorted);
    }
    let (mut choosing, mut measured) = (Vec::new(), Vec::new());
    for pair in sorted.chunks(2) {
        match *pair {
            [a, b] => {
                let (first, second) = if a.key < b.key { (a, b) } else { (b, a) };
                choosing.push(first);
                measured.push(second);
            }
            _ => measured.extend(pair),
        }
    }
    (choosing, measured)
}

/// Returns the policy of whose savings most is left on the first half, among those with something left on both halves that cut nothing
/// unread.
fn most(policies: &[Row]) -> Option<usize> {
    // The first is the configuration in force: one with less left than that is no advice.
    let least = policies.first().map_or(0.0, |own| own.measured.left);
    let fits = |row: &Row| {
        let left = row.measured.left;
        row.unread == 0 && row.choosing.left > 0.0 && left > 0.0 && left >= least
    };
    let found = policies.iter().enumerate().filter(|(_, row)| fits(row));
    // Of equal ones, the first.
    found
        .rev()
        .max_by(|(_, a), (_, b)| a.choosing.left.total_cmp(&b.choosing.left))
        .map(|(at, _)| at)
}

/// Groups the sessions by a name that each has, with the dollars of a policy.
fn groups(trials: &[&Trial], at: usize, name: impl Fn(&Trial) -> String) -> Vec<Group> {
    let mut groups = Vec::new();
    for trial in trials {
        let group = Group {
            name: name(trial),
            requests: trial.requests,
            baseline: trial.usd,
            pruned: trial.policies[at].usd,
            tokens: trial.tokens,
        };
        add_group(&mut groups, &group);
    }
    groups.sort_by(|a, b| a.name.cmp(&b.name));
    groups
}

#[cfg(test)]
#[path = "advice/tests.rs"]
mod tests;
