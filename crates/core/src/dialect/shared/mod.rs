//! Messages made of typed blocks: `{role, content}` with a string or an array of `{type, …}`.
//!
//! Anthropic, OpenAI chat and OpenClaw spell the same few things differently, and their type names do not collide, so
//! one reader serves them all: `text`, `thinking`, images, calls (`tool_use`, `toolCall`, `tool_calls[]`) and results
//! (`tool_result` blocks, messages of role `tool` or `toolResult`). Members come in any order; of a key that occurs
//! twice the last one counts.

mod block;
pub mod body;
pub mod by_order;
pub mod content;
pub mod declared;
pub mod document;
pub mod envelope;
mod message;
pub mod oddities;
mod pairing;
pub mod prompt;
pub mod reply;
pub mod unread;
pub mod unread_reply;

pub use body::{body, body_by_order, members, messages, missing, no_message, objects};
pub use content::{Content, content, push_text, skip_span, span_from, string_span};
pub use message::{MessageFields, message, reasoning};
pub use pairing::{answer, result_shape};

use crate::dialect::ResultForm;
use crate::json::{Cursor, ScanError};
use crate::transcript::ResultTemplate;

/// Results whose content is a string or an array of typed blocks.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate {
        open: OPEN,
        open_error: OPEN,
        close: r#""}]"#,
        anew: false,
    },
    read: |cursor, builder| content(cursor, 0, builder).map(|_| ()),
};

/// The beginning of an array with one text block.
const OPEN: &str = r#"[{"type":"text","text":""#;

/// Reads a whole number, of a fraction what comes before the point; of any other value there is none.
///
/// # Errors
/// The value is malformed JSON.
pub fn number(cursor: &mut Cursor<'_>) -> Result<Option<i64>, ScanError> {
    let Some(text) = cursor.number_or_skip()? else {
        return Ok(None);
    };
    Ok(text
        .parse()
        .ok()
        .or_else(|| text.parse::<f64>().ok().map(|n| n as i64)))
}
