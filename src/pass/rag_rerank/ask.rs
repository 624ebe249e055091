//! Which question a list is ranked by.
//!
//! The words of its own message come first, so that what is done to a list does not change as the conversation goes on: a
//! cached prefix stays one. A tool's answer has the question of the user's message before it. Where there is none, the
//! latest message of a user that asks something counts.

use super::places::Own;
use crate::plan::View;
use crate::transcript::Role;

/// The messages of `own` that ask something, with what they ask.
pub(super) fn questions(own: Vec<Own>) -> Vec<Own> {
    own.into_iter().filter_map(|own| asked(&own.text).map(|text| Own { text, ..own })).collect()
}

/// Messages of the same turn that are looked through: some clients send the context and the question as two of them.
const NEAR: usize = 8;

/// The question for a list in message `message`, if anybody asks one. `asked` are those that do, in order.
pub(super) fn question<'a>(view: &View<'_>, asked: &'a [Own], message: usize) -> Option<&'a str> {
    let messages = &view.transcript.messages;
    let is_users = |i: usize| messages[i].role == Role::User && !view.transcript.is_only_results(i);
    let next = asked.partition_point(|own| own.message < message);
    let (before, after) = (asked[..next].last(), asked.get(next));
    let same_turn = |own: &&Own| {
        let (from, to) = (own.message.min(message), own.message.max(message));
        to - from <= NEAR && (from..=to).all(is_users)
    };
    let found = match is_users(message) {
        true => after.filter(same_turn).or(before.filter(same_turn)),
        false => before,
    };
    found.or(asked.last()).map(|own| own.text.as_str())
}

/// Labels of a question in a prompt.
const QUESTION: [&str; 3] = ["question:", "query:", "user question:"];
/// Labels of the answer that is to follow it.
const ANSWER: [&str; 2] = ["answer:", "helpful answer:"];

/// What `text` asks: what stands behind the last label of a question, else all but lines that only lead in to what they
/// stand before. Nothing where there is no word in it.
fn asked(text: &str) -> Option<String> {
    let starts = |line: &str, labels: &[&str]| {
        let line = line.trim_start();
        labels.iter().find(|label| line.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label))).map(|label| label.len())
    };
    let lines: Vec<&str> = text.lines().collect();
    let answer = lines.iter().rposition(|line| starts(line, &ANSWER).is_some()).unwrap_or(lines.len());
    let labelled = lines[..answer].iter().rposition(|line| starts(line, &QUESTION).is_some());
    let asked = match labelled {
        Some(at) => {
            let line = lines[at].trim_start();
            let first = &line[starts(line, &QUESTION).unwrap_or(0)..];
            [&[first], &lines[at + 1..answer]].concat().join("\n")
        }
        None => {
            let is_lead = |line: &str| line.trim_end().ends_with(':') && !line.contains('?') || starts(line, &ANSWER).is_some();
            lines.into_iter().filter(|line| !is_lead(line)).collect::<Vec<_>>().join("\n")
        }
    };
    asked.chars().any(char::is_alphanumeric).then_some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked() {
        for (text, want) in [
            ("Here is the context:\n\nWho was it?\n", Some("\nWho was it?")),
            ("Given the context, answer the query.\nQuery: who?\nAnswer: ", Some(" who?")),
            ("question: a\nb\n\nUser question: c", Some(" c")),
            ("Use this:\n\n \n", None),
            ("\n…\n", None),
            ("Which of these: a or b:", None),
            ("Is it one of these? Look here:", Some("Is it one of these? Look here:")),
            ("是谁？", Some("是谁？")),
        ] {
            assert_eq!(asked(text).as_deref(), want, "{text}");
        }
    }
}
