//! The provider's cache: what of a prompt is read from it, what is written to it, and why a prompt is not there.

use super::context::{Context, Cuts};
use super::simulation::{Observed, Simulation};
use deadhead_core::prices::{Reuse, Row};

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

/// The prompts of a lane, as the cache holds them.
#[derive(Clone, Debug)]
pub struct Cached {
    /// Where earlier prompts ended whose messages are still those of the context, the shortest first.
    ends: Vec<End>,
    /// The newest prompt, as far as its messages are still those of the context.
    newest: End,
    tokens: f64,
    model: u32,
    changed: Option<Cause>,
}

/// Where a prompt ended, how it was cut, and when it was sent or found again.
#[derive(Clone, Copy, Debug)]
struct End {
    length: usize,
    cuts: Cuts,
    at: Option<i64>,
}

impl End {
    /// Whether its lifetime is over; a time that is not known ends nothing.
    fn is_over(&self, now: Option<i64>, lifetime: i64) -> bool {
        now.zip(self.at).is_some_and(|(now, then)| now.saturating_sub(then) >= lifetime)
    }
}

impl Cached {
    /// Only the first `length` messages are still those of the context.
    pub fn keep(&mut self, length: usize, context: &Context<'_>, cause: Cause) {
        if length < self.newest.length {
            self.newest = End { length, cuts: context.still(self.newest.cuts), at: self.newest.at };
            self.changed = Some(cause);
            self.ends.truncate(self.ends.partition_point(|end| end.length <= length));
        }
    }

    /// Sends a prompt, which is then the newest.
    pub fn ask(
        cached: &mut Option<Cached>,
        simulation: &Simulation<'_>,
        context: &Context<'_>,
        number: u32,
        cuts: Cuts,
        row: &Row,
    ) -> Spent {
        let call = &simulation.session.calls[number as usize];
        let newest = End { length: context.messages.len(), cuts, at: call.start };
        let prompt = simulation.fit.overhead + context.tokens(newest.length, cuts);
        let lifetime = if simulation.long { row.cache.lifetime_long } else { row.cache.lifetime };
        let observed = simulation.observed[number as usize];
        let (mut read, mut cause) = (0.0, Some(Cause::First));
        if let Some(before) = cached {
            let lifetime = (lifetime * 1000).cast_signed();
            if before.model != call.model {
                cause = Some(Cause::Agent);
            } else if before.newest.is_over(call.start, lifetime) && observed != Some(Observed::Kept) {
                cause = Some(Cause::Expired);
            } else {
                (read, cause) = before.find(simulation, context, &newest, lifetime, row);
                if let Some(Observed::Lost(most)) = observed
                    && read > most as f64
                {
                    read = most as f64;
                    cause = cause.or(Some(Cause::Agent));
                }
            }
        }
        if let Some(Observed::Warm(system)) = observed
            && matches!(cause, Some(Cause::First | Cause::Expired))
        {
            read = (system as f64).min(prompt);
        }
        let lost = (cached.as_ref().map_or(0.0, |before| before.tokens).min(prompt) - read).max(0.0);
        let is_first = cause == Some(Cause::First);
        let kept = prompt >= row.cache.least as f64;
        remember(cached, newest, if kept { prompt } else { 0.0 }, call.model);
        let fresh = prompt - read;
        let (write, uncached) = if kept && row.cache.counts_writes { (fresh, 0.0) } else { (0.0, fresh) };
        let (times, times_output) = row.times(prompt as u64);
        let price = if simulation.long { row.write_long } else { row.write };
        let input = (uncached * row.input + read * row.read + write * price) * times;
        Spent {
            prompt,
            read,
            write,
            uncached,
            output: call.output,
            usd: (input + call.output as f64 * row.output * times_output) / 1e6,
            miss: cause.filter(|_| lost > MISS || is_first),
            lost: if is_first { 0.0 } else { lost },
            above_tier: row.tier.is_some_and(|tier| prompt > tier.above as f64),
        }
    }

    /// Tokens that are read of a prompt, and why not more. A cache with marks finds a prompt only where an earlier one
    /// ended; what lies before a difference, but was never an end, has to be sent again.
    fn find(&mut self, simulation: &Simulation<'_>, context: &Context<'_>, now: &End, lifetime: i64, row: &Row) -> (f64, Option<Cause>) {
        let alike = |end: &End| context.alike(end.length, end.cuts, now.cuts);
        let intact = alike(&self.newest);
        let whole = intact == self.newest.length && self.changed.is_none();
        let length = match row.cache.reuse {
            _ if whole => intact,
            Reuse::Prefix => intact,
            Reuse::Marks(back) => {
                let near = |end: &&mut End| now.length - end.length <= back as usize;
                let lives = |end: &&mut End| !end.is_over(now.at, lifetime) && alike(end) == end.length;
                self.ends.iter_mut().rev().take_while(near).find(lives).map_or(0, |end| {
                    end.at = now.at;
                    end.length
                })
            }
        };
        let tokens = simulation.fit.overhead + context.tokens(length, now.cuts);
        let step = row.cache.step as f64;
        let read = if tokens < row.cache.least as f64 { 0.0 } else { (tokens / step).floor() * step };
        let pruned = (intact < self.newest.length).then_some(Cause::Prune);
        (read, self.changed.or(pruned))
    }
}

/// Puts a prompt in the cache.
fn remember(cached: &mut Option<Cached>, newest: End, tokens: f64, model: u32) {
    let mut ends = cached.take().filter(|before| before.model == model).map_or_else(Vec::new, |before| before.ends);
    while ends.last().is_some_and(|end| end.length >= newest.length) {
        ends.pop();
    }
    ends.push(newest);
    *cached = Some(Cached { ends, newest, tokens, model, changed: None });
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
