//! E36: a message of the system among the others, where the provider wants it.
//!
//! Anthropic takes such messages from Claude 4.8 on: behind the user or a server's tool, and before an answer or at the end. One
//! without blocks only sets something, and stands anywhere. Several in a row are one section.

use super::Finder;
use crate::transcript::{Fact, Role, SystemInside};

/// Adds what there is of E36.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if finder.answers.system != SystemInside::BeforeAnswer {
        return;
    }
    let messages = &transcript.messages;
    let said = |i: &usize| messages[*i].role != Role::System || !transcript.blocks_of(*i).is_empty();
    let all: Vec<usize> = (0..messages.len()).filter(said).collect();
    for section in all.chunk_by(|a, b| (messages[*a].role == Role::System) == (messages[*b].role == Role::System)) {
        let (Some(&first), Some(&last)) = (section.first(), section.last()) else { continue };
        if messages[first].role != Role::System {
            continue;
        }
        let before = all.iter().rev().find(|&&i| i < first).copied();
        let after = all.iter().find(|&&i| i > last).copied();
        match before {
            None => {
                finder.tell("E36", first, None, 0, "a message of the system is the first message");
                finder.answered("system first");
            }
            Some(i) if messages[i].role != Role::User && !ends_with_server_result(finder, i) => {
                finder.tell("E36", first, None, 0, "a message of the system follows an answer");
                finder.answered("system follows");
            }
            _ => {}
        }
        if after.is_some_and(|i| messages[i].role != Role::Assistant) {
            finder.tell("E36", last, None, 0, "a message of the system is followed by a message of the user");
        }
    }
}

/// Whether the answer at `i` ends with what a server's tool gave.
fn ends_with_server_result(finder: &Finder<'_>, i: usize) -> bool {
    let last = finder.parts(i).last().map(|(index, _)| *index);
    last.is_some_and(|block| finder.facts_of(block).any(|fact| matches!(fact, Fact::ServerResult(_))))
}
