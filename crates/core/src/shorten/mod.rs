//! Shortens one text: limits in chars, bytes, tokens or lines, and templates for the replacement.
//!
//! These are pure functions over one decoded text. They know neither transcripts nor settings: a
//! [`Rule`] says which texts are too large, what is kept of their beginning and end, and what the
//! new text looks like.

mod python;
mod template;
mod user_words;

pub use python::repr;
pub use template::{Field, Template, reference};
pub use user_words::user_words;

use crate::{
    estimate::CHARS_PER_TOKEN,
    settings::{Measure, Size},
};
use std::ops::{Range, RangeInclusive};

/// A piece of a new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Bytes of the old text.
    Kept(Range<usize>),
    /// New text.
    New(String),
}

/// The text that `segments` make of `text`.
pub fn joined(text: &str, segments: &[Segment]) -> String {
    let of = |segment: &'_ Segment| match segment {
        Segment::Kept(range) => text[range.clone()].to_owned(),
        Segment::New(new) => new.clone(),
    };
    segments.iter().map(of).collect()
}

/// A limit for large texts, and how they are shortened.
#[derive(Debug)]
pub struct Rule {
    /// Only larger texts are cut.
    pub over: Size,
    /// The size of the beginning that is kept.
    pub head: Size,
    /// The size of the end that is kept.
    pub tail: Size,
    /// The new text, with `{head}` and `{tail}`.
    pub text: Template,
}

impl Rule {
    /// Returns the segments of the new text for a result of `tool`; `None` if `text` stays as it
    /// is, since it is small or all of it is kept.
    pub fn apply(&self, text: &str, tool: &str) -> Option<Vec<Segment>> {
        let (first, last) = (head(text, self.head), tail(text, self.tail));
        let middle = text.get(first.end..last.start)?;
        // A line feed between a head and a tail of lines is not a line.
        let is_line_feed = middle == "\n" && self.tail.unit == Measure::Lines;
        let is_cut = size(text, self.over.unit) > self.over.number as u64
            && !middle.is_empty()
            && !is_line_feed;
        is_cut.then(|| self.text.filled(text, tool, self.over, first, last))
    }
}

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

/// Returns the sizes that a text of `units` UTF-16 units may have.
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

/// Returns the first bytes of `text` that have at most this size and end between characters; for
/// lines, without the last line feed.
fn head(text: &str, of: Size) -> Range<usize> {
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

/// Returns the last bytes of `text` that have at most this size and begin between characters.
fn tail(text: &str, of: Size) -> Range<usize> {
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

/// Returns the bytes of the first characters that together are at most `most` wide.
fn fitting(chars: impl Iterator<Item = char>, most: usize, width: fn(char) -> usize) -> usize {
    let fit = |left: &mut usize, c: char| {
        *left = left.checked_sub(width(c))?;
        Some(c.len_utf8())
    };
    chars.scan(most, fit).sum()
}

/// Returns the last boundary of a character at or before byte `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// Returns the first boundary of a character at or after byte `at`.
fn ceil(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod texts_tests;
