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
    let mut before: Vec<Option<u32>> = vec![None; parents.len()];
    let mut way = Vec::new();
    for i in 0..before.len() {
        let mut at = i as u32;
        let mut found = NONE;
        while at != NONE {
            if let Some(known) = before[at as usize] {
                found = known;
                break;
            }
            way.push(at);
            at = parents[at as usize];
        }
        while let Some(at) = way.pop() {
            let parent = parents[at as usize];
            found = if parent != NONE && builder.entries[parent as usize].message != NONE {
                parent
            } else {
                found
            };
            before[at as usize] = Some(found);
        }
    }
    before
        .into_iter()
        .map(|found| found.unwrap_or(NONE))
        .collect()
}
