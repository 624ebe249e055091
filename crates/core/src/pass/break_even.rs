//! break-even: clears old tool results where that saves more than it costs in cache writes.
//!
//! **What.** Results older than the last `keepLastAssistants` assistant messages and larger than
//! `minTokens` for the kind of their tool are candidates. Where the cache has expired, all are
//! cleared: the whole prompt is written again anyway. While it is warm, a cut makes the provider
//! write everything behind it again, up to the end of the previous prompt. For each place the pass
//! computes what clearing all candidates from there on saves in the requests that are expected to
//! follow, less what must be written again; it clears from the place with the largest net saving
//! on. What is behind it is written again anyway, so that smaller results there go along
//! (`alongTokens`); they cause no cut.
//!
//! **Why.** The usual rules cut when the window fills or after a fixed time. The first is the most
//! expensive moment, the second often invalidates a cache that is still warm.

use super::{
    candidates::{candidates_before, cutoff},
    server,
    weighing::Weighing,
    *,
};
use crate::{
    cache_state::CacheState, edit::Savings, resource::kind_of,
    settings::context_management::SERVER_TEXT,
};

/// The most tokens that a char of text has, for a session with a budget: if a log records too few
/// tokens of an answer, the rest is counted for the results behind it.
const DENSEST: f64 = 0.5;

/// How many times its cost a longer run of the server must save: each growth writes again what is
/// behind it, while waiting costs only reads.
const AGAIN: f64 = 2.0;

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
    let text = &*settings.context_pruning.hard_clear.placeholder;
    let (text, action) = match &view.server {
        Some(tools) => (SERVER_TEXT, Action::Server(tools.clone())),
        None => (text, Action::Clear(text.into())),
    };
    let after = (action, view.chars_of_text(text));
    let keep = settings.break_even.keep_last_assistants;
    let (found, mut skipped) = candidates_before(view, settings, (keep, true), PASS.name)?;
    // A replay has no report of each request.
    let reported = view.reaches.map_or_else(|| found.clone(), |_| Vec::new());
    let reaches = view.reaches.filter(|_| !view.has_removals());
    let known = reaches.map(|reaches| reaches.waiting.take());
    let mut both = known.unwrap_or_default();
    // If all messages were looked at again, fewer may be in reach, and those that are were found
    // again.
    let end = cutoff(view, keep)? as u32;
    let begin = found.first().map_or(end, |first| first.0);
    both.iter_mut()
        .for_each(|savings| drop(savings.take_from(begin)));
    wait(&mut both, found, view, settings, cache)?;
    let [waiting, along] = &both;
    let swept = |from: usize| {
        let causes = &waiting.cuts[from..];
        let first = causes.first().map_or(0, |cut| along.before(cut.0));
        let mut cuts = [causes, &along.cuts[first..]].concat();
        cuts.sort_unstable();
        cuts
    };
    let weighing = || Weighing::new(view, cache, &settings.break_even);
    let best = if waiting.cuts.is_empty() {
        Err("no old result has enough tokens (breakEven.minTokens)".to_owned())
    } else if let Some(tools) = &view.server {
        let mut run = Savings::default();
        for at in server::run(view, settings, tools, (end, &waiting.cuts))? {
            let chars = view.chars_of_result_before(at.1).saturating_sub(after.1);
            run.push(
                at,
                tokens_of_a_char(view, settings, cache, at) * chars as f64,
            );
        }
        let mut weighing = weighing();
        if view.cuts().any(|cut| cut.action.by_server().is_some()) {
            weighing.caution *= AGAIN;
        } else if view.transcript.cache_marks().is_empty() && !view.rules.is_history {
            // Anthropic caches nothing without a mark.
            weighing.cached = Some(0);
        }
        weighing.all(&run).map(|why| (run.cuts, why))
    } else if cache.is_cold {
        weighing().all(waiting).map(|why| (swept(0), why))
    } else {
        let best = weighing().best(waiting);
        best.map(|(from, why)| (swept(from), why))
    };
    let proposal = match best {
        Ok((cuts, why)) => clear(&cuts, why, view, &after),
        Err(why) => note(why),
    };
    if let Some(reaches) = reaches {
        reaches.settle(PASS.name, |_| true);
        reaches.waiting.replace(both);
    }
    let cut: BTreeSet<u32> = proposal.cuts.iter().map(|cut| cut.block).collect();
    for at in reported {
        if !cut.contains(&at.1) {
            let why = why_left(at, view, settings, cache);
            skipped.push(view.skip(PASS.name, at, why));
        }
    }
    Ok(Proposal {
        skipped,
        ..proposal
    })
}

