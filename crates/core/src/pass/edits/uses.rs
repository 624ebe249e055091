//! The uses of tools that a step is about: calls with their results. Those that the step itself
//! leaves alone, by what they are or because they do not come again later, are marked as excluded.

use super::{act::inputs_cleared, *};
use crate::{
    edit::Reach,
    json::Id,
    pass::dedupe::is_note,
    resource,
    settings::{Duplicates, Errors, Exemption, context_management::SMALLEST},
    shorten,
};
use serde_json::Value;
use std::collections::HashSet;

/// All uses, the oldest first: in the order of the results, those without one left out; where a
/// step counts calls, in the order of these. `number` is that of the step. Those that an earlier
/// request settled for good are left out, if the step does not need them.
pub fn uses(view: &View<'_>, step: &Step, number: usize) -> Vec<ToolUse> {
    let end = view.transcript.messages.len();
    let known = view
        .reaches_left()
        .map(|reaches| reaches.of(key(step, number), end));
    let again = |one: ToolUse| match one.call.xor(one.result) {
        // Its partner may have come since.
        Some((message, block)) => {
            let rank = one.rank;
            let again = use_of(view, step, message, block);
            again.map(|one| ToolUse { rank, ..one })
        }
        None => Some(one),
    };
    let (mut found, mut seen) = (Vec::new(), 0);
    if let Some(reach) = known
        && let Some(known) = reach.open.into_iter().map(again).collect()
    {
        (found, seen) = (known, reach.end);
    }
    for i in (seen..end).filter(|i| !view.is_gone(*i)) {
        let new = view
            .parts_left(i)
            .filter_map(|(index, _)| use_of(view, step, i as u32, index));
        for one in new {
            let rank = found.last().map_or(0, |last: &ToolUse| last.rank + 1);
            found.push(ToolUse { rank, ..one });
        }
    }
    found
}

/// Returns the use that the part at `index` of message `i` stands for, if any.
fn use_of(view: &View<'_>, step: &Step, i: u32, index: u32) -> Option<ToolUse> {
    let by_calls = step
        .keep
        .is_some_and(|keep| keep.amount.unit == Unit::ToolUses);
    let kind = view.block(index).kind;
    let first = |of: u32, wanted| {
        let mut others = view.paired_with(of).iter().copied();
        others.find(|other| view.block(*other).kind == wanted)
    };
    // Where two calls share a result, or two results a call, it belongs to the first of them.
    let own = |partner: Option<u32>| {
        let own = partner.filter(|partner| first(*partner, kind) == Some(index));
        own.map(|partner| view.part(partner))
    };
    let (call, result) = match kind {
        BlockKind::Call if by_calls => (Some((i, index)), own(first(index, BlockKind::Result))),
        BlockKind::Result => match first(index, BlockKind::Call) {
            Some(_) if by_calls => return None,
            call => (own(call), Some((i, index))),
        },
        _ => return None,
    };
    Some(ToolUse {
        call,
        result: result.filter(|result| !view.is_part_gone(*result)),
        ..ToolUse::default()
    })
}

fn key(step: &Step, number: usize) -> (&'static str, usize) {
    (step.kind.name(), 1 + number)
}

