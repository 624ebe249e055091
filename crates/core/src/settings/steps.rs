//! Steps of `edits`: the list, and the amounts that a step states: an object of one unit and its
//! number, such as `{input_tokens: 100000}`.
//!
//! A wrong list is examined member by member, so that an error names the step and its member.

use super::{
    error::ConfigError,
    keys::{Step, StepType},
    kinds::{Choice, Flag, Kind, List, Millis, Price, Share, kind, word},
    section::{Words, choices},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

/// The members that all steps about results share.
const OF_RESULTS: [&str; 15] = [
    "rested",
    "trigger",
    "keep",
    "spare",
    "tools",
    "exclude_tools",
    "exact_names",
    "errors",
    "empty",
    "newest_result",
    "candidates_hold",
    "duplicates",
    "polling",
    "also_counted",
    "estimator",
];

/// Members that are templates.
const TEMPLATES: [&str; 2] = ["placeholder", "note"];
/// Names that a placeholder or note may have in braces.
pub const TEMPLATE_NAMES: [&str; 10] = [
    "tool",
    "chars",
    "tokens",
    "lines",
    "splitlines",
    "removed",
    "excess",
    "head",
    "tail",
    "ref",
];

/// Returns the first word in braces that is not a name of a template.
fn unknown_name(template: &str) -> Option<&str> {
    let in_braces = template.split('{').skip(1);
    let mut words = in_braces.filter_map(|rest| Some(rest.split_once('}')?.0));
    words.find(|word| {
        let is_word =
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
        is_word && !TEMPLATE_NAMES.contains(word)
    })
}

/// Returns the members that a step of this type accepts beside `type`.
fn members_of(kind: StepType) -> Vec<&'static str> {
    let own: &[&str] = match kind {
        StepType::ClearThinking => return vec!["keep"],
        StepType::ClearToolResults => &[
            "over",
            "until",
            "clear_at_least",
            "clear_tool_inputs",
            "placeholder",
        ],
        StepType::TruncateToolResults => {
            &["over", "until", "clear_at_least", "head", "tail", "note"]
        }
        StepType::DropToolCalls => &[],
        StepType::Dedupe | StepType::Ephemeral | StepType::StaleResource => return Vec::new(),
    };
    [&OF_RESULTS, own].concat()
}

kind!(
    /// The kind of `edits`.
    Steps = Vec<Step>, "a list of steps such as [{type: \"clear_tool_results\", keep: {tool_results: 3}}]",
    {"type": "array", "items": schema_of_step()},
    |value| {
        let list = ListPlace { source: "", shown: "" };
        check(value, list).ok()?;
        value.as_array()?.iter().map(Step::read).collect()
    }
);

/// The schema of a step.
fn schema_of_step() -> Value {
    let mut step = Step::schema();
    step["required"] = json!(["type"]);
    let of = |word: &&str| {
        let members = Choice::<StepType>::read(&json!(word)).map(members_of);
        let members = [vec!["type"], members.unwrap_or_default()].concat();
        json!({"properties": {"type": {"const": word}}, "propertyNames": {"enum": members}})
    };
    step["anyOf"] = StepType::WORDS.iter().map(of).collect();
    step
}

/// A list of steps or edits, for errors.
#[derive(Clone, Copy, Debug)]
pub struct ListPlace<'a> {
    /// The layer or the text that has it.
    pub source: &'a str,
    /// What the source calls it.
    pub shown: &'a str,
}

impl ListPlace<'_> {
    /// The error for a member at `place`, such as `[1].trigger`, that must be something else.
    pub(super) fn bad(
        self,
        place: &str,
        expected: impl Into<String>,
        found: &Value,
    ) -> ConfigError {
        let key = format!("{}{place}", self.shown);
        ConfigError::bad_value(self.source, key, expected, found)
    }

    /// The error for a member at `place` that is not among `known`.
    pub(super) fn unknown(self, place: &str, known: &[&str]) -> ConfigError {
        let key = format!("{}{place}", self.shown);
        let name = place.rsplit('.').next().unwrap_or_default();
        ConfigError::unknown(self.source, &key, name, known)
    }
}

