//! Numbered heads: `[1]`, `Document 1:`, `Source [2]`, `--- DOCUMENT 3 ---`, `[CONTEXT 4]:`, `【5】`, `资料 6：`.
//!
//! All heads of a list look alike and count up from 0 or 1 without a gap. A line that looks like a head and has another number
//! makes the list ambiguous, whether a chunk has a list of its own or a chunk is missing. A number without a word or a
//! bracket (`1.`) is what steps and items have too: such a list is one only if each chunk says where it is from.

use super::lines::Line;
use super::series::{Head, Series};
use super::vocabulary;

/// The form of a header apart from its number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Style {
    /// The text before the number, in lower case.
    before: String,
    /// The text directly after the number.
    after: String,
}

impl Style {
    /// Whether only the number and its point show that it is a head.
    fn is_bare(&self) -> bool {
        self.before.is_empty() || self.before.chars().all(|c| ORNAMENTS.contains(&c))
    }

    /// Whether the head says by itself that what follows was retrieved.
    fn is_evident(&self) -> bool {
        let word = self.before.trim_matches(|c: char| !c.is_alphanumeric());
        !word.is_empty() && !vocabulary::heads_of_one_text().has(word.split(' ').next_back().unwrap_or(word))
    }
}

/// The characters that may precede the word of a head.
const ORNAMENTS: [char; 9] = ['#', '*', '-', '=', ' ', '~', '>', '_', '•'];
/// Styles of a text that are looked through.
const STYLES: usize = 16;

/// The list whose first head is the first of `lines` that is one and is followed by the next number; with `first`, that is
/// the first line of all. The error says why what looks like a list is none.
pub(super) fn series(text: &str, lines: &[Line], first: bool, mark: &str) -> Option<Result<Series, String>> {
    let found: Vec<(usize, Style, u32)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.code)
        .filter_map(|(i, line)| head(&text[line.span.clone()]).map(|(s, n)| (i, s, n)))
        .collect();
    if first {
        let (at, style, number) = found.first().filter(|(at, ..)| *at == 0)?;
        if *number > 1 {
            return Some(Err(format!("the numbers in {mark} begin with {number}")));
        }
        return Some(of_style(text, lines, &found, *at, style, *number, mark));
    }
    let mut known: Vec<&Style> = Vec::new();
    let begins = |bare: bool| found.iter().filter(move |(_, style, number)| *number <= 1 && style.is_bare() == bare);
    // What has a word or a bracket is looked for before what has a number alone.
    for (at, style, number) in begins(false).chain(begins(true)) {
        if known.len() == STYLES || known.contains(&style) {
            continue;
        }
        known.push(style);
        if !found.iter().any(|(later, other, n)| later > at && other == style && *n == number + 1) {
            continue;
        }
        match of_style(text, lines, &found, *at, style, *number, mark) {
            Ok(series) if series.heads.len() > 1 => return Some(Ok(series)),
            // Any prompt has numbered lines: without a list among them there is nothing to tell.
            Err(why) if !style.is_bare() => return Some(Err(why)),
            _ => {}
        }
    }
    None
}

/// The list of heads of `style` from line `at` on.
fn of_style(
    text: &str,
    lines: &[Line],
    found: &[(usize, Style, u32)],
    at: usize,
    style: &Style,
    number: u32,
    mark: &str,
) -> Result<Series, String> {
    let mut heads: Vec<Head> = Vec::new();
    for (line, _, n) in found.iter().filter(|(line, other, _)| *line >= at && other == style) {
        let wanted = number + heads.len() as u32;
        if *n != wanted {
            return Err(format!("the numbers in {mark} have {n} where {wanted} should follow"));
        }
        let own = body_of(&text[lines[*line].span.clone()], style);
        heads.push(Head { line: *line, number: Some(*n), name: name(own), end: None });
    }
    let nexts: Vec<usize> = heads.iter().skip(1).map(|head| head.line).chain([lines.len()]).collect();
    for (head, next) in heads.iter_mut().zip(nexts) {
        let n = head.number.unwrap_or_default();
        head.end = (head.line + 1..next).find(|&i| !lines[i].code && is_end(&text[lines[i].span.clone()], n)).map(|i| i + 1);
    }
    Ok(Series { layout: format!("{}N{}", style.before, style.after), evident: style.is_evident(), sourced: style.is_bare(), heads })
}

/// Whether a line ends the chunk of number `n`: `[END CONTEXT 1]`, `--- end of document 1 ---`.
fn is_end(line: &str, n: u32) -> bool {
    says_end(line) && line.contains(&n.to_string())
}

