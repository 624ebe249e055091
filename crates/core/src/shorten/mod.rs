//! Shortens one text: limits in chars, bytes, tokens or lines, and templates for the replacement.
//!
//! These are pure functions over one decoded text. They know neither transcripts nor settings; a policy is a row of data for them:
//! a [`Rule`] says which texts are too large, what is kept of their beginning and end, and what the new text looks like. What the
//! rules of other programs do beside that has a file of its own here.

mod condense;
mod masked;
mod measure;
mod outline;
mod python;
mod rule;
mod template;
mod template_values;

pub use condense::{compact_ascii, condense};
pub use masked::{Masked, TAG, masked};
pub use measure::{Measure, Size, size};
pub use outline::{Item, outline};
pub use python::repr;
pub use rule::{Rule, shortened};
pub use template::{Piece, Template};
pub use template_values::TemplateValues;

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
