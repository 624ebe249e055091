//! Sizes of texts in several measures, and heads and tails of such sizes.

use crate::estimate::CHARS_PER_TOKEN;
use std::ops::Range;

/// The unit of a text's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// UTF-16 units, as JavaScript counts.
    Chars,
    /// Code points, as Python counts.
    CodePoints,
    /// Bytes of UTF-8.
    Bytes,
    /// Tokens of four bytes, as agents guess them.
    Tokens,
    /// Lines: one more than there are line feeds.
    Lines,
}

/// A number of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Of what.
    pub measure: Measure,
    /// The number of units.
    pub number: u64,
}

/// The size of `text`.
pub fn size(text: &str, measure: Measure) -> u64 {
    let size = match measure {
        Measure::Chars => text.chars().map(char::len_utf16).sum(),
        Measure::CodePoints => text.chars().count(),
        Measure::Bytes => text.len(),
        Measure::Tokens => text.len().div_ceil(CHARS_PER_TOKEN as usize),
        Measure::Lines => memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1,
    };
    size as u64
}

/// The first bytes of `text` that have at most this size, and end between characters; of lines, without the last line feed.
pub fn head(text: &str, of: Size) -> Range<usize> {
    let number = usize::try_from(of.number).unwrap_or(usize::MAX);
    let units = |width: fn(char) -> usize| {
        let mut left = number;
        let fits = |c: &char| {
            left.checked_sub(width(*c))
                .is_some_and(|rest| std::mem::replace(&mut left, rest) >= rest)
        };
        text.chars().take_while(fits).map(char::len_utf8).sum()
    };
    let end = match of.measure {
        Measure::Chars => units(char::len_utf16),
        Measure::CodePoints => units(|_| 1),
        Measure::Bytes => floor(text, number),
        Measure::Tokens => floor(text, number.saturating_mul(CHARS_PER_TOKEN as usize)),
        Measure::Lines if number == 0 => 0,
        Measure::Lines => memchr::memchr_iter(b'\n', text.as_bytes())
            .nth(number - 1)
            .unwrap_or(text.len()),
    };
    0..end
}

/// The last bytes of `text` that have at most this size, and begin between characters.
pub fn tail(text: &str, of: Size) -> Range<usize> {
    let number = usize::try_from(of.number).unwrap_or(usize::MAX);
    let units = |width: fn(char) -> usize| {
        let mut left = number;
        let fits = |c: &char| {
            left.checked_sub(width(*c))
                .is_some_and(|rest| std::mem::replace(&mut left, rest) >= rest)
        };
        text.chars()
            .rev()
            .take_while(fits)
            .map(char::len_utf8)
            .sum::<usize>()
    };
    let bytes = |count: usize| text.len() - ceil(text, text.len().saturating_sub(count));
    let count = match of.measure {
        Measure::Chars => units(char::len_utf16),
        Measure::CodePoints => units(|_| 1),
        Measure::Bytes => bytes(number),
        Measure::Tokens => bytes(number.saturating_mul(CHARS_PER_TOKEN as usize)),
        Measure::Lines if number == 0 => 0,
        Measure::Lines => {
            text.len()
                - memchr::memrchr_iter(b'\n', text.as_bytes())
                    .nth(number - 1)
                    .map_or(0, |at| at + 1)
        }
    };
    text.len() - count..text.len()
}

/// The last boundary of a character at or before byte `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// The first boundary of a character at or behind byte `at`.
fn ceil(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len())
}
