//! Rules: compiles the settings of a step into rules about texts, and the text that a step puts in the place of a result.

use super::{
    ends::{Ends, NewResult, is_blank},
    *,
};
use crate::{
    json::Decoded,
    settings::{Images, Size},
    shorten,
    shorten::{Rule, Template, bounds},
};
use std::sync::Arc;

/// The rules of a step for results.
pub struct Rules {
    /// The number of the step.
    pub step: usize,
    /// The way the text is replaced.
    pub shape: Shape,
}

/// The form of a result's new text.
pub enum Shape {
    /// A text that is the same for all results, and what it makes of each.
    Constant(Arc<str>, NewResult),
    /// A text with what is known of the result.
    Template(Template),
    /// Head and tail.
    Limit(Rule),
    /// The same, for which only the ends of a text are read. What is this placeholder is left alone.
    Ends(Ends, Arc<str>),
}

/// The text between the kept beginning and the kept end, unless the step states another.
const NOTE: &str = "\n[... {removed} removed ...]\n";

impl Rules {
    /// The rules of step `number`.
    pub fn of(view: &View<'_>, step: &Step, number: usize) -> Rules {
        let text = &*step.placeholder;
        let shape = if step.kind == StepType::TruncateToolResults {
            let rule = rule(step);
            let prunes_images = step
                .pruning
                .is_some_and(|pruning| pruning.images == Images::Prune);
            Ends::of(&rule, prunes_images).map_or(Shape::Limit(rule), |ends| {
                Shape::Ends(ends, Arc::from(text))
            })
        } else {
            let template = Template::new(text);
            if template.is_constant() {
                Shape::Constant(Arc::from(text), NewResult::clear(view, text))
            } else {
                Shape::Template(template)
            }
        };
        Rules {
            step: number,
            shape,
        }
    }

    /// Whether a result, of which another pass left `cut`, is already what would become of it, or is too short to be read.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn is_done(&self, view: &View<'_>, result: Part, cut: Option<&Cut>) -> Result<bool> {
        match &self.shape {
            Shape::Constant(text, _) => view.is_placeholder(result, text),
            // What another step cut is not cut again.
            Shape::Limit(_) | Shape::Ends(..) if cut.is_some() => Ok(true),
            Shape::Ends(_, placeholder) if view.is_placeholder(result, placeholder)? => Ok(true),
            Shape::Ends(ends, _) if ends.is_flagged() => ends.is_done(view, result),
            _ => {
                let asked = ("done", self.step, view.place(result));
                view.once(asked, || match &self.shape {
                    Shape::Ends(ends, _) => ends.is_done(view, result),
                    Shape::Limit(rule) => Ok(is_short(view, rule, result)
                        || view.may_end_with(result, rule.text.end()).unwrap_or(true)
                            && rule.text.fits(&view.result_text(result)?)),
                    Shape::Template(template) => Ok(template.fits(&view.result_text(result)?)),
                    Shape::Constant(..) => Ok(false),
                })
            }
        }
    }
}

fn rule(step: &Step) -> Rule {
    let (head, tail) = (step.head, step.tail);
    let number = |size: Option<Size>| size.map_or(0.0, |size| size.number.trunc());
    let over = step.over.unwrap_or(Size {
        unit: head.or(tail).map_or(Measure::Chars, |size| size.unit),
        number: number(head) + number(tail),
    });
    let none = Size {
        number: 0.0,
        ..over
    };
    let note = step.note.as_deref().unwrap_or(NOTE);
    let is_whole = note.contains("{head}") || note.contains("{tail}");
    let text = match is_whole {
        true => Template::new(note),
        false => Template::new(&format!("{{head}}{note}{{tail}}")),
    };
    Rule {
        over,
        head: head.unwrap_or(none),
        tail: tail.unwrap_or(none),
        text,
    }
}

/// Whether a result is so short that it need not be read.
fn is_short(view: &View<'_>, rule: &Rule, result: Part) -> bool {
    let lengths = view.children(result.1).iter();
    let units = lengths.map(|child| u64::from(child.chars) + 1).sum();
    *bounds(units, rule.over.unit).end() <= rule.over.number as u64
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
) -> Result<Option<NewResult>> {
    let clears = matches!(rules.shape, Shape::Constant(..) | Shape::Template(_));
    // What an earlier step or run cut keeps its bytes, but for what clears it.
    if !clears && view.cut(result.1).is_some() {
        return Ok(None);
    }
    let asked = ("new", rules.step, view.place(result));
    match &rules.shape {
        Shape::Ends(ends, _) => ends.shortened(view, result),
        Shape::Constant(_, new) => Ok(Some(new.clone())),
        Shape::Template(template) => view.once(asked, || {
            if matches!(view.children(result.1), [child] if child.kind != BlockKind::Text) {
                return Ok(None);
            }
            let new = template.of(&view.result_text(result)?, one.tool(view));
            Ok(Some(NewResult::clear(view, &new)))
        }),
        Shape::Limit(rule) => view.once(asked, || shortened(view, rule, one.tool(view), result)),
    }
}

/// Head and tail of a result. Its texts, where there are several or none, are one, each on a line of its own.
fn shortened(view: &View<'_>, rule: &Rule, tool: &str, result: Part) -> Result<Option<NewResult>> {
    let children = view.children(result.1);
    // A rule about texts is none about a list of them.
    if children.iter().any(|child| child.kind != BlockKind::Text) {
        return Ok(None);
    }
    let old = view.result_text(result)?;
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
