//! hard-clear: replaces the oldest results by a placeholder until the context fits.
//!
//! **What.** When the context after soft-trim still fills `hardClearRatio` of the window and the candidates have at least
//! `minPrunableToolChars`, they are cleared from the oldest on until the ratio is met. The aggressive mode clears all of them
//! without either condition.
//!
//! **Why.** Old tool output is the part of a context that is missed least, and the tool can be run again.
//!
//! **Safety.** The call and its result stay a pair; only the text changes. A result that is not longer than the placeholder is left
//! alone (`skipShorter`); the original program clears it, and so does every preset. A result that is the placeholder already, or a
//! note of dedupe, is left alone.
//!
//! ```text
//! before  {"type":"text","text":"total 48 drwxr-xr-x …"}
//! after   {"type":"text","text":"[Old tool result content cleared]"}
//! ```

use super::candidates::{Candidate, candidates};
use super::dedupe::is_note;
use super::{Pass, note, too_small};
use crate::diagnostics::Skip;
use crate::edit::{Action, Cut, Proposal, Reason, View};
use crate::json::text;
use crate::settings::{Mode, Settings};
use crate::transcript::BlockKind;
use std::collections::HashSet;
use std::sync::Arc;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "hard-clear",
    about: "replace the oldest tool results by a placeholder",
    on: |settings| settings.edits.is_empty(),
    clocked: true,
    size: None,
    plan,
};

fn plan(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, crate::Error> {
    if matches!(mode, Mode::Off | Mode::BreakEven) {
        return Ok(Proposal::default());
    }
    let pruning = &settings.context_pruning;
    let aggressive = mode == Mode::Aggressive;
    let placeholder = &pruning.hard_clear.placeholder;
    let mut total = view.chars();
    let ratio = view.fill(total);
    if !aggressive {
        if !pruning.hard_clear.enabled {
            return Ok(note("hardClear.enabled is false"));
        }
        // As in the original, what is too small to trim is too small to clear.
        let before = view.fill(view.chars_after_earlier());
        if before < pruning.soft_trim_ratio {
            return Ok(note(too_small(before, "pruning", pruning.soft_trim_ratio, "softTrimRatio")));
        }
        if ratio < pruning.hard_clear_ratio {
            return Ok(note(too_small(ratio, "clearing", pruning.hard_clear_ratio, "hardClearRatio")));
        }
    }
    let (candidates, mut skipped) = match candidates(view, settings, PASS.name)? {
        Ok(found) => found,
        Err(why) => return Ok(note(why)),
    };
    let candidates = clearable(view, candidates)?;
    let together: u64 = candidates.iter().map(|at| view.chars_of_result(at.block)).sum();
    if !aggressive && together < pruning.min_prunable_tool_chars {
        return Ok(Proposal {
            skipped,
            ..note(format!(
                "the results that may be cleared have {together} chars, less than minPrunableToolChars {}",
                pruning.min_prunable_tool_chars
            ))
        });
    }
    let after = view.chars_of_text(placeholder);
    let text: Arc<str> = placeholder.as_str().into();
    let reason: Arc<str> = if aggressive {
        "aggressive mode".into()
    } else {
        format!("the trimmed context fills hardClearRatio {} of the window or more", pruning.hard_clear_ratio).into()
    };
    let mut cuts = Vec::new();
    for at in candidates {
        if !aggressive && view.fill(total) < pruning.hard_clear_ratio {
            break;
        }
        let before = view.chars_of_result(at.block);
        if pruning.hard_clear.skip_shorter && before <= after {
            if !is_placeholder(view, at, placeholder)? {
                let part = view.transcript.blocks[at.block as usize].part.into();
                let message = view.transcript.messages[at.message as usize].number;
                skipped.push(Skip { pass: PASS.name, message, part, why: "it is no longer than the placeholder".to_owned() });
            }
            continue;
        }
        total = total - before + after;
        if !is_placeholder(view, at, placeholder)? {
            cuts.push(Cut {
                pass: PASS.name,
                message: at.message,
                block: at.block,
                action: Action::Clear(text.clone()),
                chars_before: view.chars_of_result_before(at.block),
                chars_after: after,
                linked: false,
                reason: Reason::Shared(reason.clone()),
            });
        }
    }
    Ok(Proposal { cuts, skipped, ..Proposal::default() })
}

/// The results in reach that may be cleared.
fn clearable(view: &View<'_>, mut candidates: Vec<Candidate>) -> Result<Vec<Candidate>, crate::Error> {
    // What an earlier run cleared keeps its bytes; what was only trimmed may still go.
    candidates.retain(|at| view.cut(at.block).is_none_or(|cut| matches!(cut.action, Action::Trim(_))));
    // A note of dedupe's stays as well, as it does in the run that wrote it.
    let mut left = Vec::with_capacity(candidates.len());
    for at in candidates {
        if !is_note(view, at)? {
            left.push(at);
        }
    }
    Ok(left)
}

/// The blocks of those results in reach that are cleared in any case, where `least` gives the least chars that a trim of a result
/// leaves, and whether it leaves no more than there were. These need not be trimmed first, and so not be read.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn foreseen(
    view: &View<'_>,
    settings: &Settings,
    candidates: &[Candidate],
    least: impl Fn(Candidate) -> Option<(u64, bool)>,
) -> Result<HashSet<u32>, crate::Error> {
    let pruning = &settings.context_pruning;
    let mut found = HashSet::new();
    if !PASS.is_on(settings) || !pruning.hard_clear.enabled || view.fill(view.chars_after_earlier()) < pruning.soft_trim_ratio {
        return Ok(found);
    }
    let trimmed: Vec<(Candidate, u64, bool)> = clearable(view, candidates.to_vec())?
        .into_iter()
        .map(|at| match least(at) {
            Some((chars, shrinks)) => (at, chars, shrinks),
            None => (at, view.chars_of_result(at.block), false),
        })
        .collect();
    let together: u64 = trimmed.iter().map(|(_, chars, _)| chars).sum();
    if together < pruning.min_prunable_tool_chars {
        return Ok(found);
    }
    let untrimmed: u64 = trimmed.iter().map(|(at, ..)| view.chars_of_result(at.block)).sum();
    // The least that can be left at each step: while it fills enough, so does what is left.
    let mut total = (view.chars() + together).saturating_sub(untrimmed);
    let after = view.chars_of_text(&pruning.hard_clear.placeholder);
    for (at, chars, shrinks) in trimmed {
        if view.fill(total) < pruning.hard_clear_ratio {
            break;
        }
        if chars > after {
            total = total - chars + after;
            found.extend(shrinks.then_some(at.block));
        }
    }
    Ok(found)
}

/// Whether the result is nothing but the placeholder already.
pub fn is_placeholder(view: &View<'_>, at: Candidate, placeholder: &str) -> Result<bool, crate::Error> {
    let [child] = view.children(at.block) else { return Ok(false) };
    // A text has no more units than bytes, so that those of the placeholder are seldom counted.
    let chars = child.chars as usize;
    if child.kind != BlockKind::Text || chars > placeholder.len() || chars != placeholder.encode_utf16().count() {
        return Ok(false);
    }
    let start = view.transcript.messages[at.message as usize].record + u64::from(child.span.start);
    let raw = view.texts.read(start + 1, start + child.span.len() as u64 - 1)?;
    Ok(text::lossy(&raw) == placeholder)
}
