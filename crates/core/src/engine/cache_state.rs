//! The state of the provider's cache before a run cuts, from the input, the clock and the session.

use super::*;
use crate::{
    cache_state::CacheState,
    message_tokens::{MessageTokens, Pause, RECENT, pauses},
    pass::{Reach, weighing::request_cost},
    recorded::{counted, is_answer, is_shortened, times},
    session::{Ledger, SentPrompt},
    settings::{OnlyIf, Thinking},
    transcript::{BlockKind, Layout},
};
use std::rc::Rc;

/// The number of prompts whose time is searched for in the log: a cache with marks finds a prompt
/// at most this many blocks before the end of the next.
const NEAR: usize = 20;

/// What is known of the requests before one.
pub struct KnownRequests {
    /// Their prompts, the shortest first.
    pub ends: Vec<SentPrompt>,
    /// Tokens of each message of the context, as it came.
    pub tokens: Rc<Vec<f64>>,
    /// Whether their prompts are cached for the long lifetime, if that is known.
    pub long: Option<bool>,
    /// What they cost.
    pub ledger: Ledger,
    /// The time since the last of them in milliseconds, if that is known.
    pub idle: Option<i64>,
}

/// Returns the cache as the input and the clock show it. There was a request before each answer,
/// and its prompt is cached. For earlier runs the state knows which prompts begin like the last
/// one; with an older state, those count that end before its first cut, and the newest one.
///
/// # Errors
/// The input cannot be read any more.
pub fn cache_state(
    view: &View<'_>,
    row: &Row,
    idle: Option<i64>,
    setup: &Setup,
    long: Option<bool>,
) -> Result<CacheState> {
    let transcript = view.transcript;
    let memory = setup.memory.as_deref();
    let mut ends: Vec<SentPrompt> = transcript
        .messages
        .iter()
        .zip(0..)
        .filter(|(message, _)| is_answer(message))
        .map(|(_, length)| SentPrompt { length, sent: None })
        .collect();
    let length = transcript.messages.len() as u32;
    let known = memory.map_or(&[][..], |memory| &memory.ends);
    let first = view.cuts().next().map(|cut| cut.message);
    if let Some(SentPrompt { length: newest, .. }) = known.last() {
        // Later requests were made without this program, unless the context is a different one.
        ends.retain(|end| *newest <= length && end.length > *newest);
        ends = known
            .iter()
            .copied()
            .filter(|end| end.length <= length)
            .chain(ends)
            .collect();
    } else if let (Some(first), Some(&newest)) = (first, ends.last()) {
        ends.retain(|end| end.length <= first || *end == newest);
    }
    let mut counted = counted(view)?;
    let notes = setup.settings.notes();
    let mut tokens = MessageTokens::default();
    // What cannot be read is no note.
    let shortened = |i: usize| is_shortened(transcript, view.texts, i, &notes).unwrap_or_default();
    for request in &counted {
        tokens.counted(transcript, *request, shortened);
    }
    ends.retain(|end| end.length as usize >= tokens.cached_from());
    find_times(view, &mut ends)?;
    let known = KnownRequests {
        ends,
        tokens: tokens.of(transcript),
        long,
        ledger: memory.map_or(Ledger::default(), |memory| memory.ledger),
        idle,
    };
    let state = known_cache(row, &setup.clock, known, || {
        for request in counted.iter_mut().rev().take(RECENT) {
            [request.sent, request.answered] = times(view, request.length)?;
        }
        Ok(pauses(&counted))
    })?;
    let own = setup.settings.break_even.own_marks;
    Ok(CacheState {
        free_mark: free_mark(transcript).filter(|_| own),
        ..state
    })
}

/// Returns the lifetime of a further cache mark, if a request may have one: its marks have one
/// lifetime, and are fewer than allowed.
fn free_mark(transcript: &Transcript) -> Option<bool> {
    let marks = transcript.cache_marks();
    let (first, _) = *marks.first()?;
    let rules = transcript.rules();
    let most = rules.marks.filter(|_| !rules.is_history)?;
    (marks.len() < most && marks.iter().all(|(long, _)| *long == first)).then_some(first)
}

