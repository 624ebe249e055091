//! Simulates the provider's cache under a policy: tokens read, tokens written, and the cause of each miss.
//!
//! The recording shows how much of the unpruned prompt was read from the cache. The pruned prompt reads the same, less the tokens cut from
//! it. If a cut changed cached content, less is read: up to the end of the newest prompt that ended before the change.

use super::cost::cost;
use super::miss::{Cause, MISS};
use super::recorded::Recorded;
use super::steps::Call;
use super::tokens::Prompt;
use deadhead_core::internal::prices::{Reuse, Row};
use deadhead_core::internal::session::SentPrompt;

/// The cost of one call, in tokens and dollars.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallCost {
    /// Tokens of the whole prompt.
    pub prompt: f64,
    /// Tokens read from the cache.
    pub read: f64,
    /// Tokens written to the cache.
    pub write: f64,
    /// Tokens neither read nor written.
    pub uncached: f64,
    /// Tokens of the output.
    pub output: u64,
    /// Dollars.
    pub usd: f64,
    /// Why not all of the prompt was read from the cache.
    pub miss: Option<Cause>,
    /// Tokens that had been cached and were not read.
    pub lost: f64,
    /// Whether the prompt is above a price tier.
    pub above_tier: bool,
}

/// A cached prompt.
#[derive(Clone, Copy, Debug)]
struct CachedPrompt {
    /// The number of its messages.
    length: usize,
    /// When it was sent.
    sent: Option<i64>,
    /// When it was last read or sent.
    used: Option<i64>,
}

/// The context of a thread as it is sent, and its cached prompts.
#[derive(Clone, Debug, Default)]
pub struct Cached {
    /// Tokens of the first n messages, without cuts.
    whole: Vec<f64>,
    /// Blocks of the first n messages.
    blocks: Vec<usize>,
    /// Tokens cut from each message.
    cut: Vec<f64>,
    /// Tokens cut from the first n messages, valid up to `summed`.
    cuts: Vec<f64>,
    summed: usize,
    /// The cached prompts with which the context still begins, shortest first.
    ends: Vec<CachedPrompt>,
    /// The first message from which on cached prompts were lost to a cut.
    lost_from: Option<usize>,
    /// Tokens of the newest prompt.
    newest: f64,
    /// The number of messages of the newest prompt, if none of them has changed.
    intact: Option<usize>,
}

impl Cached {
    /// Creates a thread without messages.
    pub fn new() -> Cached {
        Cached {
            whole: vec![0.0],
            blocks: vec![0],
            cuts: vec![0.0],
            ..Cached::default()
        }
    }

    /// Appends a message.
    pub fn push(&mut self, tokens: f64, blocks: usize) {
        self.blocks.push(self.blocks[self.cut.len()] + blocks);
        self.whole.push(self.whole[self.cut.len()] + tokens);
        self.cut.push(0.0);
    }

    /// Keeps the first `length` messages.
    pub fn keep(&mut self, length: usize) {
        self.whole.truncate(length + 1);
        self.blocks.truncate(length + 1);
        self.cut.truncate(length);
        self.cuts.truncate(length + 1);
        self.summed = self.summed.min(length);
        self.ends
            .truncate(self.ends.partition_point(|end| end.length <= length));
        // From here on, nothing of the unpruned prompt is cached either.
        self.lost_from = self.lost_from.filter(|from| *from < length);
        self.intact = self.intact.filter(|intact| *intact <= length);
    }

    /// Cuts `tokens` more from the message at `position`.
    pub fn cut(&mut self, position: usize, tokens: f64) {
        self.cut[position] += tokens;
        self.summed = self.summed.min(position);
        if self.ends.last().is_some_and(|end| position < end.length) {
            self.ends
                .truncate(self.ends.partition_point(|end| end.length <= position));
            self.lost_from = Some(self.lost_from.map_or(position, |from| from.min(position)));
        }
        self.intact = self.intact.filter(|intact| *intact <= position);
    }

    /// Returns the cached prompts, shortest first.
    pub fn ends(&self) -> impl Iterator<Item = SentPrompt> {
        self.ends.iter().map(|end| SentPrompt {
            length: end.length as u32,
            sent: end.sent,
        })
    }

