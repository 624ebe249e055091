//! What the cuts mean to the provider's cache: tokens that the next request writes into it, without the cuts and with them.
//!
//! A cached prompt holds up to its first change. What lies before that is the same with the cuts as without and is left out;
//! what lies behind it is written anew. Without the cuts it would be written too if the cache has expired, or if nobody knows
//! when it was used last. While it is warm only what follows the last answer is new, and the rest would be read. The cache's
//! lifetime and the prices are the rows of `replay` with `replay.rates`; the lifetime is the short one.

use crate::diagnostics::CacheCost;
use crate::edit::View;
use crate::estimate::{CHARS_PER_TOKEN, message};
use crate::prices::row;
use crate::settings::Settings;
use crate::transcript::Role;

/// The cost of the cuts of `view` for `model`. `idle` is the time since the last call in milliseconds, where known.
pub fn cache_cost(view: &View<'_>, model: Option<&str>, idle: Option<i64>, settings: &Settings) -> CacheCost {
    let messages = &view.transcript.messages;
    let (row, priced) = row(model.unwrap_or_default(), &settings.replay.rates);
    let chars = |from: usize| (from..messages.len()).map(|i| message(view.transcript, i, view.estimator)).sum::<u64>();
    let first = if view.outside().is_empty() { view.cuts().next().map(|cut| cut.message as usize) } else { Some(0) };
    let behind = first.map_or(0, chars);
    let is_warm = idle.is_some_and(|idle| idle < (row.cache.lifetime * 1000).cast_signed());
    let answer = messages.iter().rposition(|m| m.role == Role::Assistant).filter(|_| is_warm);
    let written = first.map_or(0, |first| chars(answer.map_or(first, |answer| answer.max(first))));
    // Nothing is cut before the first change.
    let left = (behind + view.chars()).saturating_sub(view.chars_before());
    let usd = |written: u64, read: u64, prompt: u64| {
        let price = written as f64 * row.write + read as f64 * row.read;
        let dollars = price / CHARS_PER_TOKEN as f64 / 1e6 * row.times(prompt / CHARS_PER_TOKEN).0;
        priced.then_some((dollars * 1e6).round() / 1e6)
    };
    CacheCost {
        write_tokens_before: written / CHARS_PER_TOKEN,
        write_tokens_after: left / CHARS_PER_TOKEN,
        usd_before: usd(written, behind - written, view.chars_before()),
        usd_after: usd(left, 0, view.chars()),
        price_source: priced.then(|| row.source.to_owned()),
    }
}
