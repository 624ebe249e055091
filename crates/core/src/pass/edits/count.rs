//! Count: the tokens of the context, and the tokens that a cut frees.

use super::approximate::Messages;
use super::candidates::text_of;
use super::choose;
use crate::Error;
use crate::edit::{Action, Cut, Question, ToolUse, View};
use crate::estimate::CHARS_PER_TOKEN;
use crate::message_tokens::ContextTokens;
use crate::pass::dependencies::Part;
use crate::settings::{Counting, Measure};
use crate::shorten::size;

/// A way of counting.
#[derive(Clone, Debug)]
pub struct Count {
    /// Tokens of the context as it came.
    size: ContextTokens,
    /// The way of counting.
    by: Counting,
    /// The messages, where each is counted.
    messages: Option<Messages>,
}

impl Count {
    /// Creates the count for a step.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn new(view: &View<'_>, by: Counting) -> Result<Count, Error> {
        let size = match by {
            Counting::Auto => view.size,
            _ => ContextTokens::estimated(view.chars_before()),
        };
        let messages = match by {
            Counting::Messages => Some(Messages::new(view)?),
            _ => None,
        };
        Ok(Count { size, by, messages })
    }

    /// Tokens of the context as the cuts leave it.
    pub fn context(&self, view: &View<'_>) -> f64 {
        match &self.messages {
            Some(messages) => messages.whole as f64,
            None => self
                .size
                .without(view.chars_before() as f64 - view.chars() as f64),
        }
    }

    /// Chars that make a token.
    pub fn chars_per_token(&self) -> f64 {
        self.size.rate
    }

    /// Tokens that the cuts of one use free, after those of the uses before it.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn freed(&mut self, view: &View<'_>, one: &ToolUse, cuts: &[Cut]) -> Result<f64, Error> {
        if let Some(messages) = &mut self.messages {
            let new = cuts
                .iter()
                .map(|cut| &cut.action)
                .find(|action| !matches!(action, Action::ClearInput(_)));
            let clears_input = cuts
                .iter()
                .any(|cut| matches!(cut.action, Action::ClearInput(_)));
            return messages.freed(view, one, new, clears_input);
        }
        Ok(self.removed(view, cuts))
    }

    /// Tokens that cuts remove.
    pub fn removed(&self, view: &View<'_>, cuts: &[Cut]) -> f64 {
        cuts.iter()
            .map(|cut| choose::removed(view, cut))
            .sum::<f64>()
            / self.size.rate
    }

    /// Tokens of a result.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn result(&self, view: &View<'_>, result: Part) -> Result<f64, Error> {
        if self.by != Counting::Rounded {
            return Ok(view.chars_of_result(result.1) as f64 / self.size.rate);
        }
        let asked = Question::of("rounded", view.place(result));
        view.once(asked, || {
            Ok(
                (size(&text_of(view, result)?, Measure::Chars) as f64 / CHARS_PER_TOKEN as f64)
                    .round(),
            )
        })
    }
}
