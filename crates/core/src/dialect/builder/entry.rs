//! Ids of calls, and entries of a log: nodes of its tree, context boundaries, and cuts that an
//! agent recorded.

use crate::{
    json::{Cursor, Id, Scanned},
    transcript::Span,
};

/// No index: a link or an entry that points at nothing.
pub const NONE: u32 = u32::MAX;

/// A node of a history's tree, or the boundary of a context.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its id.
    pub id: Id,
    /// Its parent's id.
    pub parent: Id,
    /// The role of the entry in the context.
    pub kind: EntryKind,
    /// Index of its message, or [`NONE`].
    pub message: u32,
    /// Its line, from 1; 0 where nobody asks.
    pub line: u32,
    /// Bytes of its record, likewise.
    pub size: u32,
    /// When it was written, as [`time_key`] has it.
    pub time: u64,
}

impl Default for Entry {
    fn default() -> Entry {
        Entry {
            id: Id::NONE,
            parent: Id::NONE,
            kind: EntryKind::Following(Id::NONE),
            message: NONE,
            line: 0,
            size: 0,
            time: 0,
        }
    }
}

impl Entry {
    /// The provider's id of the message of which this entry is a piece, where messages are split
    /// over lines.
    pub fn piece_of(&self) -> Id {
        match self.kind {
            EntryKind::Node(message) | EntryKind::Following(message) | EntryKind::Side(message) => {
                message
            }
            _ => Id::NONE,
        }
    }

    /// Returns the first entry before a boundary that the boundary keeps.
    pub fn keeps(&self) -> Keep {
        match self.kind {
            EntryKind::Compaction(keep) | EntryKind::Reset(keep) if keep != Keep::Id(Id::NONE) => {
                keep
            }
            _ => Keep::Nothing,
        }
    }

    /// Returns the index of its message, if it has one.
    pub fn said(&self) -> Option<u32> {
        (self.message != NONE).then_some(self.message)
    }

    /// Whether it names its parent, or is a root.
    pub fn is_node(&self) -> bool {
        matches!(self.kind, EntryKind::Node(_))
    }

    /// Whether the conversation continues from it.
    pub fn moves_leaf(&self) -> bool {
        !self.is_note() && !matches!(self.kind, EntryKind::Leaf(_) | EntryKind::Side(_))
    }

    /// Whether it is a note about other entries, and no node.
    pub fn is_note(&self) -> bool {
        use EntryKind::{Again, Edit, Header, Undone};
        matches!(self.kind, Header | Again(_) | Edit(_) | Undone(_))
    }

    /// Whether it is an event of a log in which each names the one before it.
    pub fn is_event(&self) -> bool {
        matches!(self.kind, EntryKind::Event | EntryKind::Begun)
    }

    /// Whether it names what the boundary before it sends again.
    pub fn is_again(&self) -> bool {
        matches!(self.kind, EntryKind::Again(_))
    }

    /// The id of the entry that a note is about, if this is a note.
    pub fn about(&self) -> Id {
        match self.kind {
            EntryKind::Again(id) | EntryKind::Edit(id) | EntryKind::Undone(id) => id,
            _ => Id::NONE,
        }
    }

    /// Whether it begins a context: a compaction or a reset.
    pub fn is_boundary(&self) -> bool {
        matches!(self.kind, EntryKind::Compaction(_) | EntryKind::Reset(_))
    }
}

/// The role of an entry in the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// The head of the file: no node.
    Header,
    /// A node whose parent is given, or which is a root; with the provider's id of the message of
    /// which it is a piece.
    Node(Id),
    /// A node without a parent field: it follows the leaf before it; with that id, too.
    Following(Id),
    /// A node that does not move the leaf; with that id, too.
    Side(Id),
    /// An event of a log in which each names the one before it: all of them count, in the order of
    /// that chain.
    Event,
    /// An event, at which a compaction begins that runs beside the conversation.
    Begun,
    /// A compaction: a summary represents all before the first entry kept.
    Compaction(Keep),
    /// A reset: nothing represents what came before the first entry kept.
    Reset(Keep),
    /// Moves the leaf to the entry of this id.
    Leaf(Id),
    /// A message of which so many blocks, the last, are outside its content.
    Recorded(u32),
    /// The result of this call, which the message before it makes.
    Answer(Id),
    /// Gives the node of its id another message, if it has one.
    Patch,
    /// Gives this call, of its parent, another result, or none.
    Run(Id),
    /// Removes the node of its id.
    Removed,
    /// The node of its id comes last.
    Last,
    /// The entry of this id and all that follow it are taken back.
    Undone(Id),
    /// From its parent on, the entry of this id has the content of this one's message or, without
    /// one, is taken back.
    Edit(Id),
    /// The boundary before it sends the entry of this id again, on its parent; with an id, all on
    /// the way from that entry to this one.
    Again(Id),
}

/// An ISO 8601 time in UTC as a number that grows with it; 0 if the text is not a time.
pub fn time_key(time: &[u8]) -> u64 {
    // Years to milliseconds are seventeen digits.
    let (mut number, mut count) = (0u64, 0);
    for byte in time {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            (number, count) = (number * 10 + u64::from(digit), count + 1);
            if count == 17 {
                return number;
            }
        }
    }
    if count < 8 {
        0
    } else {
        number * 10u64.pow(17 - count)
    }
}

/// The way in which a boundary names the first entry it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// By id.
    Id(Id),
    /// By its index among the records, the header being 0 (session version 1).
    Index(u64),
    /// By time: everything since the compaction began. The summary repeats the user's words from
    /// before.
    Prompts,
    /// Not at all.
    Nothing,
}

/// An entry in which an agent wrote down what it cut.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    /// Index of the entry; none once it was let go.
    pub entry: Option<usize>,
    /// First byte of its data in the input.
    pub start: u64,
    /// Past the last byte.
    pub end: u64,
}

/// The id of a call, as a call or a result names it; by default, no id.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallId {
    /// The id itself.
    pub hash: Id,
    /// The span of the id in its record, without the quotes.
    pub span: Span,
}

impl CallId {
    /// Reads the string that comes next as an id; of any other value there is none.
    ///
    /// # Errors
    /// The value is malformed JSON.
    pub fn read(cursor: &mut Cursor<'_>) -> Scanned<CallId> {
        let from = cursor.next_at();
        Ok(cursor
            .bytes_or_skip()?
            .map_or_else(CallId::default, |id| CallId {
                hash: Id::of(&id),
                span: cursor.span_from(from).inside(),
            }))
    }
}

/// Reads the string that comes next as an id; of any other value, and of an empty string, there is
/// none.
///
/// # Errors
/// The value is malformed JSON.
pub fn id_or_none(cursor: &mut Cursor<'_>) -> Scanned<Id> {
    let id = cursor.bytes_or_skip()?.filter(|id| !id.is_empty());
    Ok(id.map_or(Id::NONE, |id| Id::of(&id)))
}