/// Checks a list of steps.
///
/// # Errors
/// The first thing that is wrong with it.
pub(super) fn check(value: &Value, list: ListPlace<'_>) -> Result<(), ConfigError> {
    let steps = value
        .as_array()
        .ok_or_else(|| list.bad("", Steps::expected(), value))?;
    for (i, step) in steps.iter().enumerate() {
        let members = step
            .as_object()
            .ok_or_else(|| list.bad(&format!("[{i}]"), "an object with type", step))?;
        let stated = members.get("type").unwrap_or(&Value::Null);
        let kind = Choice::<StepType>::read(stated).ok_or_else(|| {
            list.bad(
                &format!("[{i}].type"),
                Choice::<StepType>::expected(),
                stated,
            )
        })?;
        let known = members_of(kind);
        for (name, value) in members.iter().filter(|(name, _)| *name != "type") {
            let place = format!("[{i}].{name}");
            if !known.contains(&name.as_str()) {
                return Err(list.unknown(&place, &known));
            }
            let is_of_thinking = value.get("thinking_turns").is_some();
            if name == "keep" && is_of_thinking != (kind == StepType::ClearThinking) {
                let expected =
                    "thinking_turns for clear_thinking, and another unit for other steps";
                return Err(list.bad(&place, expected, value));
            }
            Step::parse(&json!({ name: value }))
                .map_err(|expected| list.bad(&place, expected, value))?;
            let template = value
                .as_str()
                .filter(|_| TEMPLATES.contains(&name.as_str()));
            if let Some(word) = template.and_then(unknown_name) {
                let key = format!("{{{word}}} in {}{place}", list.shown);
                let source = list.source;
                return Err(ConfigError::unknown(source, &key, word, &TEMPLATE_NAMES));
            }
        }
    }
    Ok(())
}

kind!(
    /// The kind of `clear_tool_inputs`: `true` is all tools.
    Inputs = Vec<String>, "true, false or a list of tools",
    {"anyOf": [Flag::schema(), List::schema()]},
    |value| match value {
        Value::Bool(all) => Some(all.then(|| "*".to_owned()).into_iter().collect()),
        _ => List::read(value),
    },
    |tools| if *tools == ["*"] { json!(true) } else { json!(tools) }
);

choices! {
    /// The unit of a text's size.
    pub enum Measure {
        /// UTF-16 units, as JavaScript counts.
        Chars = "chars",
        /// Code points, as Python counts.
        CodePoints = "code_points",
        /// Bytes of UTF-8.
        Bytes = "bytes",
        /// Tokens of four bytes, as agents guess them.
        Tokens = "tokens",
        /// Lines: one more than there are line feeds.
        Lines = "lines",
    }

    /// The unit of another amount.
    pub enum Unit {
        /// Tokens of the context.
        InputTokens = "input_tokens",
        /// The share of the context window that the context fills.
        ContextFraction = "context_fraction",
        /// Calls that the step may clear.
        ToolUses = "tool_uses",
        /// Results that the step may clear.
        ToolResults = "tool_results",
        /// Answers of the model.
        AssistantMessages = "assistant_messages",
        /// Turns of the user.
        UserTurns = "user_turns",
        /// Answers of the model that hold reasoning.
        ThinkingTurns = "thinking_turns",
        /// Tokens of results.
        Tokens = "tokens",
        /// Chars of results, in UTF-16 units.
        Chars = "chars",
        /// Milliseconds since the last call.
        Idle = "idle",
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
    /// Returns the amount that an object of one member states, in one of the allowed units.
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
        "thinking_turns" => json!({"anyOf": [Price::schema(), {"const": "all"}]}),
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
    Sizes = Size, Measure::WORDS
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
    /// Whether uses that the step excludes by their tool or as errors count as well.
    pub before_exclusions: bool,
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
    /// Once this number of tokens was freed.
    Freed(f64),
    /// Once at most this number of chars of results is left, or once less than this share of the
    /// window is full.
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
    /// Whether uses are cut in batches of this amount, from the oldest on, and a last batch that
    /// frees less is left.
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
