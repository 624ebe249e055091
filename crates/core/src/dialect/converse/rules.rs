//! Bedrock's Converse: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, MARKS, NAME, NO_PREFILL, THINKS_UNASKED, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, FirstMessage, IdScope, Interface, LastMessage, Letters, Precedence,
    Results, Rules, Syntax, ThinkingRules,
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
    let claude = model.is(Maker::Anthropic);
    let refuses_prefill = claude && model.claude.is_some_and(|version| version >= NO_PREFILL);
    let id = "Value '…' at 'messages.….member.content.….member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+";
    let name = "Value '…' at 'messages.….member.content.….member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+";
    let declared = "Value '…' at 'toolConfig.tools.….member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+";
    Rules {
        results: Results::NextMessage,
        results_first: claude,
        results_alone: model.is(Maker::Llama),
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
        alternates: !(claude || model.is(Maker::Titan) || model.is(Maker::Nova)),
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
            refusal: id,
            ..Syntax::FREE
        },
        call_name: Syntax {
            refusal: name,
            ..NAME
        },
        tool_name: Syntax {
            refusal: declared,
            ..NAME
        },
        thinking_bound: thinking_bound(model, None),
        ..FREE
    }
}
