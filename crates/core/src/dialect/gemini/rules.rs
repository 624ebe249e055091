//! Gemini: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::Model;
use crate::dialect::rules::{FREE, possible, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, First, FirstMessage, IdScope, Interface, LastMessage, Letters,
    Precedence, Results, Rules, Syntax,
};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "google", rules),
    refusals: REFUSALS,
    bracketed: true,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

const REFUSALS: &str = include_str!("refusals.tsv");

fn rules(model: &Model<'_>) -> Rules {
    let name = Syntax {
        first: First::LetterOrUnderscore,
        letters: Letters::Dotted,
        min: 1,
        max: 128,
    };
    Rules {
        results: Results::NextResults,
        results_counted: true,
        roles_checked: true,
        unique: IdScope::Turn,
        opening: FirstMessage::User,
        ending: LastMessage::NotAssistant,
        merges: true,
        calls_follow_input: true,
        content: "parts",
        typed_texts: false,
        signed_together: true,
        empty: EmptyContent::Part,
        empty_calls: true,
        tools_differ: true,
        signed_calls: model.held(REFUSALS).contains(&"signed calls"),
        arguments: Arguments::Object,
        fields: true,
        call_name: name,
        tool_name: name,
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}