/// Marks what the step leaves alone.
///
/// # Errors
/// The input cannot be read any more.
pub fn exclude(view: &View<'_>, step: &Step, rules: &Rules, uses: &mut [ToolUse]) -> Result<()> {
    let tools = view.transcript.tools.iter();
    let named: Vec<bool> = tools.map(|tool| step.names(tool)).collect();
    for one in uses.iter_mut().filter(|one| !one.excluded) {
        let part = one.call.or(one.result);
        let is_named =
            part.is_some_and(|(_, block)| named[view.transcript.link_at(block).tool as usize]);
        one.settled = !is_named;
        let Some(result) = one.result else {
            one.excluded = !is_named;
            continue;
        };
        let cut = view.cut(result.1);
        one.clears_input = is_named
            && !step.clear_tool_inputs.is_empty()
            && step.lists(&step.clear_tool_inputs, &[], one.tool(view))
            && one
                .call
                .map_or(Ok(None), |call| inputs_cleared(view, call))?
                .is_some();
        one.done = is_named && cut.is_some_and(|cut| matches!(cut.action, Action::Clear(_)));
        one.excluded = !is_named
            || is_left(view, step, result)
            || !one.done && !may_be_cut(view, step, result, cut)?;
        if !one.excluded {
            one.done = one.done || rules.is_done(view, result, cut)?;
            // The arguments of its call may still be cleared.
            one.excluded = !one.clears_input && (one.done || is_small(view, step, rules, result)?);
        }
        // What this run cut may be whole in the next one.
        one.settled |= one.excluded && cut.is_none_or(Cut::is_earlier);
    }
    step.duplicates
        .map_or(Ok(()), |by| only_doubles(view, by, uses))
}

/// Returns the results that the server counts for a step that states its edit, in the order of
/// their calls: of tools that it clears, and not too small as they are sent.
///
/// # Errors
/// The input cannot be read any more.
pub fn clearable(view: &View<'_>, step: &Step) -> Result<Vec<Part>> {
    let rules = Rules::of(view, std::slice::from_ref(step), 0);
    let mut found = Vec::new();
    for one in uses(view, step, rules.step) {
        let Some(result) = one.result.filter(|_| step.names(one.tool(view))) else {
            continue;
        };
        let is_small = match view.cut(result.1).map(|cut| &cut.action) {
            Some(Action::Clear(text)) => text.len() as f64 <= SMALLEST,
            _ => is_small(view, step, &rules, result)?,
        };
        if !is_small {
            found.push(result);
        }
    }
    Ok(found)
}

/// Keeps the uses for the next request on the same context, without those that are settled for
/// good. Settled uses are kept if they count with others: in rounds, as doubles, or as tokens that
/// are kept or freed.
pub fn remember(view: &View<'_>, step: &Step, number: usize, uses: &[ToolUse]) {
    let Some(reaches) = view.reaches_left() else {
        return;
    };
    if step.pruning.is_some() {
        // A trimmed result may still be cleared, and one that was clear from the beginning counts.
        let is_clear = |cut: &Cut| matches!(cut.action, Action::Clear(_));
        let is_open = |one: &&ToolUse| {
            let cut = one.result.and_then(|result| view.cut(result.1));
            !one.settled || one.done && !cut.is_some_and(is_clear)
        };
        let open = uses.iter().filter(is_open).filter_map(|one| one.result);
        let open: Vec<u32> = open.map(|(_, block)| block).collect();
        reaches.settle(step.name(), |block| open.binary_search(&block).is_err());
        return;
    }
    let in_tokens = step
        .keep
        .is_some_and(|keep| keep.amount.unit == Unit::Tokens);
    let counts =
        step.polling.is_some() || step.duplicates.is_some() || matches!(step.until, Stop::Freed(_));
    let is_open = |one: &&ToolUse| counts || in_tokens || !one.settled;
    // The newest use carries the number of all.
    let (others, newest) = uses.split_at(uses.len().saturating_sub(1));
    let open = others
        .iter()
        .filter(is_open)
        .chain(newest)
        .map(|one| ToolUse {
            excluded: one.settled && !counts,
            settled: one.settled && !counts,
            done: false,
            stays: false,
            ..*one
        });
    let reach = Reach {
        end: view.transcript.messages.len(),
        open: open.collect(),
    };
    reaches.note(key(step, number), reach);
}

/// Returns a warning, if the transcript has tools and the step names none of them.
pub fn unmatched(view: &View<'_>, step: &Step) -> Option<String> {
    let tools = &view.transcript.tools;
    let mut named = tools
        .iter()
        .filter(|tool| step.lists(&step.tools, &[], tool));
    let is_none = !step.tools.is_empty() && !tools.is_empty() && named.next().is_none();
    is_none.then(|| {
        let patterns = step.tools.join(", ");
        format!(
            "{}: no tool of the input matches {patterns}",
            step.kind.name()
        )
    })
}

