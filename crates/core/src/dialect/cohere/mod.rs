//! Cohere chat bodies, of both interfaces.
//!
//! The second has OpenAI's shape, with a `tool_plan` beside the calls and documents as the content of a result. The first,
//! with a `message` and a `chat_history`, is in `v1`.

mod v1;

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::detect::spelling;
use crate::dialect::rules::models::Model;
use crate::dialect::rules::{PLAIN, free};
use crate::dialect::shared::by_order;
use crate::dialect::{Confidence, Dialect, Signals, shared};
use crate::json::{Cursor, Kind, Scanned};
use crate::transcript::{EmptyContent, Interface, Precedence, Results, Rules};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "cohere",
    about: "Cohere chat request bodies, v1 and v2",
    interface: &INTERFACE,
    results: &[shared::RESULTS, v1::RESULTS],
    keys: &[
        "chat_history",
        "citation_options",
        "connectors",
        "documents",
        "message",
        "messages",
        "model",
        "preamble",
        "safety_mode",
        "strict_tools",
        "tool_results",
    ],
    detect,
    read,
    context: by_order::context,
    provider: |_| Some("cohere"),
    ..Dialect::BODY
};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    refusals: include_str!("refusals.tsv"),
    precedence: Precedence::Ranked(1),
    ..PLAIN
};

fn rules(model: &Model<'_>) -> Rules {
    Rules {
        results: Results::Run,
        results_repeat_calls: true,
        empty: EmptyContent::Text {
            counts: false,
            reasoned: false,
        },
        ..free(model)
    }
}

pub fn detect(signals: &Signals) -> Confidence {
    let named = signals.value("model").is_some_and(|m| {
        (m.starts_with("command") || m.starts_with("c4ai-")) && !m.contains([':', '/'])
    });
    if !signals.lists("messages") {
        let first = signals.value("message").is_some()
            && signals.has_any(&["tool_results", "preamble", "connectors"]);
        let history = signals.has("chat_history");
        return match () {
            () if history && (signals.has("message") || named) || first => Confidence::Certain,
            () if history || signals.value("message").is_some() && named => Confidence::Likely,
            () => Confidence::No,
        };
    }
    if !spelling::may_be_chat(signals) {
        return Confidence::No;
    }
    let own = signals.has_any(&[
        "documents",
        "safety_mode",
        "citation_options",
        "strict_tools",
    ]);
    if own || signals.message_has("tool_plan") || signals.block_has("document") {
        Confidence::Certain
    } else if named {
        Confidence::Likely
    } else {
        Confidence::Named
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let list = cursor.kind()? == Kind::Array;
    let from = cursor.at();
    if list || has_messages(cursor)? {
        cursor.go_to(from);
        return shared::body(cursor, builder);
    }
    cursor.go_to(from);
    v1::body(cursor, builder)
}

/// Whether the body at the cursor is one of the second interface.
fn has_messages(cursor: &mut Cursor<'_>) -> Scanned<bool> {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if &*key == b"messages" && cursor.kind()? == Kind::Array {
            return Ok(true);
        }
    }
    Ok(false)
}
