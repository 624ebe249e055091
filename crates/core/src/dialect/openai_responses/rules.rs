//! OpenAI's Responses: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::Model;
use crate::dialect::rules::{FREE, NAME, possible, reasoned, thinking_bound};
use crate::transcript::{Arguments, Interface, Precedence, Rules, StartAfterCut, Syntax};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "openai", rules),
    refusals: REFUSALS,
    bracketed: true,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

const REFUSALS: &str = include_str!("refusals.tsv");

fn rules(model: &Model<'_>) -> Rules {
    let held = model.held(REFUSALS);
    let openai = model.is("openai");
    let free = |syntax: Syntax| if openai { syntax } else { Syntax::FREE };
    Rules {
        start: StartAfterCut::NotResult,
        pairs_by_id: true,
        items: true,
        reasoning_followed: true,
        item_ids: model.is_at("openai"),
        reasoned: reasoned(&held),
        services: model.services(),
        surrogates: openai,
        calls_last: held.contains(&"calls last"),
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
            ..Syntax::FREE
        }),
        call_name: free(NAME),
        tool_name: free(NAME),
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}
