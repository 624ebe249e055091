//! Amounts, as steps of `edits` state them: an object of one unit and its number, such as `{input_tokens: 100000}`.

use super::kinds::{Flag, Kind, Millis, Price, Share};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The unit of an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
    /// Code points of text.
    CodePoints,
    /// Bytes of text.
    Bytes,
    /// Lines of text.
    Lines,
    /// Milliseconds since the last call.
    Idle,
}

impl Unit {
    /// The name in a configuration.
    pub fn name(self) -> String {
        super::kinds::word(self)
    }

    fn read(self, value: &Value) -> Option<f64> {
        match self {
            Unit::Idle => Millis::read(value).map(|ms| ms as f64),
            Unit::ContextFraction => Share::read(value),
            _ => Price::read(value),
        }
    }

    fn write(self, number: f64) -> Value {
        match self {
            Unit::Idle => Millis::write(&(number as u64)),
            _ if number.fract() == 0.0 && number < 1e15 => json!(number as u64),
            _ => json!(number),
        }
    }

    fn schema(self) -> Value {
        match self {
            Unit::Idle => Millis::schema(),
            Unit::ContextFraction => Share::schema(),
            _ => Price::schema(),
        }
    }
}

/// A number of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// Of what.
    pub unit: Unit,
    /// The number of units.
    pub number: f64,
}

impl Amount {
    /// The amount that an object of one member states, of the units that are allowed.
    fn read(members: &Map<String, Value>, allowed: &[Unit]) -> Option<Amount> {
        let (name, value) = members.iter().next().filter(|_| members.len() == 1)?;
        let unit = Unit::deserialize(&json!(name))
            .ok()
            .filter(|unit| allowed.contains(unit))?;
        Some(Amount {
            unit,
            number: unit.read(value)?,
        })
    }

    fn write(self) -> Map<String, Value> {
        Map::from_iter([(self.unit.name(), self.unit.write(self.number))])
    }
}

fn expected(allowed: &[Unit]) -> String {
    let names: Vec<String> = allowed.iter().map(|unit| unit.name()).collect();
    format!("an object with one of {} and a number", names.join(", "))
}

fn schema(allowed: &[Unit], more: &[(&str, Value)]) -> Value {
    let units = allowed.iter().map(|unit| (unit.name(), unit.schema()));
    let members: Map<String, Value> = units
        .chain(
            more.iter()
                .map(|(name, schema)| ((*name).to_owned(), schema.clone())),
        )
        .collect();
    json!({"type": "object", "properties": members, "additionalProperties": false})
}