/// Takes out the results that were cut since the request before, and adds those of `found` that
/// have enough tokens to cause a cut, or to go along with one. A result that is cut, or too small,
/// is not added by a later request either.
fn wait(
    [waiting, along]: &mut [Savings; 2],
    found: Vec<Part>,
    view: &View<'_>,
    settings: &Settings,
    cache: &CacheState,
) -> Result<()> {
    let (before, now) = view.cut_messages();
    let now = now.iter().min().copied();
    let cut = before[waiting.seen..].iter().min().copied();
    let changed = [now, cut, waiting.changed].into_iter().flatten().min();
    let mut again = waiting.take_from(changed.unwrap_or(u32::MAX));
    again.extend(along.take_from(changed.unwrap_or(u32::MAX)));
    again.sort_unstable();
    // What this run cuts may be whole in the next one.
    (waiting.seen, waiting.changed) = (before.len(), now);
    let placeholder = &settings.context_pruning.hard_clear.placeholder;
    let after = view.chars_of_text(placeholder);
    for at in again.into_iter().chain(found) {
        let chars = view.chars_of_result_before(at.1);
        if view.cut(at.1).is_some() || chars <= after || view.is_placeholder(at, placeholder)? {
            continue;
        }
        let tokens = tokens_of_a_char(view, settings, cache, at);
        let kind = kind_of(view.tool(at.1));
        let settings = &settings.break_even;
        let lists = [
            (&mut *waiting, &settings.min_tokens),
            (&mut *along, &settings.along_tokens.0),
        ];
        let is_enough = |least: u64| tokens * chars as f64 >= least as f64;
        let mut fitting = lists
            .into_iter()
            .filter(|(_, least)| least.of(kind).is_some_and(is_enough));
        if let Some((savings, _)) = fitting.next() {
            savings.push(at, tokens * (chars - after) as f64);
        }
    }
    Ok(())
}

/// Why a result that may be cut is not.
fn why_left(at: Part, view: &View<'_>, settings: &Settings, cache: &CacheState) -> String {
    let tool = view.tool(at.1);
    let chars = view.chars_of_result_before(at.1) as f64;
    let tokens = tokens_of_a_char(view, settings, cache, at) * chars;
    match settings.break_even.min_tokens.of(kind_of(tool)) {
        Some(least) if tokens < least as f64 => format!(
            "about {tokens:.0} tokens, fewer than the {least} from which a result of {tool} is cleared (breakEven.minTokens)"
        ),
        Some(_) => "to clear it would cost more than it saves".to_owned(),
        None => format!("results of {tool} stay (breakEven.minTokens)"),
    }
}

/// Tokens of a char of the result at `at`.
pub fn tokens_of_a_char(view: &View<'_>, settings: &Settings, cache: &CacheState, at: Part) -> f64 {
    // A message of results is as long as its results.
    let chars = view.chars_of_result_before(at.1);
    let all = estimate::message(view.transcript, at.0 as usize, view.estimator).max(chars);
    let tokens = cache.tokens[at.0 as usize] / all as f64;
    match settings.break_even.budget {
        Some(_) => tokens.min(DENSEST),
        None => tokens,
    }
}

/// Proposes to clear results.
fn clear(results: &[Part], why: String, view: &View<'_>, after: &(Action, u64)) -> Proposal {
    let reason: Reason = why.into();
    let cut = |&at: &Part| view.new_cut(PASS.name, at, after.clone(), reason.clone());
    Proposal {
        cuts: results.iter().map(cut).collect(),
        ..Proposal::default()
    }
}
