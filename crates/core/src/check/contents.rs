//! E08, E09, E10, E19 and E22: empty messages and contents, and tools that are called but not
//! declared.

use super::*;
use crate::transcript::{EmptyContent, FirstMessage, Message};

/// Finds empty messages and texts, empty lists of calls, a first message that is not the user's,
/// calls without declared tools, and errors with content other than text.
pub fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    let messages = &transcript.messages;
    let is_user = |message: &Message| message.role == Role::User;
    let first = messages.iter().position(|m| m.role != Role::System);
    if let Some(i) = first.or(messages.len().checked_sub(1)) {
        // The provider keeps the beginning, or ignores it.
        let begun = transcript.calls_elsewhere || messages[0].number > 1;
        match rules.opening {
            FirstMessage::User if !begun && !is_user(&messages[i]) => {
                finder.report("E10", i);
            }
            FirstMessage::UserLater if !messages.iter().any(is_user) => {
                finder.report("E10 nobody", i);
            }
            _ => {}
        }
    } else if rules.fields
        && !transcript.calls_elsewhere
        && transcript
            .provider
            .refusal("E10 nothing", rules.services)
            .is_some()
    {
        finder.report("E10 nothing", Place::Request);
    }
    if rules.tools_declared
        && !transcript.request.tools
        && let Some(block) = transcript.blocks.iter().position(Block::is_linked)
    {
        finder.report("E19", transcript.message_of(block as u32));
    }
    // A content that was not read may have anything in it.
    for i in (0..messages.len()).filter(|i| !messages[*i].unread) {
        if messages[i].empty_calls && rules.empty_calls {
            finder.report("E09", i);
        }
        message(finder, i);
        beside_calls(finder, i);
        results(finder, i);
    }
}

/// Finds empty content of message `i`.
fn message(finder: &mut Finder<'_>, i: usize) {
    let transcript = finder.transcript;
    let message = &transcript.messages[i];
    let blocks = transcript.blocks_of(i);
    let last = i + 1 == transcript.messages.len() && message.role == Role::Assistant;
    let fault = match finder.rules.empty {
        EmptyContent::Any => return,
        EmptyContent::Text { counts, reasoned } => {
            // Reasoning counts as content in a list, but not beside a text.
            let reasons = (message.array || !reasoned) && transcript.has(i, BlockKind::Thinking);
            let said = message.role != Role::Assistant
                || blocks.is_empty()
                || reasons
                || !blocks.iter().all(is_empty);
            if message.no_content || counts && !said {
                finder.report("E08 nothing", i);
            }
            return;
        }
        _ if message.role == Role::System => return,
        EmptyContent::Part => {
            // A blank text is accepted, as it may carry a signature.
            let hollow = |b: &Block| b.kind == BlockKind::Other && b.flags.has(Flags::BLANK);
            for (index, _) in transcript.numbered_blocks_of(i).filter(|(_, b)| hollow(b)) {
                finder.report("E08 no data", index);
            }
            "E08 no content"
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
    // Reasoning that is a member of its own is no content; in a list it is.
    if blocks.is_empty() || message.no_content && !message.array {
        finder.report(fault, i);
    }
}

/// Returns whether a block is an empty text, or reasoning beside one.
fn is_empty(block: &Block) -> bool {
    block.kind == BlockKind::Text && block.chars == 0 || block.kind == BlockKind::Thinking
}

/// Finds texts of message `i` that are empty, or blank without a text with words beside them. Texts
/// inside a result may be blank.
fn texts(finder: &mut Finder<'_>, i: usize, beside_calls: bool) {
    let transcript = finder.transcript;
    let text = |block: &Block| block.kind == BlockKind::Text;
    // What the model wrote beside a call is accepted, unless it is empty.
    let calls = beside_calls && transcript.is_answer(i) && transcript.has(i, BlockKind::Call);
    let blank = |finder: &Finder<'_>, (index, block): (u32, &Block)| {
        text(block) && finder.is_blank(index, block) && (!calls || block.chars == 0)
    };
    let mut blocks = transcript.numbered_blocks_of(i);
    if !blocks.any(|block| blank(finder, block)) {
        return;
    }
    // A mark between two texts does not separate them.
    let parts: Vec<_> = transcript
        .parts(i)
        .filter(|(_, b)| b.kind != BlockKind::Other || b.chars > 0)
        .collect();
    for run in parts.chunk_by(|(_, a), (_, b)| text(a) && text(b)) {
        let no_content = run.iter().all(|part| blank(finder, *part));
        for &(index, block) in run {
            if blank(finder, (index, block)) && (no_content || block.chars == 0) {
                let is_empty = block.chars == 0;
                finder.report(if is_empty { "E08" } else { "E08 blank text" }, index);
            }
        }
    }
}

/// Finds an empty string beside the calls of message `i`.
fn beside_calls(finder: &mut Finder<'_>, i: usize) {
    let transcript = finder.transcript;
    let refused = finder.rules.filled_beside_calls && !transcript.messages[i].array;
    let empty = |(_, block): &(u32, &Block)| block.kind == BlockKind::Text && block.chars == 0;
    if refused
        && transcript.has(i, BlockKind::Call)
        && let Some((index, _)) = transcript.numbered_blocks_of(i).find(empty)
    {
        finder.report("E08 beside calls", index);
    }
}

/// Finds results of message `i` without content, and errors that are empty or have content other
/// than text.
fn results(finder: &mut Finder<'_>, i: usize) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    for (index, block) in transcript
        .numbered_blocks_of(i)
        .filter(|(_, b)| b.kind == BlockKind::Result)
    {
        let link = transcript.link(block);
        let children = transcript.inside(index);
        let text = |child: &Block| child.kind == BlockKind::Text;
        let empty = |child: &Block| text(child) && child.chars == 0;
        // An empty string is no empty part.
        if rules.no_empty_in_results && !block.flags.has(Flags::STRING) {
            for (child, part) in (index + 1..).zip(children) {
                if empty(part) {
                    finder.report("E08 text in a result", child);
                } else if rules.no_blank_in_results && text(part) && finder.is_blank(child, part) {
                    finder.report("E08 blank text in a result", child);
                }
            }
        }
        let error = block.flags.has(Flags::ERROR);
        let absent = block.flags.has(Flags::ABSENT);
        // A content of the wrong type is not an empty one.
        if !error && !absent || finder.has(index, NoteKind::Fault(Fault::NoContent)) {
            continue;
        }
        // A result that names no call is one of the former `function`, whose content may be null.
        let hollow = rules.result_content && children.is_empty() && absent && link.id.end > 0;
        let rich = rules.error_text && error && !children.iter().all(text);
        let silent = rules.error_filled && error && children.iter().all(empty);
        for (applies, fault) in [
            (hollow, "E08 result"),
            (rich, "E22"),
            (silent, "E08 empty error"),
        ] {
            if applies {
                finder.report(fault, index).about = link.call;
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
