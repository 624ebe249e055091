//! Cohere: what the service accepts and refuses, and its error texts.

use crate::dialect::rules::models::Model;
use crate::dialect::rules::{FREE, thinking_bound};
use crate::transcript::{EmptyContent, Interface, Precedence, Results, Rules};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: None,
    refusals: REFUSALS,
    precedence: Precedence::Ranked(1),
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    Rules {
        results: Results::Run,
        results_repeat_calls: true,
        empty: EmptyContent::Text { counts: false },
        empty_calls: true,
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}

/// The error texts of the service.
const REFUSALS: &[(&str, &str)] = &[
    (
        "E01",
        "invalid request: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: …",
    ),
    ("E08", "invalid request: all elements in history must have a message."),
];
