//! The results that passes may still cut, for callers that cut the same growing context many times, as a replay does before each request.
//!
//! A pass looks for candidates from the beginning on. Those that it has found, and not settled for good, are all that is left of the
//! messages that it looked at.

use std::cell::RefCell;
use std::collections::HashMap;

/// For each pass, how far it has looked.
#[derive(Clone, Debug, Default)]
pub struct Reaches(RefCell<HashMap<&'static str, Reach>>);

/// The messages that a pass has looked at.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The first message after these.
    pub end: usize,
    /// The results of these that it may cut: their messages and blocks.
    pub open: Vec<(u32, u32)>,
}

impl Reaches {
    /// Returns how far a pass has looked, of the messages before `end`.
    pub fn of(&self, pass: &'static str, end: usize) -> Reach {
        let reach = self.0.borrow().get(pass).cloned();
        reach.filter(|reach| reach.end <= end).unwrap_or_default()
    }

    /// Notes how far a pass has looked.
    pub fn note(&self, pass: &'static str, reach: Reach) {
        self.0.borrow_mut().insert(pass, reach);
    }

    /// Notes that a pass will never cut a result, as long as its message stays.
    pub fn settle(&self, pass: &'static str, settled: impl Fn(u32) -> bool) {
        if let Some(reach) = self.0.borrow_mut().get_mut(pass) {
            reach.open.retain(|(_, block)| !settled(*block));
        }
    }

    /// Keeps what was found in the first `length` messages.
    pub fn truncate(&mut self, length: usize) {
        for reach in self.0.get_mut().values_mut() {
            reach.end = reach.end.min(length);
            reach
                .open
                .retain(|(message, _)| (*message as usize) < length);
        }
    }
}
