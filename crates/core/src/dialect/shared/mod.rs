//! Messages made of typed blocks: `{role, content}` with a string or an array of `{type, …}`.
//!
//! Anthropic, OpenAI chat and OpenClaw spell the same few things differently, and their type names
//! do not collide, so one reader serves them all: `text`, `thinking`, images, calls (`tool_use`,
//! `toolCall`, `tool_calls[]`) and results (`tool_result` blocks, messages of role `tool` or
//! `toolResult`). Members come in any order; of a key that occurs twice the last one counts.

pub mod arguments;
mod block;
pub mod body;
pub mod by_order;
pub mod content;
pub mod envelope;
mod message;
mod pairing;
pub mod reply;
pub mod unread;
pub mod untyped;

pub use block::SERVER_ID;
pub use body::{body, body_by_order, members, messages, missing, no_message, objects, setting};
pub use content::{Content, content};
pub use message::{MessageFields, message, reasoning};
pub use pairing::{answer, result, result_shape};

use crate::{
    dialect::{ResultForm, builder::TranscriptBuilder},
    json::{Cursor, Scanned},
    transcript::ResultTemplate,
};

/// Results whose content is a string or an array of typed blocks.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate::of(r#"[{"type":"text","text":""#, r#""}]"#),
    read: |cursor, builder| content(cursor, builder).map(|_| ()),
};

/// Reads the context window of the model, in tokens.
///
/// # Errors
/// The value is malformed JSON.
pub fn window(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let tokens = cursor.number_or_skip()?.and_then(|n| n.parse().ok());
    builder.window = tokens.or(builder.window);
    Ok(())
}

/// Reads a whole number, of a fraction the part before the point; `None` for any other value.
///
/// # Errors
/// The value is malformed JSON.
pub fn number(cursor: &mut Cursor<'_>) -> Scanned<Option<i64>> {
    let Some(text) = cursor.number_or_skip()? else {
        return Ok(None);
    };
    Ok(text
        .parse()
        .ok()
        .or_else(|| text.parse::<f64>().ok().map(|n| n as i64)))
}
