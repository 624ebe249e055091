//! `breakEven`: the condition under which a cut pays for the cache that it invalidates.

use crate::settings::kinds::{As, Count, Flag, Kind, Nullable, Price, Whole, words_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// `breakEven`: what the mode break-even weighs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct BreakEven {
    /// Assistant messages at the end whose tool results are left alone.
    #[serde(with = "As::<Count>")]
    pub keep_last_assistants: usize,
    /// Tool results of fewer tokens are kept: a number, by-kind, or an object with a number (null keeps all) for any of search, shell,
    /// read, edit, task and other.
    #[serde(with = "As::<MinTokensKind>")]
    pub min_tokens: MinTokens,
    /// Whether a cut in a warm cache adds a cache mark before it, if the request has marks of one lifetime and fewer than it may.
    #[serde(with = "As::<Flag>")]
    pub own_marks: bool,
    /// Number of further requests to expect, as a multiple of those so far; at least 5 and at most 80.
    #[serde(with = "As::<Price>")]
    pub expect_factor: f64,
    /// Number of further requests to expect, whatever there were so far.
    #[serde(with = "As::<Nullable<Whole>>")]
    pub expect_requests: Option<u64>,
    /// Weight of the cost of a broken cache: more than 1 cuts less.
    #[serde(with = "As::<Price>")]
    pub caution: f64,
    /// The most that a session that ends now may cost above its cost without cuts, as a share of its cost so far; null sets no limit in the
    /// mode break-even and with an --only-if other than auto, else 0.0005.
    #[serde(with = "As::<Nullable<Price>>")]
    pub budget: Option<f64>,
}

/// The kind of a tool, as far as it says how often its results are needed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
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

/// The kind of `minTokens`.
pub struct MinTokensKind;

impl Kind for MinTokensKind {
    type Value = MinTokens;

    fn expected() -> String {
        let (number, kinds) = (Whole::expected(), words_of::<ToolKind>().join(", "));
        format!("{number}, \"{BY_KIND}\", or an object with such numbers or null for {kinds}")
    }

    fn read(value: &Value) -> Option<MinTokens> {
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
    }

    fn write(tokens: &MinTokens) -> Value {
        let [first, others @ ..] = &tokens.0;
        match first {
            _ if *tokens == MinTokens::default() => json!(BY_KIND),
            Some(number) if others.iter().all(|other| other == first) => json!(number),
            _ => {
                let kinds = words_of::<ToolKind>().iter().copied();
                kinds.zip(tokens.0).collect()
            }
        }
    }

    fn schema() -> Value {
        let kinds = words_of::<ToolKind>().iter();
        let members: Value = kinds
            .map(|kind| (*kind, Nullable::<Whole>::schema()))
            .collect();
        let object =
            json!({"type": "object", "properties": members, "additionalProperties": false});
        json!({"anyOf": [Whole::schema(), {"const": BY_KIND}, object]})
    }
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

impl Default for BreakEven {
    fn default() -> BreakEven {
        BreakEven {
            keep_last_assistants: 2,
            min_tokens: MinTokens::default(),
            own_marks: true,
            expect_factor: 1.0,
            expect_requests: None,
            caution: 1.0,
            budget: None,
        }
    }
}

/// `onlyIf`: which passes cut only where that pays for the cache that it breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnlyIf {
    /// dedupe, ephemeral, stale-resource and, on logs, turn-drop: in the modes that ask the clock, and where the last call is known.
    #[default]
    Auto,
    /// All passes.
    ItPays,
    /// None: a pass cuts whatever the cache is.
    Always,
}
