//! Plain messages: an array of them, or one a line, without a body or an agent's envelope around
//! them.
//!
//! Their provider is unknown. Blocks of every known spelling are read, and the stricter rules
//! apply.

use crate::{
    dialect::{
        Confidence, Dialect, Signals, builder::TranscriptBuilder, openai_chat, rules::*, shared,
        shared::by_order,
    },
    json::{Cursor, Kind, Scanned},
};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "messages",
    about: "plain messages: an array, or one a line",
    provider: &PROVIDER,
    keys: &["content", "role", "tool_calls"],
    detect,
    read,
    context: by_order::functions,
    ..Dialect::LOG
};

/// An unknown provider: it refuses what any provider refuses, as far as that can be said without
/// knowing which it is.
pub static PROVIDER: Provider = Provider {
    rules: |model, provider| Rules {
        results: Results::Either,
        results_first: true,
        roles_checked: true,
        unique: IdScope::Turn,
        opening: FirstMessage::UserKept,
        empty: EmptyContent::No {
            last: true,
            beside_calls: true,
        },
        empty_calls: true,
        merges: true,
        marks: Some(MARKS),
        marks_in_strings: true,
        server_pairs: true,
        calls_beside_content: true,
        ..free(&Model::of(model, provider))
    },
    refusals: || &REFUSALS,
    // Anthropic's provider is excluded then.
    with_result_messages: Some(&openai_chat::PROVIDER),
    ..PLAIN
};

const REFUSALS: [RefusalRow; 1] = [RefusalRow {
    maker: "*",
    host: "*",
    models: "*",
    rule: "",
    fault: "E09",
    said: "Invalid 'messages[…].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
}];

fn detect(signals: &Signals) -> Confidence {
    let lines = signals.has("role") && (signals.has("content") || signals.has("tool_calls"));
    if lines || signals.array && !signals.roles.is_empty() {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    match cursor.kind()? {
        Kind::Object => shared::message(cursor, builder).map(|_| ()),
        Kind::Array => shared::messages(cursor, builder),
        kind => shared::no_message(cursor, kind, builder),
    }
}
