//! E23: `reasoning_content` that is missing from calls of models that require it.
//!
//! The model's name and the thinking options of the request decide whether it is required. A model that requires it for one call
//! requires it for every later one. Calls before the first turn that has it are not reported: some services allow clients to drop
//! the reasoning of earlier turns.

use super::Finder;
use super::thinking::turn;
use crate::transcript::{BlockKind, Note, NoteKind, ReasoningContentRule, Role, Thinking};
use std::collections::HashSet;

/// Reports E23.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let asked = transcript.request.thinking;
    let sent = |note: &&Note| note.kind == NoteKind::ReasoningContent;
    let always = match finder.rules.reasoned {
        ReasoningContentRule::Free => return,
        _ if finder.rules.items => return,
        _ if asked == Thinking::Disabled => return,
        ReasoningContentRule::Always => true,
        ReasoningContentRule::WhenAsked => asked == Thinking::Enabled,
    };
    let notes = finder.facts.iter();
    let reasoned: HashSet<usize> = notes
        .filter(sent)
        .map(|note| transcript.message_of(note.block))
        .collect();
    let open = turn(transcript);
    let (mut wanted, mut bare) = (false, Vec::new());
    for (i, message) in transcript.messages.iter().enumerate() {
        // Among the calls before the first reasoning, only those of its own turn and of the open turn require it.
        if message.role == Role::User && !wanted {
            bare.clear();
        }
        let has = reasoned.contains(&i);
        wanted |= has || always && i >= open;
        let mut blocks = transcript.blocks_of(i).iter();
        if !has && message.role == Role::Assistant && blocks.any(|b| b.kind == BlockKind::Call) {
            bare.push(i);
        }
    }
    let why = if reasoned.is_empty() {
        "and this model wants it back"
    } else {
        "though others do"
    };
    for i in bare.into_iter().filter(|_| wanted) {
        finder.report(
            "E23",
            i,
            format!("the calls have no reasoning_content, {why}"),
        );
    }
}
