//! The requests of a log, and the steps that build their contexts.

use deadhead_core::internal::dialect::usage::Usage;
use std::{
    collections::HashMap,
    ops::{Deref, DerefMut},
};

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Index of its answer in the transcript's messages.
    pub message: u32,
    /// When it was sent, in milliseconds since 1970.
    pub start: Option<i64>,
    /// When its answer was written.
    pub end: Option<i64>,
    /// The time at which the cache policy sees its answer.
    pub seen: Option<i64>,
    /// Index of the model in the names of the session; 0 for none.
    pub model: u32,
    /// Index of the provider in the names of the session; 0 for none.
    pub provider: u32,
    /// What changes its price, as indices of the names of the session; 0 for none.
    pub tiers: [u32; 3],
    /// Why the cache was not read by the provider's word, as an index of the names of the session; 0 for none.
    pub miss: u32,
    /// The usage that the provider counted.
    pub usage: Option<Usage>,
    /// The usage that the provider counted for summaries written in the same request.
    pub summaries: Usage,
    /// Output tokens.
    pub output: u64,
    /// The cost that the log states, in dollars.
    pub usd: Option<f64>,
    /// Whether another session made it, and this log begins with a copy of it.
    pub is_history: bool,
}

impl Call {
    /// Returns the usage, if the provider counted a prompt.
    pub fn counted(&self) -> Option<Usage> {
        self.usage.filter(|usage| usage.prompt() > 0)
    }
}

/// A change of a thread's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Only this number of messages stays, from the front.
    Keep(u32, RemovalReason),
    /// A message is appended.
    Push {
        /// Index of the transcript's messages.
        message: u32,
        /// Whether it continues the assistant message before it.
        continues: bool,
    },
    /// The first message, a summary, is replaced by another; the others stay, and the provider is sent all of them anew.
    Summary(u32),
    /// The thread continues on this branch; one that is new begins as the one before is now. Whether it does not come back to that.
    Branch(u32, bool),
    /// A request is sent; its index in the requests of the session.
    Call(u32),
}

/// A state for each branch of a thread; derefs to that of the branch on which the thread is.
#[derive(Debug)]
pub struct Branched<T> {
    now: u32,
    state: T,
    others: HashMap<u32, T>,
}

/// Takes a state through the steps of each thread, on each branch that of its own.
pub fn walk<T: Clone + Default>(threads: &[Vec<Step>], mut take: impl FnMut(&mut T, Step)) {
    for steps in threads {
        let mut state = Branched::new(T::default());
        for step in steps {
            match *step {
                Step::Branch(to, ends) => state.turn(to, ends),
                step => take(&mut state, step),
            }
        }
    }
}

impl<T: Clone> Branched<T> {
    /// Creates the state of the first branch.
    pub fn new(first: T) -> Branched<T> {
        Branched {
            now: 0,
            state: first,
            others: HashMap::new(),
        }
    }

    /// Continues on a branch. `ends`: the state of the one that is left is not needed again.
    pub fn turn(&mut self, to: u32, ends: bool) {
        let next = self
            .others
            .remove(&to)
            .unwrap_or_else(|| self.state.clone());
        let before = std::mem::replace(&mut self.state, next);
        if !ends {
            self.others.insert(self.now, before);
        }
        self.now = to;
    }
}

impl<T> Deref for Branched<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.state
    }
}

impl<T> DerefMut for Branched<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.state
    }
}

/// The reason why messages were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalReason {
    /// A summary replaced them, or nothing.
    Compaction,
    /// The conversation continued from an earlier message.
    Branch,
}
