//! Chunks that begin with key lines: `Title: …`, `file_path: …`, `Content: …` and `Source: …`, `├── URL: …`.
//!
//! Every chunk of a list begins with the same key as the first one. Its words are those that frameworks use for a source or a text.
//! A speaker in a conversation (`Caller: …`) is not a key.

use super::lines::{Line, is_blank};
use super::series::{Head, Series};
use super::{Chunk, List, separators, templates, trim, vocabulary};

/// A key line.
struct Key<'a> {
    /// The key in lower case, as it is looked up.
    key: String,
    value: &'a str,
}

/// The characters that may precede a key.
const ORNAMENTS: [char; 12] = [' ', '-', '*', '•', '#', '├', '└', '─', '│', '>', '_', '|'];
/// Characters of the longest key.
const LONGEST: usize = 30;

/// The key that a line begins with, if it is a word for a source or a text.
fn key(line: &str) -> Option<Key<'_>> {
    let line = line.trim_start_matches(ORNAMENTS);
    let (at, sign) = line.char_indices().take(LONGEST).find(|(_, c)| matches!(c, ':' | '：'))?;
    let value = &line[at + sign.len_utf8()..];
    let name = line[..at].trim_end_matches(['*', ' ', '_']);
    let fits = name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
    let key: String = name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let known = fits && !value.starts_with("//") && (vocabulary::sources().has(&key) || vocabulary::bodies().has(&key));
    known.then(|| Key { key, value: value.trim().trim_start_matches("**").trim() })
}

