//! Metadata of messages and blocks: notes on a few of them, the parts of a request outside its messages, and copies of results
//! elsewhere in a log.

use super::Span;
use crate::json::Id;
use std::fmt;

/// A note on a block, for facts that only a few blocks have. Notes are in the order of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// Index into [`Transcript::blocks`](super::Transcript::blocks).
    pub block: u32,
    /// The content of the note.
    pub kind: NoteKind,
}

/// The content of a [`Note`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// The block carries a cache mark, for an hour or for five minutes.
    Mark {
        /// An hour.
        long: bool,
    },
    /// A call that the provider answers itself, with its id.
    ServerCall(Id),
    /// The provider's answer to the call of this id.
    ServerResult(Id),
    /// The call was made by the server tool of this id.
    Caller(Id),
    /// The summary of all messages before its own, which the provider ignores.
    Compaction,
    /// Reasoning that is as `reasoning_content` beside a message's content.
    ReasoningContent,
    /// A part that carries Gemini's signature of a thought.
    Signature,
    /// A call that only a picture of the screen answers.
    Screen,
    /// The `type` member of an item's text: input (`input_text`), output, or another one.
    TextTypeMember(TextTypeMember),
    /// Something about the block that some providers refuse.
    Fault(Fault),
    /// The same of the item that the block begins, or is in.
    Item {
        /// The kind of fault.
        fault: ItemFault,
        /// The number of the item, from 1.
        number: u32,
    },
}

/// The type member of an item's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextTypeMember {
    /// `input_text`.
    Input,
    /// `output_text`.
    Output,
    /// `text`, as in other interfaces.
    Plain,
}

/// A fault of a single block that some providers refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not say what it is (`type`), or is no object.
    Untyped,
    /// A call in a list of calls has no id.
    NoId,
    /// A text has no text.
    NoText,
    /// The arguments of a call or the content of a result are no object, which they must be in this interface.
    NoObject,
    /// The arguments of a call are no string, which they are elsewhere in this interface.
    NoString,
    /// The content of a result is neither a string nor a list.
    NoContent,
    /// The screenshot that answers a call is not a picture.
    NoPicture,
    /// The id of a server's call is not one that a server gives.
    ServerId,
    /// Thinking without a signature.
    Unsigned,
    /// Reasoning without an id.
    Unnamed,
    /// An answer without an id, directly behind reasoning that has one.
    Unbound,
}

/// A fault of an item that some providers refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemFault {
    /// Its id is not of its kind.
    Kind,
    /// Its id was another item's before.
    Twice,
    /// It is named and not brought: reasoning without what was encrypted of it, or a reference.
    Unkept,
}

/// The parents that lines of a history name and that are not in the input: a part of the log is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingParents {
    /// The number of missing parents.
    pub count: u64,
    /// The first line that names one, from 1.
    pub line: u32,
    /// The id that it names.
    pub id: String,
    /// Whether nothing of the conversation comes before that line.
    pub head: bool,
}

impl fmt::Display for MissingParents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id: String = self.id.chars().take(64).collect();
        let id = if id.is_empty() { String::new() } else { format!(" {}", id.escape_debug()) };
        match (self.count, self.head) {
            (1, true) => write!(f, "parent{id} is not in the input: the head of the log is missing"),
            (1, false) => write!(f, "parent{id} is not in the input: a part of the log is missing"),
            (n, _) => write!(f, "parent{id} is not in the input, {n} parents are not: parts of the log are missing"),
        }
    }
}

/// The parts of a request body outside its messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Whether it declares a tool.
    pub tools: bool,
    /// The thinking options.
    pub thinking: Thinking,
    /// Its cache marks in tools: whether each is for an hour.
    pub tool_marks: Vec<bool>,
    /// Its cache marks in the system prompt: whether each is for an hour.
    pub system_marks: Vec<bool>,
    /// The mark that the provider puts behind all of it, where the body asks for that: whether it is for an hour.
    pub automatic_mark: Option<bool>,
    /// Whether it has a member `context_management`.
    pub manages_context: bool,
    /// Names of the tools that it declares, in their order.
    pub declared: Vec<String>,
    /// Whether it asks the provider to keep nothing (`store: false`).
    pub forgets: bool,
    /// The system prompt and lists of documents, in the order of the input.
    pub outside: Vec<OuterText>,
}

/// A record that was not written to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruncatedRecord {
    /// Its line, from 1.
    pub line: u64,
    /// Byte of the input at which it begins.
    pub start: u64,
}

/// Text for the model that a body keeps outside its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OuterText {
    /// Byte of the input at which its record begins.
    pub record: u64,
    /// The place in its record: the raw string with its quotes, or the array.
    pub span: Span,
    /// The kind of text.
    pub kind: OutsideKind,
    /// Whether a cache mark covers it.
    pub marked: bool,
}

/// The kind of text outside the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutsideKind {
    /// A text of the system prompt.
    Prompt,
    /// A list of retrieved documents.
    Documents,
}

/// The thinking options of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// Nothing: there is none.
    #[default]
    Unsaid,
    /// None.
    Disabled,
    /// Always.
    Enabled,
    /// As the model sees fit, or what this program does not know.
    Adaptive,
}

/// Another place where the log keeps what a result said. It is not part of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultCopy {
    /// The id of the result's call.
    pub call: Id,
    /// Byte of the input at which its record begins.
    pub record: u64,
    /// Its value, in its record.
    pub span: Span,
    /// The use of the copy.
    pub kind: ResultCopyKind,
}

/// The use of a [`ResultCopy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultCopyKind {
    /// The content of the result once more, which some releases of the agent send: cut whenever the result is.
    Sent {
        /// Whether it is a string; else it has the shape of a result's content.
        string: bool,
    },
    /// For the screen or for a log only, in a shape of its own.
    DisplayOnly,
}

/// An `openclaw.cache-ttl` entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Milliseconds since 1970.
    pub time: i64,
    /// Provider it was written for.
    pub provider: Option<String>,
    /// Model it was written for.
    pub model: Option<String>,
}

/// The source of the time of the last call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCallSource {
    /// `--last-call`.
    Flag,
    /// The state file.
    State,
    /// An `openclaw.cache-ttl` marker in the history.
    Marker,
    /// The newest assistant record that has a time.
    Assistant,
}
