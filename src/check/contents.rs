//! What stands in messages and what must be declared for it: E08, E09, E10, E19 and E22.

use super::{Finder, words};
use crate::transcript::{Block, BlockKind, Flags, Role, Rules};

/// Finds empty messages and texts, empty lists of calls, a first message that is not the user's, tools that no one
/// declared, and errors that are more than text.
pub(super) fn check(finder: &mut Finder<'_>, blank: impl Fn(u32, &Block) -> bool) {
    let transcript = finder.transcript;
    let rules = transcript.rules;
    if matches!(rules, Rules::Responses | Rules::Ollama) {
        return;
    }
    if matches!(rules, Rules::Anthropic | Rules::Gemini | Rules::Converse | Rules::Generic) {
        let first = transcript.messages.iter().position(|m| m.role != Role::System);
        let begun = transcript.calls_elsewhere;
        if let Some(i) = first.filter(|&i| transcript.messages[i].role != Role::User && !begun) {
            finder.tell("E10", i, None, 0, "the first message is not the user's");
        }
    }
    if matches!(rules, Rules::Anthropic | Rules::Converse) && !transcript.request.tools {
        let with_tools = (0..transcript.messages.len()).find(|&i| transcript.blocks_of(i).iter().any(Block::is_linked));
        if let Some(i) = with_tools {
            finder.tell("E19", i, None, 0, "there are calls or results, but the body declares no tools");
        }
    }
    for i in 0..transcript.messages.len() {
        message(finder, i, &blank);
    }
}

/// Finds what is empty about message `i`.
fn message(finder: &mut Finder<'_>, i: usize, blank: &impl Fn(u32, &Block) -> bool) {
    let transcript = finder.transcript;
    let (rules, message, blocks) = (transcript.rules, &transcript.messages[i], transcript.blocks_of(i));
    if message.empty_calls {
        finder.tell("E09", i, None, 0, "tool_calls is an empty array");
    }
    if matches!(rules, Rules::OpenAiChat | Rules::Mistral | Rules::Cohere) {
        if message.wordless {
            finder.tell("E08", i, None, 0, "the message has neither content nor calls");
        }
        return;
    }
    if message.role == Role::System {
        return;
    }
    let last = i + 1 == transcript.messages.len();
    let may_be_empty = last && message.role == Role::Assistant && !matches!(rules, Rules::Gemini | Rules::Converse);
    if blocks.is_empty() && !may_be_empty {
        finder.tell("E08", i, None, 0, "the message has no content");
    }
    let is_empty_text = may_be_empty && !message.array && blocks.iter().all(|b| b.kind == BlockKind::Text && b.chars == 0);
    match rules {
        Rules::Gemini => without_data(finder, i),
        _ if is_empty_text => {}
        _ => parts(finder, i, blank),
    }
}

/// Finds parts of Gemini's message `i` that hold nothing. A blank text is none of them: it may carry a signature.
fn without_data(finder: &mut Finder<'_>, i: usize) {
    let transcript = finder.transcript;
    for (index, block) in (transcript.messages[i].blocks..).zip(transcript.blocks_of(i)) {
        if block.kind == BlockKind::Other && block.flags.has(Flags::BLANK) {
            finder.tell("E08", i, Some(index), 0, "a part holds no data");
            finder.answered(words::NO_DATA);
        }
    }
}

/// Finds blank texts of message `i`, and errors that are empty or more than text. Texts inside a result may be blank.
fn parts(finder: &mut Finder<'_>, i: usize, blank: &impl Fn(u32, &Block) -> bool) {
    let transcript = finder.transcript;
    let rules = transcript.rules;
    let mut inside = 0;
    let mut error = None;
    for (index, block) in (transcript.messages[i].blocks..).zip(transcript.blocks_of(i)) {
        if inside > 0 {
            inside -= 1;
            if let Some((result, id)) = error.filter(|_| block.kind != BlockKind::Text) {
                error = None;
                finder.tell("E22", i, Some(result), id, "a result that is an error holds more than text");
            }
        } else if block.kind == BlockKind::Result {
            let link = transcript.link(block);
            inside = link.children;
            if rules == Rules::Converse && inside == 0 && block.flags.has(Flags::ERROR) {
                finder.tell("E08", i, Some(index), link.call, "a result that is an error is empty");
                finder.answered(words::EMPTY_ERROR);
            }
            let told = rules == Rules::Anthropic && block.flags.has(Flags::ERROR);
            error = told.then_some((index, link.call));
        } else if block.kind == BlockKind::Text && blank(index, block) && !block.flags.has(Flags::STRING) {
            finder.tell("E08", i, Some(index), 0, "a text is empty or blank");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::defects;

    #[test]
    fn google_tells_a_part_without_data_from_no_parts() {
        let answers = |parts: &str| -> Vec<String> {
            let body = format!(r#"{{"contents":[{{"role":"user","parts":[{parts}]}}]}}"#);
            defects("gemini", &body).into_iter().map(|d| format!("{} {}", d.row.code, d.row.provider.unwrap())).collect()
        };
        assert!(answers("")[0].ends_with("contents.parts must not be empty."));
        let one = answers(r#"{},{"text":"x"}"#);
        assert!(one.len() == 1 && one[0].starts_with("E08") && one[0].contains("required oneof field 'data'"), "{one:?}");
    }
}