/// The list that begins with the first key line of `lines` that comes again; with `first`, with the first line of all.
pub(super) fn series(text: &str, lines: &[Line], first: bool) -> Option<Series> {
    let found: Vec<(usize, Key<'_>)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.code)
        .filter_map(|(i, line)| key(&text[line.span.clone()]).map(|key| (i, key)))
        .collect();
    let (at, begins) = found.iter().map(|(at, key)| (*at, &key.key)).find(|(at, key)| {
        // Only what the prompt says may be directly before the list.
        let before = lines[..*at].iter().rfind(|line| !is_blank(text, line)).map(|line| &text[line.span.clone()]);
        let leads = before.is_none_or(|line| {
            any_key(line).is_some() && !line.trim_end().ends_with(['.', '。', '!', '?', '！', '？']) || templates::is_lead_in(line)
        });
        let mut alike = found.iter().filter(|(_, other)| other.key == **key);
        leads && alike.next().is_some_and(|(first, _)| first == at) && alike.next().is_some()
    })?;
    let mut heads: Vec<Head> = found
        .iter()
        .filter(|(line, key)| *line >= at && key.key == *begins)
        .map(|(line, _)| Head { line: *line, number: None, name: None, end: None })
        .collect();
    // Lines of other keys above all of them belong to the heads.
    while let Some(above) = heads[0].line.checked_sub(1).and_then(|line| any_key(&text[lines[line].span.clone()]))
        && heads.iter().all(|head| head.line > 0 && any_key(&text[lines[head.line - 1].span.clone()]) == Some(above))
    {
        heads.iter_mut().for_each(|head| head.line -= 1);
    }
    let sources = found.iter().filter(|(_, key)| vocabulary::sources().has(&key.key)).count();
    let addresses = found.iter().filter(|(_, key)| key.value.contains("://")).count();
    let evident = addresses >= heads.len();
    let begin = lines.iter().position(|line| !is_blank(text, line));
    let is_series = heads.len() > 1 && (!first || begin == Some(heads[0].line));
    is_series.then(|| Series { layout: format!("{begins}:"), evident, sourced: sources < heads.len(), heads })
}

/// The key of a line, whatever it is: a word or two before a colon.
pub(super) fn any_key(line: &str) -> Option<&str> {
    let name = line.trim_start_matches(ORNAMENTS).split_once([':', '：'])?.0.trim_end();
    let fits = !name.is_empty() && name.len() <= LONGEST && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
    (fits && vocabulary::words(name).count() <= 3).then_some(name)
}

/// The chunks of a region, each of which ends with key lines: a text, then `Source: …`.
pub(super) fn trailing(text: &str, lines: &[Line], mark: &str) -> Option<List> {
    let is_source = |line: &Line| !line.code && is_source(&text[line.span.clone()]);
    let filled: Vec<&Line> =
        lines.iter().filter(|line| !is_blank(text, line) && separators::rule(&text[line.span.clone()]).is_none()).collect();
    if !filled.last().is_some_and(|line| is_source(line)) || filled.first().is_some_and(|line| is_source(line)) {
        return None;
    }
    let mut chunks = Vec::new();
    for run in filled.chunk_by(|a, b| !is_source(a) || is_source(b)) {
        let (first, last) = (run.first()?, run.last()?);
        let span = trim(text, first.span.start..last.span.end);
        chunks.push(Chunk { names: names(&text[span.clone()]), span, number: None });
    }
    (chunks.len() > 1).then(|| List { layout: format!("key lines in {mark}"), chunks, loose: false })
}

/// Whether a chunk says where it is from, on a line of its own: behind a key, as an address, or as a link for its title.
pub(super) fn is_sourced(chunk: &str) -> bool {
    let lines: Vec<&str> = chunk.lines().filter(|line| !line.trim().is_empty()).collect();
    let address = |line: &str| line.contains("://") && !line.trim().contains(char::is_whitespace);
    let linked = lines.first().is_some_and(|line| {
        let last = line.split_whitespace().next_back().unwrap_or_default();
        line.contains("](http") && line.trim_end().ends_with(')') || lines.len() > 1 && last.contains("://") && !line.ends_with('.')
    });
    linked || lines.iter().take(5).chain(lines.iter().skip(5).rev().take(2)).any(|line| is_source(line) || address(line))
}

/// Whether a line begins with a key of a source or a text.
pub(super) fn begins(line: &str) -> bool {
    key(line).is_some()
}

/// Whether a line says where a chunk is from.
pub(super) fn is_source(line: &str) -> bool {
    key(line).is_some_and(|key| vocabulary::sources().has(&key.key))
}

/// Whether a name is a key of a source or a text.
pub(super) fn is_known(name: &str) -> bool {
    key(&format!("{name}:")).is_some()
}

/// A text without the key that it begins with.
pub(super) fn value(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    key(line).map_or(text, |key| &text[line.trim_end().len() - key.value.len()..])
}

/// Returns the names in the key lines of a chunk: the values of those at its beginning or its end, and addresses.
pub(super) fn names(chunk: &str) -> Vec<String> {
    let lines: Vec<&str> = chunk.lines().filter(|line| !line.trim().is_empty()).collect();
    let ends = lines.iter().take(5).chain(lines.iter().skip(5).rev().take(2));
    let named = ends.filter_map(|line| key(line)).filter(|key| vocabulary::sources().has(&key.key)).map(|key| key.value.to_owned());
    let addresses = lines.iter().take(3).flat_map(|line| line.split_whitespace()).filter(|word| word.contains("://")).map(str::to_owned);
    named.chain(addresses).filter(|name| !name.is_empty() && name.len() < 400).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::chunks;

    #[test]
    fn keys_begin_chunks() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        for text in [
            "Content: a b\nSource: x\nContent: c\n\nd\nSource: y",
            "page_label: 1\nfile_path: /a.md\n\na\n\nb\n\npage_label: 2\nfile_path: /b.md\n\nc",
            "Title: A\nURL: https://a.example\nContent: a\n---\nTitle: B\nURL: https://b.example\nContent: b\n---",
            "标题：甲\n内容：文\n来源：a.md\n\n标题：乙\n内容：字\n来源：b.md",
            "├── Title: a.md\n└── Content: a\n\n├── Title: b.md\n└── Content: b",
            "a\n\na\nSource: x\n\nb\nSource: y",
        ] {
            let text = fence(text);
            let found = chunks(&text).unwrap();
            assert_eq!(found.len(), 2, "{text}");
            assert!(!found[0].ends_with('-'), "{text}");
        }
        for text in ["Caller: a\nDesk: b\nCaller: c\nDesk: d", "Content: a\nContent: b", "a\nSource: x\n\nb\nSource: y\nc"] {
            assert!(chunks(&fence(text)).is_err(), "{text}");
        }
    }
}
