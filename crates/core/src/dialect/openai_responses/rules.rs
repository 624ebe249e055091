//! OpenAI's Responses: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, NAME, thinking_bound};
use crate::transcript::{Arguments, Interface, Precedence, Rules, StartAfterCut, Syntax};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: Some(|| rules(&Model::newest(Maker::OpenAi))),
    refusals: REFUSALS,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    let openai = model.is(Maker::OpenAi);
    let id =
        "Invalid 'input[…].call_id': string too long. Expected a string with maximum length 64, but got a string with length … instead.";
    let name = "Invalid 'input[…].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let declared = "Invalid 'tools[…].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let free = |syntax: Syntax| if openai { syntax } else { Syntax::FREE };
    Rules {
        start: StartAfterCut::NotResult,
        pairs_by_id: true,
        items: true,
        reasoning_followed: true,
        item_ids: openai,
        programs: true,
        arguments: if openai { Arguments::String } else { Arguments::Any },
        fields: openai,
        call_id: free(Syntax { min: 1, max: 64, refusal: id, ..Syntax::FREE }),
        call_name: free(Syntax { refusal: name, ..NAME }),
        tool_name: free(Syntax { refusal: declared, ..NAME }),
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}

/// The error texts of the service.
const REFUSALS: &[(&str, &str)] = &[
    ("E01", "No tool output found for function call …."),
    ("E02", "No tool call found for function call output with call_id …."),
    ("E17", "Item '…' of type 'reasoning' was provided without its required following item."),
    ("E25", "Invalid 'input[…].id': '…'. Expected an ID that begins with '…'."),
    ("E26", "Duplicate item found with id …. Remove duplicate items from your input and try again."),
    ("E29", "Invalid type for 'input[…].arguments': expected a string, but got … instead."),
    ("E30", "Missing required parameter: 'input[…].content[…].type'."),
    (
        "E37",
        "Item with id '…' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    ),
    ("no text", "Missing required parameter: 'input[…].content[…].text'."),
    ("role", "Invalid value: '…'. Supported values are: 'assistant', 'system', 'developer', and 'user'."),
    ("type of a text", "Invalid value: '…'. Supported values are: '…' and '…'."),
];
