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

/// The first occurrence of each sort of content that was not understood.
#[derive(Clone, Debug, Default)]
pub struct Unread {
    /// A record of a history that is of an unknown kind.
    pub record: Option<UnknownKind>,
    /// A member that occurs twice in its object.
    pub twice: Option<UnknownKind>,
    /// A part of a message, which may have other parts.
    pub part: Option<UnknownKind>,
    /// A message all of whose parts are of unknown kinds.
    pub parts: Option<UnknownKind>,
    /// A message with content under an unknown key.
    pub message: Option<UnknownKind>,
    /// Such a message whose content is under a key of another program.
    pub foreign: Option<UnknownKind>,
    /// Lines of records of unknown kinds, from 1, in order.
    pub lines: Vec<u64>,
    /// Ids in such parts: each may be that of a call or result whose other half is known.
    pub ids: IdSet,
    /// The number of messages.
    pub messages: u64,
    /// The number of messages that were understood.
    pub understood: u64,
}
