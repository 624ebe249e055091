//! Tokens of the messages of a context, from the prompts that the provider counted.
//!
//! What came between two requests made the difference of their prompts: the answer, which was counted, and the rest, which is shared among
//! the other messages by their length.

use crate::dialect::usage::Usage;
use crate::estimate::CHARS_PER_TOKEN;
use crate::transcript::{BlockKind, Role, Transcript};

/// Tokens that an image takes.
pub const IMAGE: f64 = 1500.0;
/// Tokens that a UTF-16 unit of text can have. What is outside was no text: dropped reasoning, another system prompt.
pub const LIKELY: std::ops::RangeInclusive<f64> = 0.1..=2.0;

/// Tokens of the first messages of a context, as far as prompts were counted.
#[derive(Clone, Debug, Default)]
pub struct MessageTokens {
    tokens: Vec<f64>,
    /// All of them.
    sum: f64,
    /// What stands before the messages in the newest prompt that was counted: the system prompt and the tools.
    front: Option<f64>,
    /// Output of the newest answer that was counted.
    said: Option<u64>,
    /// The newest prompt, and of how many messages the newest was that found next to nothing in the cache.
    prompt: u64,
    cached_from: usize,
}

impl MessageTokens {
    /// A prompt of the first `length` messages was counted.
    pub fn counted(&mut self, transcript: &Transcript, length: usize, usage: &Usage) {
        let from = self.tokens.len().min(length);
        if usage.cache_read < self.prompt.min(usage.prompt()) / 2 {
            self.cached_from = length;
        }
        self.prompt = usage.prompt();
        // The first message of the model is the answer to the prompt before; pieces of it follow.
        let said = self.said.filter(|output| *output > 0);
        let is_said = |i: usize| said.is_some() && transcript.messages[i].role == Role::Assistant;
        let (mut units, mut images) = (0, 0.0);
        for i in (from..length).filter(|&i| !is_said(i)) {
            let own = size(transcript, i);
            (units, images) = (units + own.0, images + own.1);
        }
        let (known, said) = (self.sum, said.filter(|_| (from..length).any(is_said)).unwrap_or(0) as f64);
        let text = self.front.map(|front| usage.prompt() as f64 - front - known - said - IMAGE * images);
        let measured = text.map(|text| text / units as f64).filter(|per_unit| LIKELY.contains(per_unit));
        let per_unit = measured.unwrap_or(1.0 / CHARS_PER_TOKEN as f64);
        let mut said = Some(said);
        for i in from..length {
            let (units, images) = size(transcript, i);
            self.tokens.push(if is_said(i) { said.take().unwrap_or(0.0) } else { units as f64 * per_unit + IMAGE * images });
        }
        self.sum += self.tokens[from..].iter().sum::<f64>();
        self.front = Some((usage.prompt() as f64 - self.sum).max(0.0));
        self.said = Some(usage.output);
    }

    /// Only the first `length` messages stay.
    pub fn truncate(&mut self, length: usize) {
        if length < self.tokens.len() {
            self.tokens.truncate(length);
            self.sum = self.tokens.iter().sum();
            self.said = None;
            self.cached_from = self.cached_from.min(length);
        }
    }

    /// Messages of the shortest prompt that can still be cached: those before it were lost, as a later prompt showed.
    pub fn cached_from(&self) -> usize {
        self.cached_from
    }

    /// Tokens of each message of `transcript`; four chars make a token where nothing was counted.
    pub fn of(&self, transcript: &Transcript) -> Vec<f64> {
        let guess = |i: usize| {
            let (units, images) = size(transcript, i);
            units as f64 / CHARS_PER_TOKEN as f64 + IMAGE * images
        };
        (0..transcript.messages.len()).map(|i| self.tokens.get(i).copied().unwrap_or_else(|| guess(i))).collect()
    }
}

/// UTF-16 units of text, and images, of message `i`.
fn size(transcript: &Transcript, i: usize) -> (u64, f64) {
    transcript.blocks_of(i).iter().fold((0, 0.0), |(units, images), block| match block.kind {
        BlockKind::Image => (units, images + 1.0),
        BlockKind::Result => (units, images),
        _ => (units + u64::from(block.chars), images),
    })
}
