//! Act: what becomes of a result that is cut.

use super::candidates::{Use, inputs_go, text_of, tool};
use super::choose::{Done, choose};
use super::count::Count;
use super::{inputs, trigger};
use crate::Error;
use crate::edit::{Action, Cut, Piece, Proposal, Reason, Trim, View};
use crate::json::text;
use crate::pass::candidates::{self, Candidate};
use crate::pass::hard_clear::is_placeholder;
use crate::pass::note;
use crate::settings::{Amount, Fit, Images, Step, StepType, Tools, Unit};
use crate::shorten::{Facts, Measure, Rule, Size, Template, joined};
use crate::transcript::{BlockKind, Span};
use std::sync::Arc;

/// What is between what is kept of the beginning and of the end, where a step does not say it.
const NOTE: &str = "\n[... {removed} removed ...]\n";

/// What a step makes of texts.
pub enum Act {
    /// Results keep their text.
    Nothing,
    /// The same text for all.
    Text(Arc<str>),
    /// A text with names.
    Template(Template),
    /// Head and tail.
    Rule(Box<Rule>),
}

impl Act {
    /// What `step` makes of texts.
    pub fn new(step: &Step) -> Act {
        if step.kind == StepType::TruncateToolResults {
            return Act::Rule(Box::new(rule(step)));
        }
        let Some(text) = &step.placeholder else { return Act::Nothing };
        let template = Template::new(text);
        if template.is_constant() { Act::Text(text.as_str().into()) } else { Act::Template(template) }
    }

    /// Whether a result is already what would become of it.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn is_done(&self, view: &View<'_>, result: Candidate) -> Result<bool, Error> {
        match self {
            Act::Nothing => Ok(false),
            Act::Text(text) => is_placeholder(view, result, text),
            Act::Template(template) => Ok(template.fits(&text_of(view, result)?)),
            // What another step cut is not cut again.
            Act::Rule(rule) => {
                Ok(view.cut(result.block).is_some() || is_short(view, rule, result) || rule.text.fits(&text_of(view, result)?))
            }
        }
    }

    /// What becomes of the result of a use, and its chars then; none where it stays.
    fn of(&self, view: &View<'_>, one: &Use, result: Candidate) -> Result<Option<(Action, u64)>, Error> {
        let new = match self {
            Act::Nothing => return Ok(None),
            Act::Text(text) => return Ok(Some((Action::Clear(text.clone()), view.chars_of_text(text)))),
            Act::Template(template) => {
                let id = id(view, result)?;
                let new = template.of(&text_of(view, result)?, Facts { tool: tool(view, one), id: &id, ..Facts::default() });
                let chars = view.chars_of_text(&new);
                return Ok(Some((Action::Clear(new.into()), chars)));
            }
            Act::Rule(rule) => {
                let (text, id) = (text_of(view, result)?, id(view, result)?);
                let Some(pieces) = rule.apply(&text, Facts { tool: tool(view, one), id: &id, ..Facts::default() }) else { return Ok(None) };
                joined(&text, &pieces)
            }
        };
        let mut raw = Vec::new();
        text::encode(&new, &mut raw);
        let chars = view.chars_of_raw(&raw);
        Ok(Some((Action::Trim(Trim { pieces: vec![Piece::Literal(String::from_utf8_lossy(&raw).into_owned())] }), chars)))
    }
}

/// The rule of a step that truncates.
fn rule(step: &Step) -> Rule {
    let size = |amount: Option<Amount>| amount.map(|amount| Size { measure: measure(amount.unit), number: amount.number as u64 });
    let none = Size { measure: Measure::Chars, number: 0 };
    let (head, tail) = (size(step.head).unwrap_or(none), size(step.tail).unwrap_or(none));
    let note = step.note.as_deref().unwrap_or(NOTE);
    let text = if note.contains("{head}") || note.contains("{tail}") { note.to_owned() } else { format!("{{head}}{note}{{tail}}") };
    Rule {
        over: size(step.over).unwrap_or(Size { number: head.number.saturating_add(tail.number), ..head }),
        head,
        tail,
        text: Template::new(&text),
        within: step.note_fits != Fit::Beside,
        hard: step.note_fits == Fit::Hard,
        only_if_shorter: step.only_if_smaller.map(measure),
    }
}

