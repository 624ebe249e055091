//! Anthropic Messages bodies (`POST /v1/messages`).
//!
//! `system` and `tools` are outside the count. Results are blocks of user messages and name their tool only through the
//! call that they answer.

pub mod rules;

use crate::dialect::usage::Calls;
use crate::dialect::{Clues, Dialect, Layout, Likeness, all_messages, cohere, mistral, shared};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "anthropic",
    about: "Anthropic Messages request bodies",
    layout: Layout::Body,
    interface: &rules::INTERFACE,
    results: &[shared::RESULTS],
    looks,
    read: shared::body,
    lineage: None,
    context: all_messages,
    calls: Calls::UNKNOWN,
};

fn looks(clues: &Clues) -> Likeness {
    // An agent's session file around such messages is no body (`cline`).
    let session = clues.has("sessionId") && clues.has("version");
    let foreign = clues.array && !clues.message_has("content");
    if !clues.lists("messages") || foreign || session || clues.block_types.iter().any(|t| t == "toolCall") {
        return Likeness::No;
    }
    let own_block = |t: &String| {
        matches!(
            t.as_str(),
            "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "server_tool_use" | "mcp_tool_use" | "search_result"
        ) || t.ends_with("_tool_result")
    };
    let openai = clues.message_has("tool_calls") || clues.roles.iter().any(|r| matches!(r.as_str(), "tool" | "function" | "developer"));
    let claude = clues.value("model").is_some_and(|m| m.starts_with("claude"));
    let system = clues.roles.first().is_some_and(|r| r == "system");
    // Both have reasoning of Anthropic's type.
    let dialect = [mistral::looks, cohere::looks].iter().any(|looks| looks(clues) >= Likeness::Likely);
    if openai {
        Likeness::No
    } else if dialect || system {
        Likeness::Named
    } else if clues.has("anthropic_version")
        || clues.block_types.iter().any(own_block)
        || clues.has_tool_member("input_schema")
        || claude && clues.has("max_tokens")
    {
        Likeness::Certain
    } else if clues.is_untyped() {
        Likeness::No
    } else if clues.has("system") {
        Likeness::Certain
    } else if claude {
        Likeness::Likely
    } else {
        Likeness::Maybe
    }
}
