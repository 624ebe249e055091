//! OpenAI's chat and compatible services: what they accept and refuse, by the model's maker and its host, and their error texts.

use crate::dialect::rules::models::Model;
use crate::dialect::rules::{FREE, NAME, possible, reasoned, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, First, FirstMessage, Interface, LastMessage, Precedence, Results,
    Rules, StartAfterCut, Syntax, SystemPlacement,
};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "openai", rules),
    refusals: REFUSALS,
    bracketed: true,
    precedence: Precedence::Ranked(2),
    with_result_messages: None,
};

const REFUSALS: &str = include_str!("refusals.tsv");

fn rules(model: &Model<'_>) -> Rules {
    let held = model.held(REFUSALS);
    let has = |rule| held.contains(&rule);
    let (openai, turns) = (model.is("openai"), has("turns"));
    let only = |holds, syntax| if holds { syntax } else { Syntax::FREE };
    let kimi = Syntax {
        first: First::Letter,
        max: usize::MAX,
        ..NAME
    };
    let name = only(has("plain names"), kimi);
    let members = held.iter().find_map(|rule| rule.strip_prefix("members "));
    Rules {
        results: Results::Directly,
        calls_answered: !model.ollama,
        opening: if turns {
            FirstMessage::User
        } else if has("asks") {
            FirstMessage::UserLater
        } else {
            FirstMessage::Any
        },
        start: if turns {
            StartAfterCut::User
        } else {
            StartAfterCut::NotResult
        },
        ending: if turns {
            LastMessage::Prefix
        } else {
            LastMessage::Any
        },
        alternates: turns,
        system: if has("system first") {
            SystemPlacement::First
        } else if has("one system") {
            SystemPlacement::FirstMessage
        } else {
            SystemPlacement::Anywhere
        },
        empty: EmptyContent::Text {
            counts: has("content"),
            reasoned: has("content beside reasoning"),
        },
        empty_calls: true,
        result_content: openai,
        plain_results: has("plain results"),
        tools_differ: has("tools differ"),
        parameters: has("parameters"),
        marks_in_strings: true,
        calls_beside_content: true,
        reasoned: reasoned(&held),
        members: members.unwrap_or_default(),
        signed_calls: has("signed calls"),
        json_arguments: has("json arguments"),
        developers: !has("no developer"),
        surrogates: openai || has("surrogates"),
        services: model.services(),
        arguments: if openai {
            Arguments::String
        } else {
            Arguments::Any
        },
        fields: openai,
        call_id: only(
            openai,
            Syntax {
                max: 40,
                ..Syntax::FREE
            },
        ),
        call_name: if openai { NAME } else { name },
        tool_name: if openai || has("declared names") {
            NAME
        } else {
            name
        },
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}
