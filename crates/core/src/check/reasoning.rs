//! E17: reasoning items and the items that follow them, in OpenAI Responses bodies.
//!
//! The server refuses a reasoning item without the item that followed it. A body alone does not show that the reasoning of an item
//! is missing; this is found by comparing the transcript before and after a cut: a call that had reasoning before it and has none
//! now.

use super::{Defect, Finder, defect};
use crate::json::{Id, IdSet};
use crate::transcript::{Block, BlockKind, Fault, Role, Transcript};

/// Finds reasoning without a following item in its run, or followed only by an answer that is not bound to it. Reasoning without an id is
/// not bound.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if !finder.rules.reasoning_followed {
        return;
    }
    for (i, message) in transcript
        .messages
        .iter()
        .enumerate()
        .filter(|(_, m)| m.role == Role::Assistant)
    {
        let blocks = transcript.blocks_of(i);
        for (index, block) in transcript.numbered_blocks_of(i) {
            let bare = index as usize + 1 == message.blocks as usize + blocks.len()
                && !finder.has(index, Fault::Unnamed);
            if block.kind == BlockKind::Thinking && bare {
                finder.report(
                    "E17",
                    i,
                    None,
                    0,
                    "a reasoning item is not followed by an item of the model",
                );
            } else if finder.rules.item_ids && finder.has(index, Fault::Unbound) {
                finder.report(
                    "E17",
                    i,
                    Some(index),
                    0,
                    "a reasoning item is followed by an answer without an id",
                );
            }
        }
    }
}

/// Finds calls that had reasoning in `before` and have none in `after`.
pub fn lost(before: &Transcript, after: &Transcript, defects: &mut Vec<Defect>) {
    if !before.rules().reasoning_followed {
        return;
    }
    let reasoned: IdSet = calls(before)
        .filter(|(.., reasoned)| *reasoned)
        .map(|(_, call, _)| call)
        .collect();
    for (i, call, _) in calls(after).filter(|(_, call, has)| !has && reasoned.contains(call)) {
        defects.push(defect(
            after,
            "E17",
            i,
            None,
            call,
            "a function call lost the reasoning item before it",
        ));
    }
}

/// Returns the calls of a transcript: the index of the message, the id, and whether reasoning precedes the call in its run.
fn calls(transcript: &Transcript) -> impl Iterator<Item = (usize, Id, bool)> + '_ {
    transcript
        .messages
        .iter()
        .enumerate()
        .filter(|(_, m)| m.role == Role::Assistant)
        .flat_map(move |(i, _)| {
            let mut reasoned = false;
            transcript
                .blocks_of(i)
                .iter()
                .filter_map(move |block: &Block| {
                    reasoned |= block.kind == BlockKind::Thinking;
                    (block.kind == BlockKind::Call)
                        .then(|| (i, transcript.link(block).call, reasoned))
                })
        })
}
