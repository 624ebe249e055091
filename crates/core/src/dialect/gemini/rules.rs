//! Gemini: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, First, FirstMessage, IdScope, Interface, LastMessage, Letters,
    Precedence, Results, Rules, Syntax,
};

/// The first Gemini that refuses a call without a signature.
const SIGNS: u32 = 3;

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: Some(|| rules(&Model::newest(Maker::Google))),
    refusals: include_str!("refusals.tsv"),
    bracketed: true,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    let refusal = "* GenerateContentRequest.tools[…].function_declarations[…].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of …";
    let name = Syntax {
        first: First::LetterOrUnderscore,
        letters: Letters::Dotted,
        min: 1,
        max: 128,
        refusal,
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
        signed_calls: model.gemini.is_some_and(|version| version >= SIGNS),
        arguments: Arguments::Object,
        fields: true,
        call_name: name,
        tool_name: name,
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}
