//! Thinking and reasoning that providers require, bind to other content, or refuse: E15, E16, E17,
//! E18, E23, E33 and E34.
//!
//! A body alone does not show all of it: that thinking of an open turn was changed (E15), that
//! thinking follows a change (E16), and that a call lost the reasoning before it (E17) is found by
//! comparing the transcripts before and after a cut.

use super::*;
use crate::transcript::{ReasoningContentRule, Thinking};

/// Finds reasoning, thinking and signatures that are missing, and those that the provider refuses.
pub fn check(finder: &mut Finder<'_>) {
    let rules = finder.rules;
    if rules.reasoning_followed {
        followed(finder);
    }
    if rules.signed_calls {
        signatures(finder);
    }
    if rules.thoughts.as_asked {
        open_turn(finder);
    }
    if rules.thoughts.followed {
        last(finder);
    }
    if !rules.items && rules.reasoned != ReasoningContentRule::Free {
        contents(finder);
    }
}

/// E17: finds reasoning items without a following item in their run, or followed only by an answer
/// that is not bound to them, in bodies of OpenAI Responses: the server refuses a reasoning item
/// without the item that followed it. Reasoning without an id is not bound.
fn followed(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let unbound = finder.rules.item_ids && !transcript.request.forgets;
    for (i, index, block) in transcript.all_blocks() {
        let last = transcript.messages[i].blocks as usize + transcript.blocks_of(i).len() - 1;
        if !transcript.is_answer(i) {
        } else if block.kind == BlockKind::Thinking
            && index as usize == last
            && !finder.has(index, NoteKind::Fault(Fault::Unnamed))
        {
            finder.report("E17", i);
        } else if unbound && finder.has(index, NoteKind::Fault(Fault::Unbound)) {
            finder.report("E17 unbound", index);
        }
    }
}

/// Finds calls that had reasoning in `before` and have none in `after`.
pub fn lost(before: &Transcript, after: &Transcript, defects: &mut Vec<Defect>) {
    let rules = before.rules();
    if !rules.reasoning_followed {
        return;
    }
    let reasoned: IdSet = calls(before)
        .filter(|(.., reasoned)| *reasoned)
        .map(|(_, call, _)| call)
        .collect();
    let row = row_of(before, rules.services, "E17 lost");
    for (i, call, _) in calls(after).filter(|(_, call, has)| !has && reasoned.contains(call)) {
        defects.push(Defect {
            about: call,
            ..Defect::new(after, row.clone(), Place::Message(i))
        });
    }
}

/// Returns the calls of a transcript: the index of the message, the id, and whether reasoning
/// precedes the call in its run.
fn calls(transcript: &Transcript) -> impl Iterator<Item = (usize, Id, bool)> + '_ {
    let mut reasoned = None;
    transcript.all_blocks().filter_map(move |(i, _, block)| {
        if block.kind == BlockKind::Thinking {
            reasoned = Some(i);
        }
        (block.kind == BlockKind::Call && transcript.is_answer(i))
            .then(|| (i, transcript.link(block).call, reasoned == Some(i)))
    })
}

/// E18: from Gemini 3 on, the first call of every step of the current turn must carry a thought
/// signature.
///
/// The model is usually in the URL. Where it is unknown, nothing is reported, because older models
/// sign only some calls.
fn signatures(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    // A call in the user's own message belongs to the turn as well.
    for i in turn(transcript).saturating_sub(1)..transcript.messages.len() {
        let mut blocks = transcript.numbered_blocks_of(i);
        if let Some((call, block)) = blocks.find(|(_, b)| b.kind == BlockKind::Call)
            && !finder.has(call, NoteKind::Signature)
            && !(finder.rules.signed_in_details && transcript.has(i, BlockKind::Thinking))
        {
            let tool = transcript.tool_of(block);
            finder.report("E18", call).with(&[&tool]);
        }
    }
}

/// E34: finds thinking that ends an answer.
fn last(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    // A mark is no content.
    let is_mark = |block: &Block| block.kind == BlockKind::Other && block.chars == 0;
    for turn in finder.turns() {
        let answers = transcript.is_answer(turn.start);
        if let Some((block, _)) = turn
            .rev()
            .find_map(|i| {
                transcript
                    .numbered_blocks_of(i)
                    .filter(|(_, block)| !is_mark(block))
                    .last()
            })
            .filter(|(_, block)| answers && block.kind == BlockKind::Thinking)
        {
            finder.report("E34", block);
        }
    }
}

/// E15: with thinking on, the open turn must begin with it; with thinking off, an answer to be
/// continued must have none.
fn open_turn(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let turn = turn(transcript);
    let asked = transcript.request.thinking;
    let Some(last) = transcript.messages.len().checked_sub(1) else {
        return;
    };
    let answers = |i: &usize| transcript.is_answer(*i);
    let ends = answers(&last);
    let (first, fault) = if ends {
        (Some(last).filter(|last| *last == turn), "E15 last")
    } else {
        ((turn..last).find(answers), "E15")
    };
    if let Some((block, found)) = first
        .and_then(|i| transcript.numbered_blocks_of(i).next())
        .filter(|_| asked == Thinking::Enabled)
        && matches!(found.kind, BlockKind::Text | BlockKind::Call)
    {
        finder.report(fault, block);
    }
    if ends
        && transcript.has(last, BlockKind::Thinking)
        && matches!(asked, Thinking::Unsaid | Thinking::Disabled)
    {
        finder.report("E15 thinking off", last);
    }
}