/// Whether a line says in a few words that something ends.
pub(super) fn says_end(line: &str) -> bool {
    let lower = line.trim().trim_matches(|c: char| !c.is_alphanumeric() && c != '/').to_lowercase();
    let ends = ["end", "ende", "fin", "fine", "fim", "einde", "конец", "koniec", "son", "نهاية", "结束", "結束", "終わり", "끝", "/"];
    let is_short = lower.len() < 60 && vocabulary::words(&lower).count() <= 5;
    let says = |end: &&str| match end.chars().next().is_some_and(|c| c == '/' || vocabulary::is_unspaced(c)) {
        true => lower.starts_with(*end) || lower.ends_with(*end),
        false => vocabulary::words(&lower).any(|word| word == *end),
    };
    is_short && ends.iter().any(says)
}

/// Whether a line is the first head of a list.
pub(super) fn begins(line: &str) -> bool {
    head(line).is_some_and(|(style, number)| number <= 1 && !style.is_bare())
}

/// A text without the head that it begins with.
pub(super) fn without(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    match head(line) {
        Some((style, _)) => &text[line.len() - body_of(line, &style).len()..],
        None => text,
    }
}

/// Returns the text of a head's line after the number.
fn body_of<'a>(line: &'a str, style: &Style) -> &'a str {
    let digits = line.find(|c: char| c.is_ascii_digit()).unwrap_or(line.len());
    let after = line[digits..].trim_start_matches(|c: char| c.is_ascii_digit());
    after.strip_prefix(&*style.after).unwrap_or(after).trim_start_matches([':', '.', ')', ']', ' ', '：', '】'])
}

/// The address that a head names, if that is what its line says: `[1] https://…`, `[1] (notes.md)`.
fn name(own: &str) -> Option<String> {
    let name = own.trim().trim_start_matches('(').trim_end_matches([')', ':']);
    let is_name = !name.is_empty()
        && name.len() < 300
        && !name.contains(char::is_whitespace)
        && (name.contains("://") || name.contains('.') || name.contains('/'));
    is_name.then(|| name.to_owned())
}

/// The style and the number of a line that is a head. A head is not indented.
fn head(line: &str) -> Option<(Style, u32)> {
    let decorated = line.trim_start_matches(ORNAMENTS);
    if line.starts_with(' ') {
        return None;
    }
    let (outer, rest) = bracket(decorated);
    let (word, rest) = word(rest)?;
    let (inner, rest) = if outer.is_none() { bracket(rest) } else { (None, rest) };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest[..digits].parse().ok()?;
    let before = line[..line.len() - rest.len()].to_lowercase();
    let after = &rest[digits..];
    let mut left = after;
    if word {
        left = without_total(left);
    }
    if let Some(close) = outer.or(inner) {
        // Behind the number the bracket may name the source: `[Doc 1 | a.md]`.
        left = match left.strip_prefix(close) {
            Some(rest) => rest,
            None => {
                let named = word && left.starts_with([' ', '|', ':', ',', ';', '-', '–', '—', '：']);
                let inside = named.then(|| left.find(close)).flatten()?;
                let style = Style { before, after: left.chars().find(|c| *c != ' ').map(String::from).unwrap_or_default() };
                return left[inside..].starts_with(close).then_some((style, number));
            }
        };
    }
    // What ends the head: a colon, a point, the ornament that began it, or nothing where a word or a bracket is enough.
    let ends = ["**:", ":**", "**：", " :", ".", ")", ":", "：", "、", "**", " -", " =", " |"];
    let end = ends.iter().find(|end| left.starts_with(**end)).copied().unwrap_or("");
    left = &left[end.len()..];
    let wide = matches!(end, "：" | "、") || outer.or(inner) == Some('】');
    let spaced = wide || left.is_empty() || left.starts_with(|c: char| c.is_whitespace() || matches!(c, '-' | '=' | '(' | '（'));
    let enough = word || outer.or(inner).is_some() || matches!(end, "." | ")" | "、");
    let style = || Style { before, after: after[..after.len() - left.len()].to_owned() };
    (spaced && enough).then(style).map(|style| (style, number))
}

/// The bracket that `text` begins with, as the one that closes it.
fn bracket(text: &str) -> (Option<char>, &str) {
    let pairs = [('[', ']'), ('(', ')'), ('【', '】'), ('{', '}'), ('（', '）')];
    match pairs.iter().find_map(|(open, close)| Some((*close, text.strip_prefix(*open)?))) {
        Some((close, rest)) => (Some(close), rest),
        None => (None, text),
    }
}

