//! OpenAI's Responses: what each model accepts and refuses, and the service's error texts.

use crate::dialect::openai_chat::rules::reasoned;
use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, NAME, thinking_bound};
use crate::transcript::{Arguments, Interface, Precedence, Rules, StartAfterCut, Syntax};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: Some(|| rules(&Model::newest(Maker::OpenAi))),
    refusals: include_str!("refusals.tsv"),
    bracketed: true,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    let openai = model.is(Maker::OpenAi);
    let id = "Invalid 'input[…].call_id': string too long. Expected a string with maximum length 64, but got a string with length … instead.";
    let name = "Invalid 'input[…].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let declared = "Invalid 'tools[…].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let free = |syntax: Syntax| if openai { syntax } else { Syntax::FREE };
    Rules {
        start: StartAfterCut::NotResult,
        pairs_by_id: true,
        items: true,
        reasoning_followed: true,
        item_ids: model.is_at(Maker::OpenAi),
        reasoned: reasoned(model),
        service: if model.is(Maker::DeepSeek) {
            "deepseek"
        } else {
            ""
        },
        calls_last: model.is_at(Maker::DeepSeek),
        programs: true,
        arguments: if openai {
            Arguments::String
        } else {
            Arguments::Any
        },
        fields: openai,
        call_id: free(Syntax {
            min: 1,
            max: 64,
            refusal: id,
            ..Syntax::FREE
        }),
        call_name: free(Syntax {
            refusal: name,
            ..NAME
        }),
        tool_name: free(Syntax {
            refusal: declared,
            ..NAME
        }),
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}