/// Finds in the log when the newest prompts were sent, if the state does not know.
fn find_times(view: &View<'_>, ends: &mut [SentPrompt]) -> Result<()> {
    let length = view.transcript.messages.len();
    for end in ends.iter_mut().rev().take(NEAR) {
        let answer = end.length as usize;
        if end.sent.is_none() && answer < length {
            [end.sent, _] = times(view, answer)?;
        }
    }
    Ok(())
}

/// Returns the ledger with the cost of the request that `view` shows, if its cache is known.
pub fn with_request(
    ledger: Ledger,
    view: &View<'_>,
    cache: Option<&CacheState>,
    setup: &Setup,
) -> Ledger {
    cache.map_or(ledger, |cache| {
        ledger.with(request_cost(view, cache, &setup.settings.break_even))
    })
}

/// Returns whether a run needs the state of the cache.
pub fn asks_cache(transcript: &Transcript, policy: &CachePolicy, setup: &Setup) -> bool {
    let settings = &setup.settings;
    policy.mode == Mode::BreakEven
        || setup
            .passes
            .iter()
            .any(|pass| pass.is_on(settings) && is_weighed(pass, transcript, policy, settings))
}

/// Returns whether the cost of a session, with and without cuts, decides about cuts.
pub fn keeps_ledger(settings: &Settings) -> bool {
    settings.break_even.budget.is_some()
        || is_unasked(settings)
            && PASSES
                .iter()
                .any(|pass| pass.is_on(settings) && pass.is_weighed(settings, Layout::History))
}

/// Returns whether cuts are weighed though the user did not ask for it.
pub fn is_unasked(settings: &Settings) -> bool {
    settings.only_if == OnlyIf::Auto && settings.context_pruning.mode != Mode::BreakEven
}

/// Returns whether the cuts of a pass are compared with their cost. If nothing is known about the
/// cache, they are only if the user asked for it.
pub fn is_weighed(
    pass: &Pass,
    transcript: &Transcript,
    policy: &CachePolicy,
    settings: &Settings,
) -> bool {
    pass.is_weighed(settings, transcript.layout)
        && (settings.only_if == OnlyIf::ItPays || policy.decision.idle_ms.is_some())
        || pass.reach != Reach::Weighed && redoes_reasoning(transcript, settings)
}

/// Returns whether a provider may do the reasoning behind a cut again without an error, and the
/// user did not agree to that.
pub fn redoes_reasoning(transcript: &Transcript, settings: &Settings) -> bool {
    let (provider, model) = provider_and_model(transcript, settings);
    let rules = (transcript.provider.rules)(model, provider);
    rules.thinking_lost
        && rules.thinking_bound == Some(true)
        && settings.only_if != OnlyIf::Always
        && !matches!(settings.thinking, Thinking::DropBlock | Thinking::Keep)
        && transcript
            .blocks
            .iter()
            .any(|block| block.kind == BlockKind::Thinking)
}

/// Returns the cache by the rules of `row`. `pauses` returns the times between the requests. A
/// prompt that was sent longer ago than the lifetime (the shorter one if it is not known) counts as
/// expired unless it is the newest: no request shows that a hit on a longer prompt kept it.
///
/// # Errors
/// Those of `pauses`.
pub fn known_cache(
    row: &Row,
    clock: &Clock,
    known: KnownRequests,
    pauses: impl FnOnce() -> Result<Vec<Pause>>,
) -> Result<CacheState> {
    let KnownRequests {
        ends, long, ledger, ..
    } = known;
    let newest = ends.last().copied();
    let oldest = clock
        .now
        .saturating_sub_unsigned(row.lifetime_ms(long == Some(true)));
    let ends = ends
        .into_iter()
        .filter(|end| Some(*end) == newest || end.sent.is_none_or(|sent| sent > oldest))
        .map(|end| end.length)
        .collect();
    let mut state = CacheState::of(row, long, known.idle, pauses)?;
    state.ends = ends;
    state.tokens = known.tokens;
    state.is_cold |= clock.assume_cold;
    (state.spent, state.saved) = (ledger.spent, ledger.unpruned - ledger.spent);
    Ok(state)
}
