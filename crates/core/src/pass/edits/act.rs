//! Act: the cuts of a step that replaces results by other text.

use super::candidates::{ToolUse, inputs_go};
use super::choose::{ClearOutcome, choose};
use super::count::Count;
use super::new_text::new_text;
use super::rules::Rules;
use super::{inputs, line_size};
use crate::Error;
use crate::diagnostics::Skip;
use crate::edit::{Action, Cut, Proposal, Reason, View};
use crate::pass::candidates::{self, Candidate};
use crate::pass::note;
use crate::settings::{Form, Images, Step, StepType, Tools};
use crate::transcript::{BlockKind, EmptyContent, Flags};

/// Why the content of a result may not change, if so.
pub fn exclusion(view: &View<'_>, step: &Step, result: Candidate) -> Option<String> {
    let truncates = step.kind == StepType::TruncateToolResults;
    let in_parts = matches!(step.form, Form::Outline | Form::Masked);
    let images = if truncates && !in_parts { Images::Skip } else { Images::Prune };
    let malformed = || view.children(result.block).iter().any(|child| child.kind == BlockKind::Malformed);
    let why = candidates::exclusion(view, result.block, &Tools::default(), images);
    why.or_else(|| (truncates && !in_parts && malformed()).then(|| "a text in it is no string".to_owned()))
}

/// Why the step cuts, in one line.
pub fn reason(step: &Step) -> String {
    format!("edits: {}", step.kind.name())
}

/// The cuts of step `number`, which puts other text in the place of results.
///
/// # Errors
/// The input cannot be read any more.
pub fn cuts(
    view: &View<'_>,
    (step, number): (&Step, usize),
    rules: Option<&Rules>,
    uses: &[ToolUse],
    count: &mut Count,
) -> Result<Proposal, Error> {
    let reason = Reason::Shared(reason(step).into());
    let (mut done, mut skipped) = (Vec::new(), Vec::new());
    for one in uses.iter().filter(|one| one.is_candidate()) {
        let Some(result) = one.result else { continue };
        let (mut cuts, mut line) = (Vec::new(), 0);
        let new = rules.map(|rules| new_text(view, rules, one, result)).transpose()?.flatten();
        if new.as_ref().is_some_and(|new| new.blank) && must_say_something(view, result) {
            let (message, block) = (&view.transcript.messages[result.message as usize], &view.transcript.blocks[result.block as usize]);
            let why = "the provider refuses a result that says nothing".to_owned();
            skipped.push(Skip { pass: step.kind.name(), message: message.number, part: block.part.into(), why });
            continue;
        }
        if let Some(new) = new {
            line = new.line;
            cuts.push(cut(view, step, (result.message, result.block), new.action, new.chars, &reason));
        }
        if let Some(call) = one.call.filter(|_| inputs_go(view, step, one))
            && let Some((action, chars)) = inputs::cleared(view, step, number, call)?
        {
            cuts.push(cut(view, step, call, action, chars, &reason));
        }
        let tokens = count.freed(view, one, &cuts)?;
        done.push(ClearOutcome { cuts, tokens, line });
    }
    if step.only_if_line_shrinks {
        line_size::only_shorter(view, &mut done)?;
    }
    let end = match choose(view, step, uses, &done, count) {
        Ok(end) => end,
        Err(why) => return Ok(note(why)),
    };
    let mut cuts: Vec<Cut> = done.into_iter().take(end).flat_map(|one| one.cuts).collect();
    cuts.sort_by_key(|cut| (cut.message, cut.block));
    Ok(Proposal { cuts, skipped, ..Proposal::default() })
}

/// Whether a result without any words is refused: as an error, or as a list of texts.
fn must_say_something(view: &View<'_>, result: Candidate) -> bool {
    let flags = view.transcript.blocks[result.block as usize].flags;
    matches!(view.rules.empty, EmptyContent::No { .. }) && !flags.has(Flags::STRING) || view.rules.error_filled && flags.has(Flags::ERROR)
}

fn cut(view: &View<'_>, step: &Step, (message, block): (u32, u32), action: Action, chars_after: u64, reason: &Reason) -> Cut {
    let chars_before = view.chars_of_block_before(message as usize, block);
    Cut { pass: step.kind.name(), message, block, action, chars_before, chars_after, linked: false, reason: reason.clone() }
}