/// Whether a word for a chunk comes before the number, and what follows it; nothing where another word does.
fn word(text: &str) -> Option<(bool, &str)> {
    let end = text.find(|c: char| !c.is_alphabetic() && c != ' ' && c != '_').unwrap_or(text.len()).min(text.len());
    if end > 60 {
        return None;
    }
    let phrase = text[..end].to_lowercase();
    let (phrase, rest) = (phrase.trim_end_matches([' ', '_']), text[end..].trim_start_matches(['#', '.', '°', 'º', '№', '-', ' ']));
    if phrase.is_empty() {
        return Some((false, &text[end..])).filter(|_| end == 0);
    }
    let phrase = [" no", " nr", " n", " nº"].iter().find_map(|sign| phrase.strip_suffix(sign)).unwrap_or(phrase);
    let words = vocabulary::words(phrase).count();
    let in_sentence =
        ["in ", "the ", "see ", "from ", "as ", "im ", "aus ", "dans ", "en ", "per "].iter().any(|start| phrase.starts_with(start));
    let words = if in_sentence { 0 } else { words };
    (words == 1 && vocabulary::heads().has(phrase) || (2..=3).contains(&words) && vocabulary::heads().end(phrase)).then_some((true, rest))
}

/// `text` without a total that it begins with: `/8`, ` of 8`.
fn without_total(text: &str) -> &str {
    let total = text.trim_start();
    let total = ["/", "of ", "von ", "de ", "sur ", "di ", "van ", "из "].iter().find_map(|of| total.strip_prefix(of));
    match total.map(str::trim_start).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => text,
    }
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
            ("[CONTEXT 1]:", Some(("[context ", "]:", 1))),
            ("[Document 1] a.md", Some(("[document ", "]", 1))),
            ("[Doc 1 | a.md | 0.8] text", Some(("[doc ", "|", 1))),
            ("Web result 2: x", Some(("web result ", ":", 2))),
            ("Quelle Nr. 3: x", Some(("quelle nr. ", ":", 3))),
            ("Extrait n° 3 : x", Some(("extrait n° ", " :", 3))),
            ("Document 2 of 8: x", Some(("document ", " of 8:", 2))),
            ("资料1：文", Some(("资料", "：", 1))),
            ("【2】文", Some(("【", "】", 2))),
            ("[参考资料3] 文", Some(("[参考资料", "]", 3))),
            ("第3段落：文", None),
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
            let (before, after) = found.as_ref().map_or(("", ""), |(s, _)| (&*s.before, &*s.after));
            assert_eq!(found.as_ref().map(|(_, n)| (before, after, *n)), want, "{line}");
        }
    }

    #[test]
    fn lists_count_up_without_a_gap() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        assert_eq!(chunks(&fence("[1] a b\n1. x\n[2] b\n\nmore\n[3] c d\n")).unwrap(), ["[1] a b\n1. x", "[2] b\n\nmore", "[3] c d"]);
        assert_eq!(chunks(&fence("Results:\n\nDocument 0:\na\nDocument 1:\nb")).unwrap(), ["Document 0:\na", "Document 1:\nb"]);
        assert_eq!(chunks(&fence("--- DOCUMENT 1 ---\na\n--- DOCUMENT 2 ---\nb")).unwrap().len(), 2);
        assert_eq!(chunks(&fence("[1] a\n```\n[1] code\n```\n[2] b")).unwrap(), ["[1] a\n```\n[1] code\n```", "[2] b"]);
        assert_eq!(chunks(&fence("1. https://a.example\nx\n2. https://b.example\ny")).unwrap().len(), 2);
        assert_eq!(
            chunks(&fence("[CONTEXT 0]:\na\n[END CONTEXT 0]\n\n[CONTEXT 1]:\nb\n[END CONTEXT 1]")).unwrap()[1],
            "[CONTEXT 1]:\nb\n[END CONTEXT 1]"
        );
        for (text, want) in [
            ("[1] a\n[2] b\n[4] c", "have 4 where 3 should follow"),
            ("[1] a\n[2] b\n[1] c\n[2] d", "have 1 where 3 should follow"),
            ("[2] a\n[3] b", "begin with 2"),
            ("[1] a\n[2]\n[3] c", "number 2 in <context> is empty"),
            ("1. Open it.\n2. Close it.\n3. Wait.", "may be steps or items"),
            ("```\n[1] a\n[2] b\n[3] c\n```", "nothing that separates its chunks"),
            ("a = [\n[1],\n[2],\n[3],\n]", "nothing that separates its chunks"),
            ("A text.\n[1] a\n[2] b", "nothing that separates its chunks"),
        ] {
            let why = chunks(&fence(text)).unwrap_err();
            assert!(why.contains(want), "{text}: {why}");
        }
    }
}
