//! Rules: compiles the settings of a step into rules about texts.

use super::candidates::text_of;
use super::ends::{Ends, may_end_with};
use super::new_text::is_blank;
use crate::Error;
use crate::edit::{Cut, Question, View};
use crate::pass::candidates::is_placeholder;
use crate::pass::dependencies::Part;
use crate::settings::{Images, Measure, Size, Step, StepType};
use crate::shorten::{Rule, Template, bounds};
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
    /// A text that is the same for all results.
    Constant(Constant),
    /// A text with what is known of the result.
    Template(Template),
    /// Head and tail.
    Limit(Rule),
    /// The same, for which only the ends of a text are read. What is this placeholder is left alone.
    Ends(Ends, Arc<str>),
}

/// A text that is the same for all results.
pub struct Constant {
    pub text: Arc<str>,
    /// Its chars, as the estimator counts them.
    pub chars: u64,
    /// Whether it says nothing.
    pub blank: bool,
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
                Shape::Constant(Constant {
                    text: Arc::from(text),
                    chars: view.chars_of_text(text),
                    blank: is_blank(text),
                })
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
    pub fn is_done(&self, view: &View<'_>, result: Part, cut: Option<&Cut>) -> Result<bool, Error> {
        match &self.shape {
            Shape::Constant(constant) => is_placeholder(view, result, &constant.text),
            // What another step cut is not cut again.
            Shape::Limit(_) | Shape::Ends(..) if cut.is_some() => Ok(true),
            Shape::Ends(_, placeholder) if is_placeholder(view, result, placeholder)? => Ok(true),
            Shape::Ends(ends, _) if ends.is_flagged() => ends.is_done(view, result),
            _ => {
                let asked = Question {
                    step: self.step,
                    ..Question::of("done", view.place(result))
                };
                view.once(asked, || match &self.shape {
                    Shape::Ends(ends, _) => ends.is_done(view, result),
                    Shape::Limit(rule) => Ok(is_short(view, rule, result)
                        || may_end_with(view, result, rule.text.end()).unwrap_or(true)
                            && rule.text.fits(&text_of(view, result)?)),
                    Shape::Template(template) => Ok(template.fits(&text_of(view, result)?)),
                    Shape::Constant(_) => Ok(false),
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
    let text = if is_whole {
        Template::new(note)
    } else {
        Template::new(&format!("{{head}}{note}{{tail}}"))
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
