//! Chunks that begin with key lines: `Title: …`, `file_path: …`, `Content: …` and `Source: …`, `├── URL: …`.
//!
//! Every chunk of a list begins with the same key as the first one, and says where it is from. The
//! keys are words that frameworks use for a source or a text; a speaker in a conversation (`Caller:
//! …`) is none.

use super::{
    lines::{Line, Lines, found},
    series::{Head, Series},
    unmarked,
    vocabulary::{BODIES, SOURCES, has},
};

/// A key line: the key as it is looked up, and its value.
struct Key<'a> {
    key: String,
    value: &'a str,
}

impl Key<'_> {
    /// Whether it says where a chunk is from.
    fn is_source(&self) -> bool {
        has(SOURCES, &self.key)
    }
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
    let (name, value) = (&line[..at], &line[at + sign.len_utf8()..]);
    let is_letter = |c: &char| c.is_alphanumeric();
    let fits = |c: char| is_letter(&c) || matches!(c, ' ' | '_' | '-' | '*');
    let key = Key {
        key: name.to_lowercase().chars().filter(is_letter).collect(),
        value: value.trim().trim_start_matches("**").trim(),
    };
    let known = key.is_source() || has(BODIES, &key.key);
    (known && name.chars().all(fits) && !value.starts_with("//")).then_some(key)
}

/// The list that begins with the first key line of `lines` that comes again. Only what leads to a
/// list may be directly above it; with `is_led`, any line above the blank ones.
pub fn series(lines: Lines<'_>, is_led: impl Fn(&str) -> bool) -> Option<Series> {
    let found = found(lines, key);
    let (at, first) = found.iter().find(|(at, first)| {
        let mut later = found.iter().filter(|(later, _)| later > at);
        later.any(|(_, next)| next.key == first.key)
    })?;
    let mut above = lines[..*at].iter();
    let leads = |line: &Line<'_>| {
        line.text.trim_end().ends_with([':', '：'])
            || unmarked::rule(line.text).is_some()
            || is_led(line.text)
    };
    let alike = found.iter().filter(|(_, key)| key.key == first.key);
    let heads: Vec<Head> = alike
        .map(|(line, _)| Head {
            line: *line,
            number: None,
            name: None,
        })
        .collect();
    let addresses = found.iter().filter(|(_, key)| key.value.contains("://"));
    let series = Series {
        layout: format!("{}:", first.key),
        evident: addresses.count() >= heads.len(),
        heads,
    };
    let is_source = |line: &Line<'_>| line.read(key).is_some_and(|key| key.is_source());
    let is_series = above.rfind(|line| !line.is_blank()).is_none_or(leads)
        && series.bodies(lines).all(|body| body.iter().any(is_source));
    is_series.then_some(series)
}

/// Whether a line begins with a key of a source or a text.
pub fn begins(line: &str) -> bool {
    key(line).is_some()
}

/// A text without the key that it begins with.
pub fn value(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    key(line).map_or(text, |key| &text[line.trim_end().len() - key.value.len()..])
}

/// The names in a chunk: the values of its key lines, and addresses in its first lines.
pub fn names(chunk: &str) -> impl Iterator<Item = String> {
    let keys = chunk.lines().filter_map(key).filter(Key::is_source);
    let words = chunk.lines().take(3).flat_map(str::split_whitespace);
    keys.map(|key| key.value)
        .chain(words.filter(|word| word.contains("://")))
        .filter(|name| !name.is_empty() && name.len() < 400)
        .map(str::to_owned)
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
