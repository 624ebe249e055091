//! E20 and E21: calls of server tools without their results, and calls whose `caller` is missing.

use super::Finder;
use crate::json::{IdMap, IdSet};
use crate::transcript::{BlockKind, NoteKind, Role};

/// Finds calls and results of server tools without the other half, and calls whose caller is missing. A server tool that waits for a
/// client's result answers in a later message of the same turn; one of the last turn may still be running. A program may be stored on the
/// server.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let pairs = rules.server_pairs && !rules.programs;
    if finder.facts.is_empty() || !pairs && (!rules.programs || transcript.calls_elsewhere) {
        return;
    }
    let caller = if pairs {
        "the server tool that made the call is missing"
    } else {
        "the program that made it is missing"
    };
    let mut notes = finder.facts.iter().peekable();
    let (mut made, mut open) = (IdSet::default(), IdMap::<u32>::default());
    for (i, message) in transcript.messages.iter().enumerate() {
        let own = || {
            transcript
                .parts(i)
                .any(|(_, b)| b.kind != BlockKind::Result)
        };
        if pairs && !open.is_empty() && message.role == Role::User && own() {
            for (id, block) in open.drain() {
                finder
                    .report("E20 call", block, "a server tool's call has no result")
                    .about(id);
            }
        }
        let end = message.blocks + transcript.blocks_of(i).len() as u32;
        while let Some(note) = notes.next_if(|note| note.block < end) {
            match note.kind {
                NoteKind::ServerCall(id) => {
                    made.insert(id);
                    open.insert(id, note.block);
                }
                NoteKind::ServerResult(id) if pairs && open.remove(&id).is_none() => {
                    let detail = "a server tool's result has no call before it";
                    finder.report("E20", note.block, detail).about(id);
                }
                NoteKind::Caller(id) if !made.contains(&id) => {
                    finder.report("E21", note.block, caller).about(id);
                }
                _ => {}
            }
        }
    }
}
