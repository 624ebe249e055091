//! The context of a conversation under a policy, and what is carried from one of its requests to the next.

use super::cache::Cached;
use deadhead_core::internal::edit::{Cuts, Reaches};
use deadhead_core::internal::estimate;
use deadhead_core::internal::message_tokens::{ContextSums, MessageTokens, PrefixSums};
use deadhead_core::internal::transcript::{Role, Transcript};
use deadhead_core::settings::Estimator;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A context, and what is carried from one of its requests to the next.
#[derive(Clone)]
pub struct Context {
    pub transcript: Transcript,
    /// The indices of its messages in the session.
    pub messages: Vec<u32>,
    /// Their chars, as the estimator counts them.
    pub chars: PrefixSums<u64>,
    /// The answers among them.
    pub answers: PrefixSums<u32>,
    /// The number of these messages that a request has sent.
    pub read: usize,
    /// The cuts of the context, if they are kept.
    pub kept: Cuts,
    /// What the passes have found in it.
    pub reaches: Reaches,
    /// The tokens cut from the newest prompt, by message of the context.
    pub sent: BTreeMap<u32, f64>,
    pub cached: Cached,
    /// The tokens of the context and the lifetime of its cache, as the requests so far show them.
    pub counted_tokens: MessageTokens,
}

impl Context {
    /// Creates a context of a transcript without messages.
    pub fn new(transcript: Transcript) -> Context {
        Context {
            transcript,
            messages: Vec::new(),
            chars: PrefixSums::default(),
            answers: PrefixSums::default(),
            read: 0,
            kept: Cuts::default(),
            reaches: Reaches::default(),
            sent: BTreeMap::new(),
            cached: Cached::default(),
            counted_tokens: MessageTokens::default(),
        }
    }

    /// Returns the sums over its messages.
    pub fn sums(&self) -> ContextSums<'_> {
        ContextSums {
            tokens: Cow::Borrowed(self.counted_tokens.sums()),
            parts: Cow::Borrowed(self.cached.blocks()),
            answers: Cow::Borrowed(&self.answers),
        }
    }

    /// Keeps the first `length` messages.
    pub fn truncate(&mut self, length: usize) {
        self.transcript.truncate(length);
        self.messages.truncate(length);
        self.chars.truncate(length);
        self.answers.truncate(length);
        self.read = self.read.min(length);
        self.kept.truncate(length as u32);
        self.reaches.truncate(length);
        self.sent.split_off(&(length as u32));
        self.cached.keep(length);
        self.counted_tokens.truncate(length);
    }

    /// Appends a message of `from`, which has so many tokens. `continues`: it continues the answer before it.
    pub fn push(
        &mut self,
        (from, message): (&Transcript, u32),
        continues: bool,
        tokens: f64,
        estimator: Estimator,
    ) {
        let (i, at) = (message as usize, self.messages.len());
        self.transcript.push(from, i, continues);
        let chars = estimate::message(&self.transcript, at, estimator);
        self.chars.push(chars);
        let is_answer = self.transcript.messages[at].role == Role::Assistant && !continues;
        self.answers.push(u32::from(is_answer));
        self.messages.push(message);
        self.cached.push(tokens, from.parts(i).count());
    }

    /// Replaces the first message by one of `from`, which has so many tokens. Returns whether that was possible: both have equally many
    /// blocks, and nothing is cut from the first.
    pub fn replace_first(
        &mut self,
        (from, message): (&Transcript, u32),
        tokens: f64,
        estimator: Estimator,
    ) -> bool {
        let i = message as usize;
        let is_cut = self.kept.list().first().is_some_and(|cut| cut.message == 0);
        if is_cut || !self.transcript.replace_first(from, i) {
            return false;
        }
        self.messages[0] = message;
        let chars = estimate::message(&self.transcript, 0, estimator);
        self.chars.replace_first(chars);
        self.sent.remove(&0);
        self.cached.replace_first(tokens, from.parts(i).count());
        self.counted_tokens.replace_first(&self.transcript);
        true
    }
}
