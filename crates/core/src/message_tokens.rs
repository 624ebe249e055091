//! Counts tokens for each message of a context, from the prompt sizes that the provider reported.
//!
//! The messages between two requests account for the difference of their prompts: the answer, which
//! was counted, and the rest, which is shared among the other messages by their length.

use crate::{
    dialect::usage::{Usage, is_cached_long},
    estimate::CHARS_PER_TOKEN,
    transcript::{Block, BlockKind, Role, Transcript},
};
use std::{
    borrow::Cow,
    ops::{Add, Range, RangeInclusive},
    rc::Rc,
};

/// Tokens that an image takes.
const IMAGE: f64 = 1500.0;
/// Tokens that a UTF-16 unit of text can have. A value outside has another cause than text: dropped
/// reasoning, another system prompt.
const LIKELY: RangeInclusive<f64> = 0.1..=2.0;
/// The difference of two counted prompts from which on they show how many chars make a token.
const ENOUGH: f64 = 2_000.0;
/// The least and the most chars that a token has, in any script and any kind of text.
pub const LIKELY_RATES: RangeInclusive<f64> = 1.0..=8.0;

/// The size of sent content: text, images, and the model's own output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// UTF-16 units of text.
    pub units: u64,
    /// Images.
    pub images: u32,
    /// Tokens that the provider counted when the model said it. Its text is not in `units` then:
    /// logs leave out reasoning.
    pub said: u64,
}

impl Weight {
    /// Returns the weight of blocks, including their content.
    pub fn of(blocks: &[Block]) -> Weight {
        let mut weight = Weight::default();
        for block in blocks {
            match block.kind {
                BlockKind::Image => weight.images += 1,
                BlockKind::Result => {}
                _ => weight.units += u64::from(block.chars),
            }
        }
        weight
    }

    /// Returns its tokens, if a unit of text has `per_unit` tokens and each token of output is sent
    /// again as `said_again`.
    pub fn tokens(self, per_unit: f64, said_again: f64) -> f64 {
        self.units as f64 * per_unit
            + IMAGE * f64::from(self.images)
            + said_again * self.said as f64
    }

    /// Returns the tokens of a unit of text, if all of it has `tokens`; `None` if no text can have
    /// as many.
    pub fn per_unit(self, tokens: f64, said_again: f64) -> Option<f64> {
        let per_unit = (tokens - self.tokens(0.0, said_again)) / self.units as f64;
        Some(per_unit).filter(|per_unit| LIKELY.contains(per_unit))
    }
}

impl Add for Weight {
    type Output = Weight;

    fn add(self, other: Weight) -> Weight {
        Weight {
            units: self.units + other.units,
            images: self.images + other.images,
            said: self.said + other.said,
        }
    }
}

/// Sums over the first messages of a context that grows, and of which the first message may be
/// replaced.
#[derive(Clone, Debug)]
pub struct PrefixSums<T> {
    /// The value of the first message.
    first: T,
    /// For each number of messages the sum over them, without the first.
    rest: Vec<T>,
}

impl<T: Copy + Default> Default for PrefixSums<T> {
    fn default() -> PrefixSums<T> {
        PrefixSums {
            first: T::default(),
            rest: vec![T::default()],
        }
    }
}

impl<T: Copy + Default + Add<Output = T>> PrefixSums<T> {
    /// Appends the value of a message.
    pub fn push(&mut self, value: T) {
        let last = self.rest[self.length()];
        let is_first = self.rest.len() == 1;
        if is_first {
            self.first = value;
        }
        self.rest.push(if is_first { last } else { last + value });
    }

    /// Returns the number of messages.
    pub fn length(&self) -> usize {
        self.rest.len() - 1
    }

    /// Keeps the first `length` messages.
    pub fn truncate(&mut self, length: usize) {
        self.rest.truncate(length + 1);
    }

    /// Replaces the value of the first message.
    pub fn replace_first(&mut self, value: T) {
        self.first = value;
    }

    /// Returns the sum over the first `length` messages.
    pub fn up_to(&self, length: usize) -> T {
        match length {
            0 => T::default(),
            _ => self.first + self.rest[length],
        }
    }

