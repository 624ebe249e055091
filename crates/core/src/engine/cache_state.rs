//! The state of the provider's cache before a run cuts, from the input, the clock and the session.

use super::Setup;
use crate::Error;
use crate::cache_policy::CachePolicy;
use crate::cache_state::CacheState;
use crate::dialect::usage::Usage;
use crate::edit::View;
use crate::message_tokens::{CountedRequest, MessageTokens, Pause, pauses};
use crate::pass::weighing::request_cost;
use crate::pass::{PASSES, Pass};
use crate::prices;
use crate::recorded::{counted, is_answer, timed};
use crate::session::{Ledger, SentPrompt};
use crate::settings::{Mode, OnlyIf, Settings, Step};
use crate::transcript::{Layout, Transcript};

/// Prompts whose time is looked for in the log: a cache with marks finds one no more blocks than these before the end of the next.
const NEAR: usize = 20;

/// The cache as the input and the clock show it. Each answer followed a request, whose prompt is cached; of earlier runs the state knows
/// which prompts begin as the last one; an older state does not, and then those count that end before their first cut, and the newest.
///
/// # Errors
/// The input cannot be read any more.
pub fn cache_state(view: &View<'_>, policy: &CachePolicy, setup: &Setup, long: Option<bool>) -> Result<CacheState, Error> {
    let messages = view.transcript.messages.iter().enumerate();
    let answers = messages.filter(|(_, message)| is_answer(message));
    let mut ends: Vec<SentPrompt> = answers.map(|(i, _)| SentPrompt { length: i as u32, sent: None }).collect();
    let length = view.transcript.messages.len() as u32;
    let known = setup.memory.as_ref().map(|memory| &memory.ends[..]).unwrap_or_default();
    if let Some(SentPrompt { length: newest, .. }) = known.last() {
        // Requests that were not seen here have come since, unless the context is another one.
        let since = if *newest <= length { ends.split_off(ends.partition_point(|end| end.length <= *newest)) } else { Vec::new() };
        ends = known.iter().copied().filter(|end| end.length <= length).chain(since).collect();
    } else if let (Some(first), Some(&newest)) = (view.cuts().next().map(|cut| cut.message), ends.last()) {
        ends.retain(|end| end.length <= first || *end == newest);
    }
    let counted = counted(view)?;
    let mut tokens = MessageTokens::default();
    counted.iter().for_each(|request| tokens.counted(view.transcript, *request));
    ends.retain(|end| end.length as usize >= tokens.cached_from());
    find_times(view, &mut ends)?;
    let ledger = setup.memory.as_ref().map(|memory| memory.ledger).unwrap_or_default();
    let known = (ends, tokens.of(view.transcript));
    known_cache(view, policy, setup, known, (long, ledger), || Ok(pauses(&timed(view, counted)?)))
}

/// Finds in the log when the newest prompts were sent, where the state does not say it.
fn find_times(view: &View<'_>, ends: &mut [SentPrompt]) -> Result<(), Error> {
    let near = ends.iter_mut().rev().take(NEAR);
    let near: Vec<&mut SentPrompt> =
        near.filter(|end| end.sent.is_none() && (end.length as usize) < view.transcript.messages.len()).collect();
    let request =
        |end: &&mut SentPrompt| CountedRequest { length: end.length as usize, usage: Usage::default(), sent: None, answered: None };
    let requests = timed(view, near.iter().map(request).collect())?;
    near.into_iter().zip(requests).for_each(|(end, request)| end.sent = request.sent);
    Ok(())
}

/// The ledger with the request that `view` shows, where it is kept.
pub fn with_request(ledger: Ledger, view: &View<'_>, setup: &Setup) -> Ledger {
    let cache = view.cache.as_ref().filter(|_| keeps_ledger(&setup.settings));
    cache.map_or(ledger, |cache| ledger.with(request_cost(view, cache, &setup.settings.break_even)))
}

/// Whether a run asks what is known of the cache.
pub fn asks_cache(transcript: &Transcript, policy: &CachePolicy, setup: &Setup) -> bool {
    let settings = &setup.settings;
    let weighs = |pass: &Pass| pass.is_on(settings) && is_weighed(pass, transcript, policy, settings);
    let pays = settings.edits.iter().any(Step::is_weighed);
    policy.mode == Mode::BreakEven || pays || setup.passes.iter().any(weighs)
}

/// Whether what a session has cost, and would have cost without cuts, is asked.
pub fn keeps_ledger(settings: &Settings) -> bool {
    let weighs = |pass: &Pass| pass.is_on(settings) && pass.is_weighed(settings, Layout::History);
    let unasked = settings.only_if == OnlyIf::Auto && settings.context_pruning.mode != Mode::BreakEven;
    settings.break_even.budget.is_some() || unasked && PASSES.iter().any(weighs)
}

/// Whether what a pass proposes is weighed in this run: where nothing is known of the cache, only if that was asked for.
pub fn is_weighed(pass: &Pass, transcript: &Transcript, policy: &CachePolicy, settings: &Settings) -> bool {
    pass.is_weighed(settings, transcript.layout) && (settings.only_if == OnlyIf::ItPays || policy.decision.idle_ms.is_some())
}

/// Returns the cache where the prompts, the tokens of messages, the lifetime and what the session has cost are known. `pauses` finds those
/// between the requests. A prompt that was sent longer ago than the lifetime, the shorter one where it is not known, counts as gone, unless
/// it is the newest: no request shows that one which shares its beginning keeps it.
///
/// # Errors
/// Those of `pauses`.
pub fn known_cache(
    view: &View<'_>,
    policy: &CachePolicy,
    setup: &Setup,
    (ends, tokens): (Vec<SentPrompt>, Vec<f64>),
    (long, ledger): (Option<bool>, Ledger),
    pauses: impl FnOnce() -> Result<Vec<Pause>, Error>,
) -> Result<CacheState, Error> {
    let model = setup.settings.model.as_deref().or(view.transcript.model.as_deref());
    let (row, _) = prices::row_at(model.unwrap_or_default(), Some(setup.clock.now), &setup.settings.replay.rates);
    let (newest, oldest) = (ends.last().copied(), setup.clock.now.saturating_sub_unsigned(row.lifetime_ms(long == Some(true))));
    let is_kept = |end: &SentPrompt| Some(*end) == newest || end.sent.is_none_or(|sent| sent > oldest);
    let ends = ends.into_iter().filter(is_kept).map(|end| end.length).collect();
    let mut state = CacheState::of(&row, long, policy.decision.idle_ms, (ends, tokens), pauses)?;
    state.is_cold |= setup.clock.assume_cold;
    (state.spent, state.saved) = (ledger.spent, ledger.unpruned - ledger.spent);
    Ok(state)
}
