//! The provider's cache: what of a prompt is read from it, what is written to it, and why a prompt is not there.

use super::context::{Context, Cuts};
use super::rates::{Reuse, Row};
use super::run::{Bench, Observed};

/// Tokens that must be read anew for a miss to count as one: less is the end of a prompt that no cache keeps.
const MISS: f64 = 1024.0;

/// Why a prompt, or most of it, was not in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Cause {
    /// The first call of a conversation.
    First,
    /// The lifetime was over.
    Expired,
    /// A prune changed what was cached.
    Prune,
    /// A compaction did.
    Compaction,
    /// The agent did, or the provider: another model or system prompt, an earlier message edited, an eviction.
    Agent,
}

/// All causes, in the order of reports.
pub const CAUSES: [Cause; 5] = [Cause::First, Cause::Expired, Cause::Prune, Cause::Compaction, Cause::Agent];

impl Cause {
    /// The word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Cause::First => "first call",
            Cause::Expired => "expired",
            Cause::Prune => "pruned",
            Cause::Compaction => "compacted",
            Cause::Agent => "agent",
        }
    }
}

/// What one call came to, in tokens and dollars.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// The whole prompt.
    pub prompt: f64,
    /// Read from the cache.
    pub read: f64,
    /// Written to the cache.
    pub write: f64,
    /// Neither.
    pub uncached: f64,
    /// Output.
    pub output: u64,
    /// Dollars.
    pub usd: f64,
    /// Why it was not in the cache.
    pub miss: Option<Cause>,
    /// Tokens that had been cached and were not read.
    pub lost: f64,
    /// Whether the prompt is above a price tier.
    pub above_tier: bool,
}

/// The newest prompt of a lane, as the cache holds it.
#[derive(Clone, Copy, Debug)]
pub struct Cached {
    /// Messages of it that are still those of the context.
    length: usize,
    /// Messages that it had.
    had: usize,
    /// How it was cut.
    pub cuts: Cuts,
    at: Option<i64>,
    tokens: f64,
    model: u32,
    changed: Option<Cause>,
}

impl Cached {
    /// Only the first `length` messages are still those of the context, cut as `cuts` says.
    pub fn keep(&mut self, length: usize, cuts: Cuts, cause: Cause) {
        if length < self.length {
            (self.length, self.cuts, self.changed) = (length, cuts, Some(cause));
        }
    }

    /// Sends a prompt, and puts it in the place of the one before.
    pub fn ask(cached: &mut Option<Cached>, bench: &Bench<'_>, context: &Context<'_>, number: u32, cuts: Cuts, row: &Row) -> Spent {
        let call = &bench.session.calls[number as usize];
        let length = context.messages.len();
        let prompt = bench.fit.overhead + context.tokens(length, cuts);
        let least = row.cache.least as f64;
        let lifetime = if bench.long { row.cache.lifetime_long } else { row.cache.lifetime };
        let observed = bench.observed[number as usize];
        let (mut read, mut cause) = (0.0, Some(Cause::First));
        if let Some(before) = cached {
            let idle = call.start.zip(before.at).map_or(0, |(now, then)| now.saturating_sub(then));
            let alike = context.alike(before.length, before.cuts, cuts);
            if before.model != call.model {
                cause = Some(Cause::Agent);
            } else if idle >= (lifetime * 1000).cast_signed() && observed != Some(Observed::Kept) {
                cause = Some(Cause::Expired);
            } else {
                let near = match row.cache.reuse {
                    Reuse::Prefix => true,
                    Reuse::Marks(back) => before.had - alike <= back as usize,
                };
                let tokens = bench.fit.overhead + if near { context.tokens(alike, cuts) } else { 0.0 };
                read = if tokens < least { 0.0 } else { (tokens / row.cache.step as f64).floor() * row.cache.step as f64 };
                let pruned = (alike < before.length).then_some(Cause::Prune);
                cause = before.changed.or(pruned);
                if let Some(Observed::Lost(most)) = observed
                    && read > most as f64
                {
                    read = most as f64;
                    cause = cause.or(Some(Cause::Agent));
                }
            }
        }
        let had = cached.map_or(0.0, |before| before.tokens);
        let lost = (had.min(prompt) - read).max(0.0);
        let kept = prompt >= least;
        let fresh = prompt - read;
        let (write, uncached) = if kept && row.cache.counts_writes { (fresh, 0.0) } else { (0.0, fresh) };
        let (times, times_output) = row.times(prompt as u64);
        let price = if bench.long { row.write_long } else { row.write };
        let input = (uncached * row.input + read * row.read + write * price) * times;
        let usd = (input + call.output as f64 * row.output * times_output) / 1e6;
        *cached = Some(Cached {
            length,
            had: length,
            cuts,
            at: call.start,
            tokens: if kept { prompt } else { 0.0 },
            model: call.model,
            changed: None,
        });
        let missed = lost > MISS || cause == Some(Cause::First);
        Spent {
            prompt,
            read,
            write,
            uncached,
            output: call.output,
            usd,
            miss: cause.filter(|_| missed),
            lost: if cause == Some(Cause::First) { 0.0 } else { lost },
            above_tier: row.tier.is_some_and(|tier| prompt > tier.above as f64),
        }
    }
}
