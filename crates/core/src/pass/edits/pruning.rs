//! soft-trim and hard-clear: the settings of `contextPruning`, run as two steps.
//!
//! **What.** When the context fills `softTrimRatio` of the window, every candidate (`candidates`)
//! of more than `softTrim.maxChars` UTF-16 units is replaced by its first `headChars` and last
//! `tailChars` and a note with its size. With `images: "prune"` the images of a candidate are
//! replaced by a marker as well, whatever its size. When the context then still fills
//! `hardClearRatio` and the candidates have at least `minPrunableToolChars`, they are cleared from
//! the oldest on until the ratio is met. The aggressive mode clears all of them without either
//! condition.
//!
//! **Why.** Most of a transcript is old tool output. Its beginning and end are its most useful
//! parts, and the tool can be run again.
//!
//! **Safety.** The call and its result stay a pair; only the text of results changes. Cuts fall
//! between characters. A result that already has the note, or is the placeholder, is left alone, so
//! that a second run changes nothing. A result that is not longer than the placeholder is left
//! alone (`skipShorter`); the original program clears it, and so does every preset.
//!
//! ```text
//! before   {"type":"text","text":"AAAAAAAA…ZZZZZZZZ"}
//! trimmed  {"type":"text","text":"AAA\n...\nZZZ\n\n[Tool result trimmed: kept first 3 chars and last 3 chars of 9000 chars.]"}
//! cleared  {"type":"text","text":"[Old tool result content cleared]"}
//! ```

use super::{
    ends::{Ends, is_blank},
    uses::may_be_cut,
    *,
};
use crate::{
    pass::{Pass, Rest, too_small},
    settings::{Amount, ContextPruning, Counting, Keep, PruningRules, Size, word},
};

/// The row of soft-trim.
pub const SOFT_TRIM: Pass = Pass {
    name: "soft-trim",
    about: "keep head and tail of large old tool results",
    on: |settings| settings.edits.is_empty(),
    clocked: true,
    plan: soft_trim,
    ..Pass::REST
};

/// The row of hard-clear.
pub const HARD_CLEAR: Pass = Pass {
    name: "hard-clear",
    about: "replace the oldest tool results by a placeholder",
    on: |settings| settings.edits.is_empty(),
    clocked: true,
    plan: hard_clear,
    ..Pass::REST
};

/// The reason of the cuts of a step that have none of their own.
pub fn reason(step: &Step) -> Reason {
    let why = match step.until {
        _ if step.name() != HARD_CLEAR.name => format!("edits: {}", step.kind.name()),
        Stop::Fits(ratio) => format!(
            "the trimmed context fills hardClearRatio {} of the window or more",
            ratio.number
        ),
        _ => "aggressive mode".to_owned(),
    };
    why.into()
}

/// Returns the note that the candidates, `sum` in all, are less than `least`.
pub fn too_few(step: &Step, sum: f64, least: Size) -> String {
    let (unit, number) = (word(least.unit), least.number);
    if step.name() == HARD_CLEAR.name {
        format!(
            "the results that may be cleared have {sum} chars, less than minPrunableToolChars {number}"
        )
    } else {
        format!("candidates have {sum:.0} {unit}, less than candidates_hold {number}")
    }
}

