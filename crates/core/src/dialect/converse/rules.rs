//! Bedrock's Converse: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::Model;
use crate::dialect::rules::{
    FREE, MARKS, NAME, NO_PREFILL, THINKS_UNASKED, possible, thinking_bound,
};
use crate::transcript::{
    Arguments, EmptyContent, FirstMessage, IdScope, Interface, LastMessage, Letters, Precedence,
    Results, Rules, Syntax, ThinkingRules,
};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "anthropic", rules),
    refusals: REFUSALS,
    bracketed: false,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

const REFUSALS: &str = include_str!("refusals.tsv");

fn rules(model: &Model<'_>) -> Rules {
    let held = model.held(REFUSALS);
    let has = |rule| held.contains(&rule);
    let claude = model.is("anthropic");
    let refuses_prefill = claude && model.claude.is_some_and(|version| version >= NO_PREFILL);
    Rules {
        results: Results::NextTurn,
        results_first: claude,
        results_alone: has("results alone"),
        results_counted: true,
        roles_checked: true,
        unique: IdScope::Conversation,
        opening: FirstMessage::UserKept,
        ending: if refuses_prefill {
            LastMessage::NotAssistant
        } else {
            LastMessage::Any
        },
        // A model that is not named counts as one that refuses neighbours.
        alternates: !has("any turns"),
        neighbours_speak: has("texts in a row"),
        empty: EmptyContent::No {
            last: false,
            beside_calls: false,
        },
        empty_calls: true,
        tools_declared: true,
        tools_differ: true,
        error_filled: true,
        merges: true,
        typed_texts: false,
        marks: Some(MARKS),
        marks_on_parts: true,
        marks_are_parts: true,
        thoughts: ThinkingRules {
            signed: claude,
            followed: claude,
            as_asked: claude,
            unasked: model.claude.is_none_or(|version| version >= THINKS_UNASKED),
        },
        arguments: Arguments::Object,
        fields: true,
        call_id: Syntax {
            letters: Letters::Dotted,
            min: 1,
            max: 64,
            ..Syntax::FREE
        },
        call_name: NAME,
        tool_name: NAME,
        thinking_bound: thinking_bound(model, None),
        ..FREE
    }
}
