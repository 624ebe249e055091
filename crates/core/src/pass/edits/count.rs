//! Count: how many tokens the context has, and how many a cut frees.

use crate::Error;
use crate::edit::View;
use crate::estimate::CHARS_PER_TOKEN;
use crate::recorded::recorded;
use crate::settings::Counting;

/// A way of counting.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Tokens of the context as it came.
    whole: f64,
    /// Chars that make a token.
    rate: f64,
}

impl Count {
    /// How the step counts.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn new(view: &View<'_>, by: Counting) -> Result<Count, Error> {
        let found = if by == Counting::Auto { recorded(view)? } else { None };
        let chars = || view.chars_before() as f64 / CHARS_PER_TOKEN as f64;
        Ok(match found {
            Some(found) => Count { whole: found.tokens as f64, rate: found.rate },
            None => Count { whole: chars(), rate: CHARS_PER_TOKEN as f64 },
        })
    }

    /// Tokens of the context as the cuts leave it.
    pub fn context(&self, view: &View<'_>) -> f64 {
        (self.whole - (view.chars_before() as f64 - view.chars() as f64) / self.rate).max(0.0)
    }

    /// Chars that make a token.
    pub fn chars_per_token(&self) -> f64 {
        self.rate
    }

    /// Tokens of so many chars.
    pub fn tokens_of(&self, chars: u64) -> f64 {
        chars as f64 / self.rate
    }
}
