//! Chunks that begin with key lines: `Title: …`, `file_path: …`, `Content: …` and `Source: …`, `├── URL: …`.
//!
//! Every chunk of a list begins with the same key as the first one, and says where it is from. The keys are words that frameworks use
//! for a source or a text; a speaker in a conversation (`Caller: …`) is none.

use super::lines::{Line, is_blank};
use super::series::{Head, Series};
use super::unmarked;
use super::vocabulary::{BODIES, SOURCES, has};

/// A key line: the key as it is looked up, and its value.
struct Key<'a> {
    key: String,
    value: &'a str,
}

/// The characters that may precede a key.
const ORNAMENTS: [char; 11] = [' ', '-', '*', '•', '#', '├', '└', '─', '│', '>', '|'];
/// Characters of the longest key.
const LONGEST: usize = 30;

/// The key that a line begins with, if it is a word for a source or a text.
fn key(line: &str) -> Option<Key<'_>> {
    let line = line.trim_start_matches(ORNAMENTS);
    let (at, sign) = line
        .char_indices()
        .take(LONGEST)
        .find(|(_, c)| matches!(c, ':' | '：'))?;
    let value = &line[at + sign.len_utf8()..];
    let fits = line[..at]
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '*'));
    let key: String = line[..at]
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect();
    let known = fits && !value.starts_with("//") && (has(SOURCES, &key) || has(BODIES, &key));
    known.then(|| Key {
        key,
        value: value.trim().trim_start_matches("**").trim(),
    })
}

/// The list that begins with the first key line of `lines` that comes again. Only what leads to a list may be directly above it;
/// with `is_led`, any line above the blank ones.
pub(super) fn series(text: &str, lines: &[Line], is_led: impl Fn(&str) -> bool) -> Option<Series> {
    let own = |line: &Line| line.of(text);
    let keyed = lines.iter().enumerate().filter(|(_, line)| !line.code);
    let found: Vec<(usize, Key<'_>)> = keyed
        .filter_map(|(i, line)| Some((i, key(own(line))?)))
        .collect();
    let (at, first) = found.iter().find(|(at, first)| {
        found
            .iter()
            .any(|(later, next)| later > at && next.key == first.key)
    })?;
    let above = lines[..*at]
        .iter()
        .rfind(|line| !is_blank(text, line))
        .map(own);
    let leads = |line: &str| {
        line.trim_end().ends_with([':', '：']) || unmarked::rule(line).is_some() || is_led(line)
    };
    let alike = found.iter().filter(|(_, key)| key.key == first.key);
    let heads: Vec<Head> = alike
        .map(|(line, _)| Head {
            line: *line,
            number: None,
            name: None,
        })
        .collect();
    let ends = heads
        .iter()
        .skip(1)
        .map(|head| head.line)
        .chain([lines.len()]);
    let is_sourced = |(head, end): (&Head, usize)| {
        lines[head.line..end]
            .iter()
            .any(|line| !line.code && is_source(own(line)))
    };
    let is_series = above.is_none_or(leads) && heads.iter().zip(ends).all(is_sourced);
    let addresses = found
        .iter()
        .filter(|(_, key)| key.value.contains("://"))
        .count();
    is_series.then(|| Series {
        layout: format!("{}:", first.key),
        evident: addresses >= heads.len(),
        heads,
    })
}

/// Whether a line begins with a key of a source or a text.
pub(super) fn begins(line: &str) -> bool {
    key(line).is_some()
}

/// Whether a line says where a chunk is from.
pub(super) fn is_source(line: &str) -> bool {
    key(line).is_some_and(|key| has(SOURCES, &key.key))
}

/// A text without the key that it begins with.
pub(super) fn value(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    key(line).map_or(text, |key| &text[line.trim_end().len() - key.value.len()..])
}

/// The names in a chunk: the values of its key lines, and addresses in its first lines.
pub(super) fn names(chunk: &str) -> Vec<String> {
    let named = chunk
        .lines()
        .filter_map(key)
        .filter(|key| has(SOURCES, &key.key))
        .map(|key| key.value);
    let addresses = chunk
        .lines()
        .take(3)
        .flat_map(str::split_whitespace)
        .filter(|word| word.contains("://"));
    named
        .chain(addresses)
        .filter(|name| !name.is_empty() && name.len() < 400)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{chunks, fixed};

    #[test]
    fn keys_begin_chunks() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        for (text, is_fixed) in [
            ("Content: a b\nSource: x\nContent: c\n\nd\nSource: y", true),
            ("Content: a b\nSource: x\n\nContent: c\nSource: y", false),
            (
                "page_label: 1\nfile_path: /a.md\n\na\n\nb\n\npage_label: 2\nfile_path: /b.md\n\nc",
                true,
            ),
            (
                "Title: A\nURL: https://a.example\nContent: a\n---\nTitle: B\nURL: https://b.example\nContent: b\n---",
                false,
            ),
            (
                "标题：甲\n内容：文\n来源：a.md\n\n标题：乙\n内容：字\n来源：b.md",
                false,
            ),
            (
                "├── Title: a.md\n└── Content: a\n\n├── Title: b.md\n└── Content: b",
                false,
            ),
        ] {
            let text = fence(text);
            let found = chunks(&text).unwrap();
            assert_eq!(found.len(), 2, "{text}");
            assert!(!found[0].ends_with('-'), "{text}");
            assert_eq!(fixed(&text).is_empty(), !is_fixed, "{text}");
        }
        for text in [
            "Caller: a\nDesk: b\nCaller: c\nDesk: d",
            "Content: a\nContent: b",
            "a\nSource: x\n\nb\nSource: y",
        ] {
            assert!(chunks(&fence(text)).is_err(), "{text}");
        }
    }
}