/// E23: `reasoning_content` that is missing from calls of models that require it.
///
/// The model's name and the thinking options of the request decide whether it is required. A model
/// that requires it for one call requires it for every later one. Calls before the first turn that
/// has it are not reported: some services allow clients to drop the reasoning of earlier turns.
fn contents(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let asked = transcript.request.thinking;
    if asked == Thinking::Disabled {
        return;
    }
    let always =
        finder.rules.reasoned == ReasoningContentRule::Always || asked == Thinking::Enabled;
    let reasoned: HashSet<usize> = finder
        .facts
        .iter()
        .filter(|note| note.kind == NoteKind::ReasoningContent)
        .map(|note| transcript.message_of(note.block))
        .collect();
    let open = turn(transcript);
    let mut wanted = false;
    let mut bare = Vec::new();
    for (i, message) in transcript.messages.iter().enumerate() {
        // Among the calls before the first reasoning, only those of its own turn and of the open
        // turn require it.
        if message.role == Role::User && !wanted {
            bare.clear();
        }
        // In a list of parts, any thinking counts as reasoning content.
        let has = reasoned.contains(&i)
            || transcript.messages[i].array && transcript.has(i, BlockKind::Thinking);
        wanted |= has || always && i >= open;
        if !has && message.role == Role::Assistant && transcript.has(i, BlockKind::Call) {
            bare.push(i);
        }
    }
    let fault = if reasoned.is_empty() {
        "E23"
    } else {
        "E23 others"
    };
    for i in bare.into_iter().filter(|_| wanted) {
        finder.report(fault, i);
    }
}

/// Adds E15 if the thinking of the turn that was open `before` is different `after`.
pub fn changed(before: &Transcript, after: &Transcript, defects: &mut Vec<Defect>) {
    let thinking = |transcript: &Transcript| -> Vec<u32> {
        transcript
            .messages
            .get(turn(transcript))
            .map_or(&[][..], |m| &transcript.blocks[m.blocks as usize..])
            .iter()
            .filter(|b| b.kind == BlockKind::Thinking)
            .map(|b| b.chars)
            .collect()
    };
    let rules = before.rules();
    if rules.thoughts.as_asked
        && !before.ignores_thinking(&rules)
        && !after.messages.is_empty()
        && thinking(before) != thinking(after)
    {
        let i = turn(after).min(after.messages.len() - 1);
        let row = row_of(after, rules.services, "E15 changed");
        defects.push(Defect::new(after, row, Place::Message(i)));
    }
}

/// Returns the index of the first message of the open turn: the one after the last that the user
/// wrote.
pub fn turn(transcript: &Transcript) -> usize {
    (0..transcript.messages.len())
        .rev()
        .find(|&i| transcript.messages[i].role == Role::User && !transcript.is_only_results(i))
        .map_or(0, |i| i + 1)
}

/// E16: returns whether thinking in a transcript for `model` is bound to all content before it;
/// `None` if that depends on a model that is not named.
pub fn binds_thinking(transcript: &Transcript, model: Option<&str>) -> Option<bool> {
    (transcript.provider.rules)(model, None).thinking_bound
}

/// Returns a warning about the thinking after message `first`, which a change there may invalidate;
/// `None` if there is no risk.
pub fn thinking_warning(
    transcript: &Transcript,
    model: Option<&str>,
    first: u32,
) -> Option<String> {
    let from = transcript.messages.get(first as usize)?.blocks as usize;
    let after = transcript.blocks[from..]
        .iter()
        .filter(|b| b.kind == BlockKind::Thinking)
        .count();
    (after > 0 && binds_thinking(transcript, model) == Some(true)).then(|| {
        format!("E16: {after} thinking blocks follow the first change; Claude 5.1 and later bind them to what comes before and answer 400 (bound to a different conversation) unless they are removed or block_binding is drop_block")
    })
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::codes;

    #[test]
    fn the_first_call_of_a_step_is_signed() {
        let call = |signed: bool| {
            let mark = if signed {
                r#","thoughtSignature":"c2ln""#
            } else {
                ""
            };
            format!(r#"{{"functionCall":{{"name":"f","args":{{}}}}{mark}}}"#)
        };
        let step = |calls: &[bool]| {
            let answers =
                vec![r#"{"functionResponse":{"name":"f","response":{}}}"#; calls.len()].join(",");
            let calls: Vec<String> = calls.iter().map(|c| call(*c)).collect();
            format!(
                r#"{{"role":"model","parts":[{}]}},{{"role":"user","parts":[{answers}]}}"#,
                calls.join(",")
            )
        };
        let user = r#"{"role":"user","parts":[{"text":"x"}]}"#.to_owned();
        let body = |model: &str, contents: &[String]| {
            format!(r#"{{{model}"contents":[{}]}}"#, contents.join(","))
        };
        let (three, two) = (
            r#""model":"gemini-3-pro-preview","#,
            r#""model":"models/gemini-2.5-pro","#,
        );
        for (model, contents, want) in [
            (three, vec![user.clone(), step(&[true, false])], &[][..]),
            (three, vec![user.clone(), step(&[false, true])], &["E18"]),
            (
                three,
                vec![user.clone(), step(&[false]), user.clone(), step(&[true])],
                &[],
            ),
            (two, vec![user.clone(), step(&[true]), step(&[false])], &[]),
            ("", vec![user.clone(), step(&[true]), step(&[false])], &[]),
            ("", vec![user.clone(), step(&[false]), step(&[false])], &[]),
        ] {
            let body = body(model, &contents);
            assert_eq!(codes("gemini", &body), want, "{body}");
        }
    }
}
