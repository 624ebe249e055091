//! OpenAI chat completion bodies (`POST /v1/chat/completions`).
//!
//! System and developer messages are outside the count, wherever they are. A result is a message of
//! role `tool`. OpenRouter's bodies have the same shape and a model named `vendor/model`.

use crate::dialect::{Confidence, Dialect, Signals, rules::*, shared::by_order};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "openai-chat",
    about: "OpenAI chat completion request bodies, and those of compatible services",
    provider: &PROVIDER,
    keys: &["messages", "model"],
    detect,
    context: by_order::functions,
    provider_name,
    answer: &["/choices/0/message/tool_calls", "/choices/0/message"],
    ..Dialect::BODY
};

/// The provider.
pub static PROVIDER: Provider = Provider {
    rules: |model, provider| rules(&Model::of(model, provider)),
    possible: |model, provider| possible(model, provider, "openai", rules),
    refusals: || &REFUSALS,
    precedence: Precedence::Ranked(2),
    ..PLAIN
};

static REFUSALS: Refusals = refusals!["refusals.tsv" "../rules/makers.tsv"];

fn rules(model: &Model<'_>) -> Rules {
    let held = model.held(&REFUSALS);
    let has = |rule| held.contains(&rule);
    let (openai, turns) = (model.is("openai"), has("turns"));
    let kimi = Syntax {
        first: First::Letter,
        max: usize::MAX,
        ..NAME
    };
    let name = if openai {
        NAME
    } else {
        only(has("plain names"), kimi)
    };
    let types = held.iter().find_map(|rule| rule.strip_prefix("members "));
    Rules {
        results: Results::Directly,
        unpaired: model.ollama,
        opening: match () {
            () if turns => FirstMessage::User,
            () if has("asks") => FirstMessage::UserLater,
            () => FirstMessage::Any,
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
        system: match () {
            () if has("system first") => SystemPlacement::First,
            () if has("one system") => SystemPlacement::FirstMessage,
            () => SystemPlacement::Anywhere,
        },
        empty: EmptyContent::Text {
            counts: has("content"),
            reasoned: has("content beside reasoning"),
        },
        empty_calls: !model.ollama,
        result_content: openai,
        plain_results: has("plain results"),
        tools_differ: has("tools differ"),
        parameters: has("parameters"),
        results_are_answered: has("results answered"),
        marks_in_strings: true,
        calls_beside_content: true,
        reasoned: reasoned(&held),
        types: types.unwrap_or_default(),
        signed_calls: has("signed calls"),
        signed_in_details: has("signed in details"),
        filled_beside_calls: has("filled beside calls"),
        json_arguments: has("json arguments"),
        known_roles: has("known roles"),
        no_developers: has("no developer"),
        surrogates: openai || has("surrogates"),
        services: model.services(),
        arguments: if openai || has("string arguments") {
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
        call_name: name,
        tool_name: if has("declared names") { NAME } else { name },
        ..free(model)
    }
}

/// Whether it has roles that no other dialect of this chat has.
pub fn is_own(signals: &Signals) -> bool {
    signals.has_role("function developer")
}

fn detect(signals: &Signals) -> Confidence {
    if !signals.may_be_chat() {
        return Confidence::No;
    }
    let model = signals.value("model");
    let tools = signals.message_has("tool_calls")
        || signals.has_tool_member("function")
        || signals.has_role("tool");
    if is_own(signals) || model.is_some() && signals.calls.strings && signals.calls.ids {
        Confidence::Certain
    } else if tools || model.is_some_and(|m| !m.starts_with("claude")) || signals.has_role("system")
    {
        Confidence::Likely
    } else {
        Confidence::Maybe
    }
}

/// The provider of a model by its name.
pub fn provider_name(model: Option<&str>) -> Option<&'static str> {
    let routed = model.is_some_and(|name| name.contains('/'));
    Some(if routed { "openrouter" } else { "openai" })
}
