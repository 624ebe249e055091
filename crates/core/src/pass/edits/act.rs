//! Act: the cuts of a step that replaces results by other text.

use super::candidates::inputs_go;
use super::choose::{ClearOutcome, Progress, counts_tokens, worthwhile};
use super::count::Count;
use super::new_text::new_text;
use super::pruning::Origin;
use super::rules::Rules;
use super::{StepContext, inputs};
use crate::Error;
use crate::edit::{Proposal, Reason, ToolUse, View};
use crate::pass::candidates;
use crate::pass::dependencies::Part;
use crate::pass::note;
use crate::settings::{Images, Step, StepType, Tools};
use crate::transcript::{BlockKind, EmptyContent, Flags};
use std::cell::LazyCell;

/// The handling of images in results.
pub fn images(step: &Step) -> Images {
    let by_type = if step.kind == StepType::TruncateToolResults {
        Images::Skip
    } else {
        Images::Prune
    };
    step.pruning.map_or(by_type, |pruning| pruning.images)
}

/// Why the content of a result may not change, if so.
pub fn exclusion(view: &View<'_>, step: &Step, result: Part) -> Option<String> {
    let malformed = || {
        view.children(result.1)
            .iter()
            .any(|child| child.kind == BlockKind::Malformed)
    };
    let why = candidates::exclusion(view, result.1, &Tools::default(), images(step));
    why.or_else(|| {
        (step.kind == StepType::TruncateToolResults && malformed())
            .then(|| "a text in it is no string".to_owned())
    })
}

/// The cuts of a step, which puts other text in the place of results.
///
/// # Errors
/// The input cannot be read any more.
pub fn cuts(
    view: &View<'_>,
    step: &Step,
    step_context: StepContext<'_>,
    rules: &Rules,
    uses: &[ToolUse],
    count: &mut Count,
) -> Result<Proposal, Error> {
    let origin = step_context.origin;
    let pass = origin.name(step);
    let reason = LazyCell::new(|| Reason::Shared(origin.reason(step).into()));
    let (mut cuts, mut done, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    let mut progress = Progress::new(view, step, uses, count);
    let counts_tokens = counts_tokens(step);
    let skips_shorter = step.kind == StepType::ClearToolResults
        && step.pruning.is_some_and(|pruning| pruning.skip_shorter);
    for one in uses.iter().filter(|one| one.is_candidate()) {
        let Some(result) = one.result else { continue };
        if progress.is_enough() {
            break;
        }
        let begin = cuts.len();
        if let Some(new) = new_text(view, rules, one, result)? {
            if new.blank && must_say_something(view, result) {
                skipped.push(view.skip(
                    pass,
                    result,
                    "the provider refuses a result that says nothing",
                ));
                continue;
            }
            if skips_shorter && view.chars_of_result(result.1) <= new.chars {
                skipped.push(view.skip(pass, result, "it is no longer than the placeholder"));
                continue;
            }
            let reason = new
                .reason
                .filter(|_| origin == Origin::SoftTrim)
                .unwrap_or_else(|| (*reason).clone());
            cuts.push(view.new_cut(pass, result, (new.action, new.chars), reason));
        }
        if let Some(call) = one.call.filter(|_| inputs_go(view, step, one))
            && let Some(action) = inputs::cleared(view, call)?
        {
            cuts.push(view.new_cut(pass, call, (action, inputs::EMPTY), (*reason).clone()));
        }
        if cuts.len() > begin {
            let tokens = if counts_tokens {
                count.freed(view, one, &cuts[begin..])?
            } else {
                0.0
            };
            progress.add(&cuts[begin..], tokens);
            done.push(ClearOutcome {
                end: cuts.len(),
                tokens,
            });
        }
    }
    match worthwhile(step, &done) {
        Ok(number) => cuts.truncate(number.checked_sub(1).map_or(0, |last| done[last].end)),
        Err(why) => return Ok(note(why)),
    }
    cuts.sort_by_key(|cut| (cut.message, cut.block));
    Ok(Proposal {
        cuts,
        skipped,
        ..Proposal::default()
    })
}

/// Whether a result without any words is refused: as an error, or as a list of texts.
fn must_say_something(view: &View<'_>, result: Part) -> bool {
    let flags = view.transcript.blocks[result.1 as usize].flags;
    matches!(view.rules.empty, EmptyContent::No { .. }) && !flags.has(Flags::STRING)
        || view.rules.error_filled && flags.has(Flags::ERROR)
}
