//! Sizes of texts in several measures, and heads and tails of such sizes.

use crate::estimate::CHARS_PER_TOKEN;
use crate::settings::{Measure, Size};
use std::ops::{Range, RangeInclusive};

const BYTES_PER_TOKEN: usize = CHARS_PER_TOKEN as usize;

/// The size of `text`.
pub fn size(text: &str, measure: Measure) -> u64 {
    let size = match measure {
        Measure::Chars => text.chars().map(char::len_utf16).sum(),
        Measure::CodePoints => text.chars().count(),
        Measure::Bytes => text.len(),
        Measure::Tokens => text.len().div_ceil(BYTES_PER_TOKEN),
        Measure::Lines => memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1,
    };
    size as u64
}

/// The sizes that a text of so many UTF-16 units may have.
pub fn bounds(units: u64, measure: Measure) -> RangeInclusive<u64> {
    // A unit takes up to three bytes, and a code point up to two units.
    match measure {
        Measure::Chars => units..=units,
        Measure::CodePoints => units / 2..=units,
        Measure::Bytes => units..=units.saturating_mul(3),
        Measure::Tokens => units / CHARS_PER_TOKEN..=units,
        Measure::Lines => 0..=units.saturating_add(1),
    }
}

/// The first bytes of `text` that have at most this size, and end between characters; of lines, without the last line feed.
pub fn head(text: &str, of: Size) -> Range<usize> {
    let number = of.number as usize;
    let end = match of.unit {
        Measure::Chars => fitting(text.chars(), number, char::len_utf16),
        Measure::CodePoints => fitting(text.chars(), number, |_| 1),
        Measure::Bytes => floor(text, number),
        Measure::Tokens => floor(text, number.saturating_mul(BYTES_PER_TOKEN)),
        Measure::Lines if number == 0 => 0,
        Measure::Lines => memchr::memchr_iter(b'\n', text.as_bytes())
            .nth(number - 1)
            .unwrap_or(text.len()),
    };
    0..end
}

/// The last bytes of `text` that have at most this size, and begin between characters.
pub fn tail(text: &str, of: Size) -> Range<usize> {
    let (number, end) = (of.number as usize, text.len());
    let last = |bytes: usize| ceil(text, end.saturating_sub(bytes));
    let start = match of.unit {
        Measure::Chars => end - fitting(text.chars().rev(), number, char::len_utf16),
        Measure::CodePoints => end - fitting(text.chars().rev(), number, |_| 1),
        Measure::Bytes => last(number),
        Measure::Tokens => last(number.saturating_mul(BYTES_PER_TOKEN)),
        Measure::Lines if number == 0 => end,
        Measure::Lines => memchr::memrchr_iter(b'\n', text.as_bytes())
            .nth(number - 1)
            .map_or(0, |at| at + 1),
    };
    start..end
}

/// The bytes of the first characters that together are `most` wide at most.
fn fitting(chars: impl Iterator<Item = char>, most: usize, width: fn(char) -> usize) -> usize {
    let mut left = most;
    let fits = |c: &char| {
        left.checked_sub(width(*c))
            .is_some_and(|rest| std::mem::replace(&mut left, rest) >= rest)
    };
    chars.take_while(fits).map(char::len_utf8).sum()
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
