//! Amounts, as steps of `edits` state them: an object of one unit and its number, such as `{input_tokens: 100000}`.

use super::kinds::{Flag, Kind, Millis, Price, Share, choices, kind, word};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

choices! {
    "snake_case"

    /// The unit of a text's size.
    pub enum Measure {
        /// UTF-16 units, as JavaScript counts.
        Chars,
        /// Code points, as Python counts.
        CodePoints,
        /// Bytes of UTF-8.
        Bytes,
        /// Tokens of four bytes, as agents guess them.
        Tokens,
        /// Lines: one more than there are line feeds.
        Lines,
    }

    /// The unit of another amount.
    pub enum Unit {
        /// Tokens of the context.
        InputTokens,
        /// The share of the context window that the context fills.
        ContextFraction,
        /// Calls that the step may clear.
        ToolUses,
        /// Results that the step may clear.
        ToolResults,
        /// Answers of the model.
        AssistantMessages,
        /// Turns of the user.
        UserTurns,
        /// Answers of the model that hold reasoning.
        ThinkingTurns,
        /// Tokens of results.
        Tokens,
        /// Chars of results, in UTF-16 units.
        Chars,
        /// Milliseconds since the last call.
        Idle,
    }
}

/// A number of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount<U = Unit> {
    /// Of what.
    pub unit: U,
    /// The number of units; infinite for all.
    pub number: f64,
}

/// The size of a text.
pub type Size = Amount<Measure>;

impl<U: Serialize + DeserializeOwned> Amount<U> {
    /// The amount that an object of one member states, of the units that are allowed.
    fn read(members: &Map<String, Value>, allowed: &[&str]) -> Option<Amount<U>> {
        let (name, value) = members
            .iter()
            .next()
            .filter(|(name, _)| members.len() == 1 && allowed.contains(&name.as_str()))?;
        let number = match name.as_str() {
            "idle" => Millis::read(value)? as f64,
            "context_fraction" => Share::read(value)?,
            _ => Price::read(value)?,
        };
        let unit = U::deserialize(json!(name)).ok()?;
        Some(Amount { unit, number })
    }

    fn write(&self) -> Map<String, Value> {
        let (name, number) = (word(&self.unit), self.number);
        let value = match name.as_str() {
            "idle" => Millis::write(&(number as u64)),
            _ if number.is_infinite() => json!("all"),
            _ if number.fract() == 0.0 && number < 1e15 => json!(number as u64),
            _ => json!(number),
        };
        Map::from_iter([(name, value)])
    }
}

fn expected(allowed: &[&str]) -> String {
    let share = if allowed.contains(&"context_fraction") {
        " (of context_fraction from 0 to 1)"
    } else {
        ""
    };
    let units = allowed.join(", ");
    format!("an object with one of {units} and a number{share}")
}

/// The schema of an object of one unit, or of the member `beside` it.
fn schema(allowed: &[&str], beside: Option<(&str, Value)>) -> Value {
    let of = |unit: &str| match unit {
        "idle" => Millis::schema(),
        "context_fraction" => Share::schema(),
        _ => Price::schema(),
    };
    let units = allowed.iter().map(|unit| (*unit, of(unit)));
    let members: Value = units.chain(beside).collect();
    json!({"type": "object", "properties": members, "additionalProperties": false})
}

