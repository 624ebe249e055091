//! Mistral chat completion bodies.
//!
//! OpenAI's shape, but arguments are a string or an object, and an id may be missing or the word
//! `null`; then a result answers by name and order. An answer that the model should continue has
//! `prefix`. What the service is strict about is the order of roles and the number of results
//! (`check`).

use crate::{
    dialect::{
        Confidence, Dialect, EntryReleased, Signals, builder::TranscriptBuilder, openai_chat,
        rules::*, shared, shared::by_order,
    },
    json::Id,
    settings::Scope,
    transcript::Span,
};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "mistral",
    about: "Mistral chat completion request bodies",
    provider: &PROVIDER,
    keys: &[
        "messages",
        "model",
        "prompt_mode",
        "random_seed",
        "safe_prompt",
    ],
    detect,
    read: shared::body_by_order,
    context,
    provider_name: |_| Some("mistral"),
    ..Dialect::BODY
};

/// The provider.
pub static PROVIDER: Provider = Provider {
    // At another host its models follow the rules of that host.
    rules: |model, provider| match Model::of(model, provider) {
        at if at.routed || at.host == Some(DIALECT.name) => rules(&at),
        _ => (openai_chat::PROVIDER.rules)(model, provider),
    },
    refusals: || &REFUSALS,
    precedence: Precedence::Ranked(3),
    ..PLAIN
};

static REFUSALS: Refusals = refusals!["refusals.tsv" "../rules/makers.tsv"];

fn rules(model: &Model<'_>) -> Rules {
    Rules {
        results_are_answered: model.held(&REFUSALS).contains(&"results answered"),
        results: Results::Directly,
        results_counted: true,
        results_named: true,
        ending: LastMessage::Prefix,
        results_follow_calls: true,
        types: DIALECT.name,
        calls_beside_content: true,
        system: SystemPlacement::NotAfterAnswer,
        known_roles: true,
        empty: EmptyContent::Text {
            counts: true,
            reasoned: true,
        },
        call_id: Syntax {
            letters: Letters::Digits,
            min: 9,
            max: 9,
            ..Syntax::FREE
        },
        services: [DIALECT.name; 2],
        call_name: NAME,
        tool_name: NAME,
        ..free(model)
    }
}

/// The prefixes of the names of its models.
const FAMILIES: &str = "mistral- open-mistral- open-mixtral- open-codestral- ministral- codestral- magistral- devstral- pixtral- \
    voxtral- mixtral- labs-";

pub fn detect(signals: &Signals) -> Confidence {
    if !signals.may_be_chat() {
        return Confidence::No;
    }
    let model = signals.value("model");
    // Ollama has models of these names, too, mostly with a tag.
    let named = model.is_some_and(|m| {
        FAMILIES.split(' ').any(|family| m.starts_with(family)) && !m.contains(':')
    });
    let dated = model.is_some_and(|m| {
        m.ends_with("-latest")
            || m.len() > 5 && m.as_bytes()[m.len() - 4..].iter().all(u8::is_ascii_digit)
    });
    let own = signals.has_any("safe_prompt random_seed prompt_mode")
        || signals.has_type("document_url reference")
        // DeepSeek continues answers as well, and names its model.
        || signals.message_has("prefix") && model.is_none_or(|_| named);
    if own || named && dated {
        Confidence::Certain
    // Ollama accepts such calls, too, and its own signs may come later.
    } else if named || signals.calls.nine && (signals.calls.objects || model.is_none()) {
        Confidence::Likely
    } else {
        Confidence::Named
    }
}

fn context(builder: &mut TranscriptBuilder, scope: Scope) -> Result<(), EntryReleased> {
    let none = Id::of(b"null");
    for link in builder.links.iter_mut().filter(|link| link.call == none) {
        (link.call, link.id) = (Id::NONE, Span::default());
    }
    by_order::context(builder, scope)
}
