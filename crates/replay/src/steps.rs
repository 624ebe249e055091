//! The requests of a log, and the steps that build their contexts.

use deadhead_core::internal::dialect::usage::Usage;

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Index of its answer in the transcript's messages.
    pub message: u32,
    /// When it was sent, in milliseconds since 1970.
    pub start: Option<i64>,
    /// When its answer was written.
    pub end: Option<i64>,
    /// The time at which a gate sees its answer.
    pub seen: Option<i64>,
    /// Index of the model in the names of the session; 0 for none.
    pub model: u32,
    /// Index of the provider in the names of the session; 0 for none.
    pub provider: u32,
    /// The usage that the provider counted.
    pub usage: Option<Usage>,
    /// The usage that the provider counted for summaries written in the same request.
    pub summaries: Usage,
    /// Output tokens.
    pub output: u64,
    /// The cost that the log states, in dollars.
    pub usd: Option<f64>,
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
    /// A request is sent; its index in the requests of the session.
    Call(u32),
}

/// The reason why messages were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalReason {
    /// A summary replaced them, or nothing.
    Compaction,
    /// The conversation continued from an earlier message.
    Branch,
}
