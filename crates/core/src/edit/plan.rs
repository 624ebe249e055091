//! The plan: cuts that passes proposed and that were accepted, and the transcript with these cuts.
//!
//! A pass sees a [`View`](super::View), so that it meets the sizes that earlier passes left, and
//! answers with [`Cut`]s. A cut names a block or a message, not bytes; [`Edits`](super::Edits) turn
//! the plan into edits. One block has one cut: a later one replaces the earlier one, and a cut that
//! removes a whole message replaces all cuts in it.

use crate::{
    diagnostics::{Reranked, Skip},
    transcript::Span,
};
use std::sync::Arc;

/// The name, used like that of a pass, of cuts made in an earlier run.
pub const REMEMBERED: &str = "sticky";
/// The name, used like that of a pass, of cuts that an agent recorded in its log.
pub const RECORDED: &str = "marker";

/// One change, all or nothing.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Pass that proposes it.
    pub pass: &'static str,
    /// Index of the message in the transcript.
    pub message: u32,
    /// Index of the block in the transcript; it is a part of its message, not of a result. For
    /// [`Action::DropMessage`] the index of the message's first block.
    pub block: u32,
    /// The operation on the block.
    pub action: Action,
    /// Chars of the block or message before the cut, as the estimator counts them.
    pub chars_before: u64,
    /// Chars after the cut.
    pub chars_after: u64,
    /// Whether the cut follows from another cut.
    pub linked: bool,
    /// The reason for reports.
    pub reason: Reason,
}

/// The reason of a cut, printed as one line. Many cuts of a plan may share one.
pub type Reason = Arc<str>;

impl Cut {
    /// Returns whether the cut was made in an earlier run or by the agent, so that the provider has
    /// seen its result.
    pub fn is_earlier(&self) -> bool {
        [REMEMBERED, RECORDED].contains(&self.pass)
    }
}

/// A change of text outside the messages: a list in the system prompt, or documents. It counts no
/// chars.
#[derive(Debug)]
pub struct OuterTextCut {
    /// Pass that proposes it.
    pub pass: &'static str,
    /// Index into [`Request::outside`](crate::transcript::Request::outside).
    pub place: u32,
    /// The replacement; its spans are those of the record.
    pub rewrite: Rewrite,
    /// The reason for reports.
    pub reason: Reason,
}

/// The operation of a cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Replaces the content of a result by its head and tail and a note.
    Trim(Vec<Segment>),
    /// Replaces the content of a result by a placeholder.
    Clear(Arc<str>),
    /// Leaves the result as it is, for the provider's server to clear; with the tools that the
    /// server is told to leave alone.
    Server(Arc<[String]>),
    /// Replaces a range of the record that contains one block or several consecutive ones.
    Rewrite(Rewrite),
    /// Replaces a call's arguments by an empty object.
    ClearInput(Rewrite),
    /// Takes the whole block away: an element of its message's content, a result with what is in
    /// it.
    Drop,
    /// Removes the message, with the lines or elements that contain it.
    DropMessage,
}

impl Action {
    /// Returns the word for reports.
    pub fn name(&self) -> &'static str {
        match self {
            Action::Trim(_) => "trim",
            Action::Clear(_) | Action::Server(_) => "clear",
            Action::Rewrite(_) => "rerank",
            Action::ClearInput(_) => "clear-input",
            Action::Drop | Action::DropMessage => "drop",
        }
    }

    /// Returns whether the cut removes or replaces more than the text of a result.
    pub fn is_structural(&self) -> bool {
        !matches!(self, Action::Trim(_) | Action::Clear(_) | Action::Server(_))
    }

    /// Returns the tools that the server leaves alone, if it is the server that clears.
    pub fn by_server(&self) -> Option<&Arc<[String]>> {
        match self {
            Action::Server(tools) => Some(tools),
            _ => None,
        }
    }

    /// Returns whether the cut removes a part.
    pub fn removes(&self) -> bool {
        matches!(self, Action::Drop | Action::DropMessage)
    }
}

/// A replacement of a range of a record. The record must stay valid JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The range of the record that is replaced.
    pub span: Span,
    /// The replacement: ranges of the record, in any order and also from outside `span`, and new
    /// bytes, all inserted as they are.
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
    /// The parts that the pass examined and left unchanged.
    pub skipped: Vec<Skip>,
    /// Lists of chunks that the pass ranked, whether they change or not.
    pub reranked: Vec<Reranked>,
    /// The reason if the pass did nothing.
    pub note: Option<String>,
    /// The warnings for the user.
    pub warnings: Vec<String>,
    /// The number of whole turns that the cuts remove.
    pub turns_removed: u64,
}
