//! Mistral: what the service accepts and refuses, and its error texts.

use crate::dialect::rules::models::Model;
use crate::dialect::rules::{FREE, NAME, thinking_bound};
use crate::transcript::{
    EmptyContent, Interface, LastMessage, Letters, Precedence, Results, Rules, Syntax,
    SystemPlacement,
};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |_, _| None,
    refusals: include_str!("refusals.tsv"),
    bracketed: true,
    precedence: Precedence::Ranked(3),
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    Rules {
        results: Results::Directly,
        results_counted: true,
        results_named: true,
        ending: LastMessage::Prefix,
        results_follow_calls: true,
        members: "role content name tool_calls tool_call_id prefix",
        calls_beside_content: true,
        system: SystemPlacement::NotAfterAnswer,
        empty: EmptyContent::Text {
            counts: true,
            reasoned: true,
        },
        call_id: Syntax {
            letters: Letters::Digits,
            min: 9,
            max: 9,
            ..Syntax::FREE
        },
        call_name: NAME,
        tool_name: NAME,
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}
