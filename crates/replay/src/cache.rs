//! Simulates the provider's cache under a policy: tokens read, tokens written, and the cause of each miss.
//!
//! The recording shows how much of the unpruned prompt was read from the cache. The pruned prompt reads the same, less the tokens cut from
//! it. If a cut changed cached content, less is read: up to the end of the newest prompt that ended before the change.

use super::{
    cached_prompts::{CachedPrompt, CachedPrompts},
    cost::cost,
    recorded::{Cause, MISS, Recorded},
    steps::Call,
    tokens::Prompt,
};
use deadhead_core::internal::{
    message_tokens::PrefixSums,
    prices::{Reuse, Row},
    session::SentPrompt,
};

/// The number of cached prompts that are looked for: a provider keeps at most so many breakpoints in reach (OpenAI from GPT-5.6 on).
const ENDS: usize = 80;

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
    /// What these cost more than if they had been read, in dollars.
    pub lost_usd: f64,
    /// Whether the prompt is above a price tier.
    pub above_tier: bool,
}

/// A message that the agent leaves out.
#[derive(Clone, Copy, Debug)]
struct LeftOut {
    position: usize,
    /// Its tokens and those of the ones before it, and how many of these were cut before they were left out.
    tokens: f64,
    cut: f64,
    /// The tokens that were cut from it since.
    late: f64,
}

/// The context of a thread as it is sent, and its cached prompts.
#[derive(Clone, Debug, Default)]
pub struct Cached {
    /// Tokens of the messages, without cuts.
    whole: PrefixSums<f64>,
    /// Tokens cut from each message.
    cut: Vec<f64>,
    /// The messages that the agent itself leaves out, in order: a cut of one saves nothing.
    left_out: Vec<LeftOut>,
    /// Sums of the tokens cut, as far as they are valid.
    cuts: PrefixSums<f64>,
    /// The cached prompts with which the context still begins.
    prompts: CachedPrompts,
    /// The first message from which on cached prompts were lost to a cut.
    lost_from: Option<usize>,
    /// Tokens of the newest prompt.
    newest: f64,
    /// Of how many first messages of the newest prompt none has changed.
    same: usize,
    /// Whether these are all.
    is_intact: bool,
}

impl Cached {
    /// Returns the sums of the blocks of the messages.
    pub fn blocks(&self) -> &PrefixSums<usize> {
        &self.prompts.blocks
    }

    /// Appends a message.
    pub fn push(&mut self, tokens: f64, blocks: usize) {
        self.prompts.blocks.push(blocks);
        self.whole.push(tokens);
        self.cut.push(0.0);
    }

    /// Keeps the first `length` messages.
    pub fn keep(&mut self, length: usize) {
        self.whole.truncate(length);
        self.prompts.blocks.truncate(length);
        self.cut.truncate(length);
        self.cuts.truncate(length);
        let out = self.left_out.partition_point(|out| out.position < length);
        self.left_out.truncate(out);
        self.prompts.keep(length);
        // From here on, nothing of the unpruned prompt is cached either.
        self.lost_from = self.lost_from.filter(|from| *from < length);
        self.is_intact &= self.same <= length;
        self.same = self.same.min(length);
    }

    /// Replaces the first message; nothing is cached any more.
    pub fn replace_first(&mut self, tokens: f64, blocks: usize) {
        self.whole.replace_first(tokens);
        self.prompts.blocks.replace_first(blocks);
        self.cut[0] = 0.0;
        self.cuts.replace_first(0.0);
        self.prompts.ends.clear();
        (self.lost_from, self.same, self.is_intact) = (None, 0, false);
    }

    /// Adds tokens to the message at `position`: less than none if the agent leaves it out from now on, more if it puts it back. It puts
    /// back the newest first.
    pub fn weigh(&mut self, position: usize, tokens: f64) {
        if tokens < 0.0 {
            let (before, cut) = self.without(self.cut.len());
            self.left_out.push(LeftOut {
                position,
                tokens: before - tokens,
                cut: cut + self.cut[position],
                late: 0.0,
            });
        } else if let Some(back) = self.left_out.pop_if(|back| back.position == position)
            && back.late != 0.0
        {
            self.cut[position] += back.late;
            self.cuts.truncate(position);
        }
    }

    /// Returns the tokens of the first `length` messages that are left out, and how many of these were cut.
    fn without(&self, length: usize) -> (f64, f64) {
        self.left_out
            .partition_point(|out| out.position < length)
            .checked_sub(1)
            .map(|last| &self.left_out[last])
            .map_or((0.0, 0.0), |out| (out.tokens, out.cut))
    }

