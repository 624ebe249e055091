//! `breakEven`: the condition under which a cut pays for the cache that it invalidates.

use crate::settings::kinds::{
    Count, Flag, Kind, Nullable, Price, Whole, camel, choices, kind, section, words_of,
};
use serde_json::{Value, json};

section! {
    /// `breakEven`: what the mode break-even weighs.
    pub struct BreakEven(camel) {
        /// Assistant messages at the end whose tool results are left alone.
        keep_last_assistants: Count = 2,
        /// Tool results of fewer tokens are kept: a number, by-kind, or an object with a number (null keeps all) for any of search, shell,
        /// read, edit, task and other.
        min_tokens: MinTokensKind,
        /// Whether a cut in a warm cache adds a cache mark before it, if the request has marks of one lifetime and fewer than it may.
        own_marks: Flag = true,
        /// Number of further requests to expect, as a multiple of those so far; at least 5 and at most 80.
        expect_factor: Price = 1.0,
        /// Number of further requests to expect, whatever there were so far.
        expect_requests: Nullable<Whole>,
        /// Weight of the cost of a broken cache: more than 1 cuts less.
        caution: Price = 1.0,
        /// The most that a session that ends now may cost above its cost without cuts, as a share of its cost so far; null sets no limit in the
        /// mode break-even and with an --only-if other than auto, else 0.0005.
        budget: Nullable<Price>,
    }
}

choices! {
    "kebab-case"

    /// The kind of a tool, as far as it says how often its results are needed again.
    pub enum ToolKind {
        /// Searches and lists.
        Search,
        /// Runs commands.
        Shell,
        /// Reads a file or page.
        Read,
        /// Changes a file.
        Edit,
        /// Runs another agent.
        Task,
        /// Anything else.
        Other,
    }

    /// `onlyIf`: which passes cut only where that pays for the cache that it breaks.
    pub enum OnlyIf {
        /// dedupe, ephemeral, stale-resource and, on logs, turn-drop: in the modes that ask the clock, and where the last call is known.
        Auto,
        /// All passes.
        ItPays,
        /// None: a pass cuts whatever the cache is.
        Always,
    }
}

/// For each kind of tool, in the order of [`ToolKind`], the tokens from which on a result may be cleared; `None` if never.
#[derive(Clone, Debug, PartialEq)]
pub struct MinTokens([Option<u64>; 6]);

impl MinTokens {
    /// Returns the tokens from which on a result of a tool of this kind may be cleared.
    pub fn of(&self, kind: ToolKind) -> Option<u64> {
        self.0[kind as usize]
    }
}

impl Default for MinTokens {
    /// Results are needed again in 2 to 17 % (search, shell), 40 % (read) and 57 % (edit) of cases (1,319 recorded sessions).
    fn default() -> MinTokens {
        let [search, shell, read, task, other] = [300, 300, 4000, 2000, 1000].map(Some);
        MinTokens([search, shell, read, None, task, other])
    }
}

impl From<u64> for MinTokens {
    /// One number for all kinds of tools.
    fn from(tokens: u64) -> MinTokens {
        MinTokens([Some(tokens); 6])
    }
}

/// The word for the default of `minTokens`.
const BY_KIND: &str = "by-kind";

kind!(
    /// The kind of `minTokens`.
    MinTokensKind = MinTokens,
    format!(
        "{}, \"{BY_KIND}\", or an object with such numbers or null for {}",
        Whole::expected(),
        words_of::<ToolKind>().join(", ")
    ),
    {"anyOf": [Whole::schema(), {"const": BY_KIND}, {
        "type": "object",
        "properties": of_kinds([(); 6].map(|()| Nullable::<Whole>::schema())),
        "additionalProperties": false,
    }]},
    |value| {
        if let Some(number) = Whole::read(value) {
            return Some(number.into());
        }
        let mut tokens = MinTokens::default();
        if value != BY_KIND {
            for (name, value) in value.as_object()? {
                let mut kinds = words_of::<ToolKind>().iter();
                tokens.0[kinds.position(|kind| kind == name)?] = Nullable::<Whole>::read(value)?;
            }
        }
        Some(tokens)
    },
    |tokens| match tokens.0 {
        _ if *tokens == MinTokens::default() => json!(BY_KIND),
        [Some(first), ..] if *tokens == first.into() => json!(first),
        numbers => of_kinds(numbers.map(|number| json!(number))),
    }
);

/// An object with a value for each kind of tool.
fn of_kinds(values: [Value; 6]) -> Value {
    words_of::<ToolKind>().iter().copied().zip(values).collect()
}

/// The budget where the user did not ask for cuts to be weighed: the share by which a session that ends now may cost more.
const DEFAULT_BUDGET: f64 = 0.0005;

impl BreakEven {
    /// Returns these settings with the default budget if none is set.
    pub fn unasked(&self) -> BreakEven {
        BreakEven {
            budget: self.budget.or(Some(DEFAULT_BUDGET)),
            ..self.clone()
        }
    }
}
