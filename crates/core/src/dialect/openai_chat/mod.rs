//! OpenAI chat completion bodies (`POST /v1/chat/completions`).
//!
//! System and developer messages are outside the count, wherever they are. A result is a message of role `tool`.
//! OpenRouter's bodies have the same shape and a model named `vendor/model`.

pub mod rules;

use crate::dialect::detect::spelling;
use crate::dialect::shared::by_order;
use crate::dialect::{Confidence, Dialect, Signals};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "openai-chat",
    about: "OpenAI chat completion request bodies, and those of compatible services",
    interface: &rules::INTERFACE,
    keys: &["messages", "model"],
    detect,
    context: by_order::functions,
    provider,
    answer: &["/choices/0/message/tool_calls", "/choices/0/message"],
    ..Dialect::BODY
};

/// Whether it has roles that no other dialect of this chat has.
pub fn is_own(signals: &Signals) -> bool {
    signals.has_role(&["function", "developer"])
}

fn detect(signals: &Signals) -> Confidence {
    if !spelling::may_be_chat(signals) {
        return Confidence::No;
    }
    let model = signals.value("model");
    let tools = signals.message_has("tool_calls")
        || signals.has_tool_member("function")
        || signals.has_role(&["tool"]);
    if is_own(signals) || model.is_some() && signals.calls.strings && signals.calls.ids {
        Confidence::Certain
    } else if tools
        || model.is_some_and(|m| !m.starts_with("claude"))
        || signals.has_role(&["system"])
    {
        Confidence::Likely
    } else {
        Confidence::Maybe
    }
}

/// The provider of a model by its name.
pub fn provider(model: Option<&str>) -> Option<&'static str> {
    let routed = model.is_some_and(|name| name.contains('/'));
    Some(if routed { "openrouter" } else { "openai" })
}
