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
    /// Messages that hold a call, and the newest answer of the model beside them.
    CallingMessages,
    /// Messages; results that follow each other are one.
    Messages,
    /// The same with those that earlier steps removed.
    AllMessages,
    /// Turns of either side: a message of the user, or all that the model and its tools say until the next.
    Turns,
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
    /// Whether the cut pays for the cache that it breaks.
    BreakEven,
}

impl Unit {
    /// The name in a configuration.
    pub fn name(self) -> String {
        super::kinds::word(self)
    }

    fn read(self, value: &Value) -> Option<f64> {
        match self {
            Unit::Idle => Millis::read(value).map(|ms| ms as f64),
            Unit::BreakEven => Flag::read(value).filter(|on| *on).map(|_| 1.0),
            Unit::ContextFraction => Share::read(value),
            _ => Price::read(value),
        }
    }

    fn write(self, number: f64) -> Value {
        match self {
            Unit::Idle => Millis::write(&(number as u64)),
            Unit::BreakEven => json!(true),
            _ if number.fract() == 0.0 && number < 1e15 => json!(number as u64),
            _ => json!(number),
        }
    }

    fn schema(self) -> Value {
        match self {
            Unit::Idle => Millis::schema(),
            Unit::BreakEven => json!({"const": true}),
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
        let unit = Unit::deserialize(&json!(name)).ok().filter(|unit| allowed.contains(unit))?;
        Some(Amount { unit, number: unit.read(value)? })
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
    let members: Map<String, Value> = units.chain(more.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone()))).collect();
    json!({"type": "object", "properties": members, "additionalProperties": false})
}

/// Takes a member of two words out: whether it is the second; none where it is neither.
fn either(members: &mut Map<String, Value>, name: &str, words: [&str; 2]) -> Option<bool> {
    match members.shift_remove(name) {
        None => Some(false),
        Some(value) => words.iter().position(|word| value == *word).map(|at| at == 1),
    }
}

/// `trigger`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trigger {
    /// From which amount on.
    pub amount: Amount,
    /// Whether the amount itself is enough.
    pub or_equal: bool,
}

/// The kind of `trigger`.
pub struct Triggers;

const TRIGGERS: &[Unit] = &[Unit::InputTokens, Unit::ContextFraction, Unit::ToolUses, Unit::Chars, Unit::Idle, Unit::BreakEven];
const OPS: [&str; 2] = [">", ">="];

impl Kind for Triggers {
    type Value = Trigger;

    fn expected() -> String {
        format!("{}, and op \">\" or \">=\" beside it", expected(TRIGGERS))
    }

    fn read(value: &Value) -> Option<Trigger> {
        let mut members = value.as_object()?.clone();
        let stated = members.contains_key("op");
        let or_equal = either(&mut members, "op", OPS)?;
        let amount = Amount::read(&members, TRIGGERS)?;
        Some(Trigger { amount, or_equal: or_equal || !stated && amount.unit == Unit::Idle })
    }

    fn write(trigger: &Trigger) -> Value {
        let mut members = trigger.amount.write();
        if trigger.or_equal != (trigger.amount.unit == Unit::Idle) {
            members.insert("op".to_owned(), json!(OPS[usize::from(trigger.or_equal)]));
        }
        Value::Object(members)
    }

    fn schema() -> Value {
        schema(TRIGGERS, &[("op", json!({"enum": OPS}))])
    }
}

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
        !matches!(self.amount.unit, Unit::ToolUses | Unit::ToolResults | Unit::Tokens | Unit::Chars)
    }
}

/// The kind of `keep`.
pub struct KeepKind;

const KEEPS: &[Unit] = &[
    Unit::ToolUses,
    Unit::ToolResults,
    Unit::AssistantMessages,
    Unit::CallingMessages,
    Unit::Messages,
    Unit::AllMessages,
    Unit::Turns,
    Unit::UserTurns,
    Unit::ThinkingTurns,
    Unit::Tokens,
    Unit::Chars,
];
const COUNTED: [&str; 2] = ["after_exclusions", "before_exclusions"];

impl Kind for KeepKind {
    type Value = Keep;

