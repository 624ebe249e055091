//! Lines of a region, each with whether it is inside a code block.

use std::ops::Range;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its bytes of the whole text, without its line end.
    pub span: Range<usize>,
    /// Its text.
    pub text: &'a str,
    /// Whether it is inside of a block of code, or begins or ends one.
    pub code: bool,
}

/// Neighbouring lines.
pub type Lines<'a> = &'a [Line<'a>];

impl<'a> Line<'a> {
    /// Whether it has nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// What `read` finds in it, unless it is of a block of code.
    pub fn read<T>(&self, read: impl Fn(&'a str) -> Option<T>) -> Option<T> {
        if self.code { None } else { read(self.text) }
    }
}

/// What `read` finds in `lines` outside of blocks of code, each with the index of its line.
pub fn found<'a, T>(lines: Lines<'a>, read: impl Fn(&'a str) -> Option<T>) -> Vec<(usize, T)> {
    let found = lines.iter().enumerate();
    found
        .filter_map(|(at, line)| Some((at, line.read(&read)?)))
        .collect()
}

/// The lines of `text` in `within`. A block of code begins and ends with a line of three backticks
/// or tildes; one that is not closed continues to the end.
pub fn lines(text: &str, within: Range<usize>) -> Vec<Line<'_>> {
    let mut open: Option<(u8, usize)> = None;
    let mut next = within.start;
    let pieces = text[within].split_inclusive('\n').map(|piece| {
        let line = piece.trim_end_matches(['\n', '\r']);
        let fence = run(line.trim_start(), b"`~");
        let code = open.is_some() || fence.is_some();
        match (open, fence) {
            (None, Some(_)) => open = fence,
            (Some((sign, length)), Some((other, n)))
                if sign == other && n >= length && line.trim().len() == n =>
            {
                open = None
            }
            _ => {}
        }
        let start = next;
        next += piece.len();
        Line {
            span: start..start + line.len(),
            text: line,
            code,
        }
    });
    pieces.collect()
}

/// The sign and the length of the run of three or more of one of `signs` that a text begins with.
pub fn run(text: &str, signs: &[u8]) -> Option<(u8, usize)> {
    let sign = text.bytes().next().filter(|sign| signs.contains(sign))?;
    let length = text.bytes().take_while(|byte| *byte == sign).count();
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
