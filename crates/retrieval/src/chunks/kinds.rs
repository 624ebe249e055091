//! Lists of another kind: turns of a conversation, rows with a time, counted parts of one text, short items. Each of them depends on
//! its place among the others, so none is removed.

use super::tag::{tag, tags};
use super::vocabulary::words;
use super::{keys, numbered};
use crate::score::words::is_unspaced;
use std::collections::HashSet;

/// Why the chunks of these texts are no list of retrieved texts, if it shows.
pub fn other_kind(texts: &[&str]) -> Option<&'static str> {
    let own: Vec<&str> = texts.iter().map(|text| without_head(text)).collect();
    let most = |fits: fn(&str) -> bool| own.iter().filter(|text| fits(text)).count() * 4 >= texts.len() * 3;
    let speakers: Vec<&str> = own.iter().filter_map(|text| speaker(text)).collect();
    let voices = speakers.iter().collect::<HashSet<_>>().len();
    let counted: Vec<(String, u32)> = own.iter().filter_map(|text| part(text)).collect();
    let follows = |pair: &[(String, u32)]| pair[0].0 == pair[1].0 && pair[0].1 + 1 == pair[1].1;
    match () {
        () if texts.len() < 2 => None,
        () if speakers.len() * 4 >= texts.len() * 3 && voices > 1 && voices < speakers.len() => {
            Some("the chunks are turns of a conversation")
        }
        () if counted.len() == texts.len() && counted.windows(2).all(follows) => Some("the chunks are parts of one text"),
        () if most(is_stamped) => Some("the chunks are rows with a time"),
        () if most(is_item) => Some("the chunks are items and no texts"),
        () => None,
    }
}

/// A chunk's text without its tags, its number and the key lines that lead to it.
fn without_head(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(open) = tag(rest, 0) {
        let inner = &rest[open.span.end..];
        // A short element before another one names the source.
        let close = tags(inner, 0).next().filter(|close| close.closes && close.name == open.name && close.span.start < 200);
        let after =
            close.map(|close| inner[close.span.end..].trim_start()).filter(|after| after.starts_with('<') && !after.starts_with("</"));
        rest = after.unwrap_or(inner.trim_start());
    }
    rest = numbered::without(rest).trim_start();
    while let Some((_, after)) = rest.split_once('\n').filter(|(line, _)| keys::is_source(line)) {
        rest = after.trim_start();
    }
    keys::value(rest)
}

/// The word and the number that a part of a text begins with, on a line with the text: `Chapter 3: …`.
fn part(text: &str) -> Option<(String, u32)> {
    let mut words = text.lines().next()?.split_whitespace();
    let word = words.next().filter(|word| word.chars().all(char::is_alphabetic))?;
    let number = words.next()?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    words.next().map(|_| (word.to_lowercase(), number))
}

/// The speaker whom a text names: a short name before a colon.
fn speaker(text: &str) -> Option<&str> {
    let at = text.char_indices().take(30).find(|(_, c)| matches!(c, ':' | '：'))?.0;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_' | '\'');
    let is_short = text[..at].chars().all(is_name) && words(&text[..at]).count() <= 3;
    (is_short && !keys::begins(text) && !text[at..].starts_with("://")).then_some(&text[..at])
}

/// Whether a text begins with a date or a time: two numbers with a sign between them that writes either.
fn is_stamped(text: &str) -> bool {
    let near = text.trim_start_matches(['[', '(', '<', '-', ' ', '*']);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = digits(near);
    let rest = &near[first..];
    (1..=4).contains(&first) && rest.starts_with([':', '-']) && digits(&rest[1..]) == 2
}

/// Whether a text is a few words and no sentence.
fn is_item(text: &str) -> bool {
    let weight: usize = words(text).map(|word| if word.starts_with(is_unspaced) { word.chars().count() } else { 2 }).sum();
    weight <= 6 && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_another_kind() {
        for (texts, want) in [
            (
                ["<doc>Step 1: open it</doc>", "<doc>Step 2: drain it</doc>", "<doc>Step 3: close it</doc>"],
                Some("the chunks are parts of one text"),
            ),
            (["Kapitel 1. Sie kam an", "Kapitel 2. Er ging fort", "Kapitel 3. Sie blieben"], Some("the chunks are parts of one text")),
            (["Chapter 3. A stranger came ashore", "Chapter 9. The lamp went out", "Chapter 2. Nobody was home"], None),
            (
                ["Ann: shall we ship it?", "Bo: no, tests are red", "Ann: then on which day?"],
                Some("the chunks are turns of a conversation"),
            ),
            (
                ["12:01 upload of part one", "12:02 upload of part two", "12:05 the upload did fail"],
                Some("the chunks are rows with a time"),
            ),
            (
                ["[2026-01-02 10:00] it began", "[2026-01-03 10:00] went on", "[2026-01-04 10:01] ended so"],
                Some("the chunks are rows with a time"),
            ),
            (["[1] milk", "[2] eggs and butter", "[3] bread"], Some("the chunks are items and no texts")),
            (["Source 1: The rent is due.", "Source 2: Late rent bears interest.", "Source 3: The rent is paid."], None),
            (["Content: The moon pulls the sea", "Content: Bread is baked in clay", "Content: Cats sleep all of the day"], None),
            (["[1] The moon pulls on the sea.", "[2] Bread is baked in an oven.", "[3] Since 1948 cats sleep well."], None),
        ] {
            assert_eq!(other_kind(&texts), want, "{texts:?}");
        }
    }
}
