//! Lists of another kind: turns of a conversation, rows with a time, counted parts of one text,
//! short items. Each of them depends on its place among the others, so none is removed.

use super::{keys, numbered, tag::tag, vocabulary::words};
use crate::score::words::is_unspaced;
use std::collections::HashSet;

/// Why the chunks of these texts are no list of retrieved texts, if it shows.
pub fn other_kind(texts: &[&str]) -> Option<&'static str> {
    let own: Vec<&str> = texts.iter().map(|text| without_head(text)).collect();
    let most = |count: usize| texts.len() > 1 && count * 4 >= texts.len() * 3;
    let openings = own.iter().filter_map(|text| opening(text));
    let (counted, speakers): (Vec<&str>, Vec<&str>) =
        openings.partition(|opening| opening.contains(|c: char| c.is_ascii_digit()));
    let voices = speakers.iter().collect::<HashSet<_>>().len();
    match () {
        () if most(counted.len()) => Some("the chunks are parts of one text, or rows with a time"),
        () if most(speakers.len()) && voices > 1 && voices < speakers.len() => {
            Some("the chunks are turns of a conversation")
        }
        () if most(own.iter().filter(|text| is_item(text)).count()) => {
            Some("the chunks are items and no texts")
        }
        () => None,
    }
}

/// A chunk's text without the tags, the number and the key that it begins with.
fn without_head(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(open) = tag(rest, 0) {
        rest = rest[open.span.end..].trim_start();
    }
    keys::value(numbered::without(rest).trim_start())
}

/// What stands before the first colon or point of a text, if it is a name, a number or both: `Ann`,
/// `Chapter 3`, `12`, `2026-01-02`.
fn opening(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['[', '(', '<', '-', ' ', '*']);
    let ends = [text.find([':', '：']), text.find(". ")];
    let at = ends.into_iter().flatten().min().filter(|at| *at <= 40)?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '\'');
    let is_short = text[..at].chars().all(is_name) && text[..at].split(' ').count() <= 3;
    (is_short && !keys::begins(text) && !text[at..].starts_with("://")).then_some(&text[..at])
}

/// Whether a text is a few words and no sentence.
fn is_item(text: &str) -> bool {
    let weights = words(text).map(|word| match word.starts_with(is_unspaced) {
        true => word.chars().count(),
        false => 2,
    });
    weights.sum::<usize>() <= 6 && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_another_kind() {
        for (texts, want) in [
            (
                [
                    "<doc>Step 1: open it</doc>",
                    "<doc>Step 2: drain it</doc>",
                    "<doc>Step 3: close it</doc>",
                ],
                Some("the chunks are parts of one text, or rows with a time"),
            ),
            (
                [
                    "Kapitel 1. Sie kam an",
                    "Kapitel 2. Er ging fort",
                    "Kapitel 3. Sie blieben",
                ],
                Some("the chunks are parts of one text, or rows with a time"),
            ),
            (
                [
                    "Chapter 3. A stranger came ashore",
                    "Chapter 9. The lamp went out",
                    "Chapter 2. Nobody was home",
                ],
                Some("the chunks are parts of one text, or rows with a time"),
            ),
            (
                [
                    "Ann: shall we ship it?",
                    "Bo: no, tests are red",
                    "Ann: then on which day?",
                ],
                Some("the chunks are turns of a conversation"),
            ),
            (
                [
                    "12:01 upload of part one",
                    "12:02 upload of part two",
                    "12:05 the upload did fail",
                ],
                Some("the chunks are parts of one text, or rows with a time"),
            ),
            (
                [
                    "[2026-01-02 10:00] it began",
                    "[2026-01-03 10:00] went on",
                    "[2026-01-04 10:01] ended so",
                ],
                Some("the chunks are parts of one text, or rows with a time"),
            ),
            (
                ["[1] milk", "[2] eggs and butter", "[3] bread"],
                Some("the chunks are items and no texts"),
            ),
            (
                [
                    "Source 1: The rent is due.",
                    "Source 2: Late rent bears interest.",
                    "Source 3: The rent is paid.",
                ],
                None,
            ),
            (
                [
                    "Content: The moon pulls the sea",
                    "Content: Bread is baked in clay",
                    "Content: Cats sleep all of the day",
                ],
                None,
            ),
            (
                [
                    "[1] The moon pulls on the sea.",
                    "[2] Bread is baked in an oven.",
                    "[3] Since 1948 cats sleep well.",
                ],
                None,
            ),
        ] {
            assert_eq!(other_kind(&texts), want, "{texts:?}");
        }
    }
}
