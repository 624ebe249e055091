//! What each provider takes and what it refuses: its answers, for a format's rules and the model that the request runs on.

use super::Rules;
use super::answers::{Answers, Arguments, Empty, Ending, Opening, Reasoned, Results, Start, SystemInside, Thoughts, Unique};
use super::models::{Maker, Model};
use super::syntax::{First, Letters, Syntax};

/// What a service takes that refuses nothing.
const FREE: Answers = Answers {
    is_history: false,
    results: Results::Anywhere,
    results_first: false,
    results_alone: false,
    results_counted: false,
    roles_checked: false,
    calls_last: false,
    unique: Unique::Message,
    opening: Opening::Any,
    start: Start::User,
    ending: Ending::Any,
    trailing_space: true,
    alternates: false,
    merges: false,
    calls_follow_input: false,
    pairs_by_id: false,
    results_follow_calls: false,
    system: SystemInside::Anywhere,
    empty: Empty::Any,
    empty_calls: false,
    result_content: false,
    tools_declared: false,
    tools_differ: false,
    error_text: false,
    error_filled: false,
    marks: None,
    marks_in_strings: false,
    marks_on_parts: false,
    marks_are_parts: false,
    marked_thinking: true,
    server_pairs: false,
    thoughts: Thoughts { signed: false, followed: false, as_asked: false },
    thinking_bound: Some(false),
    drops_thinking: false,
    reasoned: Reasoned::Free,
    signed_calls: false,
    signed_together: false,
    reasoning_followed: false,
    item_ids: false,
    programs: false,
    arguments: Arguments::Any,
    fields: false,
    content: "content",
    calls_beside_content: false,
    items: false,
    typed_texts: true,
    tool_member: "name",
    call_id: Syntax::FREE,
    call_name: Syntax::FREE,
    tool_name: Syntax::FREE,
};

/// Cache marks that a request may carry.
const MARKS: usize = 4;
/// The first Claude that does not go on from an answer begun for it.
const NO_PREFILL: (u32, u32) = (4, 6);
/// The first Claude whose thinking is bound to all that comes before it.
const BINDS: (u32, u32) = (5, 1);
/// The first Gemini that refuses a call without a signature.
const SIGNS: u32 = 3;
/// The first Kimi K that thinks unless it is told not to.
const THINKS: (u32, u32) = (2, 5);

/// Names of tools: 1 to 64 letters, digits, `_` and `-`.
const NAME: Syntax = Syntax { first: First::Any, letters: Letters::Word, min: 1, max: 64, refusal: "" };

impl Rules {
    /// What holds for a body with these rules that runs on `model`.
    pub fn answers(self, model: Model<'_>) -> Answers {
        let thinking_bound = match self {
            _ if !model.name.is_empty() => Some(binds(model)),
            Rules::Anthropic => Some(true),
            Rules::Converse => None,
            _ => Some(false),
        };
        let answers = match self {
            Rules::Anthropic => anthropic(model),
            Rules::OpenAiChat => chat(model),
            Rules::Responses => responses(model),
            Rules::Gemini => gemini(model),
            Rules::Converse => converse(model),
            Rules::Mistral => mistral(),
            Rules::Cohere => Answers { results: Results::Run, empty: Empty::Text { counts: false }, empty_calls: true, ..FREE },
            Rules::Ollama => Answers { tool_member: "tool_name", ..FREE },
            Rules::History => Answers { is_history: true, start: Start::UserOrAgent, pairs_by_id: true, ..FREE },
            Rules::Generic => Answers {
                results: Results::Either,
                results_first: true,
                roles_checked: true,
                unique: Unique::Turn,
                opening: Opening::UserKept,
                empty: Empty::No { last: true },
                empty_calls: true,
                merges: true,
                marks: Some(MARKS),
                marks_in_strings: true,
                server_pairs: true,
                calls_beside_content: true,
                ..FREE
            },
        };
        Answers { thinking_bound, ..answers }
    }

    /// The model that refuses most, where none is named and what is refused depends on it.
    pub fn strictest(self) -> Option<Model<'static>> {
        match self {
            Rules::Anthropic | Rules::Converse => Some(Model::newest(Maker::Anthropic)),
            Rules::Gemini => Some(Model::newest(Maker::Google)),
            Rules::OpenAiChat | Rules::Responses => Some(Model::newest(Maker::OpenAi)),
            _ => None,
        }
    }
}

/// Whether thinking is bound in answers of `model`: a Claude that does not tell its version counts as new.
fn binds(model: Model<'_>) -> bool {
    model.name.to_lowercase().contains("claude") && model.claude.is_none_or(|version| version >= BINDS)
}

fn anthropic(model: Model<'_>) -> Answers {
    // Other makers offer the same interface, and check less.
    let claude = model.maker.is_none_or(|maker| maker == Maker::Anthropic);
    let prefill = model.claude.is_none_or(|version| version < NO_PREFILL);
    let free = |syntax: Syntax| if claude { syntax } else { Syntax::FREE };
    let pattern = "messages.….content.….tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
    let declared = "tools.….custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
    let named = "messages.….content.….tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'";
    Answers {
        results: Results::NextTurn,
        results_first: true,
        roles_checked: true,
        calls_last: claude,
        unique: Unique::Turn,
        opening: Opening::UserKept,
        ending: if prefill { Ending::Any } else { Ending::NotAssistant },
        trailing_space: false,
        merges: true,
        system: SystemInside::BeforeAnswer,
        empty: Empty::No { last: true },
        empty_calls: true,
        tools_declared: true,
        tools_differ: true,
        error_text: true,
        error_filled: true,
        marks: Some(MARKS),
        marks_in_strings: true,
        marks_on_parts: true,
        marked_thinking: !claude,
        server_pairs: true,
        thoughts: Thoughts { signed: claude, followed: claude, as_asked: true },
        drops_thinking: true,
        arguments: if claude { Arguments::Object } else { Arguments::Any },
        fields: claude,
        call_id: free(Syntax { letters: Letters::Word, min: 1, refusal: pattern, ..Syntax::FREE }),
        call_name: free(Syntax { max: 200, refusal: named, ..NAME }),
        tool_name: free(Syntax { max: 128, refusal: declared, ..NAME }),
        ..FREE
    }
}

