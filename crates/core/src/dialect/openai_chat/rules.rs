//! OpenAI's chat and compatible services: what they accept and refuse, by the model's maker, and their error texts.

use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, NAME, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, First, FirstMessage, Interface, LastMessage, Precedence,
    ReasoningContentRule, Results, Rules, StartAfterCut, Syntax, SystemPlacement,
};

/// The models that think unless they are asked not to: a part of their names, and the first version.
const THINKS: &[(&str, (u32, u32))] = &[("kimi-k", (2, 5)), ("deepseek-v", (4, 0))];
/// The first Gemini that refuses a call without a signature.
const SIGNS: u32 = 3;

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: Some(|| rules(&Model::newest(Maker::OpenAi))),
    refusals: include_str!("refusals.tsv"),
    bracketed: true,
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
        let opening = if model.is_at(Maker::Alibaba) {
            FirstMessage::UserLater
        } else {
            FirstMessage::Any
        };
        (opening, StartAfterCut::NotResult, LastMessage::Any)
    };
    let id = "Invalid 'messages[…].tool_calls[…].id': string too long. Expected a string with maximum length 40, but got a string with length … instead.";
    let (call_name, tool_name) = names(model);
    Rules {
        results: Results::Directly,
        calls_answered: !model.ollama,
        opening,
        start,
        ending,
        alternates: turns,
        system: match model.maker {
            Some(Maker::Perplexity) => SystemPlacement::First,
            Some(Maker::MiniMax) if model.own => SystemPlacement::FirstMessage,
            _ => SystemPlacement::Anywhere,
        },
        empty: EmptyContent::Text {
            counts: model.is(Maker::Moonshot) || model.is_at(Maker::DeepSeek),
            reasoned: model.is(Maker::Moonshot),
        },
        empty_calls: true,
        result_content: openai,
        tools_differ: model.is(Maker::DeepSeek),
        marks_in_strings: true,
        calls_beside_content: true,
        reasoned: reasoned(model),
        signed_calls: model.own && model.gemini.is_some_and(|version| version >= SIGNS),
        json_arguments: model.is_at(Maker::MiniMax),
        developers: !model.is_at(Maker::DeepSeek),
        service: service(model),
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
        Some(Maker::DeepSeek) if model.own => (
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
pub fn reasoned(model: &Model<'_>) -> ReasoningContentRule {
    let name = model.last();
    let thinks = |(word, first): &(&str, (u32, u32))| {
        model.version(word).is_some_and(|version| version >= *first)
    };
    let always = name.contains("reasoner") || name.contains("thinking");
    match model.maker {
        _ if matches!(model.host, Some(Maker::Groq | Maker::Cerebras)) => {
            ReasoningContentRule::Refused
        }
        // Others that run these models send reasoning in other members.
        _ if !model.own => ReasoningContentRule::Free,
        Some(Maker::DeepSeek | Maker::Moonshot) if always || THINKS.iter().any(thinks) => {
            ReasoningContentRule::Always
        }
        Some(Maker::DeepSeek | Maker::Moonshot | Maker::MiniMax | Maker::Xiaomi) => {
            ReasoningContentRule::WhenAsked
        }
        _ => ReasoningContentRule::Free,
    }
}

/// Returns the service whose answers are listed under its name.
fn service(model: &Model<'_>) -> &'static str {
    match model.maker {
        Some(Maker::DeepSeek) => "deepseek",
        Some(Maker::Moonshot) => "moonshot",
        Some(Maker::MiniMax) => "minimax",
        Some(Maker::Alibaba) => "qwen",
        Some(Maker::Google) => "gemini",
        _ if model.host == Some(Maker::Groq) => "groq",
        _ if model.host == Some(Maker::Cerebras) => "cerebras",
        _ => "",
    }
}
