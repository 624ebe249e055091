//! Whether the same input may be decided otherwise later.
//!
//! A decision depends on the clock in two ways: on the age of the last call (the cache policy, and
//! steps with an age as trigger), and on the lifetime of the cache. Ages only grow, so each limit
//! is passed once. The prices of the day are another matter.

use super::*;
use crate::{
    cache_policy::LastCall,
    settings::{Unit, word},
};

/// Whether the clock may still change what is cut. `asks_cache` says whether something is cut only
/// if it pays.
pub fn is_timed(policy: &CachePolicy, setup: &Setup, row: &Row, asks_cache: bool) -> bool {
    // An age that was given stays the same whatever the time is.
    let is_given = matches!(setup.clock.last_call, Some(LastCall::Ago(_)));
    let Some(idle) = policy.decision.idle_ms.filter(|_| !is_given) else {
        return false;
    };
    let is_ahead = |age: u64| i64::try_from(age).unwrap_or(i64::MAX) > idle;
    let mut triggers = setup.settings.edits.iter().filter_map(|step| step.trigger);
    let mut lifetimes = [false, true]
        .map(|is_long| row.lifetime_ms(is_long))
        .into_iter();
    policy.decision.mode == word(Mode::CacheTtl) && is_ahead(policy.decision.ttl_ms)
        || asks_cache && lifetimes.any(is_ahead)
        || triggers.any(|trigger| trigger.unit == Unit::Idle && is_ahead(trigger.number as u64))
}
