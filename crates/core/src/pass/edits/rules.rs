//! Rules: compiles the settings of a step into rules about texts.

use super::candidates::text_of;
use super::ends::{Ends, may_end_with};
use super::mask;
use super::new_text::is_blank;
use crate::Error;
use crate::edit::{Cut, Question, View};
use crate::pass::candidates::{Candidate, is_placeholder};
use crate::settings::{Amount, Contents, Fit, Form, Images, Limit, Step, StepType, Unit};
use crate::shorten::{self, Measure, Rule, Segment, Size, Template, TemplateValues, condense, shortened};
use std::sync::Arc;

/// The rules of a step for results.
pub struct Rules {
    /// The number of the step.
    pub step: usize,
    /// The way the text is shortened.
    pub shape: Shape,
    /// The form of content that a result must have: any, a string or a list of parts.
    pub contents: Contents,
    /// In what the new text must be smaller.
    pub only_if_smaller: Option<Measure>,
    /// Whether the step asks for the size of lines.
    pub counts_lines: bool,
}

/// The form of a result's new text.
pub enum Shape {
    /// A text in the place of all of it.
    Placeholder(Placeholder),
    /// The rules, of which the first holds that a text is too large for.
    Limits(Vec<Rule>),
    /// One rule, for which only the ends of a text are read. What is this placeholder is left alone.
    Ends(Ends, Arc<str>),
    /// The same; of several parts an outline of at most `limit` code points, of which at most `preview` are of their texts.
    Outline {
        /// Rules for a text.
        rules: Vec<Rule>,
        /// Code points.
        limit: u64,
        /// Code points.
        preview: u64,
    },
    /// The same with fewer bytes.
    Condensed(Option<Rule>),
    /// A preview in a tag.
    Masked {
        /// The folder in which the full text would be.
        folder: String,
        /// Tools that are shells.
        shells: Vec<String>,
    },
}

/// The text between the kept beginning and the kept end, unless the step states another.
const NOTE: &str = "\n[... {removed} removed ...]\n";

/// A text in the place of another.
pub struct Placeholder {
    template: Template,
    /// The text, where it is the same for all results.
    pub constant: Option<Constant>,
}

/// A text that is the same for all results.
pub struct Constant {
    pub text: Arc<str>,
    /// Its chars, as the estimator counts them.
    pub chars: u64,
    /// Whether it says nothing.
    pub blank: bool,
}

impl Rules {
    /// The rules of step `number`; none where it leaves results as they are.
    pub fn of(view: &View<'_>, step: &Step, number: usize) -> Option<Rules> {
        let shape = match step.kind {
            StepType::TruncateToolResults => by_ends(step, shape(step)),
            StepType::TruncateTexts => shape(step),
            _ => {
                let text = step.placeholder.as_deref()?;
                let template = Template::new(text);
                let constant = || Constant { text: Arc::from(text), chars: view.chars_of_text(text), blank: is_blank(text) };
                let constant = template.is_constant().then(constant);
                Shape::Placeholder(Placeholder { template, constant })
            }
        };
        Some(Rules {
            step: number,
            shape,
            contents: step.contents,
            only_if_smaller: step.only_if_smaller.map(measure),
            counts_lines: step.only_if_line_shrinks,
        })
    }

    /// Whether the new text depends on the call of a result.
    pub fn asks_calls(&self) -> bool {
        !matches!(&self.shape, Shape::Ends(..) | Shape::Placeholder(Placeholder { constant: Some(_), .. }))
    }

