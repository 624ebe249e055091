//! Drop: removes calls with their results, and reasoning.

use super::{pruning::reason, *};
use crate::{
    edit::Reach,
    pass::{Rest, dependencies::is_blank, removal::remove, thinking::open_loop},
};
use std::collections::BTreeMap;

/// Removes the candidates of `uses`.
///
/// # Errors
/// The input cannot be read any more.
pub fn calls(
    view: &View<'_>,
    settings: &Settings,
    step: &Step,
    uses: &[ToolUse],
) -> Result<Proposal, Rest> {
    let reason = reason(step);
    let part = |one: &ToolUse| one.call.or(one.result);
    // Reasoning that the model continues from must come back as it was, and is removed with the
    // last call beside it.
    let open = open_loop(view);
    let is_bound = |part: &Part| {
        let mut pieces = view.pieces_of(part.0 as usize);
        part.0 as usize >= open && pieces.any(|i| view.holds(i, BlockKind::Thinking))
    };
    let candidates = uses.iter().filter(|one| one.is_candidate());
    let free = candidates.filter_map(part).filter(|part| !is_bound(part));
    let wanted: BTreeMap<Part, Reason> = free.map(|part| (part, reason.clone())).collect();
    if wanted.is_empty() {
        return Err("no call is to be removed".into());
    }
    Ok(remove(view, settings, step.name(), wanted)?)
}

/// Why no reasoning is removed.
const NONE_IS_OLD: &str = "no reasoning is old enough";

/// The answers with reasoning that is left, in order.
fn answers_with_thinking(view: &View<'_>, step: &Step) -> Vec<u32> {
    let end = view.transcript.messages.len();
    let key = (step.name(), 0);
    let known = view.reaches.map(|reaches| reaches.of(key, end));
    let Reach { end: seen, open } = known.unwrap_or_default();
    let thinking = |i: u32| {
        // What this run cut may be whole in the next one.
        let is_kept = |index| view.cut(index).is_none_or(|cut| !cut.is_earlier());
        let mut parts = view.parts(i as usize);
        let first = parts.find(|(at, block)| block.kind == BlockKind::Thinking && is_kept(*at));
        first.map(|(index, _)| (i, index))
    };
    let is_answer = |i: &u32| view.transcript.is_answer(*i as usize);
    let known = open.iter().filter_map(|one| Some(one.call?.0));
    let new = (seen as u32..end as u32).filter(is_answer);
    let found: Vec<Part> = known.chain(new).filter_map(thinking).collect();
    let is_left = |i: &u32| view.holds(*i as usize, BlockKind::Thinking);
    let left = found.iter().map(|(i, _)| *i).filter(is_left).collect();
    if let Some(reaches) = view.reaches {
        let of_call = |call| ToolUse {
            call: Some(call),
            ..ToolUse::default()
        };
        let open = found.into_iter().map(of_call).collect();
        reaches.note(key, Reach { end, open });
    }
    left
}

/// Removes reasoning, but for that of the newest answers.
///
/// # Errors
/// The input cannot be read any more.
pub fn thinking(view: &View<'_>, settings: &Settings, step: &Step) -> Result<Proposal, Rest> {
    let answers = answers_with_thinking(view, step).into_iter();
    let mut turns: Vec<u32> = answers.map(|i| view.begin_of(i)).collect();
    turns.dedup();
    let number = step.keep.map_or(1.0, |keep| keep.amount.number);
    let go = turns.len().saturating_sub(number as usize);
    if go == 0 {
        return Err(NONE_IS_OLD.into());
    }
    let reason = reason(step);
    let mut wanted = BTreeMap::new();
    // What the model continues from must come back as it was.
    let open = open_loop(view) as u32;
    for &begin in turns[..go].iter().filter(|begin| **begin < open) {
        for i in view.pieces_of(begin as usize) {
            let thinking = view.left_of(i, BlockKind::Thinking);
            wanted.extend(thinking.map(|index| ((i as u32, index), reason.clone())));
        }
    }
    if wanted.is_empty() {
        return Err(NONE_IS_OLD.into());
    }
    // Reasoning that takes a call, a result or an answer with it stays, with all that is tied to
    // that.
    let is_other = |part: &Part| {
        let block = view.block(part.1);
        block.kind != BlockKind::Thinking && !is_blank(block)
    };
    let together = view.close(wanted.keys().copied());
    let others = view.close(together.into_iter().filter(is_other));
    wanted.retain(|part, _| !others.contains(part));
    if wanted.is_empty() {
        return Err("the reasoning belongs to calls and answers that stay".into());
    }
    Ok(remove(view, settings, step.name(), wanted)?)
}
