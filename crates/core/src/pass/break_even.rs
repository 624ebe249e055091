//! break-even: clears old tool results where that saves more than it costs in cache writes.
//!
//! **What.** Results older than the last `keepLastAssistants` assistant messages and larger than `minTokens` for the kind of their tool are candidates. Where
//! the cache has expired, all are cleared: the whole prompt is written again anyway. While it is warm, a cut makes the provider
//! write everything behind it again, up to the end of the previous prompt. For each place the pass computes what clearing all
//! candidates from there on saves in the requests that are expected to follow, less what must be written again; it clears from the
//! place with the largest net saving on.
//!
//! **Why.** The usual rules cut when the window fills or after a fixed time. The first is the most expensive moment, the second
//! often invalidates a cache that is still warm.

use super::candidates::{candidates_before, is_placeholder};
use super::dependencies::Part;
use super::weighing::{Saving, Weighing};
use super::{Pass, Rest, note};
use crate::edit::{Action, Proposal, Reason, View};
use crate::estimate;
use crate::resource::kind_of;
use crate::settings::{Mode, Settings};
use std::sync::Arc;

/// The most tokens that a char of text has, for a session with a budget: where a log records too few tokens of an answer, the rest is
/// counted for the results behind it.
const DENSEST: f64 = 0.5;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "break-even",
    about: "clear old tool results where that saves more than it costs (mode break-even)",
    on: |settings| settings.context_pruning.mode == Mode::BreakEven,
    clocked: true,
    size: None,
    plan,
};

fn plan(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, Rest> {
    let asked = view.cache.as_ref().filter(|_| mode == Mode::BreakEven);
    let cache = asked.ok_or("the mode is not break-even")?;
    let keep = settings.break_even.keep_last_assistants;
    let (found, skipped) = candidates_before(view, settings, keep, PASS.name)?;
    let placeholder = &settings.context_pruning.hard_clear.placeholder;
    let after = view.chars_of_text(placeholder);
    let (mut candidates, mut open) = (Vec::new(), Vec::new());
    for at in found {
        if view.cut(at.1).is_some() {
            continue;
        }
        let chars = view.chars_of_result_before(at.1);
        if chars > after && !is_placeholder(view, at, placeholder)? {
            // A message of results is as long as these.
            let all =
                estimate::message(view.transcript, at.0 as usize, view.estimator).max(chars) as f64;
            let mut tokens = cache.tokens[at.0 as usize] / all;
            if settings.break_even.budget.is_some() {
                tokens = tokens.min(DENSEST);
            }
            let block = &view.transcript.blocks[at.1 as usize];
            let least = settings
                .break_even
                .min_tokens
                .of(kind_of(view.transcript.tool_of(block)));
            if least.is_some_and(|least| tokens * chars as f64 >= least as f64) {
                open.push(at.1);
                candidates.push((at, tokens * (chars - after) as f64));
            }
        }
    }
    if let Some(reaches) = view.reaches {
        // A cut or a small result is none later either.
        reaches.settle(PASS.name, |block| open.binary_search(&block).is_err());
    }
    if candidates.is_empty() {
        return Ok(Proposal {
            skipped,
            ..note("no old result has enough tokens (breakEven.minTokens)")
        });
    }
    let weighed: Vec<Saving> = candidates
        .iter()
        .map(|&(at, tokens)| Saving {
            message: at.0,
            tokens,
        })
        .collect();
    let (from, why) = match cache.is_cold {
        true => (
            0,
            "the cache has expired: the whole prompt is written anew anyway".to_owned(),
        ),
        false => match Weighing::new(view, cache, &settings.break_even).best(&weighed) {
            Ok(best) => best,
            Err(why) => {
                return Ok(Proposal {
                    skipped,
                    ..note(why)
                });
            }
        },
    };
    let (text, reason): (Arc<str>, Arc<str>) = (placeholder.as_str().into(), why.into());
    let cut = |&(at, _): &(Part, f64)| {
        view.new_cut(
            PASS.name,
            at,
            (Action::Clear(text.clone()), after),
            Reason::Shared(reason.clone()),
        )
    };
    Ok(Proposal {
        cuts: candidates[from..].iter().map(cut).collect(),
        skipped,
        ..Proposal::default()
    })
}
