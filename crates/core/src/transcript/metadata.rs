//! Metadata of messages and blocks: notes on a few of them, the parts of a request outside its
//! messages, and copies of results elsewhere in a log.

use super::Span;
use crate::json::{Id, ScanError};
use std::fmt;

/// A line of a log that is not JSON.
#[derive(Clone, Copy, Debug)]
pub struct DamagedLine {
    /// The line, from 1.
    pub line: u64,
    /// The column of the error, in bytes from 1.
    pub column: u64,
    /// The byte of the error in the input, from 0.
    pub byte: u64,
    /// The error.
    pub error: ScanError,
}

/// A note on a block, for facts that only a few blocks have. Notes are in the order of the blocks.
#[derive(Clone, Copy, Debug)]
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
    /// A call that the provider answers itself, by its id.
    ServerCall(Id),
    /// The provider's answer to the call of this id.
    ServerResult(Id),
    /// The call was made by the server tool of this id.
    Caller(Id),
    /// The summary of all messages before its own, which the provider ignores.
    Compaction,
    /// Reasoning in the member `reasoning_content` beside a message's content.
    ReasoningContent,
    /// A part that carries Gemini's signature of a thought.
    Signature,
    /// A call that only a screenshot answers.
    Screen,
    /// The `type` member of an item's text: input (`input_text`), output, or another one.
    TextTypeMember(TextTypeMember),
    /// Something about the block that some providers refuse.
    Fault(Fault),
    /// A fault of the item that begins with this block or contains it.
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
    /// `text`, as at other providers.
    Plain,
}

/// A fault of a single block that some providers refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It has no `type`, or is not an object.
    Untyped,
    /// A call in a list of calls has no id.
    NoId,
    /// A call in a list of calls names no function.
    NoFunction,
    /// A text block without a text.
    NoText,
    /// The arguments of a call or the content of a result are not an object, as this provider
    /// requires.
    NoObject,
    /// The arguments of a call are not a string, as this provider requires.
    NoString,
    /// The content of a result is neither a string nor a list.
    NoContent,
    /// The screenshot that answers a call is not a picture.
    NoPicture,
    /// The id of a server's call does not have the form of such ids.
    ServerId,
    /// Thinking without a signature.
    Unsigned,
    /// Reasoning without an id.
    Unnamed,
    /// An answer without an id, directly after reasoning with an id.
    Unbound,
}

/// A fault of an item that some providers refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemFault {
    /// Its id has the wrong prefix for its kind.
    Kind,
    /// Its id was that of an earlier item.
    Twice,
    /// It is a call directly after something else than reasoning.
    Unreasoned,
    /// Only its id is sent, but the server does not store it: a reference, or reasoning without its
    /// encrypted content.
    Unkept,
}

/// Parents that records of a log name and that the input lacks, so that a part of the log is
/// missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingParents {
    /// The number of missing parents.
    pub count: u64,
    /// The first line that names one, from 1.
    pub line: u32,
    /// The id that it names.
    pub id: String,
    /// Whether that line is the first of the conversation.
    pub head: bool,
}

impl fmt::Display for MissingParents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id: String = self.id.chars().take(64).collect();
        let id = if id.is_empty() {
            String::new()
        } else {
            format!(" {}", id.escape_debug())
        };
        write!(f, "parent{id} is not in the input")?;
        match (self.count, self.head) {
            (1, true) => write!(f, ": the head of the log is missing"),
            (1, false) => write!(f, ": a part of the log is missing"),
            (n, _) => write!(f, ", {n} parents are not: parts of the log are missing"),
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
    /// The mark that the provider adds at the end on request: whether it is for an hour.
    pub automatic_mark: Option<bool>,
    /// Whether the body has a member `context_management`.
    pub manages_context: bool,
    /// The version of the API that its header names, if that is known.
    pub api_version: Option<String>,
    /// Whether it asks for a summary of its whole conversation, after which nothing is answered.
    pub summarizes: bool,
    /// The lifetime of its cache in seconds, if it states one; 0 if it caches nothing.
    pub cache_life: Option<u64>,
    /// Names of the declared tools, in order.
    pub declared: Vec<String>,
    /// Whether it declares tools of which it does not say the names, such as those of a server.
    pub unnamed_tools: bool,
    /// Whether the provider is asked to store nothing (`store: false`).
    pub forgets: bool,
    /// The system prompt and lists of documents, in the order of the input.
    pub outside: Vec<OuterText>,
}

/// A record that was not written completely.
#[derive(Clone, Copy, Debug)]
pub struct TruncatedRecord {
    /// Its line, from 1.
    pub line: u64,
    /// First byte of the record in the input.
    pub start: u64,
}

/// Text for the model outside the messages of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OuterText {
    /// First byte of its record in the input.
    pub record: u64,
    /// Its range in the record: the raw string with its quotes, or the array.
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
    /// The request has none.
    #[default]
    Unsaid,
    /// Thinking is off.
    Disabled,
    /// Thinking is on.
    Enabled,
    /// The model decides, or the options are unknown.
    Adaptive,
}

/// A copy of a result elsewhere in the log. It is not part of the context.
#[derive(Clone, Copy, Debug)]
pub struct ResultCopy {
    /// The id of the result's call.
    pub call: Id,
    /// First byte of its record in the input.
    pub record: u64,
    /// The range of its value in the record.
    pub span: Span,
    /// The use of the copy.
    pub kind: ResultCopyKind,
}

/// The use of a [`ResultCopy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultCopyKind {
    /// A copy of the content that some releases of the agent send: it is always cut with the
    /// result.
    Sent {
        /// Whether it is a string; else it has the shape of a result's content.
        string: bool,
    },
    /// A copy for the screen or for a log, in a shape of its own.
    DisplayOnly,
}

/// An `openclaw.cache-ttl` entry.
#[derive(Clone, Debug)]
pub struct Marker {
    /// Milliseconds since 1970.
    pub time: i64,
    /// The provider that it was written for.
    pub provider: Option<String>,
    /// The model that it was written for.
    pub model: Option<String>,
}
