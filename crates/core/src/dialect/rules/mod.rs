//! Rules that several providers share, and the stricter of two providers for an input that fits
//! both.

pub mod models;

use crate::dialect::messages;
/// What a provider may accept and refuse, for `use crate::dialect::rules::*` beside the rest of
/// this module.
pub use crate::transcript::{
    Arguments, EmptyContent, First, FirstMessage, IdScope, LastMessage, Letters, Precedence,
    Provider, ReasoningContentRule, RefusalRow, Results, Rules, StartAfterCut, Syntax,
    SystemPlacement, ThinkingRules,
};
pub use models::Model;
use std::sync::LazyLock;

/// The refusals of a dialect.
pub type Refusals = LazyLock<Vec<RefusalRow>>;

/// Reads the refusals in files of these names, beside the file that asks for them.
macro_rules! refusals {
    ($($name:literal)+) => {
        std::sync::LazyLock::new(|| {
            let read = |[maker, host, models, rule, fault, said, ..]: [&'static str; 8]| {
                Ok(RefusalRow { maker, host, models, rule, fault, said })
            };
            [$($crate::tables::table_file!($name, 6, read)),+].concat()
        })
    };
}
pub(crate) use refusals;

/// Cache marks that a request may carry.
pub const MARKS: usize = 4;
/// The first Claude that does not continue an answer begun for it.
pub const NO_PREFILL: (u32, u32) = (4, 6);
/// The first Claude that accepts system messages among the others.
const TAKES_SYSTEM: (u32, u32) = (4, 8);
/// The first Claude that thinks unless a request turns it off.
pub const THINKS_UNASKED: (u32, u32) = (5, 0);
/// The first Claude whose thinking is bound to all that comes before it.
const BINDS: (u32, u32) = (5, 1);

/// Names of tools: 1 to 64 letters, digits, `_` and `-`.
pub const NAME: Syntax = Syntax {
    first: First::Any,
    letters: Letters::Word,
    min: 1,
    max: 64,
};

/// Agent histories: the agent repairs order itself, and only pairs count.
pub static HISTORY: Provider = Provider {
    rules: |model, provider| Rules {
        is_history: true,
        server_clears: server_clears(&Model::of(model, provider)),
        start: StartAfterCut::UserOrAgent,
        pairs_by_id: true,
        ..free(&Model::of(model, provider))
    },
    ..PLAIN
};

/// A service of whose rules and errors nothing is known.
pub const PLAIN: Provider = Provider {
    rules: |_, _| Rules {
        thinking_bound: Some(false),
        ..Rules::default()
    },
    possible: |_, _| None,
    refusals: || &[],
    bracketed: true,
    precedence: Precedence::Alone,
    with_result_messages: None,
};

/// Returns the rules of a service that refuses nothing, for a model.
pub fn free(model: &Model<'_>) -> Rules {
    Rules {
        thinking_bound: thinking_bound(model, Some(false)),
        thinking_lost: model.is_like(LOSES),
        ..Rules::default()
    }
}

/// Returns `syntax` if `is_asked`, else a syntax that every text has.
pub fn only(is_asked: bool, syntax: Syntax) -> Syntax {
    if is_asked { syntax } else { Syntax::FREE }
}

/// Returns the rules for the newest model of `maker` if neither a model nor a provider is named, or
/// those of all hosts that may run the model; `None` if it is known what holds.
pub fn possible(
    model: Option<&str>,
    provider: Option<&str>,
    maker: &'static str,
    rules: fn(&Model<'_>) -> Rules,
) -> Option<Rules> {
    Some(rules(&match model.or(provider) {
        None => Model::newest(maker),
        Some(_) => Model::anywhere(model, provider)?,
    }))
}

/// Returns where a model of Anthropic accepts system messages among the others.
pub fn among(model: &Model<'_>) -> SystemPlacement {
    if model.claude.is_some_and(|version| version < TAKES_SYSTEM) {
        SystemPlacement::Never
    } else {
        SystemPlacement::BeforeAnswer
    }
}

/// Returns the requirement of `reasoning_content` among the rules that a model has.
pub fn reasoned(held: &[&str]) -> ReasoningContentRule {
    if held.contains(&"reasoning") {
        ReasoningContentRule::Always
    } else if held.contains(&"reasoning if asked") {
        ReasoningContentRule::WhenAsked
    } else {
        ReasoningContentRule::Free
    }
}

/// The models of OpenAI that bind reasoning, and drop it where what comes before has changed.
const LOSES: &str = "gpt-6.2+";

/// Whether a server clears results on request: only Anthropic's own does.
pub fn server_clears(model: &Model<'_>) -> bool {
    model.claude.is_some() && model.host.is_none_or(|host| host == "anthropic")
}

/// Whether thinking is bound in answers of `model`: a Claude without a version counts as new.
/// Without a model, the answer is `unnamed`.
pub fn thinking_bound(model: &Model<'_>, unnamed: Option<bool>) -> Option<bool> {
    let binds = || {
        let is_claude = model.name.to_lowercase().contains("claude");
        is_claude && model.claude.is_none_or(|version| version >= BINDS) || model.is_like(LOSES)
    };
    if model.name.is_empty() {
        unnamed
    } else {
        Some(binds())
    }
}

/// The provider whose rules hold for an input that may be meant for either of two.
pub fn stricter(one: &'static Provider, other: &'static Provider) -> &'static Provider {
    match (one.precedence, other.precedence) {
        _ if std::ptr::eq(one, other) => one,
        (Precedence::Yields, _) => other,
        (_, Precedence::Yields) => one,
        (Precedence::Ranked(a), Precedence::Ranked(b)) => {
            if a < b {
                other
            } else {
                one
            }
        }
        _ => &messages::PROVIDER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{
        anthropic, cohere, converse, gemini, mistral, ollama, openai_chat, openai_responses,
    };

    #[test]
    fn the_stricter_of_two_holds() {
        let (chat, cohere, mistral) = (
            &openai_chat::PROVIDER,
            &cohere::PROVIDER,
            &mistral::PROVIDER,
        );
        let (anthropic, ollama, generic) =
            (&anthropic::PROVIDER, &ollama::PROVIDER, &messages::PROVIDER);
        let all = [
            chat,
            cohere,
            mistral,
            anthropic,
            &converse::PROVIDER,
            &gemini::PROVIDER,
            ollama,
        ];
        let all = [&all[..], &[&openai_responses::PROVIDER, generic, &HISTORY]].concat();
        for &one in &all {
            for &other in &all {
                let is = |a, b| {
                    std::ptr::eq(one, a) && std::ptr::eq(other, b)
                        || std::ptr::eq(one, b) && std::ptr::eq(other, a)
                };
                let want = match () {
                    () if std::ptr::eq(one, other) || std::ptr::eq(other, ollama) => one,
                    () if std::ptr::eq(one, ollama) => other,
                    () if is(mistral, chat) || is(mistral, cohere) => mistral,
                    () if is(chat, cohere) => chat,
                    () => generic,
                };
                assert!(std::ptr::eq(stricter(one, other), want));
            }
        }
    }
}
