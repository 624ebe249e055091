//! The cost of cuts at the provider's prompt cache: the tokens that the next request writes into
//! it, with and without the cuts.
//!
//! A cached prompt is valid up to its first change. The part before the first cut is the same with
//! and without the cuts, and is not counted. The part behind it is written again. Without the cuts
//! that part is also written if the cache has expired, or if the time of its last use is unknown;
//! while the cache is warm, only the messages after the last answer are new and the rest is read.
//! Cuts of earlier runs are already in the cached prompt. The cache's lifetime and the prices are
//! the rows of `replay` with `replay.rates`; where the input does not show the lifetime, the short
//! one is assumed. Where a log recorded the tokens of its calls, these are used, and the whole
//! prompt has a price.

use crate::{
    diagnostics::{CacheCost, NextRequest},
    edit::View,
    estimate::message,
    prices::Row,
    transcript::Role,
};

/// The cost of the cuts of `view` by the row of its model, where that has a price. `idle` is the
/// time since the last call in milliseconds, and `long` whether its prompt is cached for the long
/// lifetime, as far as that is known.
pub fn cache_cost(
    view: &View<'_>,
    idle: Option<i64>,
    long: Option<bool>,
    row: &Row,
    priced: bool,
) -> CacheCost {
    let messages = &view.transcript.messages;
    let is_long = long == Some(true);
    let lifetime = row.lifetime_ms(is_long);
    let write = if is_long { row.write_long } else { row.write };
    let saved = |from: usize, is_earlier: bool| {
        view.cuts()
            .filter(|cut| cut.message as usize >= from && cut.is_earlier() == is_earlier)
            .map(|cut| cut.chars_before.cast_signed() - cut.chars_after.cast_signed())
            .sum::<i64>()
    };
    let sent = |from: usize| {
        let chars = (from..messages.len())
            .map(|i| message(view.transcript, i, view.estimator))
            .sum::<u64>();
        chars.saturating_add_signed(-saved(from, true))
    };
    let new = view
        .cuts()
        .find(|cut| !cut.is_earlier())
        .map(|cut| cut.message as usize);
    let first = if view.outside().is_empty() {
        new
    } else {
        Some(0)
    };
    let behind = first.map_or(0, sent);
    let is_warm = idle.is_some_and(|idle| idle < lifetime.min(i64::MAX as u64).cast_signed());
    let answer = messages
        .iter()
        .rposition(|m| m.role == Role::Assistant)
        .filter(|_| is_warm);
    let written = first.map_or(0, |first| {
        sent(answer.map_or(first, |answer| answer.max(first)))
    });
    // Nothing is cut before the first change.
    let left = first.map_or(0, |first| {
        behind.saturating_add_signed(-saved(first, false))
    });
    let size = view.size;
    let tokens = |chars: u64| chars as f64 / size.rate;
    let usd = |written: f64, read: f64, prompt: f64| {
        let dollars = (written * write + read * row.read) / 1e6 * row.times(prompt as u64).0;
        priced.then_some((dollars * 1e6).round() / 1e6)
    };
    let prompts = [view.chars_before(), view.chars()].map(tokens);
    let [without, with] = [(written, behind - written), (left, 0)]
        .map(|(written, read)| (tokens(written), tokens(read)));
    let is_counted = size.source != "chars" && first.is_some() && idle.is_some();
    let next = is_counted.then_some(()).and_then(|()| {
        let removed = tokens(view.chars_before()) - tokens(view.chars());
        let prompt = size.tokens - saved(0, true) as f64 / size.rate;
        let front = (prompt - tokens(behind)).max(0.0);
        let (front_written, front_read) = if is_warm { (0.0, front) } else { (front, 0.0) };
        let whole = |(written, read): (f64, f64), prompt| {
            usd(written + front_written, read + front_read, prompt)
        };
        let after = whole(with, size.tokens - removed)?;
        Some(NextRequest {
            usd_before: whole(without, prompt)?,
            usd_after: after,
            cached_again: (with.0 - without.0).max(0.0).round() as u64,
        })
    });
    CacheCost {
        write_tokens_before: tokens(written) as u64,
        write_tokens_after: tokens(left) as u64,
        usd_before: usd(without.0, without.1, prompts[0]),
        usd_after: usd(with.0, with.1, prompts[1]),
        price_source: priced.then(|| row.source.clone()),
        marked: None,
        next_request: next,
    }
}
