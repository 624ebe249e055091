//! Count: the tokens of the context, and the tokens that a cut frees.

use super::approximate::Messages;
use super::candidates::{ToolUse, text_of, tool};
use super::{choose, tokenized};
use crate::Error;
use crate::edit::{Action, Cut, Question, View};
use crate::estimate::CHARS_PER_TOKEN;
use crate::json::{Cursor, stringify};
use crate::pass::candidates::Candidate;
use crate::recorded::recorded;
use crate::settings::Counting;
use crate::shorten::{Measure, size};
use std::borrow::Cow;

/// A way of counting.
#[derive(Clone, Debug)]
pub struct Count {
    /// Tokens of the context as it came.
    whole: f64,
    /// Chars that make a token.
    rate: f64,
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
        if by == Counting::Tokenizer && tokenized::is_counted(view) {
            return Ok(Count { whole: tokenized::whole(view)? as f64, rate: CHARS_PER_TOKEN as f64, by, messages: None });
        }
        // A tokenizer that is not here is replaced by an estimate.
        let by = if by == Counting::Tokenizer { Counting::Auto } else { by };
        let found = if by == Counting::Auto { recorded(view)? } else { None };
        let chars = || view.chars_before() as f64 / CHARS_PER_TOKEN as f64;
        let messages = if by == Counting::Messages { Some(Messages::new(view)?) } else { None };
        Ok(match found {
            Some(found) => Count { whole: found.tokens as f64, rate: found.rate, by, messages },
            None => Count { whole: chars(), rate: CHARS_PER_TOKEN as f64, by, messages },
        })
    }

    /// Tokens of the context as the cuts leave it.
    pub fn context(&self, view: &View<'_>) -> f64 {
        if let Some(messages) = &self.messages {
            return messages.whole as f64;
        }
        if self.by == Counting::Tokenizer {
            return self.whole;
        }
        (self.whole - (view.chars_before() as f64 - view.chars() as f64) / self.rate).max(0.0)
    }

    /// Chars that make a token.
    pub fn chars_per_token(&self) -> f64 {
        self.rate
    }

    /// Tokens that the cuts of one use free, after those of the uses before it.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn freed(&mut self, view: &View<'_>, one: &ToolUse, cuts: &[Cut]) -> Result<f64, Error> {
        if let Some(messages) = &mut self.messages {
            let new = cuts.iter().map(|cut| &cut.action).find(|action| !matches!(action, Action::ClearInput(_)));
            let clears_input = cuts.iter().any(|cut| matches!(cut.action, Action::ClearInput(_)));
            return messages.freed(view, one, new, clears_input);
        }
        let freed = self.removed(view, cuts)?;
        Ok(if self.by == Counting::Tokenizer { freed.max(0.0) } else { freed })
    }

    /// Tokens that cuts remove.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn removed(&self, view: &View<'_>, cuts: &[Cut]) -> Result<f64, Error> {
        match self.by {
            Counting::Tokenizer => tokenized::freed(view, cuts),
            _ => Ok(cuts.iter().map(|cut| choose::removed(view, cut)).sum::<f64>() / self.rate),
        }
    }

    /// Tokens of a result.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn result(&self, view: &View<'_>, one: &ToolUse, result: Candidate) -> Result<f64, Error> {
        let asked = |what| {
            let call = one.call.map_or(0, |(message, block)| view.place(message, block));
            Question { with: call, ..Question::of(what, view.place(result.message, result.block)) }
        };
        match self.by {
            Counting::Parts => view.once(asked("part"), || Ok(of_part(tool(view, one), &content_of(view, result)?) as f64)),
            Counting::Tokenizer => Ok(tokenized::of_result(view, result)? as f64),
            Counting::Rounded => {
                let rounded = |chars: u64| (chars as f64 / CHARS_PER_TOKEN as f64).round();
                view.once(asked("rounded"), || Ok(rounded(size(&text_of(view, result)?, Measure::Chars))))
            }
            _ => Ok(view.chars_of_result(result.block) as f64 / self.rate),
        }
    }
}

/// Tokens of a result of `tool` with the JSON `content`: UTF-16 units of both, as `JSON.stringify` prints them, four a token.
pub fn of_part(tool: &str, content: &[u8]) -> u64 {
    let json = stringify::length(&mut Cursor::new(content)).unwrap_or(content.len());
    (size(tool, Measure::Chars) + json as u64) / CHARS_PER_TOKEN
}

/// The JSON of a result's content.
///
/// # Errors
/// The input cannot be read any more.
pub fn content_of<'a>(view: &'a View<'_>, result: Candidate) -> Result<Cow<'a, [u8]>, Error> {
    let record = view.transcript.messages[result.message as usize].record;
    let span = view.transcript.link(&view.transcript.blocks[result.block as usize]).content;
    Ok(view.texts.read(record + u64::from(span.start), record + u64::from(span.end))?)
}
