//! E04, E12 and E13: the first and last content of a message, and the last message.

use super::Finder;
use crate::json::IdSet;
use crate::transcript::{
    BlockKind, FirstMessage, Flags, LastMessage, NoteKind, Role, SystemPlacement,
};

/// Finds results after other content, and an end that the model cannot continue.
pub(super) fn check(finder: &mut Finder<'_>) {
    if finder.rules.results_first {
        results_first(finder);
    }
    end(finder);
}

/// E04. Messages of one role are merged, so that a text of the previous message precedes the results.
fn results_first(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let mut calls = IdSet::with_capacity_and_hasher(transcript.links.len() / 2, Default::default());
    let (mut behind, mut before) = (false, Role::Other);
    for (i, message) in transcript.messages.iter().enumerate() {
        if message.role != before {
            (behind, before) = (false, message.role);
        }
        let mut inside = 0;
        for (index, block) in transcript.numbered_blocks_of(i) {
            if block.kind == BlockKind::Call {
                calls.insert(transcript.link(block).call);
            } else if message.role != Role::User {
            } else if inside > 0 {
                inside -= 1;
            } else if block.kind == BlockKind::Result {
                let link = transcript.link(block);
                inside = link.children;
                if behind && calls.contains(&link.call) {
                    let tool = transcript.tool_of(block);
                    finder.report(
                        "E04",
                        i,
                        Some(index),
                        link.call,
                        format!("the result of {tool:?} is behind other content"),
                    );
                }
            } else {
                behind = true;
            }
        }
    }
}

/// E12 and E13, for a last message of the assistant. One that waits for a server tool is accepted.
fn end(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let Some(last) = transcript
        .messages
        .iter()
        .rposition(|m| m.role != Role::System)
    else {
        return;
    };
    if transcript.messages[last].role != Role::Assistant {
        return;
    }
    let blocks = transcript.blocks_of(last);
    let first = transcript.messages[last].blocks;
    // A conversation that consists of one answer begins wrongly, which is reported instead.
    let alone = last == 0 && rules.opening == FirstMessage::User;
    let detail = match rules.ending {
        LastMessage::NotAssistant if !blocks.is_empty() && !waits(finder, first) => {
            "this model does not go on from there"
        }
        LastMessage::Prefix if !transcript.messages[last].prefix => "it is no prefix",
        _ => "",
    };
    if !detail.is_empty() && !alone {
        finder.report(
            "E12",
            last,
            None,
            0,
            format!("the conversation ends with the assistant, and {detail}"),
        );
        if rules.system == SystemPlacement::First {
            finder.answered("last message");
        }
    }
    let trails = blocks.last().is_some_and(|b| {
        b.kind == BlockKind::Text && b.flags.has(Flags::TRAILING) && !b.flags.has(Flags::BLANK)
    });
    if trails && !rules.trailing_space {
        finder.report(
            "E13",
            last,
            Some(first + blocks.len() as u32 - 1),
            0,
            "the last text of the assistant ends with white space",
        );
    }
}

/// Returns whether a call of a server tool, from block `first` on, has no result.
fn waits(finder: &Finder<'_>, first: u32) -> bool {
    let mut waiting = IdSet::default();
    for note in finder.facts.iter().filter(|n| n.block >= first) {
        match note.kind {
            NoteKind::ServerCall(id) => drop(waiting.insert(id)),
            NoteKind::ServerResult(id) => drop(waiting.remove(&id)),
            _ => {}
        }
    }
    !waiting.is_empty()
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::codes;

    #[test]
    fn mistral_continues_from_a_prefix_only() {
        let body = |more: &str| {
            format!(
                r#"{{"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":"y"{more}}}]}}"#
            )
        };
        assert_eq!(codes("mistral", &body("")), ["E12"]);
        assert_eq!(codes("mistral", &body(r#","prefix":false"#)), ["E12"]);
        assert_eq!(codes("mistral", &body(r#","prefix":true"#)), [""; 0]);
        assert_eq!(codes("openai-chat", &body("")), [""; 0]);
    }
}
