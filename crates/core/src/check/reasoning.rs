//! E17: reasoning items and the items that follow them, in OpenAI Responses bodies.
//!
//! The server refuses a reasoning item without the item that followed it. A body alone does not show that the reasoning of an item
//! is missing; this is found by comparing the transcript before and after a cut: a call that had reasoning before it and has none
//! now.

use super::{Defect, Finder, words};
use crate::json::{Id, IdSet};
use crate::transcript::{BlockKind, Fault, Role, Rules, Transcript};

/// Finds reasoning without a following item in its run, or followed only by an answer that is not bound to it. Reasoning without an id is
/// not bound.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    if !rules.reasoning_followed {
        return;
    }
    for (i, index, block) in transcript.all_blocks() {
        let last = transcript.messages[i].blocks as usize + transcript.blocks_of(i).len() - 1;
        if transcript.messages[i].role != Role::Assistant {
        } else if block.kind == BlockKind::Thinking
            && index as usize == last
            && !finder.has(index, Fault::Unnamed)
        {
            let detail = "a reasoning item is not followed by an item of the model";
            finder.report("E17", i, detail);
        } else if rules.item_ids && !transcript.request.forgets && finder.has(index, Fault::Unbound)
        {
            let detail = "a reasoning item is followed by an answer without an id";
            finder.report("E17", index, detail);
        }
    }
}

/// Finds calls that had reasoning in `before` and have none in `after`.
pub fn lost(before: &Transcript, after: &Transcript, defects: &mut Vec<Defect>) {
    let Rules {
        services,
        reasoning_followed: true,
        ..
    } = before.rules()
    else {
        return;
    };
    let said = words(before, services, "E17");
    let reasoned: IdSet = calls(before)
        .filter(|(.., reasoned)| *reasoned)
        .map(|(_, call, _)| call)
        .collect();
    for (i, call, _) in calls(after).filter(|(_, call, has)| !has && reasoned.contains(call)) {
        let detail = "a function call lost the reasoning item before it";
        let mut defect = Defect::new(after, said, "E17", i, detail);
        defect.about(call);
        defects.push(defect);
    }
}

/// Returns the calls of a transcript: the index of the message, the id, and whether reasoning precedes the call in its run.
fn calls(transcript: &Transcript) -> impl Iterator<Item = (usize, Id, bool)> + '_ {
    let mut reasoned = None;
    transcript.all_blocks().filter_map(move |(i, _, block)| {
        if block.kind == BlockKind::Thinking {
            reasoned = Some(i);
        }
        (block.kind == BlockKind::Call && transcript.messages[i].role == Role::Assistant)
            .then(|| (i, transcript.link(block).call, reasoned == Some(i)))
    })
}
