//! E23: `reasoning_content` that is missing from calls of models that require it.
//!
//! The model's name and the thinking options of the request decide whether it is required. A model that requires it for one call
//! requires it for every later one. Calls before the first turn that has it are not reported: some services allow clients to drop
//! the reasoning of earlier turns.

use super::Finder;
use super::thinking::turn;
use crate::transcript::{BlockKind, NoteKind, ReasoningContentRule, Role, Thinking};

/// Reports E23.
pub(super) fn check(finder: &mut Finder<'_>) {
    let asked = finder.transcript.request.thinking;
    let always = match finder.rules.reasoned {
        ReasoningContentRule::Free => return,
        _ if asked == Thinking::Disabled => return,
        ReasoningContentRule::Always => true,
        ReasoningContentRule::WhenAsked => asked == Thinking::Enabled,
    };
    let mut reasoned = finder
        .facts
        .iter()
        .filter(|n| n.kind == NoteKind::ReasoningContent)
        .map(|n| n.block)
        .peekable();
    let others = reasoned.peek().is_some();
    let transcript = finder.transcript;
    let open = turn(transcript);
    let (mut wanted, mut bare) = (false, Vec::new());
    for (i, message) in transcript.messages.iter().enumerate() {
        // Among the calls before the first reasoning, only those of its own turn and of the open turn require it.
        if message.role == Role::User && !wanted {
            bare.clear();
        }
        wanted |= always && i >= open;
        let blocks = transcript.blocks_of(i);
        let end = message.blocks + blocks.len() as u32;
        let mut has = false;
        while reasoned.next_if(|block| *block < end).is_some() {
            has = true;
        }
        wanted |= has;
        if !has
            && message.role == Role::Assistant
            && blocks.iter().any(|b| b.kind == BlockKind::Call)
        {
            bare.push(i);
        }
    }
    let why = if others {
        "though others do"
    } else {
        "and this model wants it back"
    };
    for i in bare.into_iter().filter(|_| wanted) {
        finder.report(
            "E23",
            i,
            None,
            0,
            format!("the calls have no reasoning_content, {why}"),
        );
    }
}
