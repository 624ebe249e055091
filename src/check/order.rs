//! What stands first and last: E04, E12 and E13.

use super::Finder;
use super::thinking::claude_version;
use crate::transcript::{BlockKind, Fact, Flags, Role, Rules};
use std::collections::HashSet;

/// The first Claude that does not go on from an answer begun for it.
const NO_PREFILL: (u32, u32) = (4, 6);

/// Finds results behind other content, and an end that the model does not go on from.
pub(super) fn check(finder: &mut Finder<'_>) {
    if matches!(finder.transcript.rules, Rules::Anthropic | Rules::Generic) {
        results_first(finder);
    }
    match finder.transcript.rules {
        Rules::Anthropic | Rules::Converse => end(finder),
        Rules::Gemini => end_of_contents(finder),
        Rules::Mistral => last_role(finder),
        _ => {}
    }
}

/// E04. Messages of one role are merged, so that a text of the message before stands before the results, too.
fn results_first(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let mut calls = HashSet::with_capacity(transcript.links.len() / 2);
    let (mut behind, mut before) = (false, Role::Other);
    for (i, message) in transcript.messages.iter().enumerate() {
        if message.role != before {
            (behind, before) = (false, message.role);
        }
        let mut inside = 0;
        for (index, block) in (message.blocks..).zip(transcript.blocks_of(i)) {
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
                    finder.tell("E04", i, Some(index), link.call, format!("the result of {tool:?} stands behind other content"));
                }
            } else {
                behind = true;
            }
        }
    }
}

/// E12 of Mistral, which goes on from an answer only if that says so (`prefix`).
fn last_role(finder: &mut Finder<'_>) {
    let last = finder.transcript.messages.last();
    if last.is_some_and(|m| m.role == Role::Assistant && !m.prefix) {
        finder.tell("E12", finder.transcript.messages.len() - 1, None, 0, "the conversation ends with the assistant, and it is no prefix");
    }
}

/// E12 and E13, for an answer that was begun for the model. One that waits for a server tool goes on.
fn end(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let Some(last) = transcript.messages.iter().rposition(|m| m.role != Role::System) else { return };
    if transcript.messages[last].role != Role::Assistant {
        return;
    }
    let blocks = transcript.blocks_of(last);
    let first = transcript.messages[last].blocks;
    let mut waiting = HashSet::new();
    for note in transcript.notes.iter().filter(|n| n.block >= first) {
        match note.fact {
            Fact::ServerCall(id) => drop(waiting.insert(id)),
            Fact::ServerResult(id) => drop(waiting.remove(&id)),
            _ => {}
        }
    }
    let refused = transcript.model.as_deref().and_then(claude_version).is_some_and(|version| version >= NO_PREFILL);
    if refused && waiting.is_empty() && !blocks.is_empty() {
        finder.tell("E12", last, None, 0, "the conversation ends with the assistant, and this model does not go on from there");
    }
    if transcript.rules == Rules::Converse {
        return;
    }
    if blocks.last().is_some_and(|b| b.kind == BlockKind::Text && b.flags.has(Flags::TRAILING) && !b.flags.has(Flags::BLANK)) {
        finder.tell("E13", last, Some(first + blocks.len() as u32 - 1), 0, "the last text of the assistant ends with white space");
    }
}

/// E12 of Gemini, which wants the user or a function to have the last word.
fn end_of_contents(finder: &mut Finder<'_>) {
    let messages = &finder.transcript.messages;
    if messages.len() > 1 && messages.last().is_some_and(|m| m.role == Role::Assistant) {
        finder.tell("E12", messages.len() - 1, None, 0, "the conversation ends with the model");
    }
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::codes;

    #[test]
    fn mistral_goes_on_from_a_prefix_only() {
        let body = |more: &str| format!(r#"{{"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":"y"{more}}}]}}"#);
        assert_eq!(codes("mistral", &body("")), ["E12"]);
        assert_eq!(codes("mistral", &body(r#","prefix":false"#)), ["E12"]);
        assert_eq!(codes("mistral", &body(r#","prefix":true"#)), [""; 0]);
        assert_eq!(codes("openai-chat", &body("")), [""; 0]);
    }
}
