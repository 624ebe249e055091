//! Preferences between dialects, for inputs that fit several of them.
//!
//! A dialect evaluates only its own signals. This table compares them with those of other dialects; between two that are still
//! equally likely, the earlier row of the table of dialects gives the name.

use super::Signals;
use super::spelling::may_be_chat;
use crate::dialect::{Confidence, Dialect, anthropic, cohere, mistral, ollama, openai_chat};

/// A dialect gives way to others.
struct Preference {
    /// Its name.
    dialect: &'static str,
    /// The others, one of which is at least so likely.
    to: &'static [fn(&Signals) -> Confidence],
    at_least: Confidence,
    /// The condition that must be met as well.
    when: fn(&Signals) -> bool,
    /// The confidence in the dialect if all of this is met.
    then: Confidence,
}

/// Dialects of OpenAI's chat.
const CHATS: &[fn(&Signals) -> Confidence] = &[mistral::detect, cohere::detect, ollama::detect];

/// The first that holds counts.
const PREFERENCES: &[Preference] = &[
    // Both have reasoning of Anthropic's type.
    Preference {
        dialect: anthropic::DIALECT.name,
        to: &[mistral::detect, cohere::detect],
        at_least: Confidence::Likely,
        when: anthropic::may_be,
        then: Confidence::Named,
    },
    Preference {
        dialect: openai_chat::DIALECT.name,
        to: CHATS,
        at_least: Confidence::Certain,
        when: |signals| may_be_chat(signals) && !openai_chat::is_own(signals),
        then: Confidence::Named,
    },
    // Where the model is what speaks for another, or the arguments are no string, it may still be named.
    Preference {
        dialect: openai_chat::DIALECT.name,
        to: CHATS,
        at_least: Confidence::Likely,
        when: |signals| {
            let speaks = signals.value("model").is_some() || signals.calls.objects;
            speaks && may_be_chat(signals) && !openai_chat::is_own(signals)
        },
        then: Confidence::Maybe,
    },
];

/// Whether an input with these signals is certainly of `dialect`. No preference makes one certain, so that few dialects are compared.
pub fn is_certainly(dialect: &Dialect, signals: &Signals) -> bool {
    (dialect.detect)(signals) == Confidence::Certain
        && confidence(dialect, signals) == Confidence::Certain
}

/// Returns the confidence that an input with these signals is of `dialect`.
pub fn confidence(dialect: &Dialect, signals: &Signals) -> Confidence {
    let holds = |row: &&Preference| {
        row.dialect == dialect.name
            && (row.when)(signals)
            && row.to.iter().any(|detect| detect(signals) >= row.at_least)
    };
    let preferred = PREFERENCES.iter().find(holds).map(|row| row.then);
    let found = preferred.unwrap_or_else(|| (dialect.detect)(signals));
    // The list of a body without the body around it is one only if the user says so.
    if signals.array && dialect.layout == crate::dialect::Layout::Body {
        found.min(Confidence::Named)
    } else {
        found
    }
}
