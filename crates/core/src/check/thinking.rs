//! E15, E16, E33 and E34: thinking blocks that are bound to the messages before them, and blocks that must be sent back unchanged.
//!
//! A single body shows only one case of E15: that the turn does not begin as the thinking options require. Changed thinking of an open
//! turn, and E16, are found by comparing the transcripts before and after an edit.

use super::{Defect, Finder, defect};
use crate::transcript::{BlockKind, Fault, NoteKind, Role, Thinking, Transcript};

/// Finds thinking that is not signed or ends an answer, and an open turn that lacks the thinking it must have.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, thoughts) = (finder.transcript, finder.rules.thoughts);
    if thoughts.as_asked {
        open_turn(finder);
    }
    let unsigned = finder
        .facts
        .iter()
        .filter(|note| thoughts.signed && note.kind == NoteKind::Fault(Fault::Unsigned));
    for block in unsigned.map(|note| note.block).collect::<Vec<_>>() {
        finder.report(
            "E33",
            finder.message_of(block),
            Some(block),
            0,
            "thinking has no signature",
        );
    }
    if !finder.kinds.thinking {
        return;
    }
    for turn in finder
        .turns()
        .into_iter()
        .filter(|turn| thoughts.followed && transcript.messages[turn.start].role == Role::Assistant)
    {
        let last = turn.rev().find(|&i| !transcript.blocks_of(i).is_empty());
        if let Some(i) = last.filter(|&i| {
            transcript
                .blocks_of(i)
                .last()
                .is_some_and(|b| b.kind == BlockKind::Thinking)
        }) {
            let block = transcript.messages[i].blocks + transcript.blocks_of(i).len() as u32 - 1;
            finder.report(
                "E34",
                i,
                Some(block),
                0,
                "nothing follows the thinking in its message",
            );
        }
    }
}

/// E15: with thinking on, the open turn must begin with it; with thinking off, an answer to be continued must have none.
fn open_turn(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let turn = turn(transcript);
    let Some(last) = transcript.messages.len().checked_sub(1) else {
        return;
    };
    let asked = transcript.request.thinking;
    let bare = |i: usize| {
        transcript
            .blocks_of(i)
            .first()
            .is_some_and(|b| matches!(b.kind, BlockKind::Text | BlockKind::Call))
    };
    if transcript.messages[last].role == Role::Assistant {
        if bare(last) && last == turn && asked == Thinking::Enabled {
            finder.report(
                "E15",
                last,
                Some(transcript.messages[last].blocks),
                0,
                "the last message does not begin with thinking",
            );
        }
        let thinks = transcript
            .blocks_of(last)
            .iter()
            .any(|b| b.kind == BlockKind::Thinking);
        if thinks && matches!(asked, Thinking::Unsaid | Thinking::Disabled) {
            finder.report(
                "E15",
                last,
                None,
                0,
                "the last message has thinking, but the request turns it off",
            );
            finder.answered("thinking off");
        }
    } else if let Some(i) = (turn..last).find(|&i| transcript.messages[i].role == Role::Assistant)
        && bare(i)
        && asked == Thinking::Enabled
    {
        finder.report(
            "E15",
            i,
            Some(transcript.messages[i].blocks),
            0,
            "the open turn does not begin with its thinking",
        );
    }
}

/// Adds E15 if the thinking of the turn that was open `before` is different `after`.
pub fn changed(before: &Transcript, after: &Transcript, defects: &mut Vec<Defect>) {
    let thinking = |transcript: &Transcript| -> Vec<u32> {
        let blocks = transcript
            .messages
            .get(turn(transcript))
            .map_or(&[][..], |m| &transcript.blocks[m.blocks as usize..]);
        blocks
            .iter()
            .filter(|b| b.kind == BlockKind::Thinking)
            .map(|b| b.chars)
            .collect()
    };
    let rules = before.rules();
    if rules.thoughts.as_asked
        && !before.ignores_thinking(&rules)
        && !after.messages.is_empty()
        && thinking(before) != thinking(after)
    {
        let i = turn(after).min(after.messages.len() - 1);
        defects.push(defect(
            after,
            "E15",
            i,
            None,
            0,
            "thinking of the open turn was changed",
        ));
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
