//! OpenAI's chat and compatible services: what they accept and refuse, by the model's maker, and their error texts.

use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, NAME, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, First, FirstMessage, Interface, LastMessage, Precedence,
    ReasoningContentRule, Results, Rules, StartAfterCut, Syntax, SystemPlacement,
};

/// The first Kimi K that thinks unless it is asked not to.
const THINKS: (u32, u32) = (2, 5);

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: Some(|| rules(&Model::newest(Maker::OpenAi))),
    refusals: include_str!("refusals.tsv"),
    precedence: Precedence::Ranked(2),
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    let openai = model.is(Maker::OpenAi);
    let reasoner = model.last() == "deepseek-reasoner";
    let perplexity = model.is(Maker::Perplexity);
    let turns = reasoner || perplexity;
    let (opening, start, ending) = if turns {
        (FirstMessage::User, StartAfterCut::User, LastMessage::Prefix)
    } else {
        (
            FirstMessage::Any,
            StartAfterCut::NotResult,
            LastMessage::Any,
        )
    };
    let id = "Invalid 'messages[…].tool_calls[…].id': string too long. Expected a string with maximum length 40, but got a string with length … instead.";
    let (call_name, tool_name) = names(model);
    Rules {
        results: Results::Directly,
        opening,
        start,
        ending,
        alternates: turns,
        system: if perplexity {
            SystemPlacement::First
        } else {
            SystemPlacement::Anywhere
        },
        empty: EmptyContent::Text {
            counts: model.is(Maker::Moonshot),
        },
        empty_calls: true,
        result_content: openai,
        tools_differ: model.is(Maker::DeepSeek),
        marks_in_strings: true,
        calls_beside_content: true,
        reasoned: reasoned(model),
        arguments: if openai {
            Arguments::String
        } else {
            Arguments::Any
        },
        fields: openai,
        call_id: if openai {
            Syntax {
                max: 40,
                refusal: id,
                ..Syntax::FREE
            }
        } else {
            Syntax::FREE
        },
        call_name,
        tool_name,
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}

/// Returns the rules for the names of called and of declared functions.
fn names(model: &Model<'_>) -> (Syntax, Syntax) {
    let name = "Invalid 'messages[…].tool_calls[…].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let declared = "Invalid 'tools[…].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let kimi = "Invalid request: function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes";
    match model.maker {
        Some(Maker::OpenAi) => (
            Syntax {
                refusal: name,
                ..NAME
            },
            Syntax {
                refusal: declared,
                ..NAME
            },
        ),
        // Its own service; others run its models under a vendor's name.
        Some(Maker::DeepSeek) if !model.name.contains('/') => (
            Syntax::FREE,
            Syntax {
                refusal: declared,
                ..NAME
            },
        ),
        Some(Maker::Moonshot) => {
            let name = Syntax {
                first: First::Letter,
                max: usize::MAX,
                refusal: kimi,
                ..NAME
            };
            (name, name)
        }
        _ => (Syntax::FREE, Syntax::FREE),
    }
}

/// Returns the rule by which a model's maker requires that `reasoning_content` is sent back.
fn reasoned(model: &Model<'_>) -> ReasoningContentRule {
    match model.maker {
        Some(Maker::DeepSeek) if model.name.to_lowercase().contains("reasoner") => {
            ReasoningContentRule::Always
        }
        Some(Maker::Moonshot) if model.name.to_lowercase().contains("thinking") => {
            ReasoningContentRule::Always
        }
        Some(Maker::Moonshot) if model.kimi().is_some_and(|version| version >= THINKS) => {
            ReasoningContentRule::Always
        }
        Some(Maker::DeepSeek | Maker::Moonshot | Maker::MiniMax | Maker::Xiaomi) => {
            ReasoningContentRule::WhenAsked
        }
        _ => ReasoningContentRule::Free,
    }
}
