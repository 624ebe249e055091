//! Anthropic Messages bodies (`POST /v1/messages`).
//!
//! `system` and `tools` are outside the count. Results are blocks of user messages and name their
//! tool only through the call that they answer.

use crate::{
    dialect::{
        Confidence, Dialect, Signals,
        rules::{models::ANTHROPIC_API, *},
    },
    settings::Scope,
};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "anthropic",
    about: "Anthropic Messages request bodies",
    provider: &PROVIDER,
    api: Some(ANTHROPIC_API),
    keys: &[
        "anthropic_version",
        "max_tokens",
        "messages",
        "model",
        "sessionId",
        "system",
        "version",
    ],
    detect,
    context: |builder, scope| {
        if scope == Scope::Context {
            builder.begin_at_compaction();
        }
        Ok(())
    },
    answer: &["/content"],
    ..Dialect::BODY
};

/// The provider.
pub static PROVIDER: Provider = Provider {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "anthropic", rules),
    refusals: || &REFUSALS,
    bracketed: false,
    ..PLAIN
};

static REFUSALS: Refusals = refusals!["refusals.tsv" "../rules/makers.tsv"];

fn rules(model: &Model<'_>) -> Rules {
    let held = model.held(&REFUSALS);
    let reasoned = reasoned(&held);
    // Other makers offer this API, and check less.
    let claude = model.maker.is_none_or(|maker| maker == "anthropic");
    let prefill = model.claude.is_none_or(|version| version < NO_PREFILL);
    Rules {
        results: Results::NextTurn,
        results_first: true,
        results_alone: held.contains(&"results alone"),
        roles_checked: true,
        calls_last: claude,
        unique: IdScope::Turn,
        opening: FirstMessage::UserKept,
        ending: if prefill {
            LastMessage::Any
        } else {
            LastMessage::NotAssistant
        },
        no_trailing_space: true,
        merges: true,
        system: among(model),
        empty: EmptyContent::No {
            last: true,
            beside_calls: true,
        },
        empty_calls: true,
        tools_declared: prefill && !held.contains(&"undeclared tools"),
        tools_differ: true,
        no_empty_in_results: claude,
        error_text: true,
        error_filled: true,
        marks: Some(MARKS),
        marks_in_strings: true,
        marks_on_parts: true,
        unmarked_thinking: claude,
        server_pairs: true,
        thoughts: ThinkingRules {
            signed: claude,
            followed: claude,
            as_asked: reasoned == ReasoningContentRule::Free,
            only_asked: model.claude.is_some_and(|version| version < THINKS_UNASKED),
        },
        reasoned,
        drops_thinking: true,
        server_clears: server_clears(model),
        services: model.services(),
        surrogates: claude,
        arguments: if claude {
            Arguments::Object
        } else {
            Arguments::Any
        },
        fields: claude,
        types: if claude { DIALECT.name } else { "" },
        call_id: only(
            claude,
            Syntax {
                letters: Letters::Word,
                min: 1,
                ..Syntax::FREE
            },
        ),
        call_name: only(claude, Syntax { max: 200, ..NAME }),
        tool_name: only(claude, Syntax { max: 128, ..NAME }),
        thinking_bound: thinking_bound(model, Some(true)),
        ..free(model)
    }
}

/// Whether nothing in the signals speaks against it but those of another dialect.
pub fn may_be(signals: &Signals) -> bool {
    // An agent's session file around such messages is no body (`cline`).
    let session = signals.has("sessionId") && signals.has("version");
    let foreign = signals.array && !signals.message_has("content");
    let openai = signals.message_has("tool_calls") || signals.has_role("tool function developer");
    signals.lists("messages") && !foreign && !session && !openai && !signals.has_type("toolCall")
}

fn detect(signals: &Signals) -> Confidence {
    let own_block = signals.has_type("tool_use tool_result thinking redacted_thinking server_tool_use mcp_tool_use search_result") || signals
        .block_types
        .iter()
        .any(|t| t.ends_with("_tool_result"));
    let claude = signals
        .value("model")
        .is_some_and(|m| m.starts_with("claude"));
    let system = signals.roles.first().is_some_and(|r| r == "system");
    if !may_be(signals) {
        Confidence::No
    } else if system {
        Confidence::Named
    } else if signals.has("anthropic_version")
        || own_block
        || signals.has_tool_member("input_schema")
        || claude && signals.has("max_tokens")
    {
        Confidence::Certain
    } else if signals.is_untyped() {
        Confidence::No
    } else if signals.has("system") {
        Confidence::Certain
    } else if claude {
        Confidence::Likely
    } else {
        Confidence::Maybe
    }
}