/// A kind of amounts in these units.
macro_rules! amount {
    ($(#[$doc:meta])* $name:ident = $units:expr) => {
        $(#[$doc])*
        pub struct $name;

        impl Kind for $name {
            type Value = Amount;
            fn expected() -> String {
                expected($units)
            }
            fn read(value: &Value) -> Option<Amount> {
                Amount::read(value.as_object()?, $units)
            }
            fn write(amount: &Amount) -> Value {
                Value::Object(amount.write())
            }
            fn schema() -> Value {
                schema($units, &[])
            }
        }
    };
}

amount!(
    /// The kind of `trigger`.
    Triggers = &[Unit::InputTokens, Unit::ContextFraction, Unit::ToolUses, Unit::Chars, Unit::Idle]
);
amount!(
    /// The kind of `spare`.
    Messages = &[Unit::AssistantMessages, Unit::UserTurns]
);
amount!(
    /// The kind of `candidates_hold`.
    ResultTokens = &[Unit::Tokens]
);
amount!(
    /// The kind of sizes of texts.
    Sizes = &[Unit::Chars, Unit::CodePoints, Unit::Bytes, Unit::Tokens, Unit::Lines]
);

/// `keep`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keep {
    /// The amount that is kept; infinite if all is.
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

/// The kind of `keep`.
pub struct KeepKind;

const KEEPS: &[Unit] = &[
    Unit::ToolUses,
    Unit::ToolResults,
    Unit::AssistantMessages,
    Unit::UserTurns,
    Unit::ThinkingTurns,
    Unit::Tokens,
];
const COUNTED: [&str; 2] = ["after_exclusions", "before_exclusions"];

impl Kind for KeepKind {
    type Value = Keep;

    fn expected() -> String {
        format!(
            "{}, and counted \"before_exclusions\" or \"after_exclusions\" beside it",
            expected(KEEPS)
        )
    }

    fn read(value: &Value) -> Option<Keep> {
        let mut members = value.as_object()?.clone();
        let before_exclusions = match members.shift_remove("counted") {
            None => false,
            Some(counted) => COUNTED.iter().position(|word| counted == *word)? == 1,
        };
        if let Some((name, _)) = members
            .iter()
            .next()
            .filter(|(_, value)| members.len() == 1 && *value == "all")
        {
            let unit = Unit::deserialize(&json!(name))
                .ok()
                .filter(|unit| KEEPS.contains(unit))?;
            return Some(Keep {
                amount: Amount {
                    unit,
                    number: f64::INFINITY,
                },
                before_exclusions,
            });
        }
        Some(Keep {
            amount: Amount::read(&members, KEEPS)?,
            before_exclusions,
        })
    }

    fn write(keep: &Keep) -> Value {
        let mut members = keep.amount.write();
        if keep.amount.number.is_infinite() {
            members = Map::from_iter([(keep.amount.unit.name(), json!("all"))]);
        }
        if keep.before_exclusions {
            members.insert("counted".to_owned(), json!(COUNTED[1]));
        }
        Value::Object(members)
    }

    fn schema() -> Value {
        schema(KEEPS, &[("counted", json!({"enum": COUNTED}))])
    }
}

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

/// The kind of `until`.
pub struct StopKind;

const FREED: &[Unit] = &[Unit::InputTokens];
const FITS: &[Unit] = &[Unit::ContextFraction, Unit::Chars];

impl Kind for StopKind {
    type Value = Stop;

    fn expected() -> String {
        "\"all\", {freed: {input_tokens: NUMBER}}, {fits: {context_fraction: NUMBER}} or {fits: {chars: NUMBER}}".to_owned()
    }

    fn read(value: &Value) -> Option<Stop> {
        if value == "all" {
            return Some(Stop::All);
        }
        let (name, amount) = value
            .as_object()
            .filter(|members| members.len() == 1)?
            .iter()
            .next()?;
        match name.as_str() {
            "freed" => {
                Amount::read(amount.as_object()?, FREED).map(|amount| Stop::Freed(amount.number))
            }
            "fits" => Amount::read(amount.as_object()?, FITS).map(Stop::Fits),
            _ => None,
        }
    }

    fn write(stop: &Stop) -> Value {
        match stop {
            Stop::All => json!("all"),
            Stop::Freed(tokens) => {
                json!({"freed": Amount { unit: Unit::InputTokens, number: *tokens }.write()})
            }
            Stop::Fits(amount) => json!({"fits": amount.write()}),
        }
    }

    fn schema() -> Value {
        let members = json!({"freed": schema(FREED, &[]), "fits": schema(FITS, &[])});
        json!({"anyOf": [{"const": "all"}, {"type": "object", "properties": members, "additionalProperties": false}]})
    }
}

/// `clear_at_least`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearAtLeast {
    /// The tokens that must be freed.
    pub tokens: f64,
    /// Whether from the oldest on each so much makes a batch, and the last batch that frees less is left.
    pub batches: bool,
}

/// The kind of `clear_at_least`.
pub struct ClearAtLeastKind;

impl Kind for ClearAtLeastKind {
    type Value = ClearAtLeast;

    fn expected() -> String {
        format!("{}, and batches true beside it", expected(FREED))
    }

    fn read(value: &Value) -> Option<ClearAtLeast> {
        let mut members = value.as_object()?.clone();
        let batches = members
            .shift_remove("batches")
            .map_or(Some(false), |value| value.as_bool())?;
        Some(ClearAtLeast {
            tokens: Amount::read(&members, FREED)?.number,
            batches,
        })
    }

    fn write(least: &ClearAtLeast) -> Value {
        let mut members = Amount {
            unit: Unit::InputTokens,
            number: least.tokens,
        }
        .write();
        if least.batches {
            members.insert("batches".to_owned(), json!(true));
        }
        Value::Object(members)
    }

    fn schema() -> Value {
        schema(FREED, &[("batches", Flag::schema())])
    }
}
