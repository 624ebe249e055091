//! Chunks under numbered heads: `[1]`, `1.`, `Document 1:`, `Source [2]`, `--- DOCUMENT 3 ---`.
//!
//! All heads look alike and count up from 0 or 1 without a gap. A line that looks like a head and has another number makes
//! the list ambiguous, whether a chunk has a list of its own or a chunk is missing.

use super::lines::Line;
use super::{Chunk, List, trim};

/// A head: how it looks apart from its number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Style {
    /// What stands before the number, in lower case.
    before: String,
    /// What stands directly after it.
    after: String,
}

/// Words that a head may begin with.
const WORDS: [&str; 16] = [
    "document",
    "doc",
    "source",
    "passage",
    "chunk",
    "result",
    "search result",
    "context",
    "excerpt",
    "snippet",
    "reference",
    "text",
    "article",
    "section",
    "node",
    "quote",
];

/// The chunks under the numbered heads of `lines`; `None` where the first line is no head, so that there are none.
pub(super) fn chunks(text: &str, lines: &[Line], mark: &str) -> Option<Result<List, String>> {
    let filled = |line: &&Line| !text[line.span.clone()].trim().is_empty();
    let mut first = lines.iter().position(|line| filled(&line))?;
    if text[lines[first].span.clone()].trim_end().ends_with(':') && head(&text[lines[first].span.clone()]).is_none() {
        first += 1 + lines[first + 1..].iter().position(|line| filled(&line))?;
    }
    let begin = &lines[first];
    let (style, number) = head(&text[begin.span.clone()]).filter(|_| !begin.code)?;
    if number > 1 {
        return Some(Err(format!("the numbers in {mark} begin with {number}")));
    }
    let mut starts = Vec::new();
    for line in &lines[first..] {
        match head(&text[line.span.clone()]).filter(|(other, _)| *other == style && !line.code) {
            Some((_, found)) if found == number + starts.len() as u32 => starts.push(line.span.start),
            Some((_, found)) => {
                let wanted = number + starts.len() as u32;
                return Some(Err(format!("the numbers in {mark} have {found} where {wanted} should follow")));
            }
            None => {}
        }
    }
    let end = lines.last().map_or(begin.span.end, |line| line.span.end);
    let ends = starts.iter().skip(1).copied().chain([end]);
    let mut chunks = Vec::new();
    for ((&start, end), number) in starts.iter().zip(ends).zip(number..) {
        let span = trim(text, start..end);
        let line = text[span.clone()].lines().next().unwrap_or_default();
        let own = body_of(line, &style);
        if own.trim().is_empty() && text[span.clone()].len() == line.len() {
            return Some(Err(format!("number {number} in {mark} is empty")));
        }
        chunks.push(Chunk { span, number: Some(number), names: names(own) });
    }
    let layout = format!("{}N{} in {mark}", style.before, style.after);
    Some(Ok(List { layout, chunks }))
}

/// What a head's own line says beside the number.
fn body_of<'a>(line: &'a str, style: &Style) -> &'a str {
    let digits = line.find(|c: char| c.is_ascii_digit()).unwrap_or(line.len());
    let after = line[digits..].trim_start_matches(|c: char| c.is_ascii_digit());
    after.strip_prefix(&*style.after).unwrap_or(after).trim_start_matches([':', '.', ')', ']', ' '])
}

/// The address that a head names, if that is what its line says: `[1] https://…`, `[1] (notes.md)`.
fn names(own: &str) -> Vec<String> {
    let name = own.trim().trim_start_matches('(').trim_end_matches([')', ':']);
    let is_name = !name.is_empty()
        && name.len() < 300
        && !name.contains(char::is_whitespace)
        && (name.contains("://") || name.contains('.') || name.contains('/'));
    if is_name { vec![name.to_owned()] } else { Vec::new() }
}

