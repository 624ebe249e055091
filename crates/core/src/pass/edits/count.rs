//! Count: the tokens of the context, and the tokens that a cut frees.
//!
//! Tokens of messages may be counted from their printed form, as LangChain does: four code points
//! make one token, rounded up for each message, plus three. The system prompt and tools do not
//! count: LangChain keeps them apart from the messages.

use super::*;
use crate::{
    estimate::CHARS_PER_TOKEN,
    message_tokens::ContextTokens,
    resource,
    settings::Counting,
    shorten::{repr, size},
    transcript::Role,
};
use serde_json::{Value, json};
use std::collections::HashMap;

/// A way of counting.
#[derive(Debug)]
pub struct Count {
    /// Tokens of the context as it came.
    size: ContextTokens,
    /// The way of counting.
    by: Counting,
    /// The messages, if each is counted.
    messages: Option<Messages>,
}

impl Count {
    /// Creates the count for a step.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn new(view: &View<'_>, by: Counting) -> Result<Count> {
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
    pub fn freed(&mut self, view: &View<'_>, one: &ToolUse, cuts: &[Cut]) -> Result<f64> {
        if let Some(messages) = &mut self.messages {
            let of_input = |cut: &&Cut| matches!(cut.action, Action::ClearInput(_));
            let new = cuts.iter().find(|cut| !of_input(cut));
            let clears_input = cuts.iter().any(|cut| of_input(&cut));
            return messages.freed(view, one, new.map(|cut| &cut.action), clears_input);
        }
        Ok(self.removed(view, cuts))
    }

    /// Tokens that cuts remove.
    pub fn removed(&self, view: &View<'_>, cuts: &[Cut]) -> f64 {
        let removed = cuts.iter().map(|cut| act::removed(view, cut));
        removed.sum::<f64>() / self.size.rate
    }

    /// Tokens of a result.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn result(&self, view: &View<'_>, result: Part) -> Result<f64> {
        if self.by != Counting::Rounded {
            return Ok(view.chars_of_result(result.1) as f64 / self.size.rate);
        }
        view.once(("rounded", 0, view.place(result)), || {
            let chars = size(&view.result_text(result)?, Measure::Chars) as f64;
            Ok((chars / CHARS_PER_TOKEN as f64).round())
        })
    }
}

/// Tokens that a step's proposal frees.
///
/// # Errors
/// The input cannot be read any more.
pub fn freed(view: &View<'_>, step: &Step, proposal: &Proposal) -> Result<u64> {
    let count = Count::new(view, step.estimator)?;
    Ok(count.removed(view, &proposal.cuts).max(0.0).round() as u64)
}

/// Returns the number of results that a proposal cuts or, if it cuts none, the number of answers
/// with reasoning.
pub fn number(view: &View<'_>, proposal: &Proposal) -> u64 {
    let of = |wanted| {
        let cuts = proposal.cuts.iter();
        cuts.filter(move |cut| view.block(cut.block).kind == wanted)
    };
    let number = match of(BlockKind::Result).count() {
        0 => {
            let answers: BTreeSet<u32> = of(BlockKind::Thinking).map(|cut| cut.message).collect();
            answers.len()
        }
        results => results,
    };
    number as u64
}

/// Tokens on top of each message.
const MESSAGE: i64 = 3;
/// Tokens of an image.
const IMAGE: i64 = 85;
/// Code points of arguments that were cleared.
const EMPTY_OBJECT: i64 = 2;

/// The messages of a context, as they are counted.
#[derive(Debug)]
struct Messages {
    /// Code points of the answers whose arguments were cleared, by message.
    answers: HashMap<u32, i64>,
    /// Tokens of all messages.
    whole: i64,
}

impl Messages {
    /// Counts the context as the cuts of `view` leave it.
    ///
    /// # Errors
    /// The input cannot be read any more.
    fn new(view: &View<'_>) -> Result<Messages> {
        let reaches = view.reaches_left();
        let known = reaches.map(|reaches| reaches.counted.take());
        let mut counted = known.unwrap_or_default();
        let (before, new) = view.cut_messages();
        for &message in &before[counted.cut..] {
            if let Some(tokens) = counted.tokens.get_mut(message as usize) {
                counted.whole -= *tokens;
                *tokens = of_message(view, message as usize)?.0;
                counted.whole += *tokens;
            }
        }
        counted.cut = before.len();
        for i in counted.tokens.len()..view.transcript.messages.len() {
            let is_left = !view.is_gone(i);
            let tokens = if is_left { of_message(view, i)?.0 } else { 0 };
            counted.tokens.push(tokens);
            counted.whole += tokens;
        }
        let mut found = Messages {
            answers: HashMap::new(),
            whole: counted.whole,
        };
        // What this run cuts may be whole in the next one.
        let new: BTreeSet<usize> = new.iter().map(|message| *message as usize).collect();
        for i in new.into_iter().filter(|i| !view.is_gone(*i)) {
            found.whole += of_message(view, i)?.0 - counted.tokens[i];
        }
        if let Some(reaches) = reaches {
            reaches.counted.replace(counted);
        }
        Ok(found)
    }

