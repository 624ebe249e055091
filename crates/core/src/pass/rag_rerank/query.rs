//! Finds the question by which a list is ranked.
//!
//! The text of the list's own message comes first, so that the treatment of a list does not change as the conversation continues,
//! and a cached prefix stays valid. The result of a search is ranked by the search query, and by the question of the user's message
//! before it. A system prompt at the beginning applies to all that follows, and is ranked by the latest question. Without any of
//! these, the latest message of a user that asks something counts.

use super::places::{At, MessageText};
use crate::chunks::templates::{LabelKind, is_instruction, label, question as marked};
use crate::edit::View;
use crate::transcript::Role;

/// The messages of `own` that ask something, with what they ask.
pub(super) fn questions(own: Vec<MessageText>) -> Vec<MessageText> {
    own.into_iter().filter_map(|own| asked(&own.text).map(|text| MessageText { text, ..own })).collect()
}

/// Messages of the same turn that are looked through: some clients send the context and the question as two of them.
const NEAR: usize = 8;

/// The question for a list at `at`, if anybody asks one. `asked` are those that do, in order.
pub(super) fn question<'a>(view: &View<'_>, asked: &'a [MessageText], at: At) -> Option<&'a str> {
    let messages = &view.transcript.messages;
    let is_users = |i: usize| messages[i].role == Role::User && !view.transcript.is_only_results(i);
    let text = |own: &'a MessageText| own.text.as_str();
    let Some(message) = at.message() else {
        let own = asked.iter().find(|own| own.message.is_none() && matches!(at, At::OuterText(_)));
        return own.or(asked.last()).map(text);
    };
    let next = asked.partition_point(|own| own.message.is_none_or(|asking| asking < message));
    let (before, after) = (asked[..next].last().filter(|own| own.message.is_some()), asked.get(next));
    let same_turn = |own: &&MessageText| {
        own.message.is_some_and(|asking| {
            let (from, to) = (asking.min(message), asking.max(message));
            to - from <= NEAR && (from..=to).all(|i| is_users(i) || messages[i].role == Role::System)
        })
    };
    let found = match messages[message].role {
        Role::System => {
            let own = after.filter(|own| own.message == Some(message));
            // Before the first word of a user it is for all that follows; else for what is asked next.
            own.or_else(|| (0..message).any(is_users).then(|| after.or(before)).flatten())
        }
        Role::User if is_users(message) => after.filter(same_turn).or(before.filter(same_turn)),
        _ => before,
    };
    found.or(asked.last()).map(text)
}

/// Returns the question in `text`: the part that the prompt marks as the question, else all but lead-in lines, answer labels and
/// instructions. `None` if no word is left.
fn asked(text: &str) -> Option<String> {
    if let Some(marked) = marked(text) {
        return Some(marked);
    }
    let leads = |line: &str| line.trim_end().ends_with([':', '：']) && !line.contains(['?', '？', '؟']);
    // What is to be answered may be behind the label of the answer.
    let unlabelled = |line| match label(line).filter(|label| label.kind == LabelKind::Answer) {
        Some(label) => &line[label.end..],
        None => line,
    };
    let lines: Vec<&str> = text.lines().filter(|line| !leads(line)).map(unlabelled).collect();
    let sentences = lines.join("\n");
    let own = sentences.split_inclusive(['.', '!', '?', '。', '！', '？', '\n']).filter(|s| s.contains(['?', '？']) || !is_instruction(s));
    let own: String = own.collect();
    own.chars().any(char::is_alphanumeric).then(|| own.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_found() {
        for (text, want) in [
            ("Here is the context:\n\nWho was it?\n", Some("Who was it?")),
            ("Given the context, answer the query.\nQuery: who?\nAnswer: ", Some("who?")),
            ("question: a\nb\n\nUser question: c", Some("c")),
            ("Use this:\n\n \n", None),
            ("\n…\n", None),
            ("Which of these: a or b:", None),
            ("Is it one of these? Look here:", Some("Is it one of these? Look here:")),
            ("是谁？", Some("是谁？")),
            ("Answer from the passages below. If you don't know, say so.\nWho was it?", Some("Who was it?")),
            ("Answer from the documents.", None),
            ("请根据资料回答。\n请回答：是谁", Some("是谁")),
            ("### Task\nAnswer with citations.\n<user_query>\nWho was it?\n</user_query>", Some("Who was it?")),
            ("Kontext:\n\nFrage: Wer war es?\nAntwort:", Some("Wer war es?")),
            ("我的问题是:\"是谁?\"", Some("\"是谁?\"")),
            ("Question: who?\nContext:\n\nAnswer:", Some("who?")),
        ] {
            assert_eq!(asked(text).as_deref(), want, "{text}");
        }
    }
}
