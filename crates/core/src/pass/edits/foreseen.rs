//! Foreseen: results that the next step clears in any case. These need not be shortened first, and so not be read.

use super::candidates::may_be_cut;
use super::ends::Ends;
use super::new_text::is_blank;
use crate::Error;
use crate::edit::{Action, ToolUse, View};
use crate::settings::{Amount, Step, Stop};

/// Keeps those results from being shortened by `ends` that `next` clears in any case.
///
/// # Errors
/// The input cannot be read any more.
pub fn foreseen(
    view: &View<'_>,
    ends: &Ends,
    next: &Step,
    uses: &mut [ToolUse],
) -> Result<(), Error> {
    let Stop::Fits(Amount { number: ratio, .. }) = next.until else {
        return Ok(());
    };
    // Some providers refuse a result that says nothing, which then stays.
    let placeholder = &*next.placeholder;
    if is_blank(placeholder) {
        return Ok(());
    }
    // The least that can be left of each result, and whether it is no more than there was.
    let (mut trimmed, mut together, mut untrimmed) = (Vec::with_capacity(uses.len()), 0, 0);
    for (index, one) in uses.iter().enumerate() {
        let Some(at) = one.result else { continue };
        let cut = view.cut(at.1);
        let is_cleared = cut.is_some_and(|cut| matches!(cut.action, Action::Clear(_)));
        if is_cleared || one.excluded && !one.done || !may_be_cut(view, next, at, cut)? {
            continue;
        }
        let whole = cut.map_or_else(|| view.chars_of_result_before(at.1), |cut| cut.chars_after);
        let least = if one.is_candidate() {
            ends.least(view, at)
        } else {
            None
        };
        let (chars, shrinks) = least.unwrap_or((whole, false));
        trimmed.push((index, chars, shrinks));
        (together, untrimmed) = (together + chars, untrimmed + whole);
    }
    if next
        .candidates_hold
        .is_some_and(|least| (together as f64) < least.number)
    {
        return Ok(());
    }
    // The least that can be left at each step: while it fills enough, so does what is left.
    let mut total = (view.chars() + together).saturating_sub(untrimmed);
    let after = view.chars_of_text(placeholder);
    for (index, chars, shrinks) in trimmed {
        if view.fill(total) < ratio {
            break;
        }
        if chars > after {
            total = total - chars + after;
            uses[index].stays |= shrinks;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "foreseen_tests.rs"]
mod tests;