/// The style and the number of a line that is a head. A head is not indented.
fn head(line: &str) -> Option<(Style, u32)> {
    let at = line.bytes().take(40).position(|b| b.is_ascii_digit())?;
    let (before, rest) = line.split_at(at);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest[..digits].parse().ok()?;
    let after = &rest[digits..];
    let before = before.to_lowercase();
    let bracket = before.ends_with('[') || before.ends_with('(');
    let bare = before.trim_end_matches(['[', '(']);
    let sign = bare.trim_end_matches([' ', '#', '-', '_']);
    let ornament: &[char] = &['#', '*', '-', '=', ' '];
    let word = sign.trim_start_matches(ornament);
    let has_word = WORDS.contains(&word);
    if !has_word && !bare.is_empty() {
        return None;
    }
    let closed = match (bracket, before.chars().last()) {
        (true, Some('[')) => after.strip_prefix(']')?,
        (true, _) => after.strip_prefix(')')?,
        _ => after,
    };
    // What ends the head: `:`, `.`, `)`, the ornament that began it, a title in brackets, or nothing where a word or
    // a bracket tells enough.
    let ends = ["**:", ":**", ".", ")", ":", "**", " -", " ="];
    let end = ends.iter().find(|end| closed.starts_with(**end)).copied().unwrap_or("");
    let rest = &closed[end.len()..];
    let room = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '-' | '=' | '('));
    let enough = has_word || bracket || matches!(end, "." | ")");
    (room && enough).then(|| Style { before, after: after[..after.len() - rest.len()].to_owned() }).map(|style| (style, number))
}

#[cfg(test)]
mod tests {
    use super::super::tests::chunks;
    use super::*;

    #[test]
    fn heads_of_many_styles() {
        for (line, want) in [
            ("[1] text", Some(("[", "]", 1))),
            ("[1]", Some(("[", "]", 1))),
            ("[12]: text", Some(("[", "]:", 12))),
            ("1. text", Some(("", ".", 1))),
            ("2) text", Some(("", ")", 2))),
            ("(3) text", Some(("(", ")", 3))),
            ("Document 1:", Some(("document ", ":", 1))),
            ("Document [1](Title: x) text", Some(("document [", "]", 1))),
            ("Source [2]", Some(("source [", "]", 2))),
            ("### Passage 4", Some(("### passage ", "", 4))),
            ("**Chunk 5:** text", Some(("**chunk ", ":**", 5))),
            ("--- DOCUMENT 3 ---", Some(("--- document ", " -", 3))),
            ("=== Source #7 ===", Some(("=== source #", " =", 7))),
            (" 1. text", None),
            ("1.5 text", None),
            ("[1], [2]", None),
            ("[1][2]", None),
            ("1 text", None),
            ("x[1] = 2", None),
            ("In document 1: it says", None),
            ("2026-11-21", None),
            ("99999999999. x", None),
        ] {
            let found = head(line);
            assert_eq!(found.as_ref().map(|(s, n)| (&*s.before, &*s.after, *n)), want, "{line}");
        }
    }

    #[test]
    fn lists_count_up_without_a_gap() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        assert_eq!(chunks(&fence("[1] a\n1. x\n[2] b\n\nmore\n[3] c\n")).unwrap(), ["[1] a\n1. x", "[2] b\n\nmore", "[3] c"]);
        assert_eq!(chunks(&fence("Results:\n\nDocument 0:\na\nDocument 1:\nb")).unwrap(), ["Document 0:\na", "Document 1:\nb"]);
        assert_eq!(chunks(&fence("--- DOCUMENT 1 ---\na\n--- DOCUMENT 2 ---\nb")).unwrap().len(), 2);
        assert_eq!(chunks(&fence("1. a\n```\n1. code\n```\n2. b")).unwrap(), ["1. a\n```\n1. code\n```", "2. b"]);
        for (text, want) in [
            ("[1] a\n[2] b\n[4] c", "have 4 where 3 should follow"),
            ("1. a\n2. b\n1. c\n2. d", "have 1 where 3 should follow"),
            ("[2] a\n[3] b", "begin with 2"),
            ("[1] a\n[2]\n[3] c", "number 2 in <context> is empty"),
            ("```\n1. a\n2. b\n3. c\n```", "nothing that tells its chunks apart"),
            ("a = [\n[1],\n[2],\n[3],\n]", "nothing that tells its chunks apart"),
            ("A text.\n[1] a\n[2] b", "nothing that tells its chunks apart"),
        ] {
            let why = chunks(&fence(text)).unwrap_err();
            assert!(why.contains(want), "{text}: {why}");
        }
    }
}
