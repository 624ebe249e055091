//! New text: the text that a step puts in the place of a result.

use super::candidates::{text_of, tool};
use super::rules::{Rules, Shape};
use crate::Error;
use crate::edit::{Action, Question, Reason, Segment, ToolUse, View};
use crate::json::{Decoded, text};
use crate::pass::dependencies::Part;
use crate::shorten::{self, Rule};
use crate::transcript::{BlockKind, Span};
use std::sync::Arc;

/// The replacement of a result.
#[derive(Clone)]
pub struct NewResult {
    /// The cut.
    pub action: Action,
    /// Chars that it leaves, as the estimator counts them.
    pub chars: u64,
    /// Whether it says nothing.
    pub blank: bool,
    /// Why, where that differs from result to result.
    pub reason: Option<Reason>,
}

impl NewResult {
    /// The cut `action`, which leaves `chars`.
    pub fn of(action: Action, chars: u64, blank: bool) -> NewResult {
        NewResult {
            action,
            chars,
            blank,
            reason: None,
        }
    }
}

/// Returns the new text for the result of `one`; `None` where the result is unchanged.
///
/// # Errors
/// The input cannot be read any more.
pub fn new_text(
    view: &View<'_>,
    rules: &Rules,
    one: &ToolUse,
    result: Part,
) -> Result<Option<NewResult>, Error> {
    let clears = matches!(rules.shape, Shape::Constant(_) | Shape::Template(_));
    // What an earlier step or run cut keeps its bytes, but for what clears it.
    if !clears && view.cut(result.1).is_some() {
        return Ok(None);
    }
    let asked = Question {
        step: rules.step,
        ..Question::of("new", view.place(result))
    };
    match &rules.shape {
        Shape::Ends(ends, _) => ends.shortened(view, result),
        Shape::Constant(constant) => Ok(Some(NewResult::of(
            Action::Clear(constant.text.clone()),
            constant.chars,
            constant.blank,
        ))),
        Shape::Template(template) => view.once(asked, || {
            if matches!(view.children(result.1), [child] if child.kind != BlockKind::Text) {
                return Ok(None);
            }
            let new = template.of(&text_of(view, result)?, tool(view, one));
            Ok(Some(NewResult::of(
                Action::Clear(Arc::from(&*new)),
                view.chars_of_text(&new),
                is_blank(&new),
            )))
        }),
        Shape::Limit(rule) => view.once(asked, || shortened(view, rule, tool(view, one), result)),
    }
}

/// Head and tail of a result. Its texts, where there are several or none, are one, each on a line of its own.
fn shortened(
    view: &View<'_>,
    rule: &Rule,
    tool: &str,
    result: Part,
) -> Result<Option<NewResult>, Error> {
    let children = view.children(result.1);
    // A rule about texts is none about a list of them.
    if children.iter().any(|child| child.kind != BlockKind::Text) {
        return Ok(None);
    }
    let old = text_of(view, result)?;
    let Some(segments) = rule.apply(&old, tool) else {
        return Ok(None);
    };
    let new = shorten::joined(&old, &segments);
    let [child] = children else {
        return Ok(Some(whole(view, &new)));
    };
    if new == old {
        return Ok(None);
    }
    let raw = view.bytes(result.0 as usize, child.span.inside())?;
    let trim = kept(&segments, &raw, child.span.start + 1);
    Ok(Some(NewResult::of(
        Action::Trim(trim),
        view.chars_of_text(&new),
        is_blank(&new),
    )))
}

pub fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// A cut that puts one new text in the place of all that a result holds.
fn whole(view: &View<'_>, new: &str) -> NewResult {
    let raw = text::encoded(new);
    let chars = view.chars_of_raw(raw.as_bytes());
    let segments = vec![Segment::Literal(raw)];
    NewResult::of(Action::Trim(segments), chars, is_blank(new))
}

/// The pieces of the record that `segments` of the text are, whose raw bytes begin at byte `from` of the record.
fn kept(segments: &[shorten::Segment], raw: &[u8], from: u32) -> Vec<Segment> {
    let decoded = Decoded::new(raw);
    let place = |at: usize| from + decoded.raw(at) as u32;
    let mut list = Vec::new();
    for segment in segments {
        match segment {
            shorten::Segment::New(new) => list.push(Segment::Literal(text::encoded(new))),
            shorten::Segment::Kept(range) => {
                let (start, end) = (place(range.start), place(range.end));
                if start < end {
                    list.push(Segment::Source(Span { start, end }));
                }
            }
        }
    }
    list
}
