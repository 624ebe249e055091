//! Shortens one text: limits in chars, bytes, tokens or lines, and templates for the replacement.
//!
//! These are pure functions over one decoded text. They know neither transcripts nor settings: a [`Rule`] says which texts are too large,
//! what is kept of their beginning and end, and what the new text looks like.

mod measure;
mod python;
mod rule;
mod template;

pub use measure::{bounds, size};
pub use python::repr;
pub use rule::Rule;
pub use template::{Piece, Template, reference};

use std::ops::Range;

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

#[cfg(test)]
mod texts_tests;