    /// Returns the sum over all messages.
    pub fn all(&self) -> T {
        self.up_to(self.length())
    }
}

/// Sums over the messages of a context: their tokens as it came, their parts, and the answers among
/// them.
#[derive(Clone, Debug)]
pub struct ContextSums<'a> {
    /// Tokens.
    pub tokens: Cow<'a, PrefixSums<f64>>,
    /// Parts.
    pub parts: Cow<'a, PrefixSums<usize>>,
    /// Messages that begin an answer.
    pub answers: Cow<'a, PrefixSums<u32>>,
}

impl ContextSums<'static> {
    /// Returns the sums over a transcript whose messages have these tokens.
    pub fn of(transcript: &Transcript, tokens: &[f64]) -> ContextSums<'static> {
        let (mut all, mut parts, mut answers) = Default::default();
        for (i, (message, tokens)) in transcript.messages.iter().zip(tokens).enumerate() {
            PrefixSums::push(&mut all, *tokens);
            PrefixSums::push(&mut parts, transcript.parts(i).count());
            let is_answer = message.role == Role::Assistant && !message.continues;
            PrefixSums::push(&mut answers, u32::from(is_answer));
        }
        ContextSums {
            tokens: Cow::Owned(all),
            parts: Cow::Owned(parts),
            answers: Cow::Owned(answers),
        }
    }
}

/// A request that the provider counted.
#[derive(Clone, Copy, Debug)]
pub struct CountedRequest {
    /// The number of messages in its prompt.
    pub length: usize,
    /// The counts.
    pub usage: Usage,
    /// The time at which it was sent, in milliseconds since 1970.
    pub sent: Option<i64>,
    /// The time of its answer.
    pub answered: Option<i64>,
}

/// The tokens of a context as it came.
#[derive(Clone, Copy, Debug)]
pub struct ContextTokens {
    /// All of them.
    pub tokens: f64,
    /// Chars that make a token.
    pub rate: f64,
    /// Their source: `recorded` in the log, `fitted` to what it recorded, or `chars`, four a token.
    pub source: &'static str,
}

impl ContextTokens {
    /// The estimate for a context of `chars` chars.
    pub fn estimated(chars: u64) -> ContextTokens {
        let rate = CHARS_PER_TOKEN as f64;
        ContextTokens {
            tokens: chars as f64 / rate,
            rate,
            source: "chars",
        }
    }

    /// Returns the tokens of a context with these requests, whose prompts the provider counted;
    /// `None` if the counts are not of these messages. `chars` has the chars of each message.
    /// `shortened` counts the messages before the last answer that an earlier run cut: earlier
    /// counts are not of such a message as it is now.
    pub fn of(
        chars: &PrefixSums<u64>,
        requests: &[CountedRequest],
        shortened: &PrefixSums<u32>,
    ) -> Option<ContextTokens> {
        let (first, last) = (requests.first()?, requests.last()?);
        let end = chars.length();
        let chars =
            |range: Range<usize>| (chars.up_to(range.end) - chars.up_to(range.start)) as f64;
        let is_whole = |range: Range<usize>| {
            let known = |end: usize| shortened.up_to(end.min(shortened.length()));
            known(range.start) == known(range.end)
        };
        let newest = last.usage.prompt() as f64;
        if newest < chars(0..last.length) / LIKELY_RATES.end() {
            return None;
        }
        let ends = [*first, *last];
        let requests = match is_whole(0..last.length) {
            true => &ends,
            false => requests,
        };
        let gaps = requests.windows(2).map(|pair| {
            let [before, prompt] = [0, 1].map(|i: usize| pair[i].usage.prompt() as f64);
            (pair[0].length..pair[1].length, before, prompt)
        });
        let grown = gaps
            .clone()
            .filter(|(gap, before, prompt)| prompt > before && is_whole(gap.clone()));
        let (text, growth) = grown.fold((0.0, 0.0), |(text, growth), (gap, before, prompt)| {
            (text + chars(gap), growth + prompt - before)
        });
        let rate = Some(text / growth)
            .filter(|rate| growth >= ENOUGH && LIKELY_RATES.contains(rate))
            .unwrap_or(CHARS_PER_TOKEN as f64);
        let since = (chars(last.length..end) / rate).round();
        if is_whole(0..last.length) {
            return Some(ContextTokens {
                tokens: newest + since,
                rate,
                source: "recorded",
            });
        }
        // A prompt grew by the counted tokens or, if text was cut since, by what is left of the
        // text, at four chars a token or more, so that a second run cuts nothing more. A prompt
        // that shrank to about as much was counted without the cut text.
        let mut whole = first.usage.prompt() as f64;
        for (gap, before, prompt) in gaps {
            let growth = (prompt - before).max(0.0);
            let text = chars(gap.clone());
            // The text cannot have that many tokens: some of it was removed.
            let is_there = is_whole(gap) && growth * LIKELY_RATES.start() <= text;
            let left = text / rate.max(CHARS_PER_TOKEN as f64);
            whole = match prompt - whole < before - prompt {
                true => prompt,
                false if is_there => whole + growth,
                false => whole + left.min(growth),
            };
        }
        Some(ContextTokens {
            tokens: whole + since,
            rate,
            source: "fitted",
        })
    }

