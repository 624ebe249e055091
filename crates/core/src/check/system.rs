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
    let messages = &transcript.messages;
    let said =
        |i: &usize| messages[*i].role != Role::System || !transcript.blocks_of(*i).is_empty();
    let all: Vec<usize> = (0..messages.len()).filter(said).collect();
    for (n, &i) in all
        .iter()
        .enumerate()
        .filter(|(_, i)| messages[**i].role == Role::System)
    {
        let (before, after) = (
            n.checked_sub(1).map(|n| all[n]),
            all.get(n + 1).map(|&i| messages[i].role),
        );
        match before.map(|before| (messages[before].role, before)) {
            None => {
                finder.report(
                    "E36",
                    i,
                    None,
                    0,
                    "a message of the system is the first message",
                );
                finder.answered("system first");
            }
            Some((Role::Assistant, before)) if !ends_with_server_result(finder, before) => {
                finder.report(
                    "E36",
                    i,
                    None,
                    0,
                    "a message of the system follows an answer",
                );
                finder.answered("system follows");
            }
            _ => {}
        }
        if let Some(role) = after.filter(|role| *role != Role::Assistant) {
            let what = if role == Role::System {
                "another one"
            } else {
                "a message of the user"
            };
            finder.report(
                "E36",
                i,
                None,
                0,
                format!("a message of the system is followed by {what}"),
            );
        }
    }
}

/// Returns whether the answer at `i` ends with the result of a server tool.
fn ends_with_server_result(finder: &Finder<'_>, i: usize) -> bool {
    let last = finder.parts(i).last().map(|(index, _)| *index);
    last.is_some_and(|block| {
        finder
            .facts_of(block)
            .any(|fact| matches!(fact, NoteKind::ServerResult(_)))
    })
}
