//! The time at which the decision for the same input may change.
//!
//! A decision depends on the clock in three ways: on the age of the last call (the cache policy, and steps with an age as trigger), on the
//! lifetime of the cache, and on the prices of the day. Ages only grow, so each limit is passed once.

use super::Setup;
use crate::cache_policy::{CachePolicy, LastCall};
use crate::prices::{self, Row};
use crate::settings::{Mode, Unit, word};

/// Returns the first time after now, in milliseconds since 1970, at which the clock may change what is cut; `None` if it cannot.
/// `asks_cache`: some cuts are made only if they pay.
pub fn until(policy: &CachePolicy, setup: &Setup, row: &Row, asks_cache: bool) -> Option<i64> {
    let (settings, now) = (&setup.settings, setup.clock.now);
    let mut ages = Vec::new();
    if policy.decision.mode == word(Mode::CacheTtl) {
        ages.push(milliseconds(policy.decision.ttl_ms));
    }
    if asks_cache {
        ages.extend([false, true].map(|is_long| milliseconds(row.lifetime_ms(is_long))));
    }
    let triggers = settings.edits.iter().filter_map(|step| step.trigger).filter(|trigger| trigger.unit == Unit::Idle);
    ages.extend(triggers.map(|trigger| trigger.number as i64));
    // An age that was given stays the same whatever the time is.
    let is_given = matches!(setup.clock.last_call, Some(LastCall::Ago(_)));
    let idle = policy.decision.idle_ms.filter(|_| !is_given);
    let next =
        idle.and_then(|idle| ages.into_iter().filter(|age| *age > idle).min().map(|age| now.saturating_add(age.saturating_sub(idle))));
    let priced = if asks_cache { prices::next_change(now) } else { None };
    next.into_iter().chain(priced).min()
}

fn milliseconds(age: u64) -> i64 {
    i64::try_from(age).unwrap_or(i64::MAX)
}
