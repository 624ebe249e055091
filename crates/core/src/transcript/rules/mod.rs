//! What differs between providers, as data: the rules of pairs and order, and how a result is written.
//!
//! [`Rules`] is what a format knows of its provider. With the model that the request runs on it gives [`Answers`].

use super::{Message, Role};

mod answers;
mod models;
mod providers;
mod syntax;

pub use answers::{Answers, Arguments, Empty, Ending, Opening, Reasoned, Results, Start, SystemInside, Thoughts, Unique};
pub use models::{Maker, Model};
pub use syntax::{First, Letters, Syntax};

/// A provider's pairing and order rules, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Anthropic Messages: results in the next user message, first in it.
    Anthropic,
    /// OpenAI Chat: tool messages directly after their call.
    OpenAiChat,
    /// OpenAI Responses: pairs over the whole list, wherever they stand; reasoning is tied to what follows it.
    Responses,
    /// Gemini: as many responses as calls, in the very next content.
    Gemini,
    /// Bedrock Converse: Anthropic's rules, and roles that alternate.
    Converse,
    /// Mistral: OpenAI's rules, as many results as calls, and an answer before the user speaks again.
    Mistral,
    /// Cohere: OpenAI's rules.
    Cohere,
    /// Ollama: pairs, wherever they stand; the server checks nothing.
    Ollama,
    /// Agent histories: the agent repairs order itself; only pairs count.
    History,
    /// Unknown plain messages: the stricter of the rules above that can apply.
    Generic,
}

impl Rules {
    /// The rules that hold for a body that may be under either of two.
    #[must_use]
    pub fn stricter(self, other: Rules) -> Rules {
        match (self, other) {
            (a, b) if a == b => a,
            (Rules::Ollama, rules) | (rules, Rules::Ollama) => rules,
            (Rules::Mistral, Rules::OpenAiChat | Rules::Cohere) | (Rules::OpenAiChat | Rules::Cohere, Rules::Mistral) => Rules::Mistral,
            (Rules::OpenAiChat, Rules::Cohere) | (Rules::Cohere, Rules::OpenAiChat) => Rules::OpenAiChat,
            _ => Rules::Generic,
        }
    }

    /// The rules that hold for `messages`: where results are messages of their own, Anthropic's cannot be meant.
    #[must_use]
    pub fn spoken_in(self, messages: &[Message]) -> Rules {
        match self {
            Rules::Generic if messages.iter().any(|message| message.role == Role::Tool) => Rules::OpenAiChat,
            rules => rules,
        }
    }
}

/// How a format writes the content of a result that is not a string.
#[derive(Debug)]
pub struct ResultTemplate {
    /// What stands before the text, its opening quote included.
    pub open: &'static str,
    /// The same for a result that is marked as an error; [`ResultTemplate::open`] where that mark stands elsewhere.
    pub open_error: &'static str,
    /// What stands after it, its closing quote included.
    pub close: &'static str,
    /// Whether a block that holds the only text is written anew with that, without the members that said more of the old text;
    /// else they stay, a cache mark among them.
    pub anew: bool,
}
