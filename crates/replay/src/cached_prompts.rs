//! The prompts of a context that its provider has cached.

use deadhead_core::internal::message_tokens::PrefixSums;

/// A cached prompt.
#[derive(Clone, Copy, Debug)]
pub struct CachedPrompt {
    /// The number of its messages.
    pub length: usize,
    /// Its tokens.
    pub tokens: f64,
    /// When it was sent.
    pub sent: Option<i64>,
    /// When it was last read or sent.
    pub used: Option<i64>,
    /// For how many milliseconds it is kept since then: as long as it was written for, whatever a
    /// request that reads it writes.
    pub lifetime: i64,
}

impl CachedPrompt {
    /// Whether the provider no longer has it at `now`.
    pub fn is_over(&self, now: Option<i64>) -> bool {
        now.zip(self.used)
            .is_some_and(|(now, then)| now.saturating_sub(then) >= self.lifetime)
    }
}

/// The cached prompts with which a context still begins.
#[derive(Clone, Debug, Default)]
pub struct CachedPrompts {
    /// The prompts, shortest first.
    pub ends: Vec<CachedPrompt>,
    /// Blocks of the messages of the context.
    pub blocks: PrefixSums<usize>,
}

impl CachedPrompts {
    /// Keeps the prompts of at most `length` messages.
    pub fn keep(&mut self, length: usize) {
        self.ends
            .truncate(self.ends.partition_point(|end| end.length <= length));
    }

    /// Adds the prompt that was sent, in place of those that are no shorter.
    pub fn push(&mut self, sent: CachedPrompt) {
        self.ends
            .truncate(self.ends.partition_point(|end| end.length < sent.length));
        self.ends.push(sent);
    }

    /// Reads the longest prompt that a mark at the end of the context finds: one that ends at most
    /// `back` blocks before it and is not over. Its lifetime begins again.
    pub fn read(&mut self, now: Option<i64>, back: usize) -> Option<CachedPrompt> {
        let blocks = &self.blocks;
        let near = |end: &&mut CachedPrompt| blocks.all() - blocks.up_to(end.length) <= back;
        let mut found = self.ends.iter_mut().rev().take_while(near);
        let end = found.find(|end| !end.is_over(now))?;
        end.used = now;
        Some(*end)
    }
}