    /// Returns the tokens of the first `length` messages as the agent sends them, without cuts.
    fn sent(&self, length: usize) -> f64 {
        self.whole.up_to(length) - self.without(length).0
    }

    /// Cuts `tokens` more from the message at `position`.
    pub fn cut(&mut self, position: usize, tokens: f64) {
        let out = self
            .left_out
            .binary_search_by_key(&position, |out| out.position);
        if let Ok(at) = out {
            self.left_out[at].late += tokens;
            return;
        }
        self.cut[position] += tokens;
        self.cuts.truncate(position);
        let longest = self.prompts.ends.last();
        if longest.is_some_and(|end| position < end.length) {
            self.prompts.keep(position);
            self.lost_from = Some(self.lost_from.map_or(position, |from| from.min(position)));
        }
        self.is_intact &= self.same <= position;
        self.same = self.same.min(position);
    }

    /// Returns the newest cached prompts of at least `from` messages, shortest first.
    pub fn ends(&self, from: usize) -> Vec<SentPrompt> {
        let ends = &self.prompts.ends;
        ends[ends.len().saturating_sub(ENDS)..]
            .iter()
            .filter(|end| end.length >= from)
            .map(|end| SentPrompt {
                length: end.length as u32,
                sent: end.sent,
            })
            .collect()
    }

    /// Sends the context as a prompt. `may_mark`: a mark is added where a cut has broken the cache.
    pub fn ask(
        &mut self,
        call: &Call,
        recorded: &Recorded,
        prompt: &Prompt,
        row: &Row,
        may_mark: bool,
    ) -> CallCost {
        self.sum();
        let length = self.cut.len();
        let lifetime = row.lifetime_ms(recorded.long > 0.5).cast_signed();
        let read = self
            .lost_from
            .filter(|from| !self.is_intact && recorded.read > self.tokens(*from, prompt))
            .map_or(recorded.read, |_| {
                recorded
                    .read
                    .min(self.limit(call.start, prompt, row, may_mark))
            });
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
            if is_limited {
                spent.read -= spent.read % row.cache.step as f64;
            }
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
        let cause = is_limited.then_some(Cause::Prune).or(recorded.cause);
        let is_first = cause == Some(Cause::First);
        if !is_first {
            spent.lost = (self.newest.min(spent.prompt) - spent.read).max(0.0);
            let again = match is_cached && row.cache.counts_writes {
                true => write,
                false => row.input,
            };
            let (times, _) = row.times(spent.prompt as u64);
            spent.lost_usd = spent.lost * (again - row.read) * times / 1e6;
        }
        spent.miss = cause.filter(|_| spent.lost > MISS || is_first);
        self.prompts.push(CachedPrompt {
            length,
            tokens: spent.prompt,
            sent: call.start,
            used: call.start,
            lifetime,
        });
        (self.newest, self.same, self.is_intact) = (spent.prompt, length, true);
        spent
    }

    /// Returns the tokens of the first `length` messages of the unpruned prompt, and of the content before them.
    fn tokens(&self, length: usize, prompt: &Prompt) -> f64 {
        prompt.front + prompt.scale * self.sent(length)
    }

    /// Returns the tokens of the unpruned prompt that are still cached, if cuts changed it.
    fn limit(&mut self, now: Option<i64>, prompt: &Prompt, row: &Row, may_mark: bool) -> f64 {
        let found = match row.cache.reuse {
            Reuse::Prefix => {
                let longest = self.prompts.ends.last().map(|end| end.length);
                longest.max(Some(self.same))
            }
            Reuse::Marks(back) => {
                let back = if may_mark { usize::MAX } else { back as usize };
                self.prompts.read(now, back).map(|end| end.length)
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
        // The largest number of messages whose tokens are at most `within`.
        let (mut length, mut more) = (0, self.cut.len());
        while more > 0 {
            let middle = length + more.div_ceil(2);
            let fits = self.sent(middle) <= within;
            (length, more) = if fits {
                (middle, more / 2)
            } else {
                (length, more.div_ceil(2) - 1)
            };
        }
        let before = self.sent(length);
        let partly = match self.cut.get(length) {
            Some(next) if within > before => {
                next * (within - before) / (self.sent(length + 1) - before)
            }
            _ => 0.0,
        };
        (self.cuts.up_to(length) - self.without(length).1 + partly) * prompt.scale
    }

    fn sum(&mut self) {
        for &cut in &self.cut[self.cuts.length()..] {
            self.cuts.push(cut);
        }
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
