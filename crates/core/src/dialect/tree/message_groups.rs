//! Groups the entries of one provider message, where a log splits messages over lines: the pieces of the message, and the results
//! of its calls.

use crate::dialect::builder::{NONE, TranscriptBuilder};
use crate::dialect::tree::order::is_result;
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
        let before = before(builder, parents);
        let message = |i: usize| {
            let entry = &builder.entries[i];
            let answers =
                || before[i] != NONE && entry.message != NONE && is_result(builder, entry.message);
            let own = entry.piece_of();
            if own.is_none() && answers() {
                builder.entries[before[i] as usize].piece_of()
            } else {
                own
            }
        };
        let message = (0..before.len()).map(message).collect();
        MessageGroups { before, message }
    }
}

fn before(builder: &TranscriptBuilder, parents: &Parents) -> Vec<u32> {
    parents.inherit(|_, parent| match parent {
        Some((parent, _)) if builder.entries[parent].message != NONE => parent as u32,
        Some((_, before)) => *before,
        None => NONE,
    })
}
