//! edits: runs a policy of steps, in the vocabulary of Anthropic's `context_management`.
//!
//! **What.** Each step of `edits` works on the calls and results that the steps before it left, the
//! oldest first: its trigger, its candidates, the newest ones that it keeps, where it stops, and
//! the least saving. The remaining candidates are cleared, truncated or removed.
//!
//! **Why.** Every program that prunes has a rule of this form; a rule that is data can be read,
//! compared and tried.
//!
//! **Safety.** As with every pass: calls and results stay paired, protected content is kept, and
//! the output is read again and checked. A result that a step of the policy has cleared already is
//! not a candidate, nor is one that it has truncated for a step that truncates, so that a second
//! run changes nothing unless the step says otherwise.
//!
//! ```text
//! before  {"type":"tool_result","tool_use_id":"t","content":"total 536\n…"}
//! after   {"type":"tool_result","tool_use_id":"t","content":"[cleared]"}
//! ```

mod act;
mod count;
mod drop;
mod ends;
mod keep;
mod pruning;
mod rules;
mod uses;

use super::{Pass, Rest, candidates::candidates_before, note, protection::UserProtection};
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
use count::Count;
pub use count::{freed, number};
pub use pruning::{HARD_CLEAR, SOFT_TRIM, trimmed};
use rules::{Rules, Shape};
use std::collections::BTreeSet;
use uses::uses;
pub use uses::{clearable, unmatched};

/// The table's row.
pub const PASS: Pass = Pass {
    name: "edits",
    about: "a policy of steps (edits), in the place of soft-trim and hard-clear",
    on: |settings| !settings.edits.is_empty(),
    clocked: true,
    plan,
    ..Pass::REST
};

/// Proposes the cuts of all steps independently. The engine runs them one after the other instead
/// ([`step`]).
fn plan(_: &View<'_>, _: &Settings, _: Mode) -> Result<Proposal, Rest> {
    Ok(Proposal::default())
}

/// Returns the proposal of step `number` of a policy. Its cuts and notes have the name of the
/// step's type. `idle` is the time since the last call in milliseconds; `None` where it is unknown.
///
/// # Errors
/// The step rests, or the input cannot be read any more.
pub fn step(
    view: &View<'_>,
    settings: &Settings,
    policy: &[Step],
    number: usize,
    idle: Option<i64>,
) -> Result<Proposal, Rest> {
    let step = &policy[number];
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
    let rules = Rules::of(view, policy, number);
    let (mut uses, mut skipped) = match step.pruning {
        Some(_) => {
            let clears = step.kind == StepType::ClearToolResults;
            let reach = (settings.context_pruning.keep_last_assistants, clears);
            let (found, skipped) = candidates_before(view, settings, reach, step.name())?;
            (found.into_iter().map(ToolUse::of_result).collect(), skipped)
        }
        None => (uses(view, step, rules.step), Vec::new()),
    };
    if let Some(from) = spared {
        keep::since(&mut uses, from).for_each(|one| one.excluded = true);
    }
    uses::exclude(view, step, &rules, &mut uses)?;
    uses::remember(view, step, rules.step, &uses);
    if asks_uses {
        keep::ask(view, step, &uses, &count, idle)?;
    }
    keep::keep(view, step, &mut uses, &count)?;
    if let Some(why) = keep::below_minimum(view, step, &uses, &count)? {
        let rest = note(why);
        return Ok(Proposal { skipped, ..rest });
    }
    match &rules.shape {
        Shape::Ends(ends) if step.pruning.is_some() => {
            skipped.extend(pruning::leave(view, settings, ends, &mut uses)?);
        }
        _ if step.pruning.is_some() || step.kind == StepType::DropToolCalls => {}
        _ => act::guard(view, settings, step, &mut uses, &mut skipped)?,
    }
    let mut proposal = match step.kind {
        StepType::DropToolCalls => drop::calls(view, settings, step, &uses)?,
        _ => act::cuts(view, step, &rules, &uses, &mut count)?,
    };
    proposal.skipped.splice(0..0, skipped);
    Ok(proposal)
}

/// Returns the type of an edit of a `context_management`, if there is a step for it.
pub fn known(edit: &serde_json::Value) -> Option<&'static str> {
    [CLEAR_TOOL_USES, CLEAR_THINKING]
        .into_iter()
        .find(|name| edit["type"] == *name)
}
