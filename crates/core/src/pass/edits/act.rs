//! Act: the cuts of a step that replaces results by other text.

use super::candidates::{ToolUse, inputs_go};
use super::choose::{ClearOutcome, Progress, counts_tokens, worthwhile};
use super::count::Count;
use super::new_text::new_text;
use super::pruning::Origin;
use super::rules::Rules;
use super::{StepContext, inputs, line_size};
use crate::Error;
use crate::edit::{Action, Cut, Proposal, Reason, View};
use crate::pass::candidates::{self, Candidate, skip};
use crate::pass::note;
use crate::settings::{Form, Images, Step, StepType, Tools};
use crate::transcript::{BlockKind, EmptyContent, Flags};
use std::cell::LazyCell;

/// The handling of images in results.
pub fn images(step: &Step) -> Images {
    let by_type = if truncates_texts(step) { Images::Skip } else { Images::Prune };
    step.images.unwrap_or(by_type)
}

fn truncates_texts(step: &Step) -> bool {
    step.kind == StepType::TruncateToolResults && !matches!(step.form, Form::Outline | Form::Masked)
}

/// Why the content of a result may not change, if so.
pub fn exclusion(view: &View<'_>, step: &Step, result: Candidate) -> Option<String> {
    let malformed = || view.children(result.block).iter().any(|child| child.kind == BlockKind::Malformed);
    let why = candidates::exclusion(view, result.block, &Tools::default(), images(step));
    why.or_else(|| (truncates_texts(step) && malformed()).then(|| "a text in it is no string".to_owned()))
}

/// Why the step cuts, in one line.
pub fn reason(step: &Step) -> String {
    format!("edits: {}", step.kind.name())
}

/// The cuts of a step, which puts other text in the place of results.
///
/// # Errors
/// The input cannot be read any more.
pub fn cuts(
    view: &View<'_>,
    step: &Step,
    step_context: StepContext<'_>,
    rules: Option<&Rules>,
    uses: &[ToolUse],
    count: &mut Count,
) -> Result<Proposal, Error> {
    let StepContext { number, origin, .. } = step_context;
    let pass = origin.name(step);
    let reason = LazyCell::new(|| Reason::Shared(origin.reason(step).into()));
    let (mut cuts, mut done, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    let mut progress = Progress::new(view, step, uses, count);
    let counts_tokens = counts_tokens(step);
    for one in uses.iter().filter(|one| one.is_candidate()) {
        let Some(result) = one.result else { continue };
        if !step.only_if_line_shrinks && progress.is_enough() {
            break;
        }
        let (begin, mut line) = (cuts.len(), 0);
        let new = rules.map(|rules| new_text(view, rules, one, result)).transpose()?.flatten();
        if let Some(new) = new {
            if new.blank && must_say_something(view, result) {
                skipped.push(skip(view, pass, result, "the provider refuses a result that says nothing"));
                continue;
            }
            if step.kind == StepType::ClearToolResults && step.only_if_smaller.is_some() && view.chars_of_result(result.block) <= new.chars
            {
                skipped.push(skip(view, pass, result, "it is no longer than the placeholder"));
                continue;
            }
            line = new.line;
            let reason = new.reason.filter(|_| origin == Origin::SoftTrim).unwrap_or_else(|| (*reason).clone());
            cuts.push(cut(view, pass, (result.message, result.block), (new.action, new.chars), reason));
        }
        if let Some(call) = one.call.filter(|_| inputs_go(view, step, one))
            && let Some((action, chars)) = inputs::cleared(view, step, number, call)?
        {
            cuts.push(cut(view, pass, call, (action, chars), (*reason).clone()));
        }
        if cuts.len() > begin {
            let tokens = if counts_tokens { count.freed(view, one, &cuts[begin..])? } else { 0.0 };
            let outcome = ClearOutcome { cuts: begin..cuts.len(), tokens, line };
            if !step.only_if_line_shrinks {
                progress.add(&cuts, &outcome);
            }
            done.push(outcome);
        }
    }
    if step.only_if_line_shrinks {
        line_size::only_shorter(view, &cuts, &mut done)?;
        let is_past = |one: &ClearOutcome| {
            let is_enough = progress.is_enough();
            progress.add(&cuts, one);
            is_enough
        };
        let end = done.iter().position(is_past).unwrap_or(done.len());
        done.truncate(end);
    }
    match worthwhile(view, step, &done, &cuts) {
        Ok(end) => done.truncate(end),
        Err(why) => return Ok(note(why)),
    }
    let (mut index, mut kept) = (0, done.into_iter().flat_map(|one| one.cuts).peekable());
    cuts.retain(|_| {
        let stays = kept.next_if_eq(&index).is_some();
        index += 1;
        stays
    });
    cuts.sort_by_key(|cut| (cut.message, cut.block));
    Ok(Proposal { cuts, skipped, ..Proposal::default() })
}

/// Whether a result without any words is refused: as an error, or as a list of texts.
fn must_say_something(view: &View<'_>, result: Candidate) -> bool {
    let flags = view.transcript.blocks[result.block as usize].flags;
    matches!(view.rules.empty, EmptyContent::No { .. }) && !flags.has(Flags::STRING) || view.rules.error_filled && flags.has(Flags::ERROR)
}

fn cut(view: &View<'_>, pass: &'static str, (message, block): (u32, u32), (action, chars_after): (Action, u64), reason: Reason) -> Cut {
    let chars_before = view.chars_of_block_before(message as usize, block);
    Cut { pass, message, block, action, chars_before, chars_after, linked: false, reason }
}
