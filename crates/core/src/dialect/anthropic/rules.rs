//! Anthropic's Messages: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::Model;
use crate::dialect::rules::{
    FREE, MARKS, NAME, NO_PREFILL, THINKS_UNASKED, possible, thinking_bound,
};
use crate::transcript::{
    Arguments, EmptyContent, FirstMessage, IdScope, Interface, LastMessage, Letters, Precedence,
    Results, Rules, Syntax, SystemPlacement, ThinkingRules,
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
    // Other makers offer the same interface, and check less.
    let claude = model.maker.is_none_or(|maker| maker == "anthropic");
    let prefill = model.claude.is_none_or(|version| version < NO_PREFILL);
    let free = |syntax: Syntax| if claude { syntax } else { Syntax::FREE };
    Rules {
        results: Results::NextTurn,
        results_first: true,
        results_alone: held.contains(&"results alone"),
        roles_checked: true,
        calls_last: claude,
        unique: IdScope::Turn,
        opening: FirstMessage::UserKept,
        ending: if prefill {
            LastMessage::Any
        } else {
            LastMessage::NotAssistant
        },
        trailing_space: false,
        merges: true,
        system: SystemPlacement::BeforeAnswer,
        empty: EmptyContent::No {
            last: true,
            beside_calls: true,
        },
        empty_calls: true,
        tools_declared: prefill && !held.contains(&"undeclared tools"),
        tools_differ: true,
        empty_in_results: !claude,
        error_text: true,
        error_filled: true,
        marks: Some(MARKS),
        marks_in_strings: true,
        marks_on_parts: true,
        marked_thinking: !claude,
        server_pairs: true,
        thoughts: ThinkingRules {
            signed: claude,
            followed: claude,
            as_asked: true,
            unasked: model.claude.is_none_or(|version| version >= THINKS_UNASKED),
        },
        drops_thinking: true,
        services: model.services(),
        surrogates: claude,
        arguments: if claude {
            Arguments::Object
        } else {
            Arguments::Any
        },
        fields: claude,
        call_id: free(Syntax {
            letters: Letters::Word,
            min: 1,
            ..Syntax::FREE
        }),
        call_name: free(Syntax { max: 200, ..NAME }),
        tool_name: free(Syntax { max: 128, ..NAME }),
        thinking_bound: thinking_bound(model, Some(true)),
        ..FREE
    }
}
