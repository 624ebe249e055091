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
use crate::settings::{Mode, OnlyIf, Settings};
use crate::transcript::{Layout, Transcript};

/// The number of prompts whose time is searched for in the log: a cache with marks finds a prompt at most this many blocks before the end
/// of the next.
const NEAR: usize = 20;

/// Returns the cache as the input and the clock show it. There was a request before each answer, and its prompt is cached. For earlier runs
/// the state knows which prompts begin like the last one; with an older state, those count that end before its first cut, and the newest
/// one.
///
/// # Errors
/// The input cannot be read any more.
pub fn cache_state(
    view: &View<'_>,
    policy: &CachePolicy,
    setup: &Setup,
    long: Option<bool>,
) -> Result<CacheState, Error> {
    let messages = view.transcript.messages.iter().enumerate();
    let answers = messages.filter(|(_, message)| is_answer(message));
    let mut ends: Vec<SentPrompt> = answers
        .map(|(i, _)| SentPrompt {
            length: i as u32,
            sent: None,
        })
        .collect();
    let length = view.transcript.messages.len() as u32;
    let known = setup
        .memory
        .as_ref()
        .map(|memory| &memory.ends[..])
        .unwrap_or_default();
    if let Some(SentPrompt { length: newest, .. }) = known.last() {
        // Later requests were made without this program, unless the context is a different one.
        let since = if *newest <= length {
            ends.split_off(ends.partition_point(|end| end.length <= *newest))
        } else {
            Vec::new()
        };
        ends = known
            .iter()
            .copied()
            .filter(|end| end.length <= length)
            .chain(since)
            .collect();
    } else if let (Some(first), Some(&newest)) =
        (view.cuts().next().map(|cut| cut.message), ends.last())
    {
        ends.retain(|end| end.length <= first || *end == newest);
    }
    let counted = counted(view)?;
    let mut tokens = MessageTokens::default();
    counted
        .iter()
        .for_each(|request| tokens.counted(view.transcript, *request));
    ends.retain(|end| end.length as usize >= tokens.cached_from());
    find_times(view, &mut ends)?;
    let ledger = setup
        .memory
        .as_ref()
        .map(|memory| memory.ledger)
        .unwrap_or_default();
    let known = (ends, tokens.of(view.transcript));
    known_cache(view, policy, setup, known, (long, ledger), || {
        Ok(pauses(&timed(view, counted)?))
    })
}

/// Finds in the log when the newest prompts were sent, if the state does not know.
fn find_times(view: &View<'_>, ends: &mut [SentPrompt]) -> Result<(), Error> {
    let near = ends.iter_mut().rev().take(NEAR);
    let near: Vec<&mut SentPrompt> = near
        .filter(|end| end.sent.is_none() && (end.length as usize) < view.transcript.messages.len())
        .collect();
    let request = |end: &&mut SentPrompt| CountedRequest {
        length: end.length as usize,
        usage: Usage::default(),
        sent: None,
        answered: None,
    };
    let requests = timed(view, near.iter().map(request).collect())?;
    near.into_iter()
        .zip(requests)
        .for_each(|(end, request)| end.sent = request.sent);
    Ok(())
}

/// Returns the ledger with the cost of the request that `view` shows, if a ledger is kept.
pub fn with_request(ledger: Ledger, view: &View<'_>, setup: &Setup) -> Ledger {
    let cache = view
        .cache
        .as_ref()
        .filter(|_| keeps_ledger(&setup.settings));
    cache.map_or(ledger, |cache| {
        ledger.with(request_cost(view, cache, &setup.settings.break_even))
    })
}

/// Returns whether a run needs the state of the cache.
pub fn asks_cache(transcript: &Transcript, policy: &CachePolicy, setup: &Setup) -> bool {
    let settings = &setup.settings;
    let weighs =
        |pass: &Pass| pass.is_on(settings) && is_weighed(pass, transcript, policy, settings);
    policy.mode == Mode::BreakEven || setup.passes.iter().any(weighs)
}

/// Returns whether the cost of a session, with and without cuts, is needed.
pub fn keeps_ledger(settings: &Settings) -> bool {
    let weighs = |pass: &Pass| pass.is_on(settings) && pass.is_weighed(settings, Layout::History);
    let unasked =
        settings.only_if == OnlyIf::Auto && settings.context_pruning.mode != Mode::BreakEven;
    settings.break_even.budget.is_some() || unasked && PASSES.iter().any(weighs)
}

/// Returns whether the cuts of a pass are compared with their cost. If nothing is known about the cache, they are only if the user asked
/// for it.
pub fn is_weighed(
    pass: &Pass,
    transcript: &Transcript,
    policy: &CachePolicy,
    settings: &Settings,
) -> bool {
    pass.is_weighed(settings, transcript.layout)
        && (settings.only_if == OnlyIf::ItPays || policy.decision.idle_ms.is_some())
}

/// Returns the cache if the prompts, the tokens of messages, the lifetime and the cost of the session are known. `pauses` returns the times
/// between the requests. A prompt that was sent longer ago than the lifetime (the shorter one if it is not known) counts as expired unless
/// it is the newest: no request shows that a hit on a longer prompt kept it.
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
    let model = setup
        .settings
        .model
        .as_deref()
        .or(view.transcript.model.as_deref());
    let (row, _) = prices::row_at(
        model.unwrap_or_default(),
        Some(setup.clock.now),
        &setup.settings.replay,
    );
    let (newest, oldest) = (
        ends.last().copied(),
        setup
            .clock
            .now
            .saturating_sub_unsigned(row.lifetime_ms(long == Some(true))),
    );
    let is_kept =
        |end: &SentPrompt| Some(*end) == newest || end.sent.is_none_or(|sent| sent > oldest);
    let ends = ends
        .into_iter()
        .filter(is_kept)
        .map(|end| end.length)
        .collect();
    let mut state = CacheState::of(&row, long, policy.decision.idle_ms, (ends, tokens), pauses)?;
    state.is_cold |= setup.clock.assume_cold;
    (state.spent, state.saved) = (ledger.spent, ledger.unpruned - ledger.spent);
    Ok(state)
}
