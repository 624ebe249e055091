//! E36: a system message among the others, in a place where the provider does not accept it.
//!
//! Anthropic accepts such messages from Claude 4.8 on: after a user message or the result of a server tool, and before an answer or at the
//! end. A system message without blocks only changes settings, and may be anywhere.

use super::Finder;
use crate::transcript::{NoteKind, Role, SystemPlacement};

/// Reports E36.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if finder.rules.system != SystemPlacement::BeforeAnswer {
        return;
    }
    let role = |i: usize| transcript.messages[i].role;
    let said = |i: &usize| role(*i) != Role::System || !transcript.blocks_of(*i).is_empty();
    let mut all = (0..transcript.messages.len()).filter(said).peekable();
    let mut before = None;
    while let Some(i) = all.next() {
        let before = before.replace(i);
        if role(i) != Role::System {
            continue;
        }
        match before {
            None => {
                let detail = "a message of the system is the first message";
                finder.report("E36 system first", i, detail);
            }
            Some(before)
                if role(before) == Role::Assistant && !ends_with_server_result(finder, before) =>
            {
                let detail = "a message of the system follows an answer";
                finder.report("E36 system follows", i, detail);
            }
            _ => {}
        }
        let what = match all.peek().map(|after| role(*after)) {
            None | Some(Role::Assistant) => continue,
            // Any number of them may be last.
            Some(Role::System) if all.clone().all(|i| role(i) == Role::System) => continue,
            Some(Role::System) => "another one",
            Some(_) => "a message of the user",
        };
        let detail = format!("a message of the system is followed by {what}");
        finder.report("E36", i, detail);
    }
}

/// Returns whether the answer at `i` ends with the result of a server tool.
fn ends_with_server_result(finder: &Finder<'_>, i: usize) -> bool {
    finder.transcript.parts(i).last().is_some_and(|(block, _)| {
        finder
            .facts_of(block)
            .any(|fact| matches!(fact, NoteKind::ServerResult(_)))
    })
}
