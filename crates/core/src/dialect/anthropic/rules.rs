//! Anthropic's Messages: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, MARKS, NAME, NO_PREFILL, THINKS_UNASKED, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, FirstMessage, IdScope, Interface, LastMessage, Letters, Precedence,
    Results, Rules, Syntax, SystemPlacement, ThinkingRules,
};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: Some(|| rules(&Model::newest(Maker::Anthropic))),
    refusals: include_str!("refusals.tsv"),
    bracketed: false,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    // Other makers offer the same interface, and check less.
    let claude = model.maker.is_none_or(|maker| maker == Maker::Anthropic);
    let prefill = model.claude.is_none_or(|version| version < NO_PREFILL);
    let free = |syntax: Syntax| if claude { syntax } else { Syntax::FREE };
    let pattern =
        "messages.….content.….tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
    let declared = "tools.….custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
    let named =
        "messages.….content.….tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'";
    Rules {
        results: Results::NextTurn,
        results_first: true,
        results_alone: model.is_at(Maker::MiniMax),
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
        tools_declared: prefill,
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
        service: if model.is(Maker::MiniMax) {
            "minimax"
        } else {
            ""
        },
        arguments: if claude {
            Arguments::Object
        } else {
            Arguments::Any
        },
        fields: claude,
        call_id: free(Syntax {
            letters: Letters::Word,
            min: 1,
            refusal: pattern,
            ..Syntax::FREE
        }),
        call_name: free(Syntax {
            max: 200,
            refusal: named,
            ..NAME
        }),
        tool_name: free(Syntax {
            max: 128,
            refusal: declared,
            ..NAME
        }),
        thinking_bound: thinking_bound(model, Some(true)),
        ..FREE
    }
}
