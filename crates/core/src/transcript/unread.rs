//! Content that was not understood, for the decision whether the input is accepted.

use crate::json::IdSet;

/// Something that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind {
    /// Line of the input, from 1.
    pub line: u64,
    /// Message of the input, from 1; for a record, the one that would follow it.
    pub message: u32,
    /// The kind of the content, or the key under which it was found.
    pub what: String,
}

/// The first of each sort of what was not understood.
#[derive(Clone, Debug, Default)]
pub struct Unread {
    /// A record of a history that is of an unknown kind.
    pub record: Option<UnknownKind>,
    /// A member that its object has twice.
    pub twice: Option<UnknownKind>,
    /// A part of a message, whether it has other parts or not.
    pub part: Option<UnknownKind>,
    /// A message all of whose parts are of unknown kinds.
    pub parts: Option<UnknownKind>,
    /// A message that says something in a place that nobody knows.
    pub message: Option<UnknownKind>,
    /// One of those, in a place where another program keeps such things.
    pub foreign: Option<UnknownKind>,
    /// Lines of records that are of unknown kinds, from 1, in order.
    pub lines: Vec<u64>,
    /// Ids that those parts name: of calls whose other half may be such a part.
    pub ids: IdSet,
    /// The number of messages.
    pub messages: u64,
    /// The number of messages that were understood.
    pub understood: u64,
}