fn soft_trim(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, Rest> {
    let pruning = &settings.context_pruning;
    let (ratio, from) = (view.ratio(), pruning.soft_trim_ratio);
    match mode {
        Mode::Off | Mode::BreakEven => return Ok(Proposal::default()),
        Mode::Aggressive => return Err("the aggressive mode clears and does not trim".into()),
        _ if ratio < from => {
            return Err(too_small(ratio, "pruning", from, "softTrimRatio").into());
        }
        _ => {}
    }
    step(view, settings, &both(pruning), 0, None)
}

fn hard_clear(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, Rest> {
    let pruning = &settings.context_pruning;
    let mut policy = both(pruning);
    let wanted = &mut policy[1];
    let (act, ratio, from, key) = if is_large(view, pruning) {
        let from = pruning.hard_clear_ratio;
        ("clearing", view.ratio(), from, "hardClearRatio")
    } else {
        let ratio = view.fill(view.chars_after_earlier());
        ("pruning", ratio, pruning.soft_trim_ratio, "softTrimRatio")
    };
    match mode {
        Mode::Off | Mode::BreakEven => return Ok(Proposal::default()),
        Mode::Aggressive => (wanted.until, wanted.candidates_hold) = (Stop::All, None),
        _ if !pruning.hard_clear.enabled => return Err("hardClear.enabled is false".into()),
        _ if ratio < from => return Err(too_small(ratio, act, from, key).into()),
        _ => {}
    }
    step(view, settings, &policy, 1, None)
}

/// Whether hard-clear follows soft-trim, as far as that is known before soft-trim.
pub fn clears(view: &View<'_>, settings: &Settings) -> bool {
    let pruning = &settings.context_pruning;
    HARD_CLEAR.is_on(settings) && pruning.hard_clear.enabled && is_large(view, pruning)
}

/// Whether the context is large enough to be trimmed, without the cuts of this run. As in the
/// original, what is too small to trim is too small to clear.
fn is_large(view: &View<'_>, pruning: &ContextPruning) -> bool {
    view.fill(view.chars_after_earlier()) >= pruning.soft_trim_ratio
}

/// Trims the result at `at` as soft-trim does. Returns the action and the chars that it leaves;
/// `None` if there is nothing to trim.
///
/// # Errors
/// The input cannot be read any more.
pub fn trimmed(
    view: &View<'_>,
    at: Part,
    pruning: &ContextPruning,
) -> Result<Option<(Action, u64)>> {
    let Rules {
        shape: Shape::Ends(rule),
        ..
    } = Rules::of(view, &both(pruning), 0)
    else {
        return Ok(None);
    };
    let new = if view.was_trimmed(at) {
        None
    } else {
        rule.shortened(view, at)?
    };
    Ok(new.map(|new| (new.action, new.chars)))
}

/// Returns soft-trim and hard-clear as a policy of steps.
pub fn both(pruning: &ContextPruning) -> [Step; 2] {
    let step = |pass| Step {
        keep: Some(Keep {
            amount: Amount {
                unit: Unit::AssistantMessages,
                number: pruning.keep_last_assistants as f64,
            },
            before_exclusions: false,
        }),
        placeholder: pruning.hard_clear.placeholder.clone(),
        estimator: Counting::Chars,
        pruning: Some(PruningRules {
            pass,
            images: pruning.images,
            skip_shorter: pruning.hard_clear.skip_shorter,
        }),
        ..Step::default()
    };
    let sizes = &pruning.soft_trim;
    let note = format!(
        "{{head}}\n...\n{{tail}}\n\n[Tool result trimmed: kept first {} chars and last {} chars of {{chars}} chars.]",
        sizes.head_chars, sizes.tail_chars
    );
    let trimming = Step {
        kind: StepType::TruncateToolResults,
        over: Some(chars(sizes.max_chars)),
        head: Some(chars(sizes.head_chars)),
        tail: Some(chars(sizes.tail_chars)),
        note: Some(note),
        ..step(SOFT_TRIM.name)
    };
    let clearing = Step {
        until: Stop::Fits(Amount {
            unit: Unit::ContextFraction,
            number: pruning.hard_clear_ratio,
        }),
        candidates_hold: Some(chars(pruning.min_prunable_tool_chars))
            .filter(|least| least.number > 0.0),
        ..step(HARD_CLEAR.name)
    };
    [trimming, clearing]
}

fn chars(number: u64) -> Size {
    Size {
        unit: Measure::Chars,
        number: number as f64,
    }
}

/// Leaves alone what `ends`, which is soft-trim, need not shorten: what it has shortened before,
/// which is returned to be reported, and what hard-clear clears in any case.
///
/// # Errors
/// The input cannot be read any more.
pub fn leave(
    view: &View<'_>,
    settings: &Settings,
    ends: &Ends,
    uses: &mut [ToolUse],
) -> Result<Vec<Skip>> {
    foresee(view, settings, ends, uses)?;
    let done = uses.iter().filter(|one| one.done);
    let trimmed = done
        .filter_map(|one| one.result)
        .filter(|at| view.cut(at.1).is_none() && view.was_trimmed(*at));
    let skip = |at| view.skip(SOFT_TRIM.name, at, "it was trimmed before");
    Ok(trimmed.map(skip).collect())
}

/// Keeps those results from being shortened that hard-clear clears in any case.
fn foresee(view: &View<'_>, settings: &Settings, ends: &Ends, uses: &mut [ToolUse]) -> Result<()> {
    let pruning = &settings.context_pruning;
    let ([_, next], placeholder) = (both(pruning), &*pruning.hard_clear.placeholder);
    // Some providers refuse an empty result; such a result stays.
    if !clears(view, settings) || is_blank(placeholder) {
        return Ok(());
    }
    // The least that can be left of each result, and whether that is no more than before.
    let (mut trimmed, mut together, mut untrimmed) = (Vec::with_capacity(uses.len()), 0, 0);
    for (index, one) in uses.iter().enumerate() {
        let Some(at) = one.result else { continue };
        let cut = view.cut(at.1);
        let is_cleared = cut.is_some_and(|cut| matches!(cut.action, Action::Clear(_)));
        if is_cleared || one.excluded && !one.done || !may_be_cut(view, &next, at, cut)? {
            continue;
        }
        let whole = view.chars_of_result(at.1);
        let least = Some(at).filter(|_| one.is_candidate());
        let least = least.and_then(|at| ends.least(view, at));
        let (chars, shrinks) = least.unwrap_or((whole, false));
        trimmed.push((index, chars, shrinks));
        (together, untrimmed) = (together + chars, untrimmed + whole);
    }
    if together < pruning.min_prunable_tool_chars {
        return Ok(());
    }
    // The least that can be left at each step: while this fills enough, the real rest does.
    let mut total = (view.chars() + together).saturating_sub(untrimmed);
    let after = view.chars_of_text(placeholder);
    for (index, chars, shrinks) in trimmed {
        if view.fill(total) < pruning.hard_clear_ratio {
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
