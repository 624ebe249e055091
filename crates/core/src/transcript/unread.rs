//! Content that was not understood, for the decision whether the input is accepted.

use crate::json::IdSet;
use std::collections::BTreeMap;

/// Something that was not understood.
#[derive(Clone, Debug)]
pub struct UnknownKind {
    /// Line of the input, from 1.
    pub line: u64,
    /// Message of the input, from 1; for a record, the one that would follow it.
    pub message: u32,
    /// The kind of the content, or the key under which it was found.
    pub what: String,
}

/// The level of something that was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The content of a result.
    Inside,
    /// The history: a record that is no message.
    Record,
    /// A member that its object has twice: the last of them counts.
    Twice,
    /// A message that may have other parts.
    Part,
    /// The history: a message that has no other parts than those of unknown kinds.
    Parts,
    /// The history: a message with content in an unknown place.
    Message,
    /// The history: a message with content in a place that another program uses.
    Foreign,
    /// The input: a value that is not a message where one should be, or no list of messages.
    Place,
}

/// The first occurrence of each sort of content that was not understood.
#[derive(Clone, Debug, Default)]
pub struct Unread {
    /// The first at each level; what is in place of a message counts as a message.
    pub first: BTreeMap<Level, UnknownKind>,
    /// Lines of records of unknown kinds, from 1, in order.
    pub lines: Vec<u64>,
    /// Ids in such parts: each may be that of a call or result whose other half is known.
    pub ids: IdSet,
    /// The number of messages.
    pub messages: u64,
    /// The number of messages that were understood.
    pub understood: u64,
}
