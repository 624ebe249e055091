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

use super::{
    candidates::{candidates_before, cutoff},
    weighing::Weighing,
    *,
};
use crate::{cache_state::CacheState, edit::Savings, resource::kind_of};

/// The most tokens that a char of text has, for a session with a budget: where a log records too few tokens of an answer, the rest is
/// counted for the results behind it.
const DENSEST: f64 = 0.5;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "break-even",
    about: "clear old tool results where that saves more than it costs (mode break-even)",
    on: |settings| settings.context_pruning.mode == Mode::BreakEven,
    clocked: true,
    reach: Reach::Weighed,
    plan,
    ..Pass::REST
};

fn plan(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, Rest> {
    let asked = view.cache.as_ref().filter(|_| mode == Mode::BreakEven);
    let cache = asked.ok_or("the mode is not break-even")?;
    let keep = settings.break_even.keep_last_assistants;
    let (found, skipped) = candidates_before(view, settings, keep, PASS.name)?;
    let reaches = view.reaches.filter(|_| !view.has_removals());
    let known = reaches.map(|reaches| reaches.waiting.take());
    let mut waiting = known.unwrap_or_default();
    // Where all messages were looked at again, fewer may be in reach, and what is was found again.
    let end = cutoff(view, keep)? as u32;
    waiting.take_from(found.first().map_or(end, |first| first.0));
    wait(&mut waiting, found, view, settings, cache)?;
    let best = if waiting.cuts.is_empty() {
        Err("no old result has enough tokens (breakEven.minTokens)".to_owned())
    } else if cache.is_cold {
        let why = "the cache has expired: the whole prompt is written anew anyway";
        Ok((0, why.to_owned()))
    } else {
        Weighing::new(view, cache, &settings.break_even).best(&waiting)
    };
    let proposal = match best {
        Ok((from, why)) => clear(&waiting.cuts[from..], why, view, settings),
        Err(why) => note(why),
    };
    if let Some(reaches) = reaches {
        reaches.settle(PASS.name, |_| true);
        reaches.waiting.replace(waiting);
    }
    Ok(Proposal {
        skipped,
        ..proposal
    })
}

/// Takes out the results that were cut since the request before, and adds those of `found` that have enough tokens. A cut or a small result
/// is none later either.
fn wait(
    waiting: &mut Savings,
    found: Vec<Part>,
    view: &View<'_>,
    settings: &Settings,
    cache: &CacheState,
) -> Result<()> {
    let (before, now) = view.cut_messages();
    let now = now.iter().min().copied();
    let cut = before[waiting.seen..].iter().min().copied();
    let changed = [now, cut, waiting.changed].into_iter().flatten().min();
    let again = waiting.take_from(changed.unwrap_or(u32::MAX));
    // What this run cuts may be whole in the next one.
    (waiting.seen, waiting.changed) = (before.len(), now);
    let placeholder = &settings.context_pruning.hard_clear.placeholder;
    let after = view.chars_of_text(placeholder);
    for at in again.into_iter().chain(found) {
        let chars = view.chars_of_result_before(at.1);
        if view.cut(at.1).is_some() || chars <= after || view.is_placeholder(at, placeholder)? {
            continue;
        }
        // A message of results is as long as these.
        let all =
            estimate::message(view.transcript, at.0 as usize, view.estimator).max(chars) as f64;
        let mut tokens = cache.tokens[at.0 as usize] / all;
        if settings.break_even.budget.is_some() {
            tokens = tokens.min(DENSEST);
        }
        let least = &settings.break_even.min_tokens;
        let least = least.of(kind_of(view.tool(at.1)));
        if least.is_some_and(|least| tokens * chars as f64 >= least as f64) {
            waiting.push(at, tokens * (chars - after) as f64);
        }
    }
    Ok(())
}

/// Proposes to clear results.
fn clear(results: &[Part], why: String, view: &View<'_>, settings: &Settings) -> Proposal {
    let placeholder = &settings.context_pruning.hard_clear.placeholder;
    let after = view.chars_of_text(placeholder);
    let (text, reason): (Arc<str>, Arc<str>) = (placeholder.as_str().into(), why.into());
    let cut = |&at: &Part| {
        view.new_cut(
            PASS.name,
            at,
            (Action::Clear(text.clone()), after),
            reason.clone(),
        )
    };
    Proposal {
        cuts: results.iter().map(cut).collect(),
        ..Proposal::default()
    }
}
