//! E31, E32 and E35: blocks in places where the provider does not accept them.
//!
//! Calls belong in messages of the assistant, results in the turns between them. Nothing but calls may follow a call. A block that
//! cannot carry a cache mark must not have one.

use super::{Finder, table};
use crate::transcript::{Block, BlockKind, NoteKind, Role};

/// Reports E31, E32 and E35.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    if rules.roles_checked {
        roles(finder);
    }
    if rules.results_alone {
        (0..transcript.messages.len()).for_each(|i| alone(finder, i));
    }
    if rules.calls_last {
        behind_calls(finder);
    }
    let marks = finder.facts.iter();
    let marks = marks.filter(|note| matches!(note.kind, NoteKind::Mark { .. }));
    for note in marks.clone().filter(|_| rules.marks_are_parts) {
        let parts = transcript.parts(transcript.message_of(note.block));
        let (fault, detail) = match parts.take_while(|(at, _)| *at < note.block).last() {
            None => (
                "E35 nothing before",
                "a cache mark has nothing before it in its message",
            ),
            Some((_, before)) if before.kind == BlockKind::Thinking => (
                "E35 after reasoning",
                "a cache mark is directly behind reasoning",
            ),
            Some(_) => continue,
        };
        finder.report(fault, note.block, detail);
    }
    for note in marks.filter(|_| !rules.marked_thinking) {
        let thinks = transcript.blocks[note.block as usize].kind == BlockKind::Thinking;
        if thinks {
            finder.report("E35", note.block, "thinking carries a cache mark");
        }
    }
}

/// E31: a call in a user message, a result in an assistant message.
fn roles(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    for (i, index, block) in transcript.all_blocks() {
        let (fault, detail) = match (transcript.messages[i].role, block.kind) {
            (Role::User, BlockKind::Call) => {
                ("E31 call of the user", "a call is in a message of the user")
            }
            (Role::User, BlockKind::Thinking) => ("E31", "thinking is in a message of the user"),
            (Role::User, BlockKind::Other) if finder.is_server(index) => (
                "E31",
                "a server's call or result is in a message of the user",
            ),
            (Role::Assistant, BlockKind::Result) => (
                "E31 result of the assistant",
                "a result is in a message of the assistant",
            ),
            _ => continue,
        };
        let defect = finder.report(fault, index, detail);
        if block.is_linked() {
            defect.about(transcript.link(block).call);
        } else {
            defect.by_hand(table::MOVE);
        }
    }
}

/// E31: other content beside results.
fn alone(finder: &mut Finder<'_>, i: usize) {
    let parts = || finder.transcript.parts(i);
    let result = |block: &Block| block.kind == BlockKind::Result;
    let own = parts().find(|(_, block)| !result(block) && block.chars > 0);
    if let Some((index, _)) = own.filter(|_| parts().any(|(_, block)| result(block))) {
        finder
            .report(
                "E31 results alone",
                index,
                "other content is beside results",
            )
            .by_hand(table::MOVE);
    }
}

/// E32: content after a call in one turn of the assistant. Consecutive messages of one role are one turn.
fn behind_calls(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let mut called = None;
    for (i, message) in transcript.messages.iter().enumerate() {
        called = called.filter(|_| message.role == Role::Assistant);
        let parts = transcript.parts(i);
        for (index, block) in parts.filter(|_| message.role == Role::Assistant) {
            let detail = match block.kind {
                BlockKind::Call => {
                    called = Some(transcript.link(block).call);
                    continue;
                }
                BlockKind::Text | BlockKind::Image => "content is behind a call",
                BlockKind::Other if finder.is_server(index) => {
                    "a server's call or result is behind a call"
                }
                _ => continue,
            };
            if let Some(call) = called {
                finder.report("E32", index, detail).about(call);
            }
        }
    }
}
