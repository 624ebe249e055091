//! What a log holds of its next request beside the messages of its context.

use crate::{read_at::ReadAt, transcript::Transcript};
use std::io;

/// What is sent beside the messages of the context, or within them.
#[derive(Debug, Default)]
pub struct Beside {
    /// The system prompt, as the value of its member in a request.
    pub system: Option<String>,
    /// An item that is sent before all others.
    pub first: Option<String>,
    /// The list of the tools, as JSON.
    pub tools: Option<String>,
    /// Texts that are sent with messages, in their order.
    pub reminders: Vec<Reminder>,
    /// The names of texts that the agent sends and the log does not hold.
    pub lost: Vec<&'static str>,
}

/// A text that the agent sends with a message.
#[derive(Debug)]
pub struct Reminder {
    /// The index of the message.
    pub of: usize,
    /// The text, as JSON.
    pub text: String,
    /// The byte of the log from which it is.
    pub at: u64,
    /// Whether it stands behind results, not at the end of the last one.
    pub is_apart: bool,
}

/// Reads what is sent beside the context of a log. It fails where the log cannot be read any more.
pub type Reading = fn(context: &Transcript, log: &dyn ReadAt) -> io::Result<Beside>;
