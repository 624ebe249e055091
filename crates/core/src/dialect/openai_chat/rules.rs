//! OpenAI's chat and compatible services: what they accept and refuse, by the model's maker, and their error texts.

use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, NAME, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, First, FirstMessage, Interface, LastMessage, Precedence, ReasoningContentRule, Results, Rules, StartAfterCut,
    Syntax, SystemPlacement,
};

/// The first Kimi K that thinks unless it is asked not to.
const THINKS: (u32, u32) = (2, 5);

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: Some(|| rules(&Model::newest(Maker::OpenAi))),
    refusals: REFUSALS,
    precedence: Precedence::Ranked(2),
    with_result_messages: None,
};

fn rules(model: &Model<'_>) -> Rules {
    let openai = model.is(Maker::OpenAi);
    let reasoner = model.last() == "deepseek-reasoner";
    let perplexity = model.is(Maker::Perplexity);
    let turns = reasoner || perplexity;
    let name = "Invalid 'messages[…].tool_calls[…].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let declared =
        "Invalid 'tools[…].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let id = "Invalid 'messages[…].tool_calls[…].id': string too long. Expected a string with maximum length 40, but got a string with length … instead.";
    let kimi =
        "Invalid request: function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes";
    let (call_name, tool_name) = match model.maker {
        Some(Maker::OpenAi) => (Syntax { refusal: name, ..NAME }, Syntax { refusal: declared, ..NAME }),
        // Its own service; others run its models under a vendor's name.
        Some(Maker::DeepSeek) if !model.name.contains('/') => (Syntax::FREE, Syntax { refusal: declared, ..NAME }),
        Some(Maker::Moonshot) => {
            let name = Syntax { first: First::Letter, max: usize::MAX, refusal: kimi, ..NAME };
            (name, name)
        }
        _ => (Syntax::FREE, Syntax::FREE),
    };
    Rules {
        results: Results::Directly,
        opening: if turns { FirstMessage::User } else { FirstMessage::Any },
        start: if turns { StartAfterCut::User } else { StartAfterCut::NotResult },
        ending: if turns { LastMessage::Prefix } else { LastMessage::Any },
        alternates: turns,
        system: if perplexity { SystemPlacement::First } else { SystemPlacement::Anywhere },
        empty: EmptyContent::Text { counts: model.is(Maker::Moonshot) },
        empty_calls: true,
        result_content: openai,
        tools_differ: model.is(Maker::DeepSeek),
        marks_in_strings: true,
        calls_beside_content: true,
        reasoned: reasoned(model),
        arguments: if openai { Arguments::String } else { Arguments::Any },
        fields: openai,
        call_id: if openai { Syntax { max: 40, refusal: id, ..Syntax::FREE } } else { Syntax::FREE },
        call_name,
        tool_name,
        thinking_bound: thinking_bound(model, Some(false)),
        ..FREE
    }
}

/// Returns the rule by which a model's maker requires that `reasoning_content` is sent back.
fn reasoned(model: &Model<'_>) -> ReasoningContentRule {
    match model.maker {
        Some(Maker::DeepSeek) if model.name.to_lowercase().contains("reasoner") => ReasoningContentRule::Always,
        Some(Maker::Moonshot) if model.name.to_lowercase().contains("thinking") => ReasoningContentRule::Always,
        Some(Maker::Moonshot) if model.kimi().is_some_and(|version| version >= THINKS) => ReasoningContentRule::Always,
        Some(Maker::DeepSeek | Maker::Moonshot | Maker::MiniMax | Maker::Xiaomi) => ReasoningContentRule::WhenAsked,
        _ => ReasoningContentRule::Free,
    }
}

/// The error texts of the service.
const REFUSALS: &[(&str, &str)] = &[
    (
        "E01",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: …",
    ),
    ("E02", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."),
    (
        "E03",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: …",
    ),
    ("E09", "Invalid 'messages[…].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead."),
    // Of this shape, Perplexity refuses it, and one model of DeepSeek's.
    ("E11", "After the (optional) system message(s), user and assistant roles should be alternating."),
    ("E12", "The last message of deepseek-reasoner must be a user message, or an assistant message with prefix mode on (refer to …)."),
    ("E23", "The `reasoning_content` in the thinking mode must be passed back to the API."),
    ("E08", "Invalid value for 'content': expected a string, got null."),
    ("E28", "Tool names must be unique."),
    ("E29", "Invalid type for 'messages[…].tool_calls[…].function.arguments': expected a string, but got … instead."),
    ("content of a result", "Invalid type for 'messages[…].content': expected one of a string or array of objects, but got … instead."),
    ("E30", "Missing required parameter: 'messages[…].content[…].type'."),
    ("no text", "Missing required parameter: 'messages[…].content[…].text'."),
    ("call without a member", "Missing required parameter: 'messages[…].tool_calls[…].…'."),
    ("role", "Invalid value: '…'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."),
    (
        "successive roles",
        "deepseek-reasoner does not support successive user or assistant messages (messages[…] and messages[…] in your input). You should interleave the user/assistant messages in the message sequence.",
    ),
    ("last message", "Last message must have role `user` or `tool`"),
];
