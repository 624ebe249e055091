//! The plan: cuts that passes proposed and that were accepted, and the transcript with these cuts.
//!
//! A pass sees a [`View`](super::View), so that it meets the sizes that earlier passes left, and answers with [`Cut`]s. A cut names
//! a block or a message, not bytes; [`Edits`](super::Edits) turn the plan into edits. One block has one cut: a later one replaces
//! the earlier one, and a cut that removes a whole message replaces all cuts in it.

use crate::diagnostics::{Reranked, Skip};
use crate::transcript::Span;
use std::fmt;
use std::sync::Arc;

/// Name, in the place of a pass, of cuts that an earlier run made.
pub const REMEMBERED: &str = "sticky";
/// Name, in the place of a pass, of cuts that an agent wrote down in its log.
pub const RECORDED: &str = "marker";

/// One change, all or nothing.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Pass that proposes it.
    pub pass: &'static str,
    /// Index of the message in the transcript.
    pub message: u32,
    /// Index of the block in the transcript, of those that lie side by side in its message; for
    /// [`Action::DropMessage`] where the message's blocks begin.
    pub block: u32,
    /// The operation on the block.
    pub action: Action,
    /// Chars of what it concerns as it came, as the estimator counts them.
    pub chars_before: u64,
    /// Chars that are left.
    pub chars_after: u64,
    /// Whether it follows from another cut rather than from what the pass looked for.
    pub linked: bool,
    /// Why.
    pub reason: Reason,
}

/// The reason of a cut, printed as one line. Many cuts of a plan may share one.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The same for many cuts.
    Shared(Arc<str>),
    /// A text of `chars` UTF-16 units is larger than the limit.
    Larger {
        /// Its length.
        chars: u64,
        /// The limit, `softTrim.maxChars`.
        limit: u64,
    },
}

impl Cut {
    /// Whether an earlier run or the agent made it: the provider has seen what it left.
    pub fn is_earlier(&self) -> bool {
        [REMEMBERED, RECORDED].contains(&self.pass)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Shared(text) => f.write_str(text),
            Reason::Larger { chars, limit } => write!(f, "{chars} chars, more than maxChars {limit}"),
        }
    }
}

/// A change of what a body keeps outside its messages: a list in its system prompt, or its documents. It counts no chars.
#[derive(Clone, Debug)]
pub struct OuterTextCut {
    /// Pass that proposes it.
    pub pass: &'static str,
    /// Index into [`Request::outside`](crate::transcript::Request::outside).
    pub place: u32,
    /// The replacement; its spans are those of the record.
    pub rewrite: Rewrite,
    /// Why.
    pub reason: Reason,
}

/// The operation of a cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Replaces the content of a result by its head and tail and a note.
    Trim(Trim),
    /// Replaces the content of a result by a placeholder.
    Clear(Arc<str>),
    /// Puts other bytes in the place of a stretch of the record that holds a block, or several side by side.
    Rewrite(Rewrite),
    /// Puts an empty object in the place of a call's arguments.
    ClearInput(Rewrite),
    /// Takes the whole block away: an element of its message's content, a result with what is in it.
    Drop,
    /// Takes the whole message away, with the lines or elements that it is made of.
    DropMessage,
}

impl Action {
    /// The word for reports.
    pub fn name(&self) -> &'static str {
        match self {
            Action::Trim(_) => "trim",
            Action::Clear(_) => "clear",
            Action::Rewrite(_) => "rerank",
            Action::ClearInput(_) => "clear-input",
            Action::Drop | Action::DropMessage => "drop",
        }
    }

    /// Whether blocks or messages go, and not only text in them.
    pub fn is_structural(&self) -> bool {
        !matches!(self, Action::Trim(_) | Action::Clear(_))
    }
}

/// Other bytes for a stretch of a record, which must be JSON again where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// Bytes of the record that go.
    pub span: Span,
    /// The replacement: stretches of the record, also from outside `span` and in any order, and new bytes, all inserted unchanged.
    pub segments: Vec<Segment>,
}

/// A trimmed result: segments of its texts, in order, and new text between and after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trim {
    /// Source ranges and literals of the new text.
    pub segments: Vec<Segment>,
}

/// A piece of new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Bytes of the record, already escaped as the inside of a JSON string.
    Source(Span),
    /// New text, escaped as the inside of a JSON string.
    Literal(String),
}

/// The proposal of a pass.
#[derive(Debug, Default)]
pub struct Proposal {
    /// Cuts, in the order of the transcript.
    pub cuts: Vec<Cut>,
    /// Changes outside the messages.
    pub outside: Vec<OuterTextCut>,
    /// The parts that it examined and left unchanged.
    pub skipped: Vec<Skip>,
    /// Lists of chunks that it ranked, whether they change or not.
    pub reranked: Vec<Reranked>,
    /// Why it did nothing, if it did nothing for a reason of its own.
    pub note: Option<String>,
    /// The warnings for the user.
    pub warnings: Vec<String>,
    /// Turns that its cuts remove as a whole.
    pub turns_removed: u64,
}
