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
    for (i, message) in transcript.messages.iter().enumerate() {
        if message.empty_calls {
            finder.tell("E09", i, None, 0, "tool_calls is an empty array");
        }
        if matches!(rules, Rules::OpenAiChat | Rules::Mistral | Rules::Cohere) {
            if message.wordless {
                finder.tell("E08", i, None, 0, "the message has neither content nor calls");
            }
            continue;
        }
        if message.role == Role::System {
            continue;
        }
        let blocks = transcript.blocks_of(i);
        let last = i + 1 == transcript.messages.len();
        let may_be_empty = last && message.role == Role::Assistant && !matches!(rules, Rules::Gemini | Rules::Converse);
        if blocks.is_empty() && !may_be_empty {
            finder.tell("E08", i, None, 0, "the message has no content");
        }
        // A blank text of Gemini's may carry a signature.
        if rules == Rules::Gemini {
            let empty = (message.blocks..).zip(blocks).filter(|(_, b)| b.kind == BlockKind::Other && b.flags.has(Flags::BLANK));
            empty.for_each(|(index, _)| finder.tell("E08", i, Some(index), 0, "a part holds no data"));
            continue;
        }
        if may_be_empty && !message.array && blocks.iter().all(|b| b.kind == BlockKind::Text && b.chars == 0) {
            continue;
        }
        // Texts inside a result may be blank; those of a message may not.
        let mut inside = 0;
        let mut error = None;
        for (index, block) in (message.blocks..).zip(blocks) {
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
                    if let Some(defect) = finder.defects.last_mut() {
                        defect.row.provider = Some(words::EMPTY_ERROR);
                    }
                }
                let told = rules == Rules::Anthropic && block.flags.has(Flags::ERROR);
                error = told.then_some((index, link.call));
            } else if block.kind == BlockKind::Text && blank(index, block) && !block.flags.has(Flags::STRING) {
                finder.tell("E08", i, Some(index), 0, "a text is empty or blank");
            }
        }
    }
}
