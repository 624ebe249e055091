//! What the cuts mean to the provider's cache: tokens that the next request writes into it, without the cuts and with them.
//!
//! A cached prompt holds up to its first change. What lies before that is the same with the cuts as without and is left out;
//! what lies behind it is written anew. Without the cuts it would be written too if the cache has expired, or if nobody knows
//! when it was used last. While it is warm only what follows the last answer is new, and the rest would be read. The cache's
//! lifetime and the prices are the rows of `replay` with `replay.rates`; the lifetime is the short one.

use crate::config::settings::Settings;
use crate::estimate::{CHARS_PER_TOKEN, message};
use crate::plan::View;
use crate::replay::rates::row;
use crate::transcript::Role;
use serde::Serialize;

/// Tokens and dollars of the prompt behind the first change. All is zero where nothing changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheCost {
    /// Tokens (chars / 4) that the next request would write into the cache without the cuts.
    pub write_tokens_before: u64,
    /// Tokens that it writes with them.
    pub write_tokens_after: u64,
    /// What writing and reading the part behind the first change would cost without the cuts, in dollars; null without a price.
    pub usd_before: Option<f64>,
    /// What writing that part costs with them.
    pub usd_after: Option<f64>,
    /// Where the prices were read; null without a price.
    pub price_source: Option<String>,
}

impl CacheCost {
    /// The cost of the cuts of `view` for `model`. `idle` is the time since the last call in milliseconds, where known.
    pub fn new(view: &View<'_>, model: Option<&str>, idle: Option<i64>, settings: &Settings) -> CacheCost {
        let messages = &view.transcript.messages;
        let (row, priced) = row(model.unwrap_or_default(), &settings.rates);
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
}
