//! Chunks between separator lines: `---`, `===`, `***`, `___`, `###` or `+++`.
//!
//! All separators of a list are alike. Two kinds of separators, or an empty chunk, make the list ambiguous.

use super::lines::Line;
use super::{Chunk, List, trim};

/// The chunks between the rules of `lines`; `None` where there is no rule.
pub(super) fn chunks(text: &str, lines: &[Line], mark: &str) -> Option<Result<List, String>> {
    let mut sign = None;
    let mut chunks = Vec::new();
    let mut start = lines.first()?.span.start;
    for line in lines.iter().filter(|line| !line.code) {
        let Some(rule) = rule(&text[line.span.clone()]) else { continue };
        if sign.replace(rule).is_some_and(|known| known != rule) {
            return Some(Err(format!("{mark} has rules of more than one kind")));
        }
        push(text, start..line.span.start, &mut chunks);
        start = line.span.end;
    }
    let (sign, _) = sign?;
    push(text, start..lines.last()?.span.end, &mut chunks);
    let layout = format!("{} in {mark}", char::from(sign).to_string().repeat(3));
    // Before the first rule and behind the last there may be nothing; between two there is a chunk.
    let inner = chunks.len().saturating_sub(1);
    if chunks.iter().take(inner).skip(1).any(Option::is_none) {
        return Some(Err(format!("{mark} has nothing between two rules")));
    }
    Some(Ok(List { layout, chunks: chunks.into_iter().flatten().collect(), loose: false }))
}

fn push(text: &str, span: std::ops::Range<usize>, chunks: &mut Vec<Option<Chunk>>) {
    let span = trim(text, span);
    chunks.push((!span.is_empty()).then_some(Chunk { span, number: None, names: Vec::new() }));
}

/// The sign and the length of a line that is a rule. A rule is not indented and is alone.
pub(super) fn rule(line: &str) -> Option<(u8, usize)> {
    let line = line.trim_end();
    let sign = line.bytes().next().filter(|b| matches!(b, b'-' | b'=' | b'*' | b'_' | b'#' | b'+'))?;
    (line.len() >= 3 && line.bytes().all(|b| b == sign)).then_some((sign, line.len()))
}

/// The sign and the length of a line that delimits, indented or not: a rule, or three quotes.
pub(super) fn delimiter(line: &str) -> Option<(u8, usize)> {
    let trimmed = line.trim();
    let quotes = matches!(trimmed, "\"\"\"" | "'''").then(|| (trimmed.as_bytes()[0], 3));
    quotes.or_else(|| rule(trimmed))
}

#[cfg(test)]
mod tests {
    use super::super::tests::chunks;

    #[test]
    fn chunks_between_rules() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        for text in ["a\n---\nb\n\nb\n---\nc", "---\na\n---\nb\n\nb\n---\nc\n---", "\n=====\na\n=====\nb\n\nb\n=====\n\nc"] {
            assert_eq!(chunks(&fence(text)).unwrap(), ["a", "b\n\nb", "c"]);
        }
        for (text, want) in [
            ("a\n---\nb\n===\nc", "more than one kind"),
            ("a\n---\nb\n-----\nc", "more than one kind"),
            ("a\n---\n\n---\nc", "nothing between two rules"),
            ("```\na\n---\nb\n```", "nothing that separates its chunks"),
            ("a\n - - -\nb", "nothing that separates its chunks"),
        ] {
            let why = chunks(&fence(text)).unwrap_err();
            assert!(why.contains(want), "{text}: {why}");
        }
    }
}