    /// Sends the context as a prompt.
    pub fn ask(
        &mut self,
        call: &Call,
        recorded: &Recorded,
        prompt: &Prompt,
        row: &Row,
    ) -> CallCost {
        self.sum();
        let length = self.cut.len();
        let lifetime = row.lifetime_ms(recorded.long > 0.5).cast_signed();
        let lost_from = self
            .lost_from
            .filter(|from| self.intact.is_none() && recorded.read > self.tokens(*from, prompt));
        let limit = lost_from.map(|from| self.limit(from, call.start, lifetime, prompt, row));
        let read = limit.map_or(recorded.read, |limit| recorded.read.min(limit));
        let is_limited = read < recorded.read - 1.0;
        let mut spent = CallCost {
            prompt: (prompt.total - self.cut_before(prompt.total, prompt)).max(0.0),
            output: call.output,
            ..CallCost::default()
        };
        // If nothing of the unpruned prompt is cached, nothing of the pruned one is; nor if the prompt has become too small.
        let is_cached = recorded.read > 0.0 || recorded.uncached < recorded.prompt;
        let least = row.cache.least as f64;
        let is_cached = is_cached && (spent.prompt >= least || recorded.prompt < least);
        if is_cached {
            spent.read = (read - self.cut_before(read, prompt)).clamp(0.0, spent.prompt);
        }
        let fresh = spent.prompt - spent.read;
        spent.uncached = if is_cached && row.cache.counts_writes {
            recorded.uncached.min(fresh)
        } else {
            fresh
        };
        spent.write = fresh - spent.uncached;
        let write = row.write_price(recorded.long);
        let input = spent.uncached * row.input + spent.read * row.read + spent.write * write;
        // The summary of a compaction was written from the unpruned prompt, and costs the same under all policies.
        spent.usd = row.usd(spent.prompt as u64, input, call.output) + cost(row, &call.summaries);
        spent.above_tier = row
            .tier
            .is_some_and(|tier| spent.prompt > tier.above as f64);
        let cause = Some(Cause::Prune).filter(|_| is_limited).or(recorded.cause);
        let is_first = cause == Some(Cause::First);
        if !is_first {
            spent.lost = (self.newest.min(spent.prompt) - spent.read).max(0.0);
        }
        spent.miss = cause.filter(|_| spent.lost > MISS || is_first);
        self.ends
            .truncate(self.ends.partition_point(|end| end.length < length));
        self.ends.push(CachedPrompt {
            length,
            sent: call.start,
            used: call.start,
        });
        (self.newest, self.intact) = (spent.prompt, Some(length));
        spent
    }

    /// Returns the tokens of the first `length` messages of the unpruned prompt, and of the content before them.
    fn tokens(&self, length: usize, prompt: &Prompt) -> f64 {
        prompt.front + prompt.scale * self.whole[length]
    }

    /// Returns the tokens of the unpruned prompt that are still cached, if cuts changed it from message `from` on.
    fn limit(
        &mut self,
        from: usize,
        now: Option<i64>,
        lifetime: i64,
        prompt: &Prompt,
        row: &Row,
    ) -> f64 {
        let length = self.cut.len();
        let is_over = |at: Option<i64>| {
            now.zip(at)
                .is_some_and(|(now, then)| now.saturating_sub(then) >= lifetime)
        };
        let found = match row.cache.reuse {
            Reuse::Prefix => Some(self.ends.last().map_or(from, |end| from.max(end.length))),
            Reuse::Marks(back) => {
                let (blocks, last) = (&self.blocks, self.blocks[length]);
                let near = |end: &&mut CachedPrompt| last - blocks[end.length] <= back as usize;
                let found = self
                    .ends
                    .iter_mut()
                    .rev()
                    .take_while(near)
                    .find(|end| !is_over(end.used));
                found.map(|end| {
                    end.used = now;
                    end.length
                })
            }
        };
        let tokens = self.tokens(found.unwrap_or(0), prompt);
        if tokens < row.cache.least as f64 {
            0.0
        } else {
            tokens
        }
    }

    /// Returns the tokens cut from the first `tokens` of the unpruned prompt.
    fn cut_before(&self, tokens: f64, prompt: &Prompt) -> f64 {
        let within = (tokens - prompt.front) / prompt.scale.max(f64::MIN_POSITIVE);
        let length = self
            .whole
            .partition_point(|whole| *whole <= within)
            .saturating_sub(1)
            .min(self.cut.len());
        let cut = self.cuts[length];
        let partly = match self.cut.get(length) {
            Some(next) if within > self.whole[length] => {
                next * (within - self.whole[length]) / (self.whole[length + 1] - self.whole[length])
            }
            _ => 0.0,
        };
        (cut + partly) * prompt.scale
    }

    fn sum(&mut self) {
        self.cuts.truncate(self.summed + 1);
        for cut in &self.cut[self.summed..] {
            self.cuts.push(self.cuts[self.cuts.len() - 1] + cut);
        }
        self.summed = self.cut.len();
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