    /// Returns the tokens that are left if `chars` of the context are removed.
    pub fn without(&self, chars: f64) -> f64 {
        (self.tokens - chars / self.rate).max(0.0)
    }
}

/// A pause between two requests.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// Its length in milliseconds.
    pub idle: i64,
    /// Whether the prompt was still cached after it.
    pub is_kept: bool,
}

/// The number of requests whose pauses are looked at: what a provider did long ago says little.
pub const RECENT: usize = 64;

/// Returns the pauses between the newest requests.
pub fn pauses(requests: &[CountedRequest]) -> Vec<Pause> {
    let requests = &requests[requests.len().saturating_sub(RECENT)..];
    let between = |before: &CountedRequest, next: &CountedRequest| {
        let shared = before.usage.prompt().min(next.usage.prompt());
        Some(Pause {
            idle: next.sent?.saturating_sub(before.answered?),
            is_kept: next.usage.cache_read > shared / 2,
        })
    };
    let pairs = requests.windows(2);
    pairs
        .filter_map(|pair| between(&pair[0], &pair[1]))
        .collect()
}

/// Tokens of the first messages of a context, as far as prompts were counted.
#[derive(Clone, Debug, Default)]
pub struct MessageTokens {
    /// Tokens of the messages that were counted, and estimates for the newest ones.
    tokens: Rc<Vec<f64>>,
    /// The number of messages that were counted, and the sum of their tokens.
    known: usize,
    sum: f64,
    /// Sums over all of them.
    sums: PrefixSums<f64>,
    /// The tokens before the messages in the newest prompt that was counted: the system prompt and
    /// the tools.
    front: Option<f64>,
    /// Output of the newest answer that was counted.
    said: Option<u64>,
    /// The newest prompt, and the number of messages of the newest prompt that read next to nothing
    /// from the cache.
    prompt: u64,
    cached_from: usize,
    /// Each request that was counted, with the messages of its prompt.
    requests: Vec<CountedRequest>,
    /// Counts the messages that an earlier run cut: the counts are not of their text.
    shortened: PrefixSums<u32>,
}

impl MessageTokens {
    /// Notes that a prompt of the first `length` messages was counted. `shortened` says whether an
    /// earlier run cut a message. Returns the first message whose tokens changed.
    pub fn counted(
        &mut self,
        transcript: &Transcript,
        request: CountedRequest,
        shortened: impl Fn(usize) -> bool,
    ) -> usize {
        let CountedRequest { length, usage, .. } = request;
        let from = self.known.min(length);
        for i in self.shortened.length()..length {
            self.shortened.push(shortened(i).into());
        }
        self.requests.push(request);
        if usage.cache_read < self.prompt.min(usage.prompt()) / 2 {
            self.cached_from = length;
        }
        self.prompt = usage.prompt();
        // The first message of the model is the answer to the prompt before; pieces of it follow.
        let output = self.said.filter(|output| *output > 0);
        let mut said = output;
        let weight = |i: usize| match transcript.messages[i].role {
            Role::Assistant if output.is_some() => Weight {
                said: said.take().unwrap_or(0),
                ..Weight::default()
            },
            _ => Weight::of(transcript.blocks_of(i)),
        };
        let weights: Vec<Weight> = (from..length).map(weight).collect();
        let sum = weights
            .iter()
            .fold(Weight::default(), |sum, weight| sum + *weight);
        let measured = self
            .front
            .filter(|_| self.shortened.up_to(from) == self.shortened.up_to(length))
            .and_then(|front| sum.per_unit(usage.prompt() as f64 - front - self.sum, 1.0));
        let per_unit = measured.unwrap_or(1.0 / CHARS_PER_TOKEN as f64);
        self.continue_with(weights.iter().map(|weight| weight.tokens(per_unit, 1.0)));
        self.sum += self.tokens[from..].iter().sum::<f64>();
        self.known = self.tokens.len();
        self.front = Some((usage.prompt() as f64 - self.sum).max(0.0));
        self.said = Some(usage.output);
        from
    }

