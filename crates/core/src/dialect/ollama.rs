//! Ollama chat bodies (`POST /api/chat`).
//!
//! Arguments are an object and a content is a string; images are a list beside it. A call mostly
//! has no id: a result answers by the `tool_name` it may have, and by order. The server checks no
//! pairs and cuts what does not fit without a word, so that only pairs are checked here, not the
//! order.

use crate::dialect::{Confidence, Dialect, Signals, rules::*, shared, shared::by_order};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "ollama",
    about: "Ollama chat request bodies",
    provider: &PROVIDER,
    keys: &["keep_alive", "messages", "model", "options", "think"],
    detect,
    read: shared::body_by_order,
    context: by_order::context,
    provider_name: |_| Some("ollama"),
    ..Dialect::BODY
};

/// The server checks nothing.
pub static PROVIDER: Provider = Provider {
    rules: |model, provider| Rules {
        tool_member: Some("tool_name"),
        ..free(&Model::of(model, provider))
    },
    precedence: Precedence::Yields,
    ..PLAIN
};

pub fn detect(signals: &Signals) -> Confidence {
    // Its contents are strings.
    if !signals.may_be_chat() || !signals.block_types.is_empty() {
        return Confidence::No;
    }
    let top = signals.has_any("keep_alive options think");
    if top || signals.message_has("tool_name images") {
        Confidence::Certain
    } else if signals.calls.objects
        && !signals.calls.nine
        && !Model::of(signals.value("model"), None).is("openai")
    {
        Confidence::Likely
    } else {
        Confidence::Named
    }
}
