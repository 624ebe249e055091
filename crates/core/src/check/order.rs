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
    for turn in finder.turns() {
        let asks = transcript.messages[turn.start].role == Role::User;
        let mut behind = false;
        for (index, block) in turn.flat_map(|i| transcript.parts(i)) {
            if block.kind == BlockKind::Call {
                calls.insert(transcript.link(block).call);
            } else if asks && block.kind != BlockKind::Result {
                behind = true;
            } else if asks && behind && calls.contains(&transcript.link(block).call) {
                let tool = transcript.tool_of(block);
                finder
                    .report(
                        "E04",
                        index,
                        format!("the result of {tool:?} is behind other content"),
                    )
                    .about(transcript.link(block).call);
            }
        }
    }
}

/// E12 and E13, for a last message of the assistant. One that waits for a server tool is accepted.
fn end(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let messages = &transcript.messages;
    let last = messages.iter().rposition(|m| m.role != Role::System);
    let Some(last) = last.filter(|last| messages[*last].role == Role::Assistant) else {
        return;
    };
    let final_block = transcript.numbered_blocks_of(last).last();
    // A conversation that consists of one answer begins wrongly, which is reported instead.
    let alone = last == 0 && rules.opening == FirstMessage::User;
    let detail = match rules.ending {
        LastMessage::NotAssistant if final_block.is_some() && !waits(finder, last) => {
            "this model does not go on from there"
        }
        LastMessage::Prefix if !messages[last].prefix => "it is no prefix",
        _ => "",
    };
    if !detail.is_empty() && !alone {
        let fault = if rules.system == SystemPlacement::First {
            "E12 last message"
        } else {
            "E12"
        };
        let detail = format!("the conversation ends with the assistant, and {detail}");
        finder.report(fault, last, detail);
    }
    let trails = |flags: Flags| flags.has(Flags::TRAILING) && !flags.has(Flags::BLANK);
    if let Some((index, block)) = final_block.filter(|_| !rules.trailing_space)
        && block.kind == BlockKind::Text
        && trails(block.flags)
    {
        let detail = "the last text of the assistant ends with white space";
        finder.report("E13", index, detail);
    }
}

/// Returns whether a call of a server tool, from message `last` on, has no result.
fn waits(finder: &Finder<'_>, last: usize) -> bool {
    let first = finder.transcript.messages[last].blocks;
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
