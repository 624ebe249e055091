//! The context of a conversation under a policy, and what is carried from one of its requests to the next.

use super::{cache::Cached, tokens::Message};
use deadhead_core::{
    internal::{
        edit::{Cuts, Reaches},
        estimate,
        message_tokens::{ContextSums, MessageTokens, PrefixSums},
        transcript::{Role, Transcript},
    },
    settings::Estimator,
};
use std::{borrow::Cow, collections::BTreeMap};

/// A context, and what is carried from one of its requests to the next.
#[derive(Clone)]
pub struct Context<'a> {
    /// All messages of the session, as the estimator counts them, and their tokens.
    pub counted: &'a Transcript,
    tokens: &'a [Message],
    estimator: Estimator,
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

impl<'a> Context<'a> {
    /// Creates a context without messages.
    pub fn new(
        counted: &'a Transcript,
        tokens: &'a [Message],
        estimator: Estimator,
    ) -> Context<'a> {
        Context {
            counted,
            tokens,
            estimator,
            transcript: counted.without_messages(),
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

    /// Appends a message of the session. `continues`: it continues the answer before it.
    pub fn push(&mut self, message: u32, continues: bool) {
        let (i, at) = (message as usize, self.messages.len());
        self.transcript.push(self.counted, i, continues);
        let chars = estimate::message(&self.transcript, at, self.estimator);
        self.chars.push(chars);
        let is_answer = self.transcript.messages[at].role == Role::Assistant && !continues;
        self.answers.push(u32::from(is_answer));
        self.messages.push(message);
        let parts = self.counted.parts(i).count();
        self.cached.push(self.tokens[i].total, parts);
    }

    /// Replaces the first message by another of the session. Returns whether that was possible: both have equally many blocks, and nothing
    /// is cut from the first.
    pub fn replace_first(&mut self, message: u32) -> bool {
        let i = message as usize;
        let is_cut = self.kept.list().first().is_some_and(|cut| cut.message == 0);
        if is_cut || !self.transcript.replace_first(self.counted, i) {
            return false;
        }
        self.messages[0] = message;
        let chars = estimate::message(&self.transcript, 0, self.estimator);
        self.chars.replace_first(chars);
        self.sent.remove(&0);
        let parts = self.counted.parts(i).count();
        self.cached.replace_first(self.tokens[i].total, parts);
        self.counted_tokens.replace_first(&self.transcript);
        true
    }
}