fn measure(unit: Unit) -> Measure {
    match unit {
        Unit::Bytes => Measure::Bytes,
        Unit::CodePoints => Measure::CodePoints,
        Unit::Lines => Measure::Lines,
        Unit::Tokens => Measure::Tokens,
        _ => Measure::Chars,
    }
}

/// Whether a result is so short that it need not be read.
fn is_short(view: &View<'_>, rule: &Rule, result: Candidate) -> bool {
    let units: u64 = view.children(result.block).iter().map(|child| u64::from(child.chars) + 1).sum();
    match rule.over.measure {
        Measure::Chars | Measure::CodePoints | Measure::Lines => units <= rule.over.number,
        // A unit makes three bytes at most.
        Measure::Bytes => units.saturating_mul(3) <= rule.over.number,
        Measure::Tokens => units <= rule.over.number,
    }
}

/// The id of a result's call.
fn id(view: &View<'_>, result: Candidate) -> Result<String, Error> {
    let span = view.transcript.link(&view.transcript.blocks[result.block as usize]).id;
    if span == Span::default() {
        return Ok(String::new());
    }
    let record = view.transcript.messages[result.message as usize].record;
    Ok(text::lossy(&view.texts.read(record + u64::from(span.start), record + u64::from(span.end))?))
}

/// Why the content of a result may not change, if so.
pub fn exclusion(view: &View<'_>, step: &Step, result: Candidate) -> Option<String> {
    let images = if step.kind == StepType::ClearToolResults { Images::Prune } else { Images::Skip };
    let malformed = || view.children(result.block).iter().any(|child| child.kind == BlockKind::Malformed);
    let why = candidates::exclusion(view, result.block, &Tools::default(), images);
    why.or_else(|| (step.kind == StepType::TruncateToolResults && malformed()).then(|| "a text in it is no string".to_owned()))
}

/// Why the step cuts, in one line.
pub fn reason(step: &Step) -> String {
    format!("edits: {}", step.kind.name())
}

/// The cuts of a step that puts other text in the place of results.
///
/// # Errors
/// The input cannot be read any more.
pub fn cuts(view: &View<'_>, step: &Step, act: &Act, uses: &[Use], count: &Count) -> Result<Proposal, Error> {
    let reason = Reason::Shared(reason(step).into());
    let mut done = Vec::new();
    for one in uses.iter().filter(|one| one.is_candidate()) {
        let Some(result) = one.result else { continue };
        let mut cuts = Vec::new();
        if let Some((action, chars_after)) = act.of(view, one, result)? {
            cuts.push(cut(view, step, (result.message, result.block), action, chars_after, &reason));
        }
        if let Some(call) = one.call.filter(|_| inputs_go(view, step, one))
            && let Some(action) = inputs::cleared(view, call)?
        {
            cuts.push(cut(view, step, call, action, inputs::CHARS, &reason));
        }
        let chars: f64 = cuts.iter().map(|cut| cut.chars_before as f64 - cut.chars_after as f64).sum();
        done.push(Done { cuts, tokens: chars / count.chars_per_token() });
    }
    let end = match choose(view, step, &done, count, trigger::chars(view, uses)) {
        Ok(end) => end,
        Err(why) => return Ok(note(why)),
    };
    let mut cuts: Vec<Cut> = done.into_iter().take(end).flat_map(|one| one.cuts).collect();
    cuts.sort_by_key(|cut| (cut.message, cut.block));
    Ok(Proposal { cuts, ..Proposal::default() })
}

fn cut(view: &View<'_>, step: &Step, (message, block): (u32, u32), action: Action, chars_after: u64, reason: &Reason) -> Cut {
    let chars_before = view.chars_of_block_before(message as usize, block);
    Cut { pass: step.kind.name(), message, block, action, chars_before, chars_after, linked: false, reason: reason.clone() }
}
