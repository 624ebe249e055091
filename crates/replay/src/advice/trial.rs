//! Results of each policy on one session.

use super::super::{
    recorded::Cause,
    report::monday,
    session::Session,
    summary::{Example, MissRow, Replay},
};
use std::collections::BTreeMap;

/// A session under all policies.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The log.
    pub path: String,
    /// The format of the log.
    pub format: &'static str,
    /// A number that identifies the session, wherever its log is.
    pub key: u64,
    /// The number of requests that count.
    pub requests: u64,
    /// The number of requests that an earlier log contains.
    pub repeated: u64,
    /// The number of requests whose tokens the provider counted.
    pub counted: u64,
    /// Time of the first request that counts.
    pub from: Option<String>,
    /// Time of the last request that counts.
    pub to: Option<String>,
    /// The Monday of the week of the first.
    pub week: Option<String>,
    /// Dollars by the counts of the provider.
    pub spent: f64,
    /// Dollars without pruning.
    pub usd: f64,
    /// Tokens of all prompts.
    pub tokens: f64,
    /// The prompts that were not in the cache, by cause.
    pub misses: BTreeMap<Cause, MissRow>,
    /// The policies.
    pub policies: Vec<SessionTrial>,
}

/// A session under one policy.
#[derive(Clone, Debug)]
pub struct SessionTrial {
    /// Dollars.
    pub usd: f64,
    /// The number of cuts.
    pub cuts: u64,
    /// The number of cuts of text that the model had not read.
    pub unread: u64,
    /// The number of regretted cuts.
    pub regrets: u64,
    /// How many of the results would be used again if they had not been cut.
    pub expected: f64,
    /// Dollars if each regretted cut is paid for again.
    pub again: f64,
    /// An example of a regret.
    pub example: Option<Example>,
}

impl Trial {
    /// Creates a trial from a replay, which has one row for each policy.
    pub fn new(session: &Session, replay: Replay) -> Trial {
        let sums = replay.sums;
        let tried = |row: super::super::summary::PolicyRow| SessionTrial {
            usd: row.totals.usd,
            cuts: row.cuts,
            unread: row.unread,
            regrets: row.regret.cuts,
            expected: row.regret.expected,
            again: row.regret.usd,
            example: row.regret.examples.into_iter().next(),
        };
        Trial {
            path: replay.input.path,
            format: replay.input.format,
            key: key(session),
            requests: sums.requests,
            repeated: replay.repeated,
            counted: sums.calibration.requests,
            week: replay.from.as_deref().and_then(monday),
            from: replay.from,
            to: replay.to,
            spent: sums.calibration.recorded_usd,
            usd: sums.baseline.usd,
            tokens: sums.baseline.prompt,
            misses: sums.baseline.misses,
            policies: sums.policies.into_iter().map(tried).collect(),
        }
    }

    /// Returns whether its requests were counted and have a price.
    pub fn is_counted(&self) -> bool {
        self.counted > 0 && self.usd > 0.0
    }
}

/// Returns a number that identifies the session, from the times and sizes of its first requests.
fn key(session: &Session) -> u64 {
    session
        .calls
        .iter()
        .take(3)
        .fold(0x9e37_79b9_7f4a_7c15, |key, call| {
            let prompt = call.usage.map_or(0, |usage| usage.prompt());
            [
                call.end.unwrap_or_default().cast_unsigned(),
                prompt,
                call.output,
            ]
            .into_iter()
            .fold(key, mixed)
        })
}

/// Mixes another number into a key (the finalizer of SplitMix64).
pub fn mixed(key: u64, with: u64) -> u64 {
    let mut z = (key ^ with).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