/// A kind of amounts in these units.
macro_rules! amount {
    ($(#[$doc:meta])* $name:ident = $value:ty, $units:expr) => {
        kind!(
            $(#[$doc])*
            $name = $value,
            expected($units),
            (schema($units, None)),
            |value| Amount::read(value.as_object()?, $units),
            |amount| amount.write().into()
        );
    };
}

amount!(
    /// The kind of `trigger`.
    Triggers = Amount, &["input_tokens", "context_fraction", "tool_uses", "chars", "idle"]
);
amount!(
    /// The kind of `spare`.
    Messages = Amount, &["assistant_messages", "user_turns"]
);
amount!(
    /// The kind of `candidates_hold`.
    ResultTokens = Size, &["tokens"]
);
amount!(
    /// The kind of sizes of texts.
    Sizes = Size, &["chars", "code_points", "bytes", "tokens", "lines"]
);
amount!(
    /// The kind of `until: {freed}`.
    Freed = Amount, &["input_tokens"]
);
amount!(
    /// The kind of `until: {fits}`.
    Fits = Amount, &["context_fraction", "chars"]
);

/// `keep`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keep {
    /// The amount that is kept.
    pub amount: Amount,
    /// Whether what the step leaves alone by its tool or as an error counts as well.
    pub before_exclusions: bool,
}

impl Keep {
    /// Whether it counts messages or turns, and not results.
    pub fn is_of_messages(&self) -> bool {
        !matches!(
            self.amount.unit,
            Unit::ToolUses | Unit::ToolResults | Unit::Tokens
        )
    }
}

const KEEPS: &[&str] = &[
    "tool_uses",
    "tool_results",
    "assistant_messages",
    "user_turns",
    "thinking_turns",
    "tokens",
];
const COUNTED: [&str; 2] = ["after_exclusions", "before_exclusions"];

kind!(
    /// The kind of `keep`.
    KeepKind = Keep,
    format!(
        "{}, and counted \"before_exclusions\" or \"after_exclusions\" beside it",
        expected(KEEPS)
    ),
    (schema(KEEPS, Some(("counted", json!({"enum": COUNTED}))))),
    |value| {
        let mut members = value.as_object()?.clone();
        let before_exclusions = match members.shift_remove("counted") {
            None => false,
            Some(counted) => COUNTED.iter().position(|word| counted == *word)? == 1,
        };
        let is_all = members.values().any(|number| number == "all");
        if is_all {
            members.values_mut().for_each(|number| *number = json!(0));
        }
        let mut amount = Amount::read(&members, KEEPS)?;
        if is_all {
            amount.number = f64::INFINITY;
        }
        Some(Keep { amount, before_exclusions })
    },
    |keep| {
        let mut members = keep.amount.write();
        if keep.before_exclusions {
            members.insert("counted".to_owned(), json!(COUNTED[1]));
        }
        members.into()
    }
);

/// `until`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stop {
    /// All candidates go.
    #[default]
    All,
    /// Once so many tokens were freed.
    Freed(f64),
    /// Once so many chars of results are left, or less; or once less than this share of the window is full.
    Fits(Amount),
}

kind!(
    /// The kind of `until`.
    StopKind = Stop,
    "\"all\", {freed: {input_tokens: NUMBER}}, {fits: {context_fraction: NUMBER FROM 0 TO 1}} or {fits: {chars: NUMBER}}",
    {"anyOf": [{"const": "all"}, {
        "type": "object",
        "properties": {"freed": Freed::schema(), "fits": Fits::schema()},
        "additionalProperties": false,
    }]},
    |value| {
        if value == "all" {
            return Some(Stop::All);
        }
        let members = value.as_object().filter(|members| members.len() == 1)?;
        match members.iter().next()? {
            (name, amount) if name == "freed" => Some(Stop::Freed(Freed::read(amount)?.number)),
            (name, amount) if name == "fits" => Fits::read(amount).map(Stop::Fits),
            _ => None,
        }
    },
    |stop| match stop {
        Stop::All => json!("all"),
        Stop::Freed(number) => json!({"freed": freed(*number).write()}),
        Stop::Fits(amount) => json!({"fits": amount.write()}),
    }
);

fn freed(number: f64) -> Amount {
    let unit = Unit::InputTokens;
    Amount { unit, number }
}

/// `clear_at_least`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearAtLeast {
    /// The tokens that must be freed.
    pub tokens: f64,
    /// Whether from the oldest on each so much makes a batch, and the last batch that frees less is left.
    pub batches: bool,
}

kind!(
    /// The kind of `clear_at_least`.
    ClearAtLeastKind = ClearAtLeast,
    format!("{}, and batches true beside it", Freed::expected()),
    (schema(&["input_tokens"], Some(("batches", Flag::schema())))),
    |value| {
        let mut members = value.as_object()?.clone();
        let batches = members.shift_remove("batches").unwrap_or(json!(false)).as_bool()?;
        let tokens = Freed::read(&members.into())?.number;
        Some(ClearAtLeast { tokens, batches })
    },
    |least| {
        let mut members = freed(least.tokens).write();
        if least.batches {
            members.insert("batches".to_owned(), json!(true));
        }
        members.into()
    }
);
