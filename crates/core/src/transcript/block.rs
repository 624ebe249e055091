//! Blocks: their place in the record, their kind, and the links between calls and results.

use crate::json::{Id, Span};

/// One block of a message.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The kind of the block.
    pub kind: BlockKind,
    /// Flags of the block.
    pub flags: Flags,
    /// Position among the parts of its message, from 0; a child has its position in the result's
    /// content.
    pub part: u16,
    /// Its range in the record: the raw string with its quotes (Text), else the whole value; for a
    /// Result that is a separate message, that message.
    pub span: Span,
    /// Length in UTF-16 units of the decoded text; for a call, of its arguments as `JSON.stringify`
    /// prints them.
    pub chars: u32,
    /// The amount that the estimator adds to `chars` for scripts that cost more tokens; for a Call
    /// or a Result the index into [`Transcript::links`](super::Transcript::links).
    pub extra: u32,
}

impl Block {
    /// Returns whether `extra` is an index into [`Transcript::links`](super::Transcript::links).
    pub fn is_linked(&self) -> bool {
        matches!(self.kind, BlockKind::Call | BlockKind::Result)
    }
}

/// The kind of a block. A [`BlockKind::Result`] is followed by its children, the blocks of its
/// content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A text, also one in a result.
    Text,
    /// A text block whose `text` is not a string, counted by its JSON.
    Malformed,
    /// Model reasoning, with its signature counted; never edited.
    Thinking,
    /// An image, counted at a flat size.
    Image,
    /// A tool call; its chars are those of its arguments.
    Call,
    /// A tool result; its span is the content value and its size that of its children.
    Result,
    /// A block of an unknown kind: kept, never cut.
    Other,
}

impl BlockKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Text | BlockKind::Malformed => "text",
            BlockKind::Thinking => "thinking",
            BlockKind::Image => "image",
            BlockKind::Call => "call",
            BlockKind::Result => "result",
            BlockKind::Other => "other",
        }
    }
}

/// Boolean facts about a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// The value of a result's content is a plain string, not an array of blocks.
    pub const STRING: Flags = Flags(1);
    /// The result is marked as an error.
    pub const ERROR: Flags = Flags(2);
    /// The text ends with the note that a trim leaves.
    pub const TRIMMED: Flags = Flags(4);
    /// The text is empty or white space only.
    pub const BLANK: Flags = Flags(8);
    /// The result has no content value at all.
    pub const ABSENT: Flags = Flags(16);
    /// The text may end with a reminder. It shares its bit with one of results.
    pub const REMINDED: Flags = Flags(16);
    /// The block carries a cache mark (`cache_control`).
    pub const CACHE_MARK: Flags = Flags(32);
    /// The text ends with white space.
    pub const TRAILING: Flags = Flags(64);
    /// The block has a signature, which later requests must send back with it.
    pub const SIGNED: Flags = Flags(128);

    /// Returns whether all of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns these flags, with `other` added if `on`.
    #[must_use]
    pub fn with(self, other: Flags, on: bool) -> Flags {
        if on { Flags(self.0 | other.0) } else { self }
    }
}

/// The identity of a call or a result: the id that pairs them, and the tool.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The call's id; [`Id::NONE`] if the record has none.
    pub call: Id,
    /// The range of the id in the record, without its quotes.
    pub id: Span,
    /// Index into [`Transcript::tools`](super::Transcript::tools).
    pub tool: u32,
    /// For a result, the number of blocks after it that are its children.
    pub children: u32,
    /// For a result, the range of its content.
    pub content: Span,
}
