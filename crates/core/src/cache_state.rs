//! The state of the provider's prompt cache before a request, and the prices of the request's
//! tokens. Break-even decides by them.

use crate::{
    Result,
    message_tokens::Pause,
    prices::{Reuse, Row},
};
use std::rc::Rc;

/// The cache and the prices as the caller knows them.
#[derive(Debug)]
pub struct CacheState {
    /// Whether nothing of the prompt is cached any more.
    pub is_cold: bool,
    /// The numbers of messages in the prompts that are cached, in ascending order. The newest
    /// prompt is that of the last request.
    pub ends: Vec<u32>,
    /// The part of a cached prompt that a prompt which differs from it can read.
    pub reuse: Reuse,
    /// Whether the request may have a further cache mark, which finds a prompt however many blocks
    /// are behind it; its lifetime is the long one if it is true.
    pub free_mark: Option<bool>,
    /// Dollars for a million tokens that are read from the cache.
    pub read: f64,
    /// Dollars for a million tokens that are not.
    pub write: f64,
    /// Dollars for a million tokens of the model's.
    pub output: f64,
    /// Tokens of each message of the context, as it came.
    pub tokens: Rc<Vec<f64>>,
    /// Millionths of a dollar that the session has cost so far, where that is known; else 0.
    pub spent: f64,
    /// Millionths of a dollar that cuts have saved so far.
    pub saved: f64,
}

/// The number of pauses that lost a prompt early from which on this counts as a rule.
const SURE: usize = 3;

/// Returns the idle time from which on nothing is cached, as the pauses of a conversation show it;
/// none where they do not.
///
/// A lifetime is the least that a provider promises. If a prompt was still cached after a longer
/// pause, the provider keeps prompts for longer; then the limit is the shortest pause after which a
/// prompt was gone, if it is longer than every pause after which one was there. If several pauses
/// of at least `promised` lost a prompt, and no pause as long kept one, the provider keeps prompts
/// for less.
pub fn observed_limit(lifetime: i64, promised: i64, pauses: &[Pause]) -> Option<i64> {
    let kept = pauses
        .iter()
        .filter(|pause| pause.is_kept)
        .map(|pause| pause.idle)
        .max();
    let lost = pauses
        .iter()
        .filter(|pause| !pause.is_kept && pause.idle > kept.unwrap_or_default())
        .map(|pause| pause.idle);
    if kept.is_some_and(|kept| kept >= lifetime) {
        return lost.min();
    }
    let early = lost.filter(|idle| (promised..lifetime).contains(idle));
    let is_sure = early.clone().count() >= SURE;
    Some(early.min().filter(|_| is_sure).unwrap_or(lifetime))
}

impl CacheState {
    /// Returns whether the request may have a further cache mark.
    pub fn may_mark(&self) -> bool {
        self.free_mark.is_some()
    }

    /// The state by the rules of `row`, without prompts and their tokens. `long` says whether
    /// prompts are kept for the long lifetime, where that is known; `idle` is the time since the
    /// request before in milliseconds, where known. `pauses` are those before, which are asked for
    /// where that time is long.
    ///
    /// # Errors
    /// Those of `pauses`.
    pub fn of(
        row: &Row,
        long: Option<bool>,
        idle: Option<i64>,
        pauses: impl FnOnce() -> Result<Vec<Pause>>,
    ) -> Result<CacheState> {
        // A cache may have been asked for either lifetime: the long one is taken where nothing is
        // known, as what is cut from a cache that is warm after all costs more than what is left in
        // a cold one.
        let is_long = long.unwrap_or(true);
        let lifetime = row.lifetime_ms(is_long).min(i64::MAX as u64).cast_signed();
        let promised = row
            .lifetime_ms(long.unwrap_or(false))
            .min(i64::MAX as u64)
            .cast_signed()
            .min(lifetime);
        let is_cold = match idle.filter(|idle| *idle >= promised) {
            Some(idle) => {
                observed_limit(lifetime, promised, &pauses()?).is_some_and(|limit| idle >= limit)
            }
            None => false,
        };
        Ok(CacheState {
            // A request without cache marks reads nothing from the cache.
            is_cold: is_cold || lifetime == 0,
            ends: Vec::new(),
            reuse: row.cache.reuse,
            free_mark: None,
            read: row.read,
            write: match row.cache.counts_writes {
                true if is_long => row.write_long,
                true => row.write,
                false => row.input,
            },
            output: row.output,
            tokens: Rc::default(),
            spent: 0.0,
            saved: 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices;

    #[test]
    fn a_cache_counts_as_expired_after_the_longest_time_that_its_provider_states() {
        let is_cold = |model: &str, long: Option<bool>, minutes: i64| {
            let row = prices::row(model, &Default::default()).0;
            CacheState::of(&row, long, Some(minutes * 60_000), || Ok(Vec::new()))
                .unwrap()
                .is_cold
        };
        // The minutes after which it does.
        for (model, long, minutes) in [
            ("claude-opus-4-5", Some(false), 5),
            ("claude-opus-4-5", Some(true), 60),
            ("claude-opus-4-5", None, 60),
            ("gpt-5", None, 60),
            ("gpt-5.5", None, 60),
            ("gpt-6-sol", None, 60),
            ("gemini-2.5-pro", None, 60),
        ] {
            assert_eq!(
                [minutes - 1, minutes].map(|idle| is_cold(model, long, idle)),
                [false, true],
                "{model} {long:?}"
            );
        }
    }

    #[test]
    fn a_prompt_that_outlived_its_lifetime_shows_that_the_limit_is_another() {
        let limit = |list: &[(i64, bool)]| {
            let pauses: Vec<Pause> = list
                .iter()
                .map(|&(idle, is_kept)| Pause { idle, is_kept })
                .collect();
            observed_limit(300, 100, &pauses)
        };
        assert_eq!(limit(&[]), Some(300));
        assert_eq!(limit(&[(10, true), (299, true), (400, false)]), Some(300));
        // The prompt was lost for another reason than its age.
        assert_eq!(limit(&[(10, false)]), Some(300));
        assert_eq!(limit(&[(300, true)]), None);
        assert_eq!(limit(&[(10, false), (900, true)]), None);
        assert_eq!(
            limit(&[(900, true), (1000, false), (2000, false)]),
            Some(1000)
        );
        assert_eq!(limit(&[(500, false), (900, true)]), None);
        // Three pauses show that the provider keeps less, unless one as long kept a prompt.
        let lost = [(100, false), (150, false), (120, false)];
        assert_eq!(limit(&lost), Some(100));
        assert_eq!(limit(&[(10, false), (20, false), (30, false)]), Some(300));
        assert_eq!(limit(&[&lost[..], &[(130, true)]].concat()), Some(300));
    }
}
