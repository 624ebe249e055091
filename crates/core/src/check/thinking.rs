//! E15, E16, E33 and E34: thinking blocks that are bound to the messages before them, and blocks that must be sent back unchanged.
//!
//! A single body shows only one case of E15: that the turn does not begin as the thinking options require. Changed thinking of an open
//! turn, and E16, are found by comparing the transcripts before and after an edit.

use super::{Defect, Finder};
use crate::transcript::{Block, BlockKind, Fault, Role, Thinking, Transcript};

/// Finds thinking that is not signed or ends an answer, and an open turn that lacks the thinking it must have.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, thoughts) = (finder.transcript, finder.rules.thoughts);
    if thoughts.as_asked {
        open_turn(finder);
    }
    for block in finder.of_fault(Fault::Unsigned).filter(|_| thoughts.signed) {
        finder.report("E33", block, "thinking has no signature");
    }
    let thinks = |block: &Block| block.kind == BlockKind::Thinking;
    if !thoughts.followed || !transcript.blocks.iter().any(thinks) {
        return;
    }
    for turn in finder.turns() {
        let answers = transcript.messages[turn.start].role == Role::Assistant;
        // A mark is no content.
        let is_mark = |block: &Block| block.kind == BlockKind::Other && block.chars == 0;
        let last = turn.rev().find_map(|i| {
            let blocks = transcript.numbered_blocks_of(i);
            blocks.filter(|(_, block)| !is_mark(block)).last()
        });
        if let Some((block, _)) =
            last.filter(|(_, block)| answers && block.kind == BlockKind::Thinking)
        {
            finder.report("E34", block, "nothing follows the thinking in its message");
        }
    }
}

/// E15: with thinking on, the open turn must begin with it; with thinking off, an answer to be continued must have none.
fn open_turn(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let (turn, asked) = (turn(transcript), transcript.request.thinking);
    let Some(last) = transcript.messages.len().checked_sub(1) else {
        return;
    };
    let answers = |i: &usize| transcript.messages[*i].role == Role::Assistant;
    let ends = answers(&last);
    let (first, detail) = if ends {
        (
            Some(last).filter(|last| *last == turn),
            "the last message does not begin with thinking",
        )
    } else {
        (
            (turn..last).find(answers),
            "the open turn does not begin with its thinking",
        )
    };
    let begin = first.and_then(|i| transcript.numbered_blocks_of(i).next());
    if let Some((block, found)) = begin.filter(|_| asked == Thinking::Enabled)
        && matches!(found.kind, BlockKind::Text | BlockKind::Call)
    {
        finder.report("E15", block, detail);
    }
    let thinks = |block: &Block| block.kind == BlockKind::Thinking;
    if ends
        && transcript.blocks_of(last).iter().any(thinks)
        && matches!(asked, Thinking::Unsaid | Thinking::Disabled)
    {
        let detail = "the last message has thinking, but the request turns it off";
        finder.report("E15 thinking off", last, detail);
    }
}

/// Adds E15 if the thinking of the turn that was open `before` is different `after`.
pub fn changed(before: &Transcript, after: &Transcript, defects: &mut Vec<Defect>) {
    let thinking = |transcript: &Transcript| -> Vec<u32> {
        let first = transcript.messages.get(turn(transcript));
        let blocks = first.map_or(&[][..], |m| &transcript.blocks[m.blocks as usize..]);
        let thoughts = blocks.iter().filter(|b| b.kind == BlockKind::Thinking);
        thoughts.map(|b| b.chars).collect()
    };
    let rules = before.rules();
    if rules.thoughts.as_asked
        && !before.ignores_thinking(&rules)
        && !after.messages.is_empty()
        && thinking(before) != thinking(after)
    {
        let i = turn(after).min(after.messages.len() - 1);
        let detail = "thinking of the open turn was changed";
        defects.push(Defect::new(after, "", "E15", i, detail));
    }
}

/// Returns the index of the first message of the open turn: the one after the last that the user wrote.
pub(super) fn turn(transcript: &Transcript) -> usize {
    let own =
        |&i: &usize| transcript.messages[i].role == Role::User && !transcript.is_only_results(i);
    (0..transcript.messages.len())
        .rev()
        .find(own)
        .map_or(0, |i| i + 1)
}

/// Returns whether thinking in a transcript for `model` is bound to all content before it; `None` if that depends on a model that is not
/// named.
pub fn binds_thinking(transcript: &Transcript, model: Option<&str>) -> Option<bool> {
    (transcript.interface.rules)(model, None).thinking_bound
}

/// Returns a warning about the thinking after message `first`, which a change there may invalidate; `None` if there is no risk.
pub fn thinking_warning(
    transcript: &Transcript,
    model: Option<&str>,
    first: u32,
) -> Option<String> {
    let from = transcript.messages.get(first as usize)?.blocks as usize;
    let after = transcript.blocks[from..]
        .iter()
        .filter(|b| b.kind == BlockKind::Thinking)
        .count();
    (after > 0 && !transcript.thinking_is_free && binds_thinking(transcript, model) == Some(true)).then(|| {
        format!("E16: {after} thinking blocks follow the first change; Claude 5.1 and later bind them to what comes before and answer 400 (bound to a different conversation) unless they are removed or block_binding is drop_block")
    })
}
