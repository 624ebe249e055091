//! A rule: a size limit for texts, and the form of the shortened text.

use super::Segment;
use super::measure::{head, size, tail};
use super::template::Template;
use crate::settings::Size;

/// A limit for large texts, and how they are shortened.
#[derive(Clone, Debug, PartialEq)]
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
    /// Returns the segments of the new text for a result of `tool`; `None` if `text` stays as it is.
    pub fn apply(&self, text: &str, tool: &str) -> Option<Vec<Segment>> {
        if size(text, self.over.unit) <= self.over.number as u64 {
            return None;
        }
        let (first, last) = (head(text, self.head), tail(text, self.tail));
        // A head and a tail that meet keep all.
        let last = last.start.max(first.end)..last.end;
        Some(self.text.filled(text, tool, self.over, first, last))
    }
}
