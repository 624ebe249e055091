//! Preferences between dialects, for inputs that fit several of them.
//!
//! A dialect evaluates only its own signals. Here they are compared with those of other dialects; between two that are still equally
//! likely, the earlier row of the table of dialects gives the name.

use super::Signals;
use super::spelling::may_be_chat;
use crate::dialect::{
    Confidence, Dialect, Layout, anthropic, cohere, mistral, ollama, openai_chat,
};

/// Returns the confidence that an input with these signals is of `dialect`. None becomes certain here.
pub fn confidence(dialect: &Dialect, signals: &Signals) -> Confidence {
    let found = preferred(dialect, signals).unwrap_or_else(|| (dialect.detect)(signals));
    // The list of a body without the body around it is one only if the user says so.
    if signals.array && dialect.layout == Layout::Body {
        found.min(Confidence::Named)
    } else {
        found
    }
}

/// Returns the confidence in a dialect that gives way to another, if one fits as well.
fn preferred(dialect: &Dialect, signals: &Signals) -> Option<Confidence> {
    let rival = || mistral::detect(signals).max(cohere::detect(signals));
    if dialect.name == anthropic::DIALECT.name {
        // Both have reasoning of Anthropic's type.
        let gives_way = anthropic::may_be(signals) && rival() >= Confidence::Likely;
        return gives_way.then_some(Confidence::Named);
    }
    let is_chat = dialect.name == openai_chat::DIALECT.name
        && may_be_chat(signals)
        && !openai_chat::is_own(signals);
    if !is_chat {
        return None;
    }
    match rival().max(ollama::detect(signals)) {
        Confidence::Certain => Some(Confidence::Named),
        // Where the model is what speaks for another, or the arguments are no string, it may still be named.
        Confidence::Likely if signals.value("model").is_some() || signals.calls.objects => {
            Some(Confidence::Maybe)
        }
        _ => None,
    }
}
