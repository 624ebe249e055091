//! Groups the entries of one provider message, where a log splits messages over lines: the pieces of the message, and the results
//! of its calls.

use crate::dialect::builder::{Entry, NONE, TranscriptBuilder};
use crate::dialect::tree::parents::Parents;
use crate::json::Id;

/// The messages that entries belong to.
#[derive(Debug)]
pub struct MessageGroups {
    /// For each entry the nearest one with a message on the way to the root, or [`NONE`]: notices may be between.
    pub before: Vec<u32>,
    /// For each entry the provider's id of the message.
    pub message: Vec<Id>,
}

impl MessageGroups {
    /// Of the entries of a builder, whose parents these are.
    pub fn of(builder: &TranscriptBuilder, parents: &Parents) -> MessageGroups {
        let entries = &builder.entries;
        let before = parents.inherit(|_, parent| match parent {
            Some((parent, _)) if entries[parent].message != NONE => parent as u32,
            Some((_, before)) => *before,
            None => NONE,
        });
        let message = |(entry, &before): (&Entry, &u32)| {
            let own = entry.piece_of();
            let answers = entry.message != NONE
                && own.is_none()
                && builder.answered_calls(entry.message).next().is_some();
            let before = entries.get(before as usize).filter(|_| answers);
            before.map_or(own, Entry::piece_of)
        };
        let message = entries.iter().zip(&before).map(message).collect();
        MessageGroups { before, message }
    }
}