fn chat(model: Model<'_>) -> Answers {
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
    Answers {
        results: Results::Directly,
        opening: if turns { Opening::User } else { Opening::Any },
        start: if turns { Start::User } else { Start::NotResult },
        ending: if turns { Ending::Prefix } else { Ending::Any },
        alternates: turns,
        system: if perplexity { SystemInside::First } else { SystemInside::Anywhere },
        empty: Empty::Text { counts: model.is(Maker::Moonshot) },
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
        ..FREE
    }
}

/// Which makers want `reasoning_content` back, and when.
fn reasoned(model: Model<'_>) -> Reasoned {
    match model.maker {
        Some(Maker::DeepSeek) if model.name.to_lowercase().contains("reasoner") => Reasoned::Always,
        Some(Maker::Moonshot) if model.name.to_lowercase().contains("thinking") => Reasoned::Always,
        Some(Maker::Moonshot) if model.kimi().is_some_and(|version| version >= THINKS) => Reasoned::Always,
        Some(Maker::DeepSeek | Maker::Moonshot | Maker::MiniMax | Maker::Xiaomi) => Reasoned::WhenAsked,
        _ => Reasoned::Free,
    }
}

fn responses(model: Model<'_>) -> Answers {
    let openai = model.is(Maker::OpenAi);
    let id =
        "Invalid 'input[…].call_id': string too long. Expected a string with maximum length 64, but got a string with length … instead.";
    let name = "Invalid 'input[…].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let declared = "Invalid 'tools[…].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    let free = |syntax: Syntax| if openai { syntax } else { Syntax::FREE };
    Answers {
        start: Start::NotResult,
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
        ..FREE
    }
}

fn gemini(model: Model<'_>) -> Answers {
    let refusal = "* GenerateContentRequest.tools[…].function_declarations[…].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of …";
    let name = Syntax { first: First::LetterOrUnderscore, letters: Letters::Dotted, min: 1, max: 128, refusal };
    Answers {
        results: Results::NextResults,
        results_counted: true,
        roles_checked: true,
        unique: Unique::Turn,
        opening: Opening::User,
        ending: Ending::NotAssistant,
        merges: true,
        calls_follow_input: true,
        content: "parts",
        typed_texts: false,
        signed_together: true,
        empty: Empty::Part,
        empty_calls: true,
        tools_differ: true,
        signed_calls: model.gemini.is_some_and(|version| version >= SIGNS),
        arguments: Arguments::Object,
        fields: true,
        call_name: name,
        tool_name: name,
        ..FREE
    }
}

fn converse(model: Model<'_>) -> Answers {
    let claude = model.is(Maker::Anthropic);
    let refuses_prefill = claude && model.claude.is_some_and(|version| version >= NO_PREFILL);
    let id = "Value '…' at 'messages.….member.content.….member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+";
    let name = "Value '…' at 'messages.….member.content.….member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+";
    let declared = "Value '…' at 'toolConfig.tools.….member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+";
    Answers {
        results: Results::NextTurn,
        results_alone: model.is(Maker::Llama),
        results_counted: true,
        roles_checked: true,
        unique: Unique::Conversation,
        opening: Opening::UserKept,
        ending: if refuses_prefill { Ending::NotAssistant } else { Ending::Any },
        // A model that is not named counts as one that refuses neighbours.
        alternates: !model.is(Maker::Titan),
        empty: Empty::No { last: false },
        empty_calls: true,
        tools_declared: true,
        tools_differ: true,
        error_filled: true,
        merges: true,
        typed_texts: false,
        marks: Some(MARKS),
        marks_on_parts: true,
        marks_are_parts: true,
        thoughts: Thoughts { signed: claude, followed: claude, as_asked: false },
        arguments: Arguments::Object,
        fields: true,
        call_id: Syntax { letters: Letters::Dotted, min: 1, max: 64, refusal: id, ..Syntax::FREE },
        call_name: Syntax { refusal: name, ..NAME },
        tool_name: Syntax { refusal: declared, ..NAME },
        ..FREE
    }
}

fn mistral() -> Answers {
    let id = "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9.";
    let name = "Function name was … but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.";
    Answers {
        results: Results::Directly,
        results_counted: true,
        ending: Ending::Prefix,
        results_follow_calls: true,
        calls_beside_content: true,
        system: SystemInside::NotAfterAnswer,
        empty: Empty::Text { counts: true },
        call_id: Syntax { letters: Letters::Digits, min: 9, max: 9, refusal: id, ..Syntax::FREE },
        call_name: Syntax { refusal: name, ..NAME },
        tool_name: Syntax { refusal: name, ..NAME },
        ..FREE
    }
}
