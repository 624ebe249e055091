//! A rule: a size limit for texts, and the form of the shortened text.

use super::measure::{Size, head, size, tail};
use super::template::Template;
use super::template_values::TemplateValues;
use super::{Segment, joined};

/// A limit for large texts, and how they are shortened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Only larger texts are cut.
    pub over: Size,
    /// The size of the beginning that is kept.
    pub head: Size,
    /// The size of the end that is kept.
    pub tail: Size,
    /// The new text, with `{head}` and `{tail}`.
    pub text: Template,
    /// Whether all but `{head}` counts in its size: the new text is as large as the head may be, if the rest is no larger.
    pub within: bool,
    /// Whether a rest that is larger than the head may be is cut to that.
    pub hard: bool,
}

impl Rule {
    /// A rule that keeps the first `size` and puts `note` behind it.
    #[cfg(test)]
    pub fn head(size: Size, note: &str) -> Rule {
        let none = Size { measure: size.measure, number: 0 };
        let text = Template::new(&format!("{{head}}{note}"));
        Rule { over: size, head: size, tail: none, text, within: false, hard: false }
    }

    /// Returns the segments of the new text; `None` if `text` stays as it is.
    pub fn apply(&self, text: &str, facts: TemplateValues<'_>) -> Option<Vec<Segment>> {
        if size(text, self.over.measure) <= self.over.number {
            return None;
        }
        let mut first = head(text, self.head);
        let last = tail(text, self.tail);
        let mut segments = Vec::new();
        if self.within {
            let rest = self.text.filled(text, facts, self.over, first.clone(), last.clone());
            let is_head = |segment: &&Segment| **segment != Segment::Kept(first.clone());
            let rest: Vec<Segment> = rest.iter().filter(is_head).cloned().collect();
            let rest = joined(text, &rest);
            let taken = size(&rest, self.head.measure);
            if self.hard && taken >= self.head.number {
                segments.push(Segment::New(rest[head(&rest, self.head)].to_owned()));
            }
            first = head(text, Size { number: self.head.number.saturating_sub(taken), ..self.head });
        }
        if segments.is_empty() {
            // A head and a tail that meet keep all.
            let last = last.start.max(first.end)..last.end;
            segments = self.text.filled(text, facts, self.over, first, last);
        }
        Some(segments)
    }
}

/// Applies the first of `rules` whose limit `text` exceeds; `None` if there is none or the text stays as it is.
pub fn shortened(rules: &[Rule], text: &str, facts: TemplateValues<'_>) -> Option<Vec<Segment>> {
    rules.iter().find(|rule| size(text, rule.over.measure) > rule.over.number)?.apply(text, facts)
}
