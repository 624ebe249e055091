//! Drop: removes calls with their results, and reasoning.

use super::candidates::ToolUse;
use super::pruning::Origin;
use crate::Error;
use crate::edit::{Proposal, Reason, View};
use crate::pass::dependencies::{Dependencies, Part};
use crate::pass::note;
use crate::pass::protection::Protection;
use crate::pass::removal::remove;
use crate::pass::thinking::open_loop;
use crate::settings::{Settings, Step, StepType};
use crate::transcript::{BlockKind, Flags, Role};
use std::collections::BTreeMap;

/// Removes the candidates of `uses`.
///
/// # Errors
/// The input cannot be read any more.
pub fn calls(
    view: &View<'_>,
    settings: &Settings,
    step: &Step,
    dependencies: &Dependencies<'_>,
    uses: &[ToolUse],
) -> Result<Proposal, Error> {
    let reason = Reason::Shared(Origin::Edits.reason(step).into());
    let part = |one: &ToolUse| one.call.or(one.result.map(|at| (at.0, at.1)));
    // Reasoning that the model continues from must come back as it was, and is removed with the last call beside it.
    let open = open_loop(view);
    let reasons = |i: usize| {
        view.parts_left(i)
            .any(|(_, block)| block.kind == BlockKind::Thinking)
    };
    let is_bound = |part: &Part| {
        part.0 as usize >= open && dependencies.pieces_of(part.0 as usize).any(reasons)
    };
    let wanted: BTreeMap<Part, Reason> = uses
        .iter()
        .filter(|one| one.is_candidate())
        .filter_map(part)
        .filter(|part| !is_bound(part))
        .map(|part| (part, reason.clone()))
        .collect();
    if wanted.is_empty() {
        return Ok(note("no call is to be removed"));
    }
    let protection = Protection::new(view, dependencies, settings)?;
    Ok(remove(
        view,
        StepType::DropToolCalls.name(),
        dependencies,
        &protection,
        wanted,
    ))
}

/// Removes reasoning, but for that of the newest answers.
///
/// # Errors
/// The input cannot be read any more.
pub fn thinking(
    view: &View<'_>,
    settings: &Settings,
    step: &Step,
    dependencies: &Dependencies<'_>,
) -> Result<Proposal, Error> {
    let transcript = view.transcript;
    let holds = |i: usize| {
        view.parts_left(i)
            .any(|(_, block)| block.kind == BlockKind::Thinking)
    };
    let answers = (0..transcript.messages.len())
        .filter(|&i| transcript.messages[i].role == Role::Assistant && !view.is_gone(i));
    let mut turns: Vec<u32> = answers
        .filter(|&i| holds(i))
        .map(|i| dependencies.begin_of(i as u32))
        .collect();
    turns.dedup();
    let number = step.keep.map_or(1.0, |keep| keep.amount.number);
    let go = if number >= turns.len() as f64 {
        0
    } else {
        turns.len() - number as usize
    };
    let reason = Reason::Shared(Origin::Edits.reason(step).into());
    let mut wanted = BTreeMap::new();
    // What the model continues from must come back as it was.
    let open = open_loop(view) as u32;
    for &begin in turns[..go].iter().filter(|begin| **begin < open) {
        for i in dependencies.pieces_of(begin as usize) {
            let parts = view
                .parts_left(i)
                .filter(|(_, block)| block.kind == BlockKind::Thinking);
            wanted.extend(parts.map(|(index, _)| ((i as u32, index), reason.clone())));
        }
    }
    if wanted.is_empty() {
        return Ok(note("no reasoning is old enough"));
    }
    // Reasoning that takes a call, a result or an answer with it stays, with all that is tied to that.
    let is_other = |part: &&Part| {
        let block = &transcript.blocks[part.1 as usize];
        block.kind != BlockKind::Thinking
            && !(block.kind == BlockKind::Text && block.flags.has(Flags::BLANK))
    };
    let others: Vec<Part> = dependencies
        .close(wanted.keys().copied())
        .iter()
        .filter(is_other)
        .copied()
        .collect();
    dependencies
        .close(others)
        .iter()
        .for_each(|part| drop(wanted.remove(part)));
    if wanted.is_empty() {
        return Ok(note("the reasoning belongs to calls and answers that stay"));
    }
    Ok(remove(
        view,
        StepType::ClearThinking.name(),
        dependencies,
        &Protection::new(view, dependencies, settings)?,
        wanted,
    ))
}