/// Whether a result stays by what it is.
fn is_left(view: &View<'_>, step: &Step, result: Part) -> bool {
    let failed = view.block(result.1).flags.has(Flags::ERROR);
    step.errors == Errors::Keep && failed
        || step.errors == Errors::Only && !failed
        || step.empty == Exemption::Keep && is_empty(view, result)
}

/// Whether a step may cut a result, of which another pass left `cut`. One that starts with the user
/// leaves alone what the passes before it are for: lists that were ranked and, where it clears,
/// notes of dedupe.
///
/// # Errors
/// The input cannot be read any more.
pub fn may_be_cut(view: &View<'_>, step: &Step, result: Part, cut: Option<&Cut>) -> Result<bool> {
    if step.pruning.is_none() {
        return Ok(true);
    }
    let is_ranked = cut.is_some_and(|cut| matches!(cut.action, Action::Rewrite(_)));
    Ok(!is_ranked && (step.kind != StepType::ClearToolResults || !is_note(view, result)?))
}

fn is_empty(view: &View<'_>, result: Part) -> bool {
    view.children(result.1)
        .iter()
        .all(|child| child.kind == BlockKind::Text && child.chars == 0)
}

/// Whether a result is text no larger than the step asks for. One without any text is not small,
/// but empty; one with an image or another part is not small either.
fn is_small(view: &View<'_>, step: &Step, rules: &Rules, result: Part) -> Result<bool> {
    let Some(over) = step
        .over
        .filter(|_| step.kind == StepType::ClearToolResults)
    else {
        return Ok(false);
    };
    let children = view.children(result.1);
    if is_empty(view, result) || children.iter().any(|child| child.kind != BlockKind::Text) {
        return Ok(false);
    }
    let (units, limit) = (
        children.iter().map(|child| u64::from(child.chars)).sum(),
        over.number as u64,
    );
    let bounds = shorten::bounds(units, over.unit);
    if bounds.start() == bounds.end() || *bounds.start() > limit {
        return Ok(*bounds.end() <= limit);
    }
    let asked = ("size", rules.step, view.place(result));
    let size: u64 = view.once(asked, || {
        Ok(view
            .result_texts(result)?
            .iter()
            .map(|text| shorten::size(text, over.unit))
            .sum())
    })?;
    Ok(size <= limit)
}

/// Excludes each use that does not occur again later.
///
/// # Errors
/// The input cannot be read any more.
fn only_doubles(view: &View<'_>, by: Duplicates, uses: &mut [ToolUse]) -> Result<()> {
    let mut seen = HashSet::new();
    for one in uses.iter_mut().rev().filter(|one| !one.excluded) {
        let said = match by {
            // A placeholder is not a double of another one.
            Duplicates::SameContent => one.result.filter(|_| !one.done).map(|at| ("content", at)),
            Duplicates::SameCall => one.call.map(|at| ("call", at)),
        };
        let said = said.map(|(what, at)| {
            view.once((what, 0, view.place(at)), || {
                let text = match by {
                    Duplicates::SameContent => Some(view.result_text(at)?),
                    Duplicates::SameCall => call(view, at)?,
                };
                Ok(text.map(|text| Id::of_all([text.as_bytes()])))
            })
        });
        let first = said
            .transpose()?
            .flatten()
            .is_none_or(|said| seen.insert((one.tool(view), said)));
        one.excluded = first;
    }
    Ok(())
}

/// Returns the arguments of a call as text that can be compared: members sorted, top-level nulls
/// removed. `None` without arguments.
fn call(view: &View<'_>, call: Part) -> Result<Option<String>> {
    Ok(resource::arguments_of(view, call)?.map(|mut value| {
        if let Value::Object(members) = &mut value {
            members.retain(|_, value| !value.is_null());
        }
        value.sort_all_objects();
        value.to_string()
    }))
}
