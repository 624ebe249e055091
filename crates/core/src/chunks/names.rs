//! Chunks whose header line is the name of a source: `[source: a.md]`, `### docs/a.md`, `From https://a.example:`.
//!
//! A header is a line with only a path or an address on it, optionally with a word before it and with ornaments or brackets around
//! it. All headers of a list have the same text around the name.

use super::lines::{Line, is_blank};
use super::series::{Head, Series};
use super::{templates, vocabulary};
use std::collections::HashMap;

/// The list whose first head is the first of `lines` that has another like it; with `first`, that is the first line of all.
pub(super) fn series(text: &str, lines: &[Line], first: bool) -> Option<Series> {
    let found: Vec<(usize, (&str, &str), &str)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.code)
        .filter_map(|(i, line)| head(&text[line.span.clone()]).map(|(around, name)| (i, around, name)))
        .collect();
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    found.iter().for_each(|(_, around, _)| *counts.entry(*around).or_default() += 1);
    let (at, around, _) = found.iter().find(|(_, around, _)| counts[around] > 1)?;
    // Behind a text the name is that text's, and not the next one's.
    let before = lines[..*at].iter().rfind(|line| !is_blank(text, line));
    if first && *at != 0 || before.is_some_and(|line| !templates::is_lead_in(&text[line.span.clone()])) {
        return None;
    }
    let alike = found.iter().filter(|(_, other, _)| other == around);
    let heads = alike.map(|(line, _, name)| Head { line: *line, number: None, name: Some((*name).to_owned()), end: None }).collect();
    Some(Series { layout: format!("{}NAME{}", around.0, around.1), evident: false, sourced: false, heads })
}

/// Returns the text before and after the name of a source that fills a line, and the name.
fn head(line: &str) -> Option<((&str, &str), &str)> {
    let line = line.trim_end();
    let inner = line.trim_start_matches(['#', '*', '=', '-', '>', '[', '(', '【', '<', '`', ' ', '"']);
    let open = line.len() - inner.len();
    let (word, rest) = match inner.split_once([':', ' ', '：']) {
        Some((word, rest)) if !word.contains('.') && !rest.starts_with("//") && is_lead(word) => {
            let rest = rest.trim_start_matches([':', '：', ' ']);
            (inner.len() - rest.len(), rest)
        }
        _ => (0, inner),
    };
    let start = open + word + (rest.len() - rest.trim_start().len());
    let name = line[start..].trim_end_matches(['#', '*', '=', '-', ']', ')', '】', '>', '`', ':', '：', ' ', '"']);
    let end = start + name.len();
    let fits = (open > 0 || word > 0) && is_source(name) && !line.starts_with(char::is_whitespace);
    fits.then(|| ((&line[..start], &line[end..]), name))
}

/// Whether a word may lead in to the name of a source.
fn is_lead(word: &str) -> bool {
    let word = word.trim_matches(['*', ' ']).to_lowercase();
    ["from", "file", "in", "aus", "von", "datei", "de", "fichier", "archivo", "da", "uit", "из"].contains(&&*word)
        || vocabulary::sources().has(&word)
}

/// Whether a text is a path or an address: it has no white space, and an ending or a protocol.
fn is_source(name: &str) -> bool {
    let path = name.split(['#', '?']).next().unwrap_or(name).trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '-'));
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_file = (1..=8).contains(&ending.len())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        && ending.bytes().any(|b| b.is_ascii_alphabetic());
    name.len() < 300 && !name.contains(char::is_whitespace) && (name.contains("://") || is_file && path.len() > ending.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::chunks;
    use super::*;

    #[test]
    fn names_as_heads() {
        for (line, want) in [
            ("[source: docs/a.md#3]", Some("docs/a.md#3")),
            ("### src/main.rs", Some("src/main.rs")),
            ("From https://a.example/x:", Some("https://a.example/x")),
            ("[a.pdf]", Some("a.pdf")),
            ("**`b.txt`**", Some("b.txt")),
            ("src/main.rs:12-40", None),
            ("It is so.", None),
            ("[1]", None),
            ("### Notes", None),
            ("- 1.5", None),
        ] {
            assert_eq!(head(line).map(|(_, name)| name), want, "{line}");
        }
        let text = "<context>\n[source: a.md]\nx\n\ny\n\n[source: b.md]\nz\n</context>";
        assert_eq!(chunks(text).unwrap(), ["[source: a.md]\nx\n\ny", "[source: b.md]\nz"]);
    }
}
