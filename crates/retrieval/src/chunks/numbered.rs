//! Numbered heads: `[1]`, `Document 1:`, `Source [2]`, `--- DOCUMENT 3 ---`, `[CONTEXT 4]:`, `【5】`,
//! `资料 6：`.
//!
//! All heads of a list look alike and count up from 0 or 1 without a gap. A line that looks like a
//! head and has another number makes the list ambiguous, whether a chunk has a list of its own or a
//! chunk is missing. A number without a word or a bracket (`1.`) is what steps and items have too,
//! and is no head.

use super::{
    lines::{Lines, found},
    series::{Head, Series},
    vocabulary::{HEADS, end, words},
};
use regex::Regex;
use std::sync::LazyLock;

/// Ornaments, a bracket, a word, a sign for `number`, another bracket, the number, and a total.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    let word = r"(?:(?<word>\pL[\pL\pM _]*?)[ _#№.-]*)?";
    let head = format!(
        r"^(?<before>[ #*=~>•_-]*(?<outer>[\[(【（])?{word}(?<inner>[\[(【（])?)(?<number>[0-9]{{1,6}})(?: ?(?:/|of) ?[0-9]+)?"
    );
    Regex::new(&head).expect("the pattern is fixed")
});
/// Bytes of a line among which its number is.
const LONGEST: usize = 80;

/// A line that is a head.
struct Found<'a> {
    /// The text before the number in lower case, and the sign after it, which all heads of a list
    /// share.
    style: (String, Option<char>),
    number: u32,
    /// Whether a word says what it is.
    is_named: bool,
    /// The text behind it.
    rest: &'a str,
}

/// The head that a line is.
fn head(line: &str) -> Option<Found<'_>> {
    line.bytes().take(LONGEST).find(u8::is_ascii_digit)?;
    let found = HEAD.captures(line)?;
    let part = |name: &str| found.name(name).map_or("", |part| part.as_str());
    let word = part("word").trim_end().to_lowercase();
    let in_sentence = ["in ", "the ", "see ", "from ", "as "]
        .iter()
        .any(|start| word.starts_with(start));
    if !word.is_empty() && (in_sentence || words(&word).count() > 3 || !end(HEADS, &word)) {
        return None;
    }
    let is_named = !word.is_empty();
    let after = &line[found[0].len()..];
    let open = found.name("outer").or(found.name("inner"));
    let close = open.map(|open| match open.as_str() {
        "[" => ']',
        "(" => ')',
        "【" => '】',
        _ => '）',
    });
    let rest = match close {
        // Behind the number the bracket may name the source: `[Doc 1 | a.md]`.
        Some(close) if is_named && after.starts_with([' ', '|', ':', ',', ';', '-', '–', '：']) => {
            after.split_once(close)?.1
        }
        Some(close) => after.strip_prefix(close)?,
        None => after,
    };
    let ends = match close {
        Some('】' | '）') => true,
        Some(_) => rest.is_empty() || rest.starts_with([' ', '\t', ':', '：', '*', '(']),
        None => {
            let next = rest.trim_start().chars().next();
            is_named && next.is_none_or(|next| ":：.)|-–=*(（、".contains(next))
        }
    };
    if !ends {
        return None;
    }
    let sign = after.trim_start().chars().next();
    Some(Found {
        style: (
            part("before").to_lowercase(),
            sign.filter(|c| !c.is_alphanumeric()),
        ),
        number: part("number").parse().ok()?,
        is_named,
        rest: rest.trim_start_matches([':', '.', ')', ' ', '：', '*', '=', '-']),
    })
}

/// The list of the first head with number 0 or 1 that is followed by one like it with the next
/// number. The error says why what looks like a list is none.
pub fn series(lines: Lines<'_>, mark: &str) -> Option<Result<Series, String>> {
    let found = found(lines, head);
    let firsts = found.iter().filter(|(_, head)| head.number <= 1);
    let (at, first) = firsts.take(STYLES).find(|(at, first)| {
        found.iter().any(|(later, next)| {
            later > at && next.style == first.style && next.number == first.number + 1
        })
    })?;
    let alike = found
        .iter()
        .filter(|(line, own)| line >= at && own.style == first.style);
    let heads = (first.number..)
        .zip(alike)
        .map(|(wanted, (line, own))| match own.number {
            number if number == wanted => Ok(Head {
                line: *line,
                number: Some(number),
                name: name(own.rest),
            }),
            number => Err(format!(
                "the numbers in {mark} have {number} where {wanted} should follow"
            )),
        });
    let (before, after) = &first.style;
    Some(heads.collect::<Result<_, _>>().map(|heads| Series {
        layout: format!("{before}N{}", after.map(String::from).unwrap_or_default()),
        evident: first.is_named,
        heads,
    }))
}

/// Heads that are looked through for the first one of a list.
const STYLES: usize = 16;

/// Whether a line is the first head of a list.
pub fn begins(line: &str) -> bool {
    head(line).is_some_and(|head| head.number <= 1)
}

/// A text without the head that it begins with.
pub fn without(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    head(line).map_or(text, |head| &text[line.len() - head.rest.len()..])
}

