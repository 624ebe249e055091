//! Tokens of messages as a share of what is printed of them, as LangChain counts: four code points make one, rounded up for each message,
//! and three come on top. A system prompt counts where it is a message; tools do not.

use super::candidates::{ToolUse, text_of};
use crate::Error;
use crate::edit::{Action, Question, View};
use crate::estimate::CHARS_PER_TOKEN;
use crate::json::text;
use crate::pass::dependencies::Part;
use crate::resource::arguments::place;
use crate::settings::Measure;
use crate::shorten::{repr, size};
use crate::transcript::{Block, BlockKind, Role};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Tokens on top of each message.
const MESSAGE: u64 = 3;
/// Tokens of an image.
const IMAGE: u64 = 85;

/// The messages of a context, as they are counted.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// Code points of each answer, by its message.
    answers: HashMap<u32, u64>,
    /// Tokens of all messages.
    pub whole: u64,
}

impl Messages {
    /// Counts the context as the cuts of `view` leave it.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn new(view: &View<'_>) -> Result<Messages, Error> {
        let mut found = Messages::default();
        for (i, message) in view
            .transcript
            .messages
            .iter()
            .enumerate()
            .filter(|(i, _)| !view.is_gone(*i))
        {
            let asked = Question {
                with: message.span.end.into(),
                ..Question::of("message", message.record + u64::from(message.span.start))
            };
            let (tokens, points) = if view.is_cut(i) {
                of_message(view, i)?
            } else {
                view.once(asked, || of_message(view, i))?
            };
            found.whole += tokens;
            found
                .answers
                .extend(points.map(|points| (i as u32, points)));
        }
        Ok(found)
    }

    /// Tokens that the cuts of one use free, after those of the uses before it.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn freed(
        &mut self,
        view: &View<'_>,
        one: &ToolUse,
        new: Option<&Action>,
        clears_input: bool,
    ) -> Result<f64, Error> {
        let mut freed = 0.0;
        if let (Some(result), Some(action)) = (one.result, new) {
            freed += tokens(of_result(view, result, None)?) as f64
                - tokens(of_result(view, result, Some(action))?) as f64;
        }
        if let Some((message, index)) = one.call.filter(|_| clears_input)
            && !view.transcript.messages[message as usize].array
            && let Some(points) = self.answers.get_mut(&message)
            && let Some(said) = call(
                view,
                message as usize,
                index,
                &view.transcript.blocks[index as usize],
            )?
        {
            let before = tokens(*points);
            *points -= size(&repr(&said["args"]), Measure::CodePoints)
                .saturating_sub(2)
                .min(*points);
            freed += before as f64 - tokens(*points) as f64;
        }
        Ok(freed)
    }
}

/// Tokens of a message with its results, and the code points of what is counted beside these.
fn of_message(view: &View<'_>, i: usize) -> Result<(u64, Option<u64>), Error> {
    let message = &view.transcript.messages[i];
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        _ => "",
    };
    let (mut results, mut points, mut images, mut own, mut calls) =
        (0, role.len() as u64, 0, false, Vec::new());
    for (index, block) in view.parts_left(i) {
        match block.kind {
            BlockKind::Result => results += tokens(of_result(view, (i as u32, index), None)?),
            BlockKind::Text => {
                points += size(&view.text(i, block.span.inside())?, Measure::CodePoints)
            }
            BlockKind::Image => images += IMAGE,
            BlockKind::Call => calls.extend(call(view, i, index, block)?),
            _ => {}
        }
        own |= block.kind != BlockKind::Result;
    }
    // The calls of an answer that is a list of parts are parts of it.
    if !calls.is_empty() && !message.array {
        points += size(&repr(&Value::Array(calls)), Measure::CodePoints);
    }
    let is_counted = matches!(message.role, Role::User | Role::Assistant | Role::System)
        && (own || view.parts_left(i).next().is_none());
    Ok(if is_counted {
        (results + tokens(points) + images, Some(points))
    } else {
        (results, None)
    })
}

/// Tokens of a message of so many code points.
fn tokens(points: u64) -> u64 {
    points.div_ceil(CHARS_PER_TOKEN) + MESSAGE
}

/// Code points of the message that a result is: its text, its role and its id. `new` is what becomes of it.
fn of_result(view: &View<'_>, result: Part, new: Option<&Action>) -> Result<u64, Error> {
    let link = view.transcript.link_at(result.1);
    let id = view.text(result.0 as usize, link.id)?;
    let text = match new.or(view.cut(result.1).map(|cut| &cut.action)) {
        Some(Action::Clear(text)) => size(text, Measure::CodePoints),
        Some(Action::Trim(segments)) => {
            let mut points = 0;
            for segment in segments {
                points += match segment {
                    crate::edit::Segment::Literal(raw) => {
                        size(&text::lossy(raw.as_bytes()), Measure::CodePoints)
                    }
                    crate::edit::Segment::Source(span) => {
                        size(&view.text(result.0 as usize, *span)?, Measure::CodePoints)
                    }
                };
            }
            points
        }
        _ => view.once(Question::of("points", view.place(result)), || {
            Ok(size(&text_of(view, result)?, Measure::CodePoints))
        })?,
    };
    Ok(text + "tool".len() as u64 + size(&id, Measure::CodePoints))
}

/// Returns a call as it is printed; none whose arguments are no object.
///
/// # Errors
/// The input cannot be read any more.
pub fn call(view: &View<'_>, i: usize, index: u32, block: &Block) -> Result<Option<Value>, Error> {
    let raw = view.bytes(i, block.span)?;
    let said = place(&raw).and_then(|(_, at)| serde_json::from_slice::<Value>(&raw[at]).ok());
    let said = match said {
        Some(Value::String(text)) => serde_json::from_str(&text).ok(),
        other => other,
    };
    let is_cleared = view
        .cut(index)
        .is_some_and(|cut| matches!(cut.action, Action::ClearInput(_)));
    let said = if is_cleared {
        Some(json!({}))
    } else {
        said.filter(Value::is_object)
    };
    let link = view.transcript.link(block);
    let id = view.text(i, link.id)?;
    let name = view.transcript.tool_of(block);
    Ok(said.map(|args| json!({"name": name, "args": args, "id": id, "type": "tool_call"})))
}
