//! edits: runs a policy of steps, in the vocabulary of Anthropic's `context_management`.
//!
//! **What.** Each step of `edits` works on the calls and results that the steps before it left, the oldest first: its trigger, its
//! candidates, the newest ones that it keeps, where it stops, and the least saving. The remaining candidates are cleared, truncated
//! or removed.
//!
//! **Why.** Every program that prunes has a rule of this form; a rule that is data can be read, compared and tried.
//!
//! **Safety.** As with every pass: calls and results stay paired, protected content is kept, and the output is read again and
//! checked. A result that is the placeholder already is not a candidate, so that a second run changes nothing unless the step says
//! otherwise.
//!
//! ```text
//! before  {"type":"tool_result","tool_use_id":"t","content":"total 536\n…"}
//! after   {"type":"tool_result","tool_use_id":"t","content":"[cleared]"}
//! ```

mod act;
mod candidates;
mod count;
mod drop;
mod ends;
mod keep;
mod pruning;
mod rules;

use super::{Pass, Rest, candidates::candidates, note, protection::UserProtection};
use crate::{
    Result,
    diagnostics::Skip,
    edit::{Action, Cut, Proposal, Reason, Segment, ToolUse, View},
    json::text,
    pass::dependencies::Part,
    settings::{
        Measure, Mode, Settings, Step, StepType, Stop, Unit,
        context_management::{CLEAR_THINKING, CLEAR_TOOL_USES},
    },
    transcript::{BlockKind, Flags, Span},
};
pub use candidates::unmatched;
use candidates::uses;
use count::Count;
use ends::{foreseen, is_flagged};
pub use pruning::{HARD_CLEAR, SOFT_TRIM, trimmed};
use rules::{Rules, Shape};
use std::collections::BTreeSet;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "edits",
    about: "a policy of steps (edits), in the place of soft-trim and hard-clear",
    on: |settings| !settings.edits.is_empty(),
    clocked: true,
    size: None,
    plan,
};

/// All steps, without one seeing what another did: the engine runs them one by one ([`step`]).
fn plan(_: &View<'_>, _: &Settings, _: Mode) -> Result<Proposal, Rest> {
    Ok(Proposal::default())
}

/// Returns the proposal of a step. Its cuts and notes have the name of the step's type. `number` is the index of the step, and `idle` the
/// time since the last call in milliseconds; `None` where it is unknown.
///
/// # Errors
/// The step rests, or the input cannot be read any more.
pub fn step(
    view: &View<'_>,
    settings: &Settings,
    step: &Step,
    number: usize,
    idle: Option<i64>,
) -> Result<Proposal, Rest> {
    if step.kind == StepType::ClearThinking {
        return drop::thinking(view, settings, step);
    }
    if let Some(pass) = super::PASSES
        .iter()
        .find(|pass| pass.name == step.kind.name())
    {
        return (pass.plan)(view, settings, settings.context_pruning.mode);
    }
    let mut count = Count::new(view, step.estimator)?;
    let asks_uses = keep::asks_uses(step);
    if !asks_uses {
        keep::ask(view, step, &[], &count, idle)?;
    }
    let spared = step
        .spare
        .map(|spare| keep::first_kept(view, spare))
        .transpose()?;
    let rules = Rules::of(view, step, number);
    let (mut uses, mut skipped) = match step.pruning {
        Some(_) => {
            let (found, skipped) = candidates(view, settings, step.name())?;
            (found.into_iter().map(ToolUse::of_result).collect(), skipped)
        }
        None => (uses(view, step, rules.step), Vec::new()),
    };
    if let Some(from) = spared {
        keep::since(&mut uses, from).for_each(|one| one.excluded = true);
    }
    candidates::exclude(view, step, &rules, &mut uses)?;
    candidates::remember(view, step, rules.step, &uses);
    if asks_uses {
        keep::ask(view, step, &uses, &count, idle)?;
    }
    keep::keep(view, step, &mut uses, &count)?;
    if let Some(why) = keep::below_minimum(view, step, &uses, &count)? {
        let rest = note(why);
        return Ok(Proposal { skipped, ..rest });
    }
    if step.pruning.is_some() {
        skipped.extend(trimmed_before(view, step.name(), &rules, &uses));
    } else if step.kind != StepType::DropToolCalls {
        let protection = UserProtection::new(view, settings)?;
        guard(view, step, &protection, &mut uses, &mut skipped);
    }
    if let Shape::Ends(ends, _) = &rules.shape
        && step.pruning.is_some()
    {
        foreseen(view, settings, ends, &mut uses)?;
    }
    let mut proposal = match step.kind {
        StepType::DropToolCalls => drop::calls(view, settings, step, &uses)?,
        _ => act::cuts(view, step, &rules, &uses, &mut count)?,
    };
    proposal.skipped.splice(0..0, skipped);
    Ok(proposal)
}

/// The results that end with the note of a trim.
fn trimmed_before(
    view: &View<'_>,
    pass: &'static str,
    rules: &Rules,
    uses: &[ToolUse],
) -> Vec<Skip> {
    let knows = matches!(&rules.shape, Shape::Ends(ends, _) if ends.is_flagged());
    let done = uses
        .iter()
        .filter(|one| one.done && knows)
        .filter_map(|one| one.result);
    let trimmed = done.filter(|at| view.cut(at.1).is_none() && is_flagged(view, *at));
    let skip = |at| view.skip(pass, at, "it was trimmed before");
    trimmed.map(skip).collect()
}

/// Leaves alone what must stay, and says so.
fn guard(
    view: &View<'_>,
    step: &Step,
    user_protection: &UserProtection,
    uses: &mut [ToolUse],
    skipped: &mut Vec<Skip>,
) {
    for one in uses.iter_mut().filter(|one| one.is_candidate()) {
        let Some(result) = one.result else { continue };
        let why = user_protection
            .reason(result.1)
            .or_else(|| act::exclusion_of(view, step, result));
        if let Some(why) = why {
            one.stays = true;
            skipped.push(view.skip(step.kind.name(), result, why));
        }
    }
}

/// The type of an edit of a `context_management`, if there is a step for it.
pub fn known(edit: &serde_json::Value) -> Option<&'static str> {
    [CLEAR_TOOL_USES, CLEAR_THINKING]
        .into_iter()
        .find(|name| edit["type"] == *name)
}

/// Tokens that a step's proposal frees.
///
/// # Errors
/// The input cannot be read any more.
pub fn freed(view: &View<'_>, step: &Step, proposal: &Proposal) -> Result<u64> {
    let count = Count::new(view, step.estimator)?;
    Ok(count.removed(view, &proposal.cuts).max(0.0).round() as u64)
}

/// Returns the number of results that a proposal cuts or, if it cuts none, the number of answers with reasoning.
pub fn number(view: &View<'_>, proposal: &Proposal) -> u64 {
    let of = |wanted| {
        let cuts = proposal.cuts.iter();
        cuts.filter(move |cut| view.block(cut.block).kind == wanted)
    };
    let number = match of(BlockKind::Result).count() {
        0 => {
            let answers: BTreeSet<u32> = of(BlockKind::Thinking).map(|cut| cut.message).collect();
            answers.len()
        }
        results => results,
    };
    number as u64
}
