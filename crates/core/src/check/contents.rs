//! E08, E09, E10, E19 and E22: empty messages and contents, and tools that are called but not declared.

use super::Finder;
use crate::transcript::{Block, BlockKind, EmptyContent, Fault, FirstMessage, Flags, Role};

/// Finds empty messages and texts, empty lists of calls, a first message that is not the user's, calls without declared tools, and errors
/// with content other than text.
pub(super) fn check(finder: &mut Finder<'_>, blank: impl Fn(u32, &Block) -> bool) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    if rules.opening == FirstMessage::User {
        let first = transcript
            .messages
            .iter()
            .position(|m| m.role != Role::System);
        // The provider keeps the beginning, or ignores it.
        let begun = transcript.calls_elsewhere
            || transcript
                .messages
                .first()
                .is_some_and(|first| first.number > 1);
        if let Some(i) = first.filter(|&i| transcript.messages[i].role != Role::User && !begun) {
            finder.report("E10", i, None, 0, "the first message is not the user's");
        }
    }
    if rules.tools_declared && !transcript.request.tools {
        let with_tools = (0..transcript.messages.len())
            .find(|&i| transcript.blocks_of(i).iter().any(Block::is_linked));
        if let Some(i) = with_tools {
            finder.report(
                "E19",
                i,
                None,
                0,
                "there are calls or results, but the body declares no tools",
            );
        }
    }
    for i in 0..transcript.messages.len() {
        message(finder, i, &blank);
    }
}

/// Finds empty content of message `i`.
fn message(finder: &mut Finder<'_>, i: usize, blank: &impl Fn(u32, &Block) -> bool) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let (message, blocks) = (&transcript.messages[i], transcript.blocks_of(i));
    // A content that was not read may have anything in it.
    if message.unread {
        return;
    }
    if message.empty_calls && rules.empty_calls {
        finder.report("E09", i, None, 0, "tool_calls is an empty array");
    }
    let last = i + 1 == transcript.messages.len() && message.role == Role::Assistant;
    match rules.empty {
        EmptyContent::Any => {}
        EmptyContent::Text { counts } => {
            // Reasoning counts as content in a list, but not beside a text.
            let reasons = message.array && blocks.iter().any(|b| b.kind == BlockKind::Thinking);
            let said = message.role != Role::Assistant
                || blocks.is_empty()
                || reasons
                || !blocks.iter().all(is_empty);
            let no_content = counts && !said;
            if message.no_content || no_content {
                finder.report(
                    "E08",
                    i,
                    None,
                    0,
                    "the message has neither content nor calls",
                );
            }
        }
        _ if message.role == Role::System => {}
        EmptyContent::Part => {
            if blocks.is_empty() {
                finder.report("E08", i, None, 0, "the message has no content");
            }
            without_data(finder, i);
        }
        EmptyContent::No { last: may } => {
            if blocks.is_empty() && !(last && may) {
                finder.report("E08", i, None, 0, "the message has no content");
                finder.answered("empty message");
            }
            if !(last && may && !message.array && blocks.iter().all(is_empty)) {
                texts(finder, i, blank);
            }
        }
    }
    results(finder, i);
}

/// Returns whether a block is an empty text, or reasoning beside one.
fn is_empty(block: &Block) -> bool {
    block.kind == BlockKind::Text && block.chars == 0 || block.kind == BlockKind::Thinking
}

/// Finds parts of Gemini's message `i` without data. A blank text is accepted, as it may carry a signature.
fn without_data(finder: &mut Finder<'_>, i: usize) {
    let transcript = finder.transcript;
    for (index, block) in transcript.numbered_blocks_of(i) {
        if block.kind == BlockKind::Other && block.flags.has(Flags::BLANK) {
            finder.report("E08", i, Some(index), 0, "a part holds no data");
            finder.answered("no data");
        }
    }
}

/// Finds texts of message `i` that are empty, or blank without a text with words beside them. Texts inside a result may be blank.
fn texts(finder: &mut Finder<'_>, i: usize, blank: &impl Fn(u32, &Block) -> bool) {
    let (first, blocks) = (
        finder.transcript.messages[i].blocks,
        finder.transcript.blocks_of(i),
    );
    if !(first..)
        .zip(blocks)
        .any(|(index, block)| block.kind == BlockKind::Text && blank(index, block))
    {
        return;
    }
    // A mark between two texts does not separate them.
    let parts: Vec<_> = finder
        .parts(i)
        .into_iter()
        .filter(|(_, b)| b.kind != BlockKind::Other || b.chars > 0)
        .collect();
    for run in
        parts.chunk_by(|(_, a), (_, b)| a.kind == BlockKind::Text && b.kind == BlockKind::Text)
    {
        let no_content = run
            .iter()
            .all(|(index, block)| block.kind == BlockKind::Text && blank(*index, block));
        for (index, block) in run {
            if block.kind == BlockKind::Text
                && blank(*index, block)
                && (no_content || block.chars == 0)
            {
                finder.report("E08", i, Some(*index), 0, "a text is empty or blank");
                if block.chars > 0 {
                    finder.answered("blank text");
                }
            }
        }
    }
}

/// Finds results of message `i` without content, and errors that are empty or have content other than text.
fn results(finder: &mut Finder<'_>, i: usize) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let asked = rules.result_content || rules.error_text || rules.error_filled;
    if !asked || !finder.kinds.odd_results {
        return;
    }
    let all = transcript.numbered_blocks_of(i);
    for (index, block) in all.filter(|(_, b)| b.kind == BlockKind::Result) {
        let link = transcript.link(block);
        let children = &transcript.blocks[index as usize + 1..][..link.children as usize];
        let error = block.flags.has(Flags::ERROR);
        // A content of the wrong type is not an empty one.
        if finder.has(index, Fault::NoContent) {
            continue;
        }
        // A result that names no call is one of the former `function`, whose content may be null.
        let absent = block.flags.has(Flags::ABSENT);
        if rules.result_content && children.is_empty() && absent && link.id.end > 0 {
            finder.report("E08", i, Some(index), link.call, "a result has no content");
        }
        if rules.error_text && error && children.iter().any(|child| child.kind != BlockKind::Text) {
            finder.report(
                "E22",
                i,
                Some(index),
                link.call,
                "a result that is an error holds more than text",
            );
        }
        if rules.error_filled
            && error
            && children
                .iter()
                .all(|child| child.kind == BlockKind::Text && child.chars == 0)
        {
            finder.report(
                "E08",
                i,
                Some(index),
                link.call,
                "a result that is an error is empty",
            );
            finder.answered("empty error");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::defects;

    #[test]
    fn google_distinguishes_a_part_without_data_from_no_parts() {
        let answers = |parts: &str| -> Vec<String> {
            let body = format!(r#"{{"contents":[{{"role":"user","parts":[{parts}]}}]}}"#);
            defects("gemini", &body)
                .into_iter()
                .map(|d| format!("{} {}", d.row.code, d.row.provider.unwrap()))
                .collect()
        };
        assert!(answers("")[0].ends_with("contents.parts must not be empty."));
        let one = answers(r#"{},{"text":"x"}"#);
        assert!(
            one.len() == 1
                && one[0].starts_with("E08")
                && one[0].contains("required oneof field 'data'"),
            "{one:?}"
        );
    }
}
