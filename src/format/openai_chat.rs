//! OpenAI chat completion bodies (`POST /v1/chat/completions`): `spec/wire-formats.md` section 2.
//!
//! System and developer messages are outside the count, wherever they stand. A result is a message of role `tool`.
//! OpenRouter's bodies have the same shape and a model named `vendor/model`.

use super::sheet::Sheet;
use super::{Clues, Format, Layout, Likeness, all_messages, blocks};
use crate::json::{Cursor, ScanError};
use crate::transcript::Rules;

/// The table's row.
pub const FORMAT: Format = Format {
    name: "openai-chat",
    about: "OpenAI chat completion request bodies, and those of compatible services",
    layout: Layout::Body,
    rules: Rules::OpenAiChat,
    shape: &blocks::SHAPE,
    looks,
    read,
    lineage: None,
    context: all_messages,
};

fn looks(clues: &Clues) -> Likeness {
    if !clues.has("messages") || clues.block_types.iter().any(|t| t == "toolCall") {
        return Likeness::No;
    }
    let roles = clues.roles.iter().any(|r| matches!(r.as_str(), "tool" | "function" | "developer"));
    if clues.message_has("tool_calls") || roles || clues.has_tool_member("function") {
        Likeness::Certain
    } else if clues.value("model").is_some_and(|m| !m.starts_with("claude")) || clues.roles.iter().any(|r| r == "system") {
        Likeness::Likely
    } else {
        Likeness::Maybe
    }
}

fn read(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    blocks::body(cursor, sheet)?;
    let routed = sheet.model.as_deref().is_some_and(|m| m.contains('/'));
    sheet.provider.get_or_insert_with(|| if routed { "openrouter" } else { "openai" }.to_owned());
    Ok(())
}
