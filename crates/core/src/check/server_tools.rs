//! E20 and E21: calls of server tools without their results, and calls whose `caller` is missing.

use super::Finder;
use crate::json::{IdMap, IdSet};
use crate::transcript::{BlockKind, NoteKind, Role};

/// Finds calls and results of server tools without the other half, and calls whose caller is missing. A server tool that waits for a
/// client's result answers in a later message of the same turn; one of the last turn may still be running.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if finder.rules.programs {
        return callers(finder);
    }
    if !finder.rules.server_pairs || finder.facts.is_empty() {
        return;
    }
    let mut notes = finder.facts.clone().into_iter().peekable();
    let mut made = IdSet::default();
    let mut open: IdMap<(usize, u32)> = IdMap::default();
    for (i, message) in transcript.messages.iter().enumerate() {
        let blocks = transcript.blocks_of(i);
        if message.role == Role::User && has_own_content(finder, i) {
            unanswered(finder, &mut open);
        }
        while let Some(note) = notes.next_if(|n| n.block < message.blocks + blocks.len() as u32) {
            match note.kind {
                NoteKind::ServerCall(id) => {
                    made.insert(id);
                    open.insert(id, (i, note.block));
                }
                NoteKind::ServerResult(id) if open.remove(&id).is_none() => {
                    finder.report(
                        "E20",
                        i,
                        Some(note.block),
                        id,
                        "a server tool's result has no call before it",
                    );
                }
                NoteKind::Caller(id) if !made.contains(&id) => {
                    finder.report(
                        "E21",
                        i,
                        Some(note.block),
                        id,
                        "the server tool that made the call is missing",
                    );
                }
                _ => {}
            }
        }
    }
}

/// E21 for Responses: items made by a program that is missing. It may be stored on the server.
fn callers(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if transcript.calls_elsewhere {
        return;
    }
    let mut made = IdSet::default();
    for note in &transcript.notes {
        match note.kind {
            NoteKind::ServerCall(id) => drop(made.insert(id)),
            NoteKind::Caller(id) if !made.contains(&id) => {
                let i = transcript
                    .messages
                    .partition_point(|m| m.blocks <= note.block)
                    .saturating_sub(1);
                finder.report(
                    "E21",
                    i,
                    Some(note.block),
                    id,
                    "the program that made it is missing",
                );
            }
            _ => {}
        }
    }
}

/// Returns whether message `i` contains anything but results.
fn has_own_content(finder: &Finder<'_>, i: usize) -> bool {
    let transcript = finder.transcript;
    let mut inside = 0;
    transcript.blocks_of(i).iter().any(|block| {
        if inside > 0 {
            inside -= 1;
            return false;
        }
        if block.kind == BlockKind::Result {
            inside = transcript.link(block).children;
        }
        block.kind != BlockKind::Result
    })
}

fn unanswered(finder: &mut Finder<'_>, open: &mut IdMap<(usize, u32)>) {
    for (id, (i, block)) in open.drain() {
        finder.report(
            "E20",
            i,
            Some(block),
            id,
            "a server tool's call has no result",
        );
    }
}
