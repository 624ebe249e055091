//! OpenAI chat completion bodies (`POST /v1/chat/completions`).
//!
//! System and developer messages are outside the count, wherever they stand. A result is a message of role `tool`.
//! OpenRouter's bodies have the same shape and a model named `vendor/model`.

pub mod rules;

use crate::dialect::detect::spelling;
use crate::dialect::shared::by_order;
use crate::dialect::sheet::Sheet;
use crate::dialect::usage::Calls;
use crate::dialect::{Clues, Dialect, Layout, Likeness, cohere, mistral, ollama, shared};
use crate::json::{Cursor, ScanError};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "openai-chat",
    about: "OpenAI chat completion request bodies, and those of compatible services",
    layout: Layout::Body,
    interface: &rules::INTERFACE,
    results: &[shared::RESULTS],
    looks,
    read,
    lineage: None,
    context: by_order::functions,
    calls: Calls::UNKNOWN,
};

fn looks(clues: &Clues) -> Likeness {
    if !spelling::may_be_chat(clues) {
        return Likeness::No;
    }
    let own = clues.roles.iter().any(|r| matches!(r.as_str(), "function" | "developer"));
    let model = clues.value("model");
    match [mistral::looks, cohere::looks, ollama::looks].iter().map(|looks| looks(clues)).max() {
        _ if own => return Likeness::Certain,
        Some(Likeness::Certain) => return Likeness::Named,
        // Where the model is what speaks for another, or the arguments are no string, it may still be named.
        Some(Likeness::Likely) if model.is_some() || clues.calls.objects => return Likeness::Maybe,
        _ => {}
    }
    let tools = clues.message_has("tool_calls") || clues.has_tool_member("function") || clues.roles.iter().any(|r| r == "tool");
    if model.is_some() && clues.calls.strings && clues.calls.ids {
        Likeness::Certain
    } else if tools || model.is_some_and(|m| !m.starts_with("claude")) || clues.roles.iter().any(|r| r == "system") {
        Likeness::Likely
    } else {
        Likeness::Maybe
    }
}

fn read(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    shared::body(cursor, sheet)?;
    let routed = sheet.model.as_deref().is_some_and(|m| m.contains('/'));
    sheet.provider.get_or_insert_with(|| if routed { "openrouter" } else { "openai" }.to_owned());
    Ok(())
}
