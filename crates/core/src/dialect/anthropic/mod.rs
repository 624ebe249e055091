//! Anthropic Messages bodies (`POST /v1/messages`).
//!
//! `system` and `tools` are outside the count. Results are blocks of user messages and name their tool only through the
//! call that they answer.

pub mod rules;

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::rules::models;
use crate::dialect::{Confidence, Dialect, EntryReleased, Signals};
use crate::settings::Scope;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "anthropic",
    about: "Anthropic Messages request bodies",
    interface: &rules::INTERFACE,
    api: Some(models::ANTHROPIC_API),
    keys: &[
        "anthropic_version",
        "max_tokens",
        "messages",
        "model",
        "sessionId",
        "system",
        "version",
    ],
    detect,
    context,
    answer: &["/content"],
    ..Dialect::BODY
};

fn context(builder: &mut TranscriptBuilder, scope: Scope) -> Result<(), EntryReleased> {
    if scope == Scope::Context {
        builder.begin_at_compaction();
    }
    Ok(())
}

/// Whether nothing in the signals speaks against it but those of another dialect.
pub fn may_be(signals: &Signals) -> bool {
    // An agent's session file around such messages is no body (`cline`).
    let session = signals.has("sessionId") && signals.has("version");
    let foreign = signals.array && !signals.message_has("content");
    let openai =
        signals.message_has("tool_calls") || signals.has_role(&["tool", "function", "developer"]);
    signals.lists("messages") && !foreign && !session && !openai && !signals.has_type(&["toolCall"])
}

fn detect(signals: &Signals) -> Confidence {
    let own_block = signals.has_type(&[
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
        "search_result",
    ]) || signals
        .block_types
        .iter()
        .any(|t| t.ends_with("_tool_result"));
    let claude = signals
        .value("model")
        .is_some_and(|m| m.starts_with("claude"));
    let system = signals.roles.first().is_some_and(|r| r == "system");
    if !may_be(signals) {
        Confidence::No
    } else if system {
        Confidence::Named
    } else if signals.has("anthropic_version")
        || own_block
        || signals.has_tool_member("input_schema")
        || claude && signals.has("max_tokens")
    {
        Confidence::Certain
    } else if signals.is_untyped() {
        Confidence::No
    } else if signals.has("system") {
        Confidence::Certain
    } else if claude {
        Confidence::Likely
    } else {
        Confidence::Maybe
    }
}
