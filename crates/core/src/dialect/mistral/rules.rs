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
    strictest: None,
    refusals: include_str!("refusals.tsv"),
    bracketed: true,
    precedence: Precedence::Ranked(3),
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    let id = "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9.";
    let name = "Function name was … but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.";
    Rules {
        results: Results::Directly,
        results_counted: true,
        results_named: true,
        ending: LastMessage::Prefix,
        results_follow_calls: true,
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
            refusal: id,
            ..Syntax::FREE
        },
        call_name: Syntax {
            refusal: name,
            ..NAME
        },
        tool_name: Syntax {
            refusal: name,
            ..NAME
        },
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}
