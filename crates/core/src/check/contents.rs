//! E08, E09, E10, E19 and E22: empty messages and contents, and tools that are called but not declared.

use super::Finder;
use crate::transcript::{Block, BlockKind, EmptyContent, Fault, FirstMessage, Flags, Role};

/// Finds empty messages and texts, empty lists of calls, a first message that is not the user's, calls without declared tools, and errors
/// with content other than text.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let messages = &transcript.messages;
    // The provider keeps the beginning, or ignores it.
    let begun = transcript.calls_elsewhere || messages.first().is_some_and(|m| m.number > 1);
    let first = messages.iter().position(|m| m.role != Role::System);
    if let Some(i) = first.filter(|&i| messages[i].role != Role::User && !begun)
        && rules.opening == FirstMessage::User
    {
        finder.report("E10", i, "the first message is not the user's");
    }
    let asks = messages.iter().any(|m| m.role == Role::User);
    if let Some(i) = first.filter(|_| rules.opening == FirstMessage::UserLater && !asks) {
        finder.report("E10", i, "there is no message of the user");
    }
    if rules.tools_declared && !transcript.request.tools {
        let with_tools = transcript.blocks.iter().position(Block::is_linked);
        if let Some(block) = with_tools {
            let detail = "there are calls or results, but the body declares no tools";
            finder.report("E19", transcript.message_of(block as u32), detail);
        }
    }
    // A content that was not read may have anything in it.
    for i in (0..messages.len()).filter(|i| !messages[*i].unread) {
        if messages[i].empty_calls && rules.empty_calls {
            finder.report("E09", i, "tool_calls is an empty array");
        }
        message(finder, i);
        results(finder, i);
    }
}

/// Finds empty content of message `i`.
fn message(finder: &mut Finder<'_>, i: usize) {
    let transcript = finder.transcript;
    let (message, blocks) = (&transcript.messages[i], transcript.blocks_of(i));
    let last = i + 1 == transcript.messages.len() && message.role == Role::Assistant;
    let fault = match finder.rules.empty {
        EmptyContent::Any => return,
        EmptyContent::Text { counts, reasoned } => {
            // Reasoning counts as content in a list, but not beside a text.
            let reasons = (message.array || !reasoned)
                && blocks.iter().any(|b| b.kind == BlockKind::Thinking);
            let said = message.role != Role::Assistant
                || blocks.is_empty()
                || reasons
                || !blocks.iter().all(is_empty);
            if message.no_content || counts && !said {
                finder.report("E08", i, "the message has neither content nor calls");
            }
            return;
        }
        _ if message.role == Role::System => return,
        EmptyContent::Part => {
            // A blank text is accepted, as it may carry a signature.
            let hollow = |b: &Block| b.kind == BlockKind::Other && b.flags.has(Flags::BLANK);
            for (index, _) in transcript.numbered_blocks_of(i).filter(|(_, b)| hollow(b)) {
                finder.report("E08 no data", index, "a part holds no data");
            }
            "E08"
        }
        EmptyContent::No {
            last: may,
            beside_calls,
        } => {
            if !(last && may && !message.array && blocks.iter().all(is_empty)) {
                texts(finder, i, beside_calls);
            }
            if last && may {
                return;
            }
            "E08 empty message"
        }
    };
    if blocks.is_empty() {
        finder.report(fault, i, "the message has no content");
    }
}

/// Returns whether a block is an empty text, or reasoning beside one.
fn is_empty(block: &Block) -> bool {
    block.kind == BlockKind::Text && block.chars == 0 || block.kind == BlockKind::Thinking
}

/// Finds texts of message `i` that are empty, or blank without a text with words beside them. Texts inside a result may be blank.
fn texts(finder: &mut Finder<'_>, i: usize, beside_calls: bool) {
    let (transcript, is_blank) = (finder.transcript, finder.blank);
    let text = |block: &Block| block.kind == BlockKind::Text;
    // What the model wrote beside a call is accepted, unless it is empty.
    let calls = beside_calls
        && transcript.messages[i].role == Role::Assistant
        && transcript
            .blocks_of(i)
            .iter()
            .any(|b| b.kind == BlockKind::Call);
    let blank = |(index, block): &(u32, &Block)| {
        text(block) && is_blank(*index, block) && (!calls || block.chars == 0)
    };
    if !transcript.numbered_blocks_of(i).any(|block| blank(&block)) {
        return;
    }
    // A mark between two texts does not separate them.
    let parts = transcript.parts(i);
    let parts: Vec<_> = parts
        .filter(|(_, b)| b.kind != BlockKind::Other || b.chars > 0)
        .collect();
    for run in parts.chunk_by(|(_, a), (_, b)| text(a) && text(b)) {
        let no_content = run.iter().all(blank);
        let found = run.iter().filter(|part| blank(part));
        for (index, block) in found.filter(|(_, block)| no_content || block.chars == 0) {
            let fault = if block.chars > 0 {
                "E08 blank text"
            } else {
                "E08"
            };
            finder.report(fault, *index, "a text is empty or blank");
        }
    }
}

/// Finds results of message `i` without content, and errors that are empty or have content other than text.
fn results(finder: &mut Finder<'_>, i: usize) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let all = transcript.numbered_blocks_of(i);
    for (index, block) in all.filter(|(_, b)| b.kind == BlockKind::Result) {
        let (link, children) = (transcript.link(block), transcript.inside(index));
        // An empty string is no empty part.
        let parts = !rules.empty_in_results && !block.flags.has(Flags::STRING);
        for (child, part) in (index + 1..).zip(children).filter(|_| parts) {
            if part.kind == BlockKind::Text && part.chars == 0 {
                finder.report("E08", child, "a text in a result is empty");
            }
        }
        let error = block.flags.has(Flags::ERROR);
        let absent = block.flags.has(Flags::ABSENT);
        // A content of the wrong type is not an empty one.
        if !error && !absent || finder.has(index, Fault::NoContent) {
            continue;
        }
        let text = |child: &Block| child.kind == BlockKind::Text;
        let silent = children.iter().all(|child| text(child) && child.chars == 0);
        // A result that names no call is one of the former `function`, whose content may be null.
        let hollow = rules.result_content && children.is_empty() && absent && link.id.end > 0;
        for (applies, fault, detail) in [
            (hollow, "E08", "a result has no content"),
            (
                rules.error_text && error && !children.iter().all(text),
                "E22",
                "a result that is an error holds more than text",
            ),
            (
                rules.error_filled && error && silent,
                "E08 empty error",
                "a result that is an error is empty",
            ),
        ] {
            if applies {
                finder.report(fault, index, detail).about(link.call);
            }
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
