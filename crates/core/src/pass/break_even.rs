//! break-even: clears old tool results where that saves more than the cache costs that it breaks.
//!
//! **What.** Results older than the last `keepLastAssistants` assistant messages and larger than `minTokens` are candidates. Where the cache
//! has expired, all are cleared: the whole prompt is written anew anyway. While it is warm, a cut at some place makes all behind it
//! be written again, up to the end of the prompt before. So for each place it is asked what clearing all candidates from there on saves in
//! the requests that are expected to follow, and what must be written again; they are cleared from the place on where most is left.
//!
//! **Why.** The usual rules cut when the window fills or after a fixed time. The first is the dearest moment, the second often
//! prunes a cache that is still warm.
//!
//! **Safety.** Only contents of results change, by the same placeholder as in hard-clear, and none that is protected. A result that
//! is a placeholder is no candidate, so that a second run changes nothing.
//!
//! ```text
//! before  {"type":"tool_result","tool_use_id":"t","content":"total 536\n…"}
//! after   {"type":"tool_result","tool_use_id":"t","content":"[Old tool result content cleared]"}
//! ```

use super::candidates::{Candidate, candidates_before};
use super::hard_clear::is_placeholder;
use super::{Pass, note};
use crate::Error;
use crate::cache_state::CacheState;
use crate::edit::{Action, Cut, Proposal, Reason, View};
use crate::estimate;
use crate::prices::Reuse;
use crate::settings::{BreakEven, Mode, Settings};
use crate::transcript::Role;
use std::sync::Arc;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "break-even",
    about: "clear old tool results where that saves more than it costs (mode break-even)",
    on: |settings| settings.context_pruning.mode == Mode::BreakEven,
    clocked: true,
    size: None,
    plan,
};

/// Requests that are expected to follow, at least and at most.
const EXPECTED: (f64, f64) = (5.0, 80.0);

fn plan(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, Error> {
    let Some(cache) = view.cache.as_ref().filter(|_| mode == Mode::BreakEven) else { return Ok(note("the mode is not break-even")) };
    let (found, skipped) = match candidates_before(view, settings, settings.break_even.keep_last_assistants, PASS.name)? {
        Ok(found) => found,
        Err(why) => return Ok(note(why)),
    };
    let placeholder = &settings.context_pruning.hard_clear.placeholder;
    let after = view.chars_of_text(placeholder);
    let mut candidates = Vec::new();
    for at in found {
        let chars = view.chars_of_result(at.block);
        if view.cut(at.block).is_none() && chars > after && !is_placeholder(view, at, placeholder)? {
            // A message of results is as long as these.
            let all = estimate::message(view.transcript, at.message as usize, view.estimator).max(chars) as f64;
            let tokens = cache.tokens[at.message as usize] / all;
            if tokens * chars as f64 >= settings.break_even.min_tokens as f64 {
                candidates.push((at, tokens * (chars - after) as f64));
            }
        }
    }
    if candidates.is_empty() {
        return Ok(Proposal { skipped, ..note(format!("no old result has {} tokens", settings.break_even.min_tokens)) });
    }
    let (from, why) = match cache.is_cold {
        true => (0, "the cache has expired: the whole prompt is written anew anyway".to_owned()),
        false => match Weighing::new(view, cache, &settings.break_even).best(&candidates) {
            Ok(found) => found,
            Err(why) => return Ok(Proposal { skipped, ..note(why) }),
        },
    };
    let (text, reason): (Arc<str>, Arc<str>) = (placeholder.as_str().into(), why.into());
    let cut = |&(Candidate { message, block }, _): &(Candidate, f64)| Cut {
        pass: PASS.name,
        message,
        block,
        action: Action::Clear(text.clone()),
        chars_before: view.chars_of_result_before(block),
        chars_after: after,
        linked: false,
        reason: Reason::Shared(reason.clone()),
    };
    Ok(Proposal { cuts: candidates[from..].iter().map(cut).collect(), skipped, ..Proposal::default() })
}

/// What a cut of a warm cache saves and costs.
struct Weighing<'a> {
    cache: &'a CacheState,
    settings: &'a BreakEven,
    /// Tokens of the first n messages, as earlier cuts leave them.
    tokens: Vec<f64>,
    /// Blocks of the first n messages.
    blocks: Vec<usize>,
    /// Requests that are expected to follow.
    expected: f64,
}

impl<'a> Weighing<'a> {
    fn new(view: &View<'_>, cache: &'a CacheState, settings: &'a BreakEven) -> Weighing<'a> {
        let mut left = cache.tokens.clone();
        for cut in view.cuts() {
            let all = estimate::message(view.transcript, cut.message as usize, view.estimator).max(cut.chars_before).max(1) as f64;
            let saved = cut.chars_before as f64 - cut.chars_after as f64;
            left[cut.message as usize] -= cache.tokens[cut.message as usize] * saved / all;
        }
        let sum = |sum: &mut f64, tokens: f64| {
            *sum += tokens;
            Some(*sum)
        };
        let tokens = std::iter::once(0.0).chain(left.into_iter().scan(0.0, sum)).collect();
        let blocks = std::iter::once(0).chain((0..view.transcript.messages.len()).scan(0, |sum, i| {
            *sum += view.transcript.parts(i).count();
            Some(*sum)
        }));
        let requests = view.transcript.messages.iter().filter(|m| m.role == Role::Assistant && !m.continues).count();
        let guess = (settings.expect_factor * requests as f64).clamp(EXPECTED.0, EXPECTED.1);
        Weighing {
            cache,
            settings,
            tokens,
            blocks: blocks.collect(),
            expected: settings.expect_requests.map_or(guess, |requests| requests as f64),
        }
    }

    /// From which of the candidates on to clear, and why; or why none.
    fn best(&self, candidates: &[(Candidate, f64)]) -> Result<(usize, String), String> {
        let Some(&newest) = self.cache.ends.last() else { return Err("no request came before this one".to_owned()) };
        let (read, more) = (self.cache.read / 1e6, (self.cache.write - self.cache.read) / 1e6);
        let (mut saved, mut best) = (0.0, None::<(f64, usize, f64, f64)>);
        for (i, (at, tokens)) in candidates.iter().enumerate().rev() {
            saved += tokens;
            let from = self.cached_before(at.message).min(newest);
            let again = (self.tokens[newest as usize] - self.tokens[from as usize] - saved).max(0.0);
            let gain = saved * read * self.expected - self.settings.caution * again * more;
            let now = again * more - saved * read;
            let is_within = self.settings.budget.is_none_or(|share| now * 1e6 <= share * self.cache.spent + self.cache.saved);
            if gain > 0.0 && is_within && best.is_none_or(|(most, ..)| gain > most) {
                best = Some((gain, i, saved, again));
            }
        }
        let (_, from, saved, again) = best.ok_or_else(|| format!("no cut pays in {:.0} requests", self.expected))?;
        Ok((from, format!("{saved:.0} tokens less in each of {:.0} requests pay for {again:.0} that are cached again", self.expected)))
    }

    /// How many messages the longest cached prompt has that ends before message `i`.
    fn cached_before(&self, i: u32) -> u32 {
        match self.cache.reuse {
            Reuse::Prefix => i,
            Reuse::Marks(back) => {
                let last = self.blocks[self.blocks.len() - 1];
                let near = self.cache.ends.iter().rev().find(|end| **end <= i);
                near.copied().filter(|end| last - self.blocks[*end as usize] <= back as usize).unwrap_or(0)
            }
        }
    }
}