    /// Keeps the first `length` messages.
    pub fn truncate(&mut self, length: usize) {
        if length == 0 {
            // The measures of another context do not apply to a new one.
            *self = MessageTokens::default();
        }
        if length < self.known {
            self.sum -= self.tokens[length..self.known].iter().sum::<f64>();
            self.known = length;
            self.said = None;
            self.cached_from = self.cached_from.min(length);
        }
        self.shortened.truncate(length);
        self.continue_with([]);
        // The answer to a prompt comes after its messages.
        let is_before = |request: &CountedRequest| request.length < length;
        self.requests
            .truncate(self.requests.partition_point(is_before));
    }

    /// Replaces the first message: its tokens are estimated, and earlier prompts are not cached.
    pub fn replace_first(&mut self, transcript: &Transcript) {
        if self.known == 0 {
            return;
        }
        let first = estimated(transcript, 0);
        self.sums.replace_first(first);
        let more = first - std::mem::replace(&mut Rc::make_mut(&mut self.tokens)[0], first);
        self.sum += more;
        self.front = self.front.map(|front| (front - more).max(0.0));
        (self.said, self.cached_from) = (None, 0);
    }

    /// Whether a prompt of the first `length` messages, or of more, was counted.
    pub fn is_counted(&self, length: usize) -> bool {
        let newest = self.requests.last();
        newest.is_some_and(|newest| newest.length >= length)
    }

    /// Returns the tokens of the whole context, whose messages have these chars.
    pub fn context(&self, chars: &PrefixSums<u64>) -> Option<ContextTokens> {
        ContextTokens::of(chars, &self.requests, &self.shortened)
    }

    /// Returns the pauses between the requests.
    pub fn pauses(&self) -> Vec<Pause> {
        pauses(&self.requests)
    }

    /// Whether the prompts are cached for an hour, if the counts show it.
    pub fn is_cached_long(&self) -> Option<bool> {
        is_cached_long(self.requests.iter().rev().map(|request| request.usage))
    }

    /// Returns the number of messages of the shortest prompt that can still be cached: a later
    /// prompt showed that shorter ones were lost.
    pub fn cached_from(&self) -> usize {
        self.cached_from
    }

    /// Tokens of each message of `transcript`; four chars make a token where nothing was counted.
    pub fn of(&mut self, transcript: &Transcript) -> Rc<Vec<f64>> {
        let unknown = self.known..transcript.messages.len();
        self.continue_with(unknown.map(|i| estimated(transcript, i)));
        self.tokens.clone()
    }

    /// Appends the tokens of messages to the known ones.
    fn continue_with(&mut self, new: impl IntoIterator<Item = f64>) {
        let all = Rc::make_mut(&mut self.tokens);
        all.truncate(self.known);
        self.sums.truncate(self.known);
        for tokens in new {
            all.push(tokens);
            self.sums.push(tokens);
        }
    }

    /// Returns the sums of the tokens that [`MessageTokens::of`] returned last.
    pub fn sums(&self) -> &PrefixSums<f64> {
        &self.sums
    }
}

/// Returns the tokens of a message without counts.
fn estimated(transcript: &Transcript, i: usize) -> f64 {
    Weight::of(transcript.blocks_of(i)).tokens(1.0 / CHARS_PER_TOKEN as f64, 1.0)
}
