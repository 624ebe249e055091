//! Differences between providers, as data: what they accept and refuse, and how a result is
//! written.
//!
//! A [`Provider`] is that of a format. For the model of a request it gives [`Rules`].

use super::{Block, Flags, Message, Role};

mod provider_rules;
mod syntax;

pub use provider_rules::{
    Arguments, EmptyContent, FirstMessage, IdScope, LastMessage, ReasoningContentRule, Results,
    Rules, StartAfterCut, SystemPlacement, ThinkingRules,
};
pub use syntax::{First, Letters, Syntax};

/// A provider, as data: what it accepts, refuses and answers.
#[derive(Debug)]
pub struct Provider {
    /// The rules for a model and a provider. Either may be unknown.
    pub rules: fn(Option<&str>, Option<&str>) -> Rules,
    /// The rules that may hold instead, if that depends on a model or a host that is not named.
    pub possible: fn(Option<&str>, Option<&str>) -> Option<Rules>,
    /// What the service refuses.
    pub refusals: fn() -> &'static [RefusalRow],
    /// Whether its errors write the path of a value with brackets, as in `messages[1]`, rather than
    /// with dots.
    pub bracketed: bool,
    /// The precedence of these rules for an input that may be meant for another provider as well.
    pub precedence: Precedence,
    /// The provider that applies if results are separate messages.
    pub with_result_messages: Option<&'static Provider>,
}

/// A row of a table of refusals (`refusals.tsv`). Behind these cells it has the source and its
/// date.
#[derive(Clone, Copy, Debug)]
pub struct RefusalRow {
    /// The maker of the models; `*` for all.
    pub maker: &'static str,
    /// The host; `own` is the maker, `*` any.
    pub host: &'static str,
    /// Patterns of the models' names: one that ends with `+` begins with a version.
    pub models: &'static str,
    /// The rule that only they have; empty if all have it.
    pub rule: &'static str,
    /// A code, or a code and the name of a fault whose error is not the most frequent one of that
    /// code.
    pub fault: &'static str,
    /// The error, in which an ellipsis represents ids and numbers.
    pub said: &'static str,
}

/// The precedence between the rules of two providers that an input fits.
#[derive(Clone, Copy, Debug)]
pub enum Precedence {
    /// The rules of the other provider apply: this one refuses nothing.
    Yields,
    /// Of two providers with a rank, which share a notation, the rules of the higher one apply: it
    /// refuses more.
    Ranked(u8),
    /// Neither takes precedence: what either refuses is refused, as far as that can be said of an
    /// unknown provider.
    Alone,
}

impl Provider {
    /// Returns the provider for `messages`, which depends on whether results are separate messages.
    #[must_use]
    pub fn for_messages(&'static self, messages: &[Message]) -> &'static Provider {
        let other = self
            .with_result_messages
            .filter(|_| messages.iter().any(|message| message.role == Role::Tool));
        other.unwrap_or(self)
    }

    /// Returns the error for `fault`, a code, or a code and the name of one of several faults that
    /// share it, of the first of `services` that has words of its own for it, else that of the
    /// provider.
    pub fn refusal(&self, fault: &str, services: [&str; 2]) -> Option<&'static str> {
        let find = |service: &str| {
            (self.refusals)().iter().find_map(|row| {
                let by = match row.host {
                    "own" | "*" => row.maker,
                    host => host,
                };
                (row.fault == fault && by == service && !row.said.is_empty()).then_some(row.said)
            })
        };
        services.into_iter().find_map(find).or_else(|| find("*"))
    }
}

/// The form in which a format writes the content of a result that is not a string.
#[derive(Debug)]
pub struct ResultTemplate {
    /// The JSON before the text, its opening quote included.
    pub open: &'static str,
    /// The JSON before the text of a result that is marked as an error; equal to
    /// [`ResultTemplate::open`] if the mark is elsewhere.
    pub open_error: &'static str,
    /// The JSON after the text, its closing quote included.
    pub close: &'static str,
    /// Whether a block with the only text is replaced as a whole, without other members that
    /// describe the old text. Otherwise they are kept, including a cache mark.
    pub anew: bool,
}

impl ResultTemplate {
    /// A form in which the mark of an error is elsewhere.
    pub const fn of(open: &'static str, close: &'static str) -> ResultTemplate {
        ResultTemplate {
            open,
            open_error: open,
            close,
            anew: false,
        }
    }

    /// Returns the JSON before the text of a result.
    pub fn open_for(&self, result: &Block) -> &'static str {
        if result.flags.has(Flags::ERROR) {
            self.open_error
        } else {
            self.open
        }
    }
}
