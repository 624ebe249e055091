//! Act: what becomes of a result that is cut.

use super::candidates::{Use, inputs_go};
use super::choose::{Done, choose};
use super::count::Count;
use super::{inputs, trigger};
use crate::Error;
use crate::edit::{Action, Cut, Proposal, Reason, View};
use crate::pass::candidates::{self, Candidate};
use crate::pass::hard_clear::is_placeholder;
use crate::pass::note;
use crate::settings::{Images, Step, StepType, Tools};
use std::sync::Arc;

/// Why the content of a result may not change, if so.
pub fn barred(view: &View<'_>, step: &Step, result: Candidate) -> Option<String> {
    let images = if step.kind == StepType::ClearToolResults { Images::Prune } else { Images::Skip };
    candidates::exclusion(view, result.block, &Tools::default(), images)
}

/// Whether a result is what the step would make of it already.
///
/// # Errors
/// The input cannot be read any more.
pub fn is_done(view: &View<'_>, step: &Step, result: Candidate) -> Result<bool, Error> {
    match &step.placeholder {
        Some(text) if step.kind == StepType::ClearToolResults => is_placeholder(view, result, text),
        _ => Ok(false),
    }
}

/// Why the step cuts, in one line.
pub fn reason(step: &Step) -> String {
    format!("edits: {}", step.kind.name())
}

/// The cuts of a step that puts other text in the place of results.
///
/// # Errors
/// The input cannot be read any more.
pub fn cuts(view: &View<'_>, step: &Step, uses: &[Use], count: &Count) -> Result<Proposal, Error> {
    let reason = Reason::Shared(reason(step).into());
    let text: Option<Arc<str>> = step.placeholder.as_deref().map(Arc::from);
    let mut done = Vec::new();
    for one in uses.iter().filter(|one| one.is_candidate()) {
        let Some(result) = one.result else { continue };
        let mut cuts = Vec::new();
        if let Some(text) = &text {
            let chars_after = view.chars_of_text(text);
            cuts.push(cut(view, step, (result.message, result.block), Action::Clear(text.clone()), chars_after, &reason));
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
