//! Rules: compiles the settings of a step into rules about texts, and the text that a step puts in
//! the place of a result.

use super::{
    ends::{Ends, NewResult, is_blank},
    *,
};
use crate::{
    json::Decoded,
    settings::{AGAIN, SAME, Size},
    shorten,
    shorten::{Rule, Template, bounds},
};

/// The rules of a step for results.
pub struct Rules {
    /// The number of the step.
    pub step: usize,
    /// The way the text is replaced.
    pub shape: Shape,
    /// Results up to this size are left alone unread; `None` if each is read.
    over: Option<Size>,
    /// The texts that the steps of the policy put in the place of results, each with the number of
    /// its step: a result that is such a text is left alone.
    left: Vec<(usize, Template)>,
}

/// The form of a result's new text.
pub enum Shape {
    /// A text that is the same for all results.
    Constant(NewResult),
    /// A text with details of the result.
    Template(Template),
    /// Head and tail.
    Limit(Rule),
    /// Head and tail, for which only the ends of a text are read.
    Ends(Ends),
}

/// The text between the kept beginning and the kept end, unless the step states another.
const NOTE: &str = "\n[... {removed} removed ...]\n";

impl Rules {
    /// The rules of step `number` of a policy.
    pub fn of(view: &View<'_>, policy: &[Step], number: usize) -> Rules {
        let (step, mut over) = (&policy[number], None);
        let truncates = |step: &Step| step.kind == StepType::TruncateToolResults;
        let shape = if truncates(step) {
            let rule = rule(step);
            over = step.pruning.is_none().then_some(rule.over);
            Ends::of(&rule).map_or(Shape::Limit(rule), Shape::Ends)
        } else {
            let template = Template::new(&step.placeholder);
            if template.is_constant() {
                Shape::Constant(NewResult::clear(view, &step.placeholder))
            } else {
                Shape::Template(template)
            }
        };
        // A truncated result may still be cleared.
        let note = |one| (over.is_some() && truncates(one)).then(|| rule(one).text);
        let texts = policy.iter().enumerate().flat_map(|(number, one)| {
            let texts = [Some(Template::new(&one.placeholder)), note(one)];
            texts.into_iter().flatten().map(move |text| (number, text))
        });
        let notes = [SAME, AGAIN].iter().filter(|_| step.pruning.is_none());
        let notes = notes.map(|note| (number, Template::new(note)));
        Rules {
            step: number,
            left: texts.chain(notes).collect(),
            shape,
            over,
        }
    }

    /// Whether a result, of which another pass left `cut`, is already what a step makes of results,
    /// or is too short to be read.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn is_done(&self, view: &View<'_>, result: Part, cut: Option<&Cut>) -> Result<bool> {
        // A result that was cut before is not truncated.
        let truncates = matches!(self.shape, Shape::Limit(_) | Shape::Ends(_));
        if truncates && (cut.is_some() || view.was_trimmed(result))
            || self.over.is_some_and(|over| is_short(view, over, result))
        {
            return Ok(true);
        }
        for (step, text) in &self.left {
            if text.is_constant() && view.is_placeholder(result, text.end())?
                || !text.is_constant()
                    && view.once(("done", *step, view.place(result)), || {
                        Ok(view.may_end_with(result, text.end())?
                            && text.fits(&view.text_of_tool(result)?))
                    })?
            {
                return Ok(true);
            }
        }
        Ok(false)
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
fn is_short(view: &View<'_>, over: Size, result: Part) -> bool {
    let lengths = view.children(result.1).iter();
    let units = lengths.map(|child| u64::from(child.chars) + 1).sum();
    *bounds(units, over.unit).end() <= over.number as u64
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
    let clears = matches!(rules.shape, Shape::Constant(_) | Shape::Template(_));
    // A result that an earlier step or run cut keeps its bytes, unless it is cleared.
    if !clears && view.cut(result.1).is_some() {
        return Ok(None);
    }
    let asked = ("new", rules.step, view.place(result));
    match &rules.shape {
        Shape::Ends(ends) => ends.shortened(view, result),
        Shape::Constant(new) => Ok(Some(new.clone())),
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

/// Head and tail of a result. Its texts, where there are several or none, are one, each on a line
/// of its own.
fn shortened(view: &View<'_>, rule: &Rule, tool: &str, result: Part) -> Result<Option<NewResult>> {
    let children = view.children(result.1);
    // A rule about texts does not apply to a list of them.
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

/// Returns a cut that replaces all that a result holds by one new text.
fn whole(view: &View<'_>, new: &str) -> NewResult {
    let raw = text::encoded(new);
    let chars = view.chars_of_raw(raw.as_bytes());
    let segments = vec![Segment::Literal(raw)];
    NewResult::of(Action::Trim(segments), chars, is_blank(new))
}

/// Returns the pieces of the record for `segments` of a text whose raw bytes begin at byte `from`
/// of the record.
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