/// The address that a head names, if that is what its line says: `[1] https://…`, `[1] (notes.md)`.
fn name(own: &str) -> Option<String> {
    let name = own.trim().trim_matches(['(', ')', ':']);
    let is_name = !name.is_empty()
        && name.len() < 300
        && !name.contains(char::is_whitespace)
        && name.contains(['.', '/']);
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{chunks, fixed},
        *,
    };

    #[test]
    fn heads_of_many_styles() {
        for (line, want) in [
            ("[1] text", Some(("[", Some(']'), 1))),
            ("[1]", Some(("[", Some(']'), 1))),
            ("[12]: text", Some(("[", Some(']'), 12))),
            ("(3) text", Some(("(", Some(')'), 3))),
            (" [1] text", Some((" [", Some(']'), 1))),
            ("Document 1:", Some(("document ", Some(':'), 1))),
            (
                "Document [1](Title: x) text",
                Some(("document [", Some(']'), 1)),
            ),
            ("Source [2]", Some(("source [", Some(']'), 2))),
            ("### Passage 4", Some(("### passage ", None, 4))),
            ("**Chunk 5:** text", Some(("**chunk ", Some(':'), 5))),
            ("--- DOCUMENT 3 ---", Some(("--- document ", Some('-'), 3))),
            ("=== Source #7 ===", Some(("=== source #", Some('='), 7))),
            ("[CONTEXT 1]:", Some(("[context ", Some(']'), 1))),
            ("[Doc 1 | a.md | 0.8] text", Some(("[doc ", Some('|'), 1))),
            ("Web result 2: x", Some(("web result ", Some(':'), 2))),
            ("Document 2 of 8: x", Some(("document ", Some(':'), 2))),
            ("资料1：文", Some(("资料", Some('：'), 1))),
            ("المستند 1: نص", Some(("المستند ", Some(':'), 1))),
            ("【2】文", Some(("【", Some('】'), 2))),
            ("[参考资料3] 文", Some(("[参考资料", Some(']'), 3))),
            ("第3段落：文", None),
            ("1. text", None),
            ("2) text", None),
            ("1.5 text", None),
            ("[1], [2]", None),
            ("[1][2]", None),
            ("1 text", None),
            ("x[1] = 2", None),
            ("In document 1: it says", None),
            ("Source 1 says that it is", None),
            ("Step 1: it says", None),
            ("2026-11-21", None),
            ("[99999999999] x", None),
        ] {
            let found = head(line);
            assert_eq!(
                found
                    .as_ref()
                    .map(|head| (&*head.style.0, head.style.1, head.number)),
                want,
                "{line}"
            );
        }
    }

    #[test]
    fn lists_count_up_without_a_gap() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        assert_eq!(
            chunks(&fence("Results:\n\nDocument 0:\na\nDocument 1:\nb")).unwrap(),
            ["Document 0:\na", "Document 1:\nb"]
        );
        assert_eq!(
            chunks(&fence("--- DOCUMENT 1 ---\na\n--- DOCUMENT 2 ---\nb"))
                .unwrap()
                .len(),
            2
        );
        assert_eq!(
            chunks(&fence("[1] a\n```\n[1] code\n```\n[2] b")).unwrap(),
            ["[1] a\n```\n[1] code\n```", "[2] b"]
        );
        for (text, want) in [
            ("[1] a\n[2] b\n[4] c", "have 4 where 3 should follow"),
            ("[1] a\n[2] b\n[1] c\n[2] d", "have 1 where 3 should follow"),
            ("[2] a\n[3] b", "nothing that separates its chunks"),
            ("[1] a\n[2]\n[3] c", "chunk 2 in <context> is empty"),
            (
                "1. Open it.\n2. Close it.\n3. Wait.",
                "nothing that separates its chunks",
            ),
            (
                "```\n[1] a\n[2] b\n[3] c\n```",
                "nothing that separates its chunks",
            ),
            (
                "a = [\n[1],\n[2],\n[3],\n]",
                "nothing that separates its chunks",
            ),
        ] {
            let why = chunks(&fence(text)).unwrap_err();
            assert!(why.contains(want), "{text}: {why}");
        }
    }

    #[test]
    fn the_last_chunk_ends_where_the_others_do() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        for (text, last, fixed_ones) in [
            ("[1] a\n[2] b\n[3] c", "[3] c", &[][..]),
            ("[1] a\n[2] b\n[3] c\n\nBe brief.", "[3] c", &[2]),
            ("[1] a\n[2] b\n[3] c\nBe brief.\nAnd polite.", "[3] c", &[2]),
            ("[1] a\n\na\n\n[2] b\n[3] c\n\nc", "[3] c\n\nc", &[2]),
            ("[1] a\nb\n[2] b\n[3] c\nQuestion: d", "[3] c", &[2]),
            ("<data>\n[1] a\n[2] b\n[3] c</data>", "[3] c</data>", &[2]),
            ("<data>\n[1] a\n[2] b\n[3] c\n</data>", "[3] c", &[2]),
            (
                "[CONTEXT 1]:\na\n[END CONTEXT 1]\n\n[CONTEXT 2]:\nb\n[END CONTEXT 2]",
                "[CONTEXT 2]:\nb\n[END CONTEXT 2]",
                &[1],
            ),
            ("Source 1:\na\nSource 2:\nb", "Source 2:\nb", &[]),
        ] {
            let text = fence(text);
            assert_eq!(
                (chunks(&text).unwrap().pop().unwrap(), &*fixed(&text)),
                (last, fixed_ones),
                "{text}"
            );
        }
        for (text, want) in [
            (
                "[1] a\n[2] b\n\nThe rest is older.\n[3] c\n[4] d\n[5] e",
                "chunk 2 in <context> is longer than all others",
            ),
            (
                "[1] a\n[2] b</data>\n<data>\n[3] c",
                "a tag in chunk 2 in <context> has its other end outside",
            ),
        ] {
            let why = chunks(&fence(text)).unwrap_err();
            assert!(why.contains(want), "{text}: {why}");
        }
    }
}
