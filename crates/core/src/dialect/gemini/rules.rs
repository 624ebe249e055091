//! Gemini: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, First, FirstMessage, IdScope, Interface, LastMessage, Letters, Precedence, Results, Rules, Syntax,
};

/// The first Gemini that refuses a call without a signature.
const SIGNS: u32 = 3;

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: Some(|| rules(&Model::newest(Maker::Google))),
    refusals: REFUSALS,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    let refusal = "* GenerateContentRequest.tools[…].function_declarations[…].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of …";
    let name = Syntax { first: First::LetterOrUnderscore, letters: Letters::Dotted, min: 1, max: 128, refusal };
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

/// The error texts of the service.
const REFUSALS: &[(&str, &str)] = &[
    (
        "E01",
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    ),
    ("E02", "Please ensure that function response turn comes immediately after a function call turn."),
    ("E03", "Please ensure that function response turn comes immediately after a function call turn."),
    (
        "E07",
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    ),
    ("E08", "* GenerateContentRequest.contents[…].parts: contents.parts must not be empty."),
    ("E10", "Please ensure that function call turn comes immediately after a user turn or after a function response turn."),
    ("E12", "Please ensure that multiturn requests ends with a user role or a function response."),
    (
        "E18",
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. …",
    ),
    ("E28", "Duplicate function declaration found: …"),
    ("E29", "Invalid value at 'contents[…].parts[…]' (type.googleapis.com/google.protobuf.Struct), …"),
    (
        "E31",
        "Please ensure that function call turn contains at least one function_call part which can not be mixed with function_response parts.",
    ),
    ("no data", "* GenerateContentRequest.contents[…].parts[…].data: required oneof field 'data' must have one initialized field"),
    ("role", "Please use a valid role: user, model."),
];
