//! Cohere: what the service accepts and refuses, and its error texts.

use crate::dialect::rules::models::Model;
use crate::dialect::rules::{FREE, thinking_bound};
use crate::transcript::{EmptyContent, Interface, Precedence, Results, Rules};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |_, _| None,
    refusals: include_str!("refusals.tsv"),
    bracketed: true,
    precedence: Precedence::Ranked(1),
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    Rules {
        results: Results::Run,
        results_repeat_calls: true,
        empty: EmptyContent::Text {
            counts: false,
            reasoned: false,
        },
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}
