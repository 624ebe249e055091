//! The results that passes may still cut, for callers that cut the same growing context many times,
//! as a replay does before each request.
//!
//! A pass looks for candidates from the beginning on. Those that it has found, and not settled for
//! good, are all that is left of the messages that it looked at.

use super::View;
use crate::message_tokens::PrefixSums;
use std::{cell::RefCell, collections::HashMap};

/// A call with its result, or one of the two alone; each by its message and block.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolUse {
    /// The call.
    pub call: Option<(u32, u32)>,
    /// The result.
    pub result: Option<(u32, u32)>,
    /// Whether the step leaves it alone by its tool, by what its result is, or because it was done
    /// before.
    pub excluded: bool,
    /// Whether it is what the step would make of it, by an earlier step or run.
    pub done: bool,
    /// Whether it is kept, or must stay.
    pub stays: bool,
    /// Whether the step clears the arguments of its call, which are not cleared yet.
    pub clears_input: bool,
    /// Whether it is excluded in all later requests as well.
    pub settled: bool,
    /// The number of uses before it.
    pub rank: u32,
}

impl ToolUse {
    /// A result, without its call.
    pub fn of_result(result: (u32, u32)) -> ToolUse {
        ToolUse {
            result: Some(result),
            ..ToolUse::default()
        }
    }

    /// Its tool.
    pub fn tool<'a>(&self, view: &View<'a>) -> &'a str {
        let part = self.call.or(self.result);
        part.map_or("", |(_, block)| view.tool(block))
    }

    /// Whether the step may cut it.
    pub fn is_candidate(&self) -> bool {
        !self.excluded && !self.stays
    }

    /// Whether its parts are in the first `length` messages; `None` if only one is.
    fn is_within(&self, length: usize) -> Option<bool> {
        let mut parts = self.call.into_iter().chain(self.result);
        let is_within = |(message, _): (u32, u32)| (message as usize) < length;
        let first = parts.next().is_some_and(is_within);
        parts.all(|part| is_within(part) == first).then_some(first)
    }
}

/// What the passes found.
#[derive(Clone, Debug, Default)]
pub struct Reaches {
    /// For each pass, and each step by its number from 1, how far it has looked.
    of: RefCell<HashMap<(&'static str, usize), Reach>>,
    /// The tokens of the messages.
    pub counted: RefCell<CountedMessages>,
    /// What the results save that wait until it pays to clear them, and what those save that go
    /// along with them.
    pub waiting: RefCell<[Savings; 2]>,
}

/// The tokens of messages, for a step that counts each of them.
#[derive(Clone, Debug, Default)]
pub struct CountedMessages {
    /// The tokens of each message.
    pub tokens: Vec<i64>,
    /// Their sum.
    pub whole: i64,
    /// The number of cut messages, of [`super::View::cut_messages`], that were counted anew.
    pub cut: usize,
}

/// What cuts save, in the order of the messages that they change.
#[derive(Clone, Debug, Default)]
pub struct Savings {
    /// For each cut the first message that it changes, and its block.
    pub cuts: Vec<(u32, u32)>,
    /// The tokens that each saves in a request.
    pub tokens: PrefixSums<f64>,
    /// The number of cut messages, of [`super::View::cut_messages`], that were looked at.
    pub seen: usize,
    /// The first message whose tokens or cuts may be others since.
    pub changed: Option<u32>,
}

impl Savings {
    /// Adds a cut behind the others.
    pub fn push(&mut self, cut: (u32, u32), tokens: f64) {
        self.cuts.push(cut);
        self.tokens.push(tokens);
    }

    /// Returns the number of cuts that only change messages before `message`.
    pub fn before(&self, message: u32) -> usize {
        self.cuts.partition_point(|cut| cut.0 < message)
    }

    /// Removes the cuts that change nothing before `message`, and returns them.
    pub fn take_from(&mut self, message: u32) -> Vec<(u32, u32)> {
        let left = self.before(message);
        self.tokens.truncate(left);
        self.cuts.split_off(left)
    }
}

/// The messages that a pass has looked at.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The first message after these.
    pub end: usize,
    /// The uses in these that it may still cut.
    pub open: Vec<ToolUse>,
}

impl Reaches {
    /// Returns how far a pass has looked, of the messages before `end`.
    pub fn of(&self, pass: (&'static str, usize), end: usize) -> Reach {
        let reach = self.of.borrow().get(&pass).cloned();
        reach.filter(|reach| reach.end <= end).unwrap_or_default()
    }

    /// Notes how far a pass has looked.
    pub fn note(&self, pass: (&'static str, usize), reach: Reach) {
        self.of.borrow_mut().insert(pass, reach);
    }

    /// Notes that a pass will never cut a result, as long as its message stays.
    pub fn settle(&self, pass: &'static str, settled: impl Fn(u32) -> bool) {
        if let Some(reach) = self.of.borrow_mut().get_mut(&(pass, 0)) {
            let is_open = |one: &ToolUse| one.result.is_some_and(|(_, block)| !settled(block));
            reach.open.retain(is_open);
        }
    }

    /// Notes that the tokens of message `from` and of those behind it are others.
    pub fn recount(&mut self, from: usize) {
        let changed = &mut self.waiting.get_mut()[0].changed;
        *changed = Some(changed.map_or(from as u32, |first| first.min(from as u32)));
    }

    /// Keeps what was found in the first `length` messages.
    pub fn truncate(&mut self, length: usize) {
        *self.counted.get_mut() = CountedMessages::default();
        for waiting in self.waiting.get_mut() {
            waiting.take_from(length as u32);
            waiting.seen = 0;
        }
        for reach in self.of.get_mut().values_mut() {
            if reach.open.iter().any(|one| one.is_within(length).is_none()) {
                *reach = Reach::default();
            }
            reach.end = reach.end.min(length);
            reach.open.retain(|one| one.is_within(length) == Some(true));
        }
    }
}