    /// Tokens that the cuts of one use free, after those of the uses before it.
    ///
    /// # Errors
    /// The input cannot be read any more.
    fn freed(
        &mut self,
        view: &View<'_>,
        one: &ToolUse,
        new: Option<&Action>,
        clears_input: bool,
    ) -> Result<f64> {
        let mut freed = 0;
        if let (Some(result), Some(action)) = (one.result, new) {
            let now = tokens(of_result(view, result, None)?);
            freed += now - tokens(of_result(view, result, Some(action))?);
        }
        if let Some((message, index)) = one.call.filter(|_| clears_input)
            && !view.transcript.messages[message as usize].array
            && let Some(points) = self.points(view, message)?
            && let Some(said) = call(view, message as usize, index)?
        {
            let cleared = points_of(&repr(&said["args"])) - EMPTY_OBJECT;
            let left = (points - cleared).max(0);
            freed += tokens(points) - tokens(left);
            self.answers.insert(message, left);
        }
        Ok(freed as f64)
    }

    /// Code points of a message beside its results, if it has any.
    fn points(&self, view: &View<'_>, message: u32) -> Result<Option<i64>> {
        match self.answers.get(&message) {
            Some(points) => Ok(Some(*points)),
            None => Ok(of_message(view, message as usize)?.1),
        }
    }
}

/// Tokens of a message with its results, and the code points of what is counted beside these.
fn of_message(view: &View<'_>, i: usize) -> Result<(i64, Option<i64>)> {
    let message = &view.transcript.messages[i];
    if i == 0 && message.role == Role::System {
        return Ok((0, None));
    }
    let speaks = matches!(message.role, Role::User | Role::Assistant | Role::System);
    let (mut results, mut points, mut images, mut calls) = (0, 0, 0, Vec::new());
    let (mut is_empty, mut own) = (true, false);
    for (index, block) in view.parts_left(i) {
        match block.kind {
            BlockKind::Result => results += tokens(of_result(view, (i as u32, index), None)?),
            BlockKind::Text => points += points_of(&view.text(i, block.span.inside())?),
            BlockKind::Image => images += IMAGE,
            BlockKind::Call => calls.extend(call(view, i, index)?),
            _ => {}
        }
        is_empty = false;
        own |= block.kind != BlockKind::Result;
    }
    // The calls of an answer that is a list of parts are parts of it.
    if !calls.is_empty() && !message.array {
        points += points_of(&repr(&Value::Array(calls)));
    }
    Ok(match speaks && (own || is_empty) {
        true => {
            points += points_of(message.role.name());
            (results + tokens(points) + images, Some(points))
        }
        false => (results, None),
    })
}

fn points_of(text: &str) -> i64 {
    size(text, Measure::CodePoints).cast_signed()
}

/// Tokens of a message of `points` code points.
fn tokens(points: i64) -> i64 {
    let tokens = points.unsigned_abs().div_ceil(CHARS_PER_TOKEN);
    tokens.cast_signed() + MESSAGE
}

/// Code points of the message that a result makes: its text, its role and its id. `new` is its new
/// content.
fn of_result(view: &View<'_>, result: Part, new: Option<&Action>) -> Result<i64> {
    let i = result.0 as usize;
    let id = view.text(i, view.transcript.link_at(result.1).id)?;
    let text = match new.or(view.cut(result.1).map(|cut| &cut.action)) {
        Some(Action::Clear(text)) => points_of(text),
        Some(Action::Trim(segments)) => {
            let mut points = 0;
            for segment in segments {
                points += points_of(&match segment {
                    Segment::Literal(raw) => text::lossy(raw.as_bytes()),
                    Segment::Source(span) => view.text(i, *span)?,
                });
            }
            points
        }
        _ => view.once(("points", 0, view.place(result)), || {
            Ok(points_of(&view.result_text(result)?))
        })?,
    };
    Ok(text + points_of("tool") + points_of(&id))
}

/// Returns a call as it is printed; `None` if its arguments are not an object.
///
/// # Errors
/// The input cannot be read any more.
fn call(view: &View<'_>, i: usize, index: u32) -> Result<Option<Value>> {
    let args = match view.cut(index).map(|cut| &cut.action) {
        Some(Action::ClearInput(_)) => Some(json!({})),
        _ => resource::arguments_of(view, (i as u32, index))?.filter(Value::is_object),
    };
    let id = view.text(i, view.transcript.link_at(index).id)?;
    let name = view.tool(index);
    Ok(args.map(|args| json!({"name": name, "args": args, "id": id, "type": "tool_call"})))
}
