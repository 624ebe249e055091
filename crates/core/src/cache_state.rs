//! The state of the provider's prompt cache before a request, and the prices of the request's tokens. Break-even decides by them.

use crate::prices::{Reuse, Row};

/// The cache and the prices as the caller knows them.
#[derive(Clone, Debug)]
pub struct CacheState {
    /// Whether nothing of the prompt is cached any more.
    pub is_cold: bool,
    /// The numbers of messages in the prompts that are cached, in ascending order. The newest prompt is that of the last request.
    pub ends: Vec<u32>,
    /// The part of a cached prompt that a prompt which differs from it can read.
    pub reuse: Reuse,
    /// Dollars for a million tokens that are read from the cache.
    pub read: f64,
    /// Dollars for a million tokens that are not.
    pub write: f64,
    /// Tokens of each message of the context, as it came.
    pub tokens: Vec<f64>,
    /// Millionths of a dollar that the session has cost so far, where that is known; else 0.
    pub spent: f64,
    /// Of these, what cuts have saved so far.
    pub saved: f64,
}

impl CacheState {
    /// The state by the rules of `row`. `long` says whether prompts are kept for the long lifetime, where that is known; `idle` is the
    /// time since the request before in milliseconds, where known.
    pub fn of(row: &Row, long: Option<bool>, idle: Option<i64>, ends: Vec<u32>, tokens: Vec<f64>) -> CacheState {
        // A cache with marks may have been asked for either lifetime: the long one is taken where nothing is known, as what is
        // cut from a cache that is warm after all costs more than what is left in a cold one.
        let is_long = long.unwrap_or(matches!(row.cache.reuse, Reuse::Marks(_)));
        let lifetime = if is_long { row.cache.lifetime_long } else { row.cache.lifetime };
        CacheState {
            is_cold: idle.is_some_and(|idle| idle >= lifetime.saturating_mul(1000).min(i64::MAX as u64).cast_signed()),
            ends,
            reuse: row.cache.reuse,
            read: row.read,
            write: match row.cache.counts_writes {
                true if is_long => row.write_long,
                true => row.write,
                false => row.input,
            },
            tokens,
            spent: 0.0,
            saved: 0.0,
        }
    }
}