    /// Whether a result, of which another pass left `cut`, is already what would become of it, or is too short to be read.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn is_done(&self, view: &View<'_>, result: Candidate, cut: Option<&Cut>) -> Result<bool, Error> {
        match &self.shape {
            Shape::Placeholder(Placeholder { constant: Some(constant), .. }) => is_placeholder(view, result, &constant.text),
            // What another step cut is not cut again.
            shape if !matches!(shape, Shape::Placeholder(_)) && cut.is_some() => Ok(true),
            Shape::Ends(_, placeholder) if is_placeholder(view, result, placeholder)? => Ok(true),
            Shape::Ends(ends, _) if ends.is_flagged() => ends.is_done(view, result),
            _ => {
                let asked = Question { step: self.step, ..Question::of("done", view.place(result.message, result.block)) };
                view.once(asked, || self.is_done_already(view, result))
            }
        }
    }

    /// The same by what the result says.
    fn is_done_already(&self, view: &View<'_>, result: Candidate) -> Result<bool, Error> {
        match &self.shape {
            Shape::Masked { .. } => mask::is_masked(view, result),
            Shape::Ends(ends, _) => ends.is_done(view, result),
            Shape::Placeholder(placeholder) => Ok(placeholder.template.fits(&text_of(view, result)?)),
            Shape::Condensed(rule) => Ok(rule.as_ref().is_some_and(|rule| is_short(view, rule, result))),
            // A result of several parts is larger than its texts.
            Shape::Outline { .. } if view.children(result.block).len() > 1 => Ok(false),
            Shape::Limits(rules) | Shape::Outline { rules, .. } => {
                if rules.iter().all(|rule| is_short(view, rule, result)) {
                    return Ok(true);
                }
                let mut rules = rules.iter().filter(|rule| may_end_with(view, result, rule.text.end()).unwrap_or(true)).peekable();
                if rules.peek().is_none() {
                    return Ok(false);
                }
                let text = text_of(view, result)?;
                Ok(rules.any(|rule| rule.text.fits(&text)))
            }
        }
    }

    /// Whether `text` is already what would become of a text.
    pub fn fits(&self, text: &str) -> bool {
        matches!(&self.shape, Shape::Limits(rules) if rules.iter().any(|rule| rule.text.fits(text)))
    }

    /// Returns the segments of the new text; `None` if `text` stays as it is.
    pub fn apply(&self, text: &str, facts: TemplateValues<'_>) -> Option<Vec<Segment>> {
        match &self.shape {
            Shape::Masked { .. } | Shape::Ends(..) => None,
            Shape::Placeholder(placeholder) => Some(vec![Segment::New(placeholder.template.of(text, facts))]),
            Shape::Limits(rules) | Shape::Outline { rules, .. } => shortened(rules, text, facts),
            Shape::Condensed(rule) => {
                let is_over = rule.as_ref().is_none_or(|rule| shorten::size(text, rule.over.measure) > rule.over.number);
                condense(text).filter(|_| is_over).map(|new| vec![Segment::New(new)])
            }
        }
    }
}

fn shape(step: &Step) -> Shape {
    let first = Limit { over: step.over, head: step.head, tail: step.tail, note: step.note.clone() };
    let rule = |limit: &Limit| {
        let head = limit.head.map(size);
        let tail = limit.tail.map(size);
        let number = |size: Option<Size>| size.map_or(0, |size| size.number);
        let kept =
            Size { measure: head.or(tail).map_or(Measure::Chars, |size| size.measure), number: number(head).saturating_add(number(tail)) };
        let over = limit.over.map_or(kept, size);
        let none = Size { measure: over.measure, number: 0 };
        let note = limit.note.as_deref().unwrap_or(NOTE);
        let is_whole = note.contains("{head}") || note.contains("{tail}");
        let text = if is_whole { Template::new(note) } else { Template::new(&format!("{{head}}{note}{{tail}}")) };
        Rule {
            over,
            head: head.unwrap_or(none),
            tail: tail.unwrap_or(none),
            text,
            within: step.note_fits != Fit::Beside,
            hard: step.note_fits == Fit::Hard,
        }
    };
    let rules: Vec<Rule> = std::iter::once(&first).chain(&step.or).map(rule).collect();
    match step.form {
        Form::Plain => Shape::Limits(rules),
        Form::Masked => Shape::Masked { folder: step.folder.clone().unwrap_or_default(), shells: step.shells.clone() },
        Form::Outline => Shape::Outline { limit: rules[0].over.number, preview: rules[0].head.number, rules },
        Form::Condensed => Shape::Condensed(first.over.is_some().then(|| rules.into_iter().next()).flatten()),
    }
}

/// The shape of a step that cuts results by their ends alone, where that is possible.
fn by_ends(step: &Step, shape: Shape) -> Shape {
    match &shape {
        Shape::Limits(rules) if step.only_if_smaller.is_none() && !step.only_if_line_shrinks && rules.len() == 1 => {
            let placeholder = Arc::from(step.placeholder.as_deref().unwrap_or_default());
            Ends::of(&rules[0], step.images == Some(Images::Prune)).map_or(shape, |ends| Shape::Ends(ends, placeholder))
        }
        _ => shape,
    }
}

/// Whether a result is so short that it need not be read.
fn is_short(view: &View<'_>, rule: &Rule, result: Candidate) -> bool {
    let units: u64 = view.children(result.block).iter().map(|child| u64::from(child.chars) + 1).sum();
    match rule.over.measure {
        // A unit makes three bytes at most.
        Measure::Bytes => units.saturating_mul(3) <= rule.over.number,
        Measure::Chars | Measure::CodePoints | Measure::Lines | Measure::Tokens => units <= rule.over.number,
    }
}

fn size(amount: Amount) -> Size {
    Size { measure: measure(amount.unit), number: amount.number as u64 }
}

fn measure(unit: Unit) -> Measure {
    match unit {
        Unit::CodePoints => Measure::CodePoints,
        Unit::Bytes => Measure::Bytes,
        Unit::Tokens => Measure::Tokens,
        Unit::Lines => Measure::Lines,
        _ => Measure::Chars,
    }
}
