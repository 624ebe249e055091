//! Keep: the newest calls or messages that a step leaves alone.

use super::candidates;
use super::count::Count;
use super::pruning::Origin;
use crate::Error;
use crate::edit::{ToolUse, View};
use crate::pass::Rest;
use crate::pass::candidates::cutoff;
use crate::pass::turns::turns;
use crate::settings::{Amount, Exemption, Measure, Step, StepType, Unit};
use crate::transcript::BlockKind;

/// Marks what stays.
///
/// # Errors
/// All of it stays, or the input cannot be read any more.
pub fn keep(view: &View<'_>, step: &Step, uses: &mut [ToolUse], count: &Count) -> Result<(), Rest> {
    if step.newest_result == Exemption::Keep
        && let Some(newest) = newest_result(view)
    {
        uses.iter_mut()
            .filter(|one| one.result.is_some_and(|at| at.1 == newest))
            .for_each(|one| one.stays = true);
    }
    let Some(keep) = step.keep else {
        by_number(view, step, uses, 0.0, false);
        return Ok(());
    };
    let number = keep.amount.number;
    match keep.amount.unit {
        Unit::ToolUses | Unit::ToolResults => {
            by_number(view, step, uses, number, keep.before_exclusions)
        }
        // They were not looked for.
        _ if step.pruning.is_some() => {}
        Unit::Tokens => {
            let mut sum = 0.0;
            for one in uses
                .iter_mut()
                .rev()
                .filter(|one| keep.before_exclusions || !one.excluded)
            {
                let Some(result) = one.result else { continue };
                sum += count.result(view, result)?;
                if sum > number {
                    break;
                }
                one.stays = true;
            }
        }
        _ => {
            let from = first_kept(view, keep.amount)?;
            since(uses, from).for_each(|one| one.stays = true);
        }
    }
    Ok(())
}

/// The newest result that is left.
fn newest_result(view: &View<'_>) -> Option<u32> {
    let results = |i: usize| {
        view.parts_left(i)
            .filter(|(_, block)| block.kind == BlockKind::Result)
            .map(|(index, _)| index)
            .last()
    };
    view.left().rev().find_map(results)
}

/// The uses from message `from` on, each by its result, or by its call without one.
pub fn since(uses: &mut [ToolUse], from: u32) -> impl Iterator<Item = &mut ToolUse> {
    uses.iter_mut().filter(move |one| {
        one.result
            .or(one.call)
            .is_some_and(|(message, _)| message >= from)
    })
}

/// Why what is left to cut is too small, if so.
///
/// # Errors
/// The input cannot be read any more.
pub fn below_minimum(
    view: &View<'_>,
    step: &Step,
    uses: &[ToolUse],
    count: &Count,
    origin: Origin,
) -> Result<Option<String>, Error> {
    let Some(least) = step.candidates_hold else {
        return Ok(None);
    };
    let mut sum = 0.0;
    // For a step that starts with the user, what was the placeholder when it came counts.
    let clears = step.kind == StepType::ClearToolResults && step.pruning.is_some();
    let is_clear =
        |one: &ToolUse| clears && one.done && one.result.is_some_and(|at| view.cut(at.1).is_none());
    for one in uses
        .iter()
        .filter(|one| one.is_candidate() || is_clear(one))
    {
        let Some(result) = one.result else { continue };
        sum += match least.unit {
            Measure::Chars => view.chars_of_result(result.1) as f64,
            _ => count.result(view, result)?,
        };
    }
    Ok((sum < least.number).then(|| origin.too_few(sum, least)))
}

/// Of the uses that count the newest `number` stay, and with polling those of the last round that is not full; `all` where those that
/// are left alone count.
fn by_number(view: &View<'_>, step: &Step, uses: &mut [ToolUse], number: f64, all: bool) {
    let polling = usize::try_from(step.polling.unwrap_or(1))
        .unwrap_or(usize::MAX)
        .max(1);
    // A round continues those before it: what they cleared or removed counts in it.
    let removed = if polling > 1 {
        candidates::removed(view, step)
    } else {
        0
    };
    let beside = step.also_counted.unwrap_or(0) as usize + removed;
    let counts = |one: &ToolUse| all || !one.excluded || polling > 1 && one.done;
    let counted = match uses.last().filter(|_| all) {
        Some(newest) => newest.rank as usize + 1,
        None => uses.iter().filter(|one| counts(one)).count(),
    };
    let number = if number >= counted as f64 {
        counted
    } else {
        number as usize
    };
    let rounds = (counted + beside) / polling * polling;
    let go = rounds.saturating_sub(number).saturating_sub(beside);
    let counting = uses.iter_mut().filter(|one| counts(one));
    for (at, one) in counting.enumerate() {
        one.stays |= if all { one.rank as usize } else { at } >= go;
    }
}

/// The first message of the newest ones that stay.
///
/// # Errors
/// All stay, or the input cannot be read any more.
pub fn first_kept(view: &View<'_>, amount: Amount) -> Result<u32, Rest> {
    let number = amount.number.floor();
    if amount.unit != Unit::UserTurns {
        let first = cutoff(view, number as usize).ok().map(|first| first as u32);
        return Ok(first.ok_or_else(|| format!("fewer than {number} assistant messages"))?);
    }
    let mut turns = turns(view)?;
    turns.push(view.transcript.messages.len() as u32);
    // Behind the last turn comes the end.
    let at = (turns.len() - 1).checked_sub(number as usize);
    let first = at.map(|at| turns[at]);
    Ok(first.ok_or_else(|| format!("fewer than {number} turns of the user"))?)
}
