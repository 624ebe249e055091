//! Lines of a region, each with whether it is inside a code block.

use std::ops::Range;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Without its line end.
    pub span: Range<usize>,
    /// Whether it is inside of a block of code, or begins or ends one.
    pub code: bool,
}

impl Line {
    /// Its text.
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.span.clone()]
    }
}

/// The lines of `text` in `within`. A block of code begins and ends with a line of three backticks or tildes; one that is
/// not closed continues to the end.
pub(super) fn lines(text: &str, within: Range<usize>) -> Vec<Line> {
    let mut found = Vec::new();
    let mut open: Option<(u8, usize)> = None;
    let mut start = within.start;
    for piece in text[within].split_inclusive('\n') {
        let line = piece.trim_end_matches(['\n', '\r']);
        let fence = fence_of(line.trim_start());
        let code = open.is_some() || fence.is_some();
        match (open, fence) {
            (None, Some(found)) => open = Some(found),
            (Some((sign, length)), Some((other, n)))
                if sign == other && n >= length && line.trim().len() == n =>
            {
                open = None
            }
            _ => {}
        }
        found.push(Line {
            span: start..start + line.len(),
            code,
        });
        start += piece.len();
    }
    found
}

/// Whether a line has nothing but white space.
pub(super) fn is_blank(text: &str, line: &Line) -> bool {
    line.of(text).trim().is_empty()
}

/// The sign and the length of the fence that a line begins with.
fn fence_of(line: &str) -> Option<(u8, usize)> {
    let sign = line.bytes().next().filter(|b| matches!(b, b'`' | b'~'))?;
    let length = line.bytes().take_while(|b| *b == sign).count();
    (length >= 3).then_some((sign, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_code() {
        let text = "a\n```rust\n1. x\n~~~\n```\r\nb\n````\n```\n";
        let code: Vec<bool> = lines(text, 0..text.len())
            .iter()
            .map(|line| line.code)
            .collect();
        assert_eq!(code, [false, true, true, true, true, false, true, true]);
        assert_eq!(lines(text, 2..9)[0].span, 2..9);
    }
}