    fn expected() -> String {
        format!("{}, and counted \"before_exclusions\" or \"after_exclusions\" beside it", expected(KEEPS))
    }

    fn read(value: &Value) -> Option<Keep> {
        // Of what comes twice the newest stays anyway.
        if value == "newest" {
            return Some(Keep { amount: Amount { unit: Unit::ToolResults, number: 0.0 }, before_exclusions: false });
        }
        let mut members = value.as_object()?.clone();
        let before_exclusions = either(&mut members, "counted", COUNTED)?;
        if let Some((name, _)) = members.iter().next().filter(|(_, value)| members.len() == 1 && *value == "all") {
            let unit = Unit::deserialize(&json!(name)).ok().filter(|unit| KEEPS.contains(unit))?;
            return Some(Keep { amount: Amount { unit, number: f64::INFINITY }, before_exclusions });
        }
        Some(Keep { amount: Amount::read(&members, KEEPS)?, before_exclusions })
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
    /// Once so much was freed.
    Freed(Amount),
    /// Once so much is left, or less.
    Fits {
        /// The amount that may be left.
        amount: Amount,
        /// Whether it must be less.
        below: bool,
    },
}

/// The kind of `until`.
pub struct StopKind;

const FREED: &[Unit] = &[Unit::InputTokens, Unit::ToolResults, Unit::Chars];
const FITS: &[Unit] = &[Unit::InputTokens, Unit::ContextFraction, Unit::Chars];
const BELOW: [&str; 2] = ["<=", "<"];

impl Kind for StopKind {
    type Value = Stop;

    fn expected() -> String {
        "\"all\", {freed: {input_tokens: NUMBER}} or {fits: {context_fraction: NUMBER}}".to_owned()
    }

    fn read(value: &Value) -> Option<Stop> {
        if value == "all" {
            return Some(Stop::All);
        }
        let (name, amount) = value.as_object().filter(|members| members.len() == 1)?.iter().next()?;
        let mut members = amount.as_object()?.clone();
        match name.as_str() {
            "freed" => Amount::read(&members, FREED).map(Stop::Freed),
            "fits" => {
                let below = either(&mut members, "op", BELOW)?;
                Some(Stop::Fits { amount: Amount::read(&members, FITS)?, below })
            }
            _ => None,
        }
    }

    fn write(stop: &Stop) -> Value {
        match stop {
            Stop::All => json!("all"),
            Stop::Freed(amount) => json!({"freed": amount.write()}),
            Stop::Fits { amount, below } => {
                let mut members = amount.write();
                if *below {
                    members.insert("op".to_owned(), json!("<"));
                }
                json!({"fits": members})
            }
        }
    }

    fn schema() -> Value {
        let fits = schema(FITS, &[("op", json!({"enum": BELOW}))]);
        let either = json!({"type": "object", "properties": {"freed": schema(FREED, &[]), "fits": fits}, "additionalProperties": false});
        json!({"anyOf": [{"const": "all"}, either]})
    }
}

/// `clear_at_least`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearAtLeast {
    /// The amount that must be freed.
    pub amount: Amount,
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
        let batches = members.shift_remove("batches").map_or(Some(false), |value| value.as_bool())?;
        Some(ClearAtLeast { amount: Amount::read(&members, FREED)?, batches })
    }

    fn write(least: &ClearAtLeast) -> Value {
        let mut members = least.amount.write();
        if least.batches {
            members.insert("batches".to_owned(), json!(true));
        }
        Value::Object(members)
    }

    fn schema() -> Value {
        schema(FREED, &[("batches", Flag::schema())])
    }
}

/// The kind of sizes of texts.
pub struct Numbers;

const SIZES: &[Unit] = &[Unit::Chars, Unit::CodePoints, Unit::Bytes, Unit::Tokens, Unit::Lines];

impl Kind for Numbers {
    type Value = Amount;

    fn expected() -> String {
        expected(SIZES)
    }

    fn read(value: &Value) -> Option<Amount> {
        Amount::read(value.as_object()?, SIZES)
    }

    fn write(amount: &Amount) -> Value {
        Value::Object(amount.write())
    }

    fn schema() -> Value {
        schema(SIZES, &[])
    }
}
