//! Keep: the condition under which a step runs, and the newest calls or messages that it leaves
//! alone.

use super::{pruning::too_few, *};
use crate::{
    pass::{Rest, candidates::cutoff, turns::turns},
    settings::{Amount, Exemption, spoken_duration},
};

/// Marks what stays.
///
/// # Errors
/// All of it stays, or the input cannot be read any more.
pub fn keep(view: &View<'_>, step: &Step, uses: &mut [ToolUse], count: &Count) -> Result<(), Rest> {
    if step.newest_result == Exemption::Keep
        && let Some(newest) = newest_result(view)
    {
        let is_newest = |one: &ToolUse| one.result.is_some_and(|at| at.1 == newest);
        uses.iter_mut().for_each(|one| one.stays |= is_newest(one));
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
            let counts = |one: &&mut ToolUse| keep.before_exclusions || !one.excluded;
            for one in uses.iter_mut().rev().filter(counts) {
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
    let newest = |i| view.left_of(i, BlockKind::Result).last();
    view.left().rev().find_map(newest)
}

/// The uses from message `from` on, each by its result, or by its call without one.
pub fn since(uses: &mut [ToolUse], from: u32) -> impl Iterator<Item = &mut ToolUse> {
    let is_since = move |one: &&mut ToolUse| one.result.or(one.call).is_some_and(|at| at.0 >= from);
    uses.iter_mut().filter(is_since)
}

/// Returns why the remaining cuts are too small, if so.
///
/// # Errors
/// The input cannot be read any more.
pub fn below_minimum(
    view: &View<'_>,
    step: &Step,
    uses: &[ToolUse],
    count: &Count,
) -> Result<Option<String>> {
    let Some(least) = step.candidates_hold else {
        return Ok(None);
    };
    let mut sum = 0.0;
    // For a step that starts with the user, a result that arrived as the placeholder counts.
    let clears = step.kind == StepType::ClearToolResults && step.pruning.is_some();
    let is_clear =
        |one: &ToolUse| clears && one.done && one.result.is_some_and(|at| view.cut(at.1).is_none());
    let counts = |one: &&ToolUse| one.is_candidate() || is_clear(one);
    for result in uses.iter().filter(counts).filter_map(|one| one.result) {
        sum += match least.unit {
            Measure::Chars => view.chars_of_result(result.1) as f64,
            _ => count.result(view, result)?,
        };
    }
    Ok((sum < least.number).then(|| too_few(step, sum, least)))
}

/// Keeps the newest `number` of the uses that count and, with polling, those of the last round if
/// it is not full. With `all`, excluded uses count as well.
fn by_number(view: &View<'_>, step: &Step, uses: &mut [ToolUse], number: f64, all: bool) {
    let polling = usize::try_from(step.polling.unwrap_or(1))
        .unwrap_or(usize::MAX)
        .max(1);
    // A round continues the earlier ones: their cleared and removed uses count in it.
    let removed = match polling {
        1 => 0,
        _ => removed(view, step),
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

/// Returns the number of results of the step's tools that earlier steps or runs removed.
fn removed(view: &View<'_>, step: &Step) -> usize {
    view.all_parts()
        .filter(|(i, index, block)| {
            block.kind == BlockKind::Result
                && view.is_block_gone(*i, *index)
                && step.names(view.tool(*index))
        })
        .count()
}

/// Returns the first of the newest messages that stay.
///
/// # Errors
/// All stay, or the input cannot be read any more.
pub fn first_kept(view: &View<'_>, amount: Amount) -> Result<u32, Rest> {
    let number = amount.number.floor();
    let few = |of| format!("fewer than {number} {of}");
    if amount.unit != Unit::UserTurns {
        let first = cutoff(view, number as usize).map_err(|_| few("assistant messages"))?;
        return Ok(first as u32);
    }
    let mut turns = turns(view)?;
    turns.push(view.transcript.messages.len() as u32);
    // Behind the last turn comes the end.
    let at = (turns.len() - 1).checked_sub(number as usize);
    Ok(turns[at.ok_or_else(|| few("turns of the user"))?])
}

/// Whether the condition is about what the step may clear.
pub fn asks_uses(step: &Step) -> bool {
    step.trigger
        .is_some_and(|trigger| matches!(trigger.unit, Unit::ToolUses | Unit::Chars))
}

/// Asks whether the condition holds.
///
/// # Errors
/// It does not.
pub fn ask(
    view: &View<'_>,
    step: &Step,
    uses: &[ToolUse],
    count: &Count,
    idle: Option<i64>,
) -> Result<(), String> {
    let Some(trigger) = step.trigger else {
        return Ok(());
    };
    let limit = trigger.number;
    let (have, what) = match trigger.unit {
        Unit::InputTokens => (count.context(view), "tokens in the context"),
        Unit::ContextFraction => (view.ratio(), "of the window is full"),
        Unit::ToolUses => (
            uses.iter().filter(|one| !one.excluded).count() as f64,
            "calls that may be cleared",
        ),
        Unit::Chars => (chars(view, uses), "chars in results that may be cleared"),
        Unit::Idle => {
            let rested = step.rested.map(|ms| ms as f64);
            let idle = rested
                .or(idle.map(|ms| ms as f64))
                .ok_or("no last call is known, so none is known to be old")?;
            let [ago, least] = [idle.max(0.0), limit].map(|ms| spoken_duration(ms as u64));
            return match idle < limit {
                true => Err(format!("the last call was {ago} ago, not at least {least}")),
                false => Ok(()),
            };
        }
        _ => return Ok(()),
    };
    if have > limit {
        return Ok(());
    }
    // The sum of no numbers is -0.
    let have = (have * 1000.0).round() / 1000.0 + 0.0;
    Err(format!("{have} {what}, not more than {limit}"))
}

/// Chars of the results that the step may clear, including those that it keeps.
pub fn chars(view: &View<'_>, uses: &[ToolUse]) -> f64 {
    let counts = uses.iter().filter(|one| !one.excluded);
    let results = counts.filter_map(|one| one.result);
    results
        .map(|result| view.chars_of_result(result.1) as f64)
        .sum()
}
