//! E31, E32 and E35: blocks in places where the provider does not accept them.
//!
//! Calls belong in messages of the assistant, results in the turns between them. Nothing but calls may follow a call. A block that
//! cannot carry a cache mark must not have one.

use super::DefectSubject;
use super::{Finder, advice};
use crate::transcript::{Block, BlockKind, NoteKind, Role};

/// Reports E31, E32 and E35.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if finder.rules.roles_checked && (finder.kinds.misplaced || !finder.facts.is_empty()) {
        (0..transcript.messages.len()).for_each(|i| roles(finder, i));
    }
    if finder.rules.results_alone {
        (0..transcript.messages.len()).for_each(|i| alone(finder, i));
    }
    if finder.rules.calls_last && finder.kinds.behind_calls {
        behind_calls(finder);
    }
    if !finder.rules.marked_thinking {
        let marked = finder
            .facts
            .iter()
            .filter(|note| matches!(note.kind, NoteKind::Mark { .. }))
            .map(|note| note.block);
        for block in marked
            .filter(|&b| transcript.blocks[b as usize].kind == BlockKind::Thinking)
            .collect::<Vec<_>>()
        {
            finder.report(
                "E35",
                finder.message_of(block),
                Some(block),
                0,
                "thinking carries a cache mark",
            );
        }
    }
}

/// E31: a call in a user message, a result in an assistant message.
fn roles(finder: &mut Finder<'_>, i: usize) {
    let transcript = finder.transcript;
    let role = transcript.messages[i].role;
    for (index, block) in transcript.numbered_blocks_of(i) {
        let (what, answer) = match (role, block.kind) {
            (Role::User, BlockKind::Call) => {
                ("a call is in a message of the user", "call of the user")
            }
            (Role::User, BlockKind::Thinking) => ("thinking is in a message of the user", ""),
            (Role::User, BlockKind::Other) if is_server(finder, index) => {
                ("a server's call or result is in a message of the user", "")
            }
            (Role::Assistant, BlockKind::Result) => (
                "a result is in a message of the assistant",
                "result of the assistant",
            ),
            _ => continue,
        };
        let about = if block.is_linked() {
            DefectSubject::Call(transcript.link(block).call)
        } else {
            DefectSubject::Rule(0)
        };
        finder.report("E31", i, Some(index), about, what);
        finder.answered(answer);
        if !block.is_linked() {
            finder.by_hand(advice::MOVE);
        }
    }
}

/// Returns whether the block at `index` is a call or result of a server tool.
fn is_server(finder: &Finder<'_>, index: u32) -> bool {
    finder
        .facts_of(index)
        .any(|fact| matches!(fact, NoteKind::ServerCall(_) | NoteKind::ServerResult(_)))
}

/// E31: other content beside results.
fn alone(finder: &mut Finder<'_>, i: usize) {
    let parts = finder.parts(i);
    let own = |block: &Block| !matches!(block.kind, BlockKind::Result) && block.chars > 0;
    let results = parts.iter().any(|(_, b)| b.kind == BlockKind::Result);
    if let Some((index, _)) = parts.iter().find(|(_, b)| own(b)).filter(|_| results) {
        finder.report("E31", i, Some(*index), 0, "other content is beside results");
        finder.answered("results alone");
        finder.by_hand(advice::MOVE);
    }
}

/// E32: content after a call in one turn of the assistant. Consecutive messages of one role are one turn.
fn behind_calls(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let mut called = None;
    for (i, message) in transcript.messages.iter().enumerate() {
        if message.role != Role::Assistant {
            called = None;
            continue;
        }
        for (index, block) in finder.parts(i) {
            match (block.kind, called) {
                (BlockKind::Call, _) => called = Some(transcript.link(&block).call),
                (BlockKind::Text | BlockKind::Image, Some(call)) => {
                    finder.report("E32", i, Some(index), call, "content is behind a call");
                }
                (BlockKind::Other, Some(call)) if is_server(finder, index) => {
                    finder.report(
                        "E32",
                        i,
                        Some(index),
                        call,
                        "a server's call or result is behind a call",
                    );
                }
                _ => {}
            }
        }
    }
}
