//! Anthropic's Messages: what each model accepts and refuses, and the service's error texts.

use crate::dialect::rules::models::{Maker, Model};
use crate::dialect::rules::{FREE, MARKS, NAME, NO_PREFILL, thinking_bound};
use crate::transcript::{
    Arguments, EmptyContent, FirstMessage, IdScope, Interface, LastMessage, Letters, Precedence, Results, Rules, Syntax, SystemPlacement,
    ThinkingRules,
};

/// The interface.
pub static INTERFACE: Interface = Interface {
    rules: |model, provider| rules(&Model::of(model, provider)),
    strictest: Some(|| rules(&Model::newest(Maker::Anthropic))),
    refusals: REFUSALS,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

/// The first Claude that thinks unless a request turns it off.
const THINKS_UNASKED: (u32, u32) = (5, 0);

fn rules(model: &Model<'_>) -> Rules {
    // Other makers offer the same interface, and check less.
    let claude = model.maker.is_none_or(|maker| maker == Maker::Anthropic);
    let prefill = model.claude.is_none_or(|version| version < NO_PREFILL);
    let free = |syntax: Syntax| if claude { syntax } else { Syntax::FREE };
    let pattern = "messages.….content.….tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
    let declared = "tools.….custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
    let named = "messages.….content.….tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'";
    Rules {
        results: Results::NextTurn,
        results_first: true,
        roles_checked: true,
        calls_last: claude,
        unique: IdScope::Turn,
        opening: FirstMessage::UserKept,
        ending: if prefill { LastMessage::Any } else { LastMessage::NotAssistant },
        trailing_space: false,
        merges: true,
        system: SystemPlacement::BeforeAnswer,
        empty: EmptyContent::No { last: true },
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
        thoughts: ThinkingRules {
            signed: claude,
            followed: claude,
            as_asked: true,
            unasked: model.claude.is_none_or(|version| version >= THINKS_UNASKED),
        },
        drops_thinking: true,
        arguments: if claude { Arguments::Object } else { Arguments::Any },
        fields: claude,
        call_id: free(Syntax { letters: Letters::Word, min: 1, refusal: pattern, ..Syntax::FREE }),
        call_name: free(Syntax { max: 200, refusal: named, ..NAME }),
        tool_name: free(Syntax { max: 128, refusal: declared, ..NAME }),
        thinking_bound: thinking_bound(model, Some(true)),
        ..FREE
    }
}

/// The error texts of the service.
const REFUSALS: &[(&str, &str)] = &[
    (
        "E01",
        "messages.…: `tool_use` ids were found without `tool_result` blocks immediately after: …. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
    (
        "E02",
        "messages.….content.…: unexpected `tool_use_id` found in `tool_result` blocks: …. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    (
        "E03",
        "messages.…: `tool_use` ids were found without `tool_result` blocks immediately after: …. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
    (
        "E04",
        "Did not find … `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
    ),
    ("E05", "messages.….content.…: each tool_use must have a single result. Found multiple `tool_result` blocks with id: …"),
    ("E06", "messages.….content.…: `tool_use` ids must be unique"),
    ("E08", "messages: text content blocks must be non-empty"),
    ("E12", "This model does not support assistant message prefill. The conversation must end with a user message."),
    ("E13", "messages: final assistant content cannot end with trailing whitespace"),
    ("E14", "A maximum of 4 blocks with cache_control may be provided. Found …."),
    ("E19", "Requests which include `tool_use` or `tool_result` blocks must define tools."),
    (
        "E20",
        "messages.….content.…: unexpected `tool_use_id` found in `…_tool_result` blocks: …. Each `…_tool_result` block must have a corresponding `server_tool_use` block before it.",
    ),
    ("E22", "all content must be type `text` if `is_error` is true"),
    (
        "E15",
        "messages.….content.….type: Expected `thinking` or `redacted_thinking`, but found …. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). …",
    ),
    ("E16", "messages.….content.…: Invalid `signature` in `thinking` block. The block is bound to a different conversation. …"),
    ("E24", "messages.….content.….server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"),
    ("E28", "tools: Tool names must be unique."),
    ("E29", "messages.….content.….tool_use.input: Input should be a valid dictionary"),
    ("E30", "messages.….content.….type: Field required"),
    ("E31", "messages.…: `…` blocks can only be in `assistant` messages"),
    (
        "E32",
        "messages.…: `tool_use` ids were found without `tool_result` blocks immediately after: …. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
    ("E33", "messages.….content.….thinking.signature: Field required"),
    ("E34", "messages.…: The final block in an assistant message cannot be `thinking`."),
    ("E35", "messages.….content.….thinking.cache_control: Extra inputs are not permitted"),
    ("E36", "messages.…: role 'system' must precede an 'assistant' message or end the array"),
    ("blank text", "messages: text content blocks must contain non-whitespace text"),
    ("empty message", "messages.…: all messages must have non-empty content except for the optional final assistant message"),
    ("empty error", "messages.….content.….tool_result: content cannot be empty if `is_error` is true"),
    (
        "order of marks",
        "messages.….content.….cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
    ),
    (
        "thinking off",
        "messages.….content.…: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. …",
    ),
    ("no text", "messages.….content.….text.text: Field required"),
    ("call of the user", "messages.…: `tool_use` blocks can only be in `assistant` messages"),
    ("result of the assistant", "messages.…: `tool_result` blocks can only be in `user` messages"),
    ("system first", "messages.…: use the top-level 'system' parameter for the initial system prompt; …"),
    (
        "system follows",
        "messages.…: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; …",
    ),
    ("role", "messages.….role: Input should be 'user' or 'assistant'"),
];
