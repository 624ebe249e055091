//! The kinds of values that keys take: what an error says of each, and what JSON Schema says.

use serde_json::{Value, json};

use super::duration;

/// What a key takes.
#[derive(Clone, Copy)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number from 0.
    Integer,
    /// A whole number from 1, or null for none.
    Tokens,
    /// A whole number from 1, or null for no limit.
    Limit,
    /// A number from 0 to 1.
    Ratio,
    /// A number from 0 to 1, or null for none.
    OptionalRatio,
    /// A duration.
    Duration,
    /// A duration, or null for none.
    OptionalDuration,
    /// Any text; blank stands for the default.
    Text,
    /// A text that is not blank, or null for none.
    OptionalText,
    /// A list of texts; a later layer replaces it.
    List,
    /// A list of names; a later layer adds to it.
    Names,
    /// One of a few words.
    Choice(fn() -> Vec<&'static str>),
    /// One of a few words, or null for none.
    OptionalChoice(fn() -> Vec<&'static str>),
    /// An object with members of its own.
    Object,
    /// A list of globs.
    Globs,
    /// A list of regular expressions.
    Regexes,
    /// A map from tools to the argument that names their resource.
    Tools,
    /// Settings by workload.
    Workloads,
    /// A map from models to prices.
    Rates,
}

impl Kind {
    /// What a value must be, to follow "must be".
    pub fn expected(&self) -> String {
        match self {
            Kind::Bool => "true or false".to_string(),
            Kind::Integer => "a whole number from 0".to_string(),
            Kind::Tokens => "a number of tokens from 1, or null".to_string(),
            Kind::Limit => "a whole number from 1, or null".to_string(),
            Kind::Ratio => "a number from 0 to 1".to_string(),
            Kind::OptionalRatio => "a number from 0 to 1, or null".to_string(),
            Kind::Duration => duration::EXPECTED.to_string(),
            Kind::OptionalDuration => format!("{}, or null", duration::EXPECTED),
            Kind::Text => "a text".to_string(),
            Kind::OptionalText => "a text that is not blank, or null".to_string(),
            Kind::List | Kind::Names => "a list of texts such as [\"a\", \"b\"]".to_string(),
            Kind::Choice(words) => format!("one of {}", words().join(", ")),
            Kind::OptionalChoice(words) => format!("one of {}, or null", words().join(", ")),
            Kind::Globs => "a list of globs such as [\"*.lock\", \"src/**\"]".to_string(),
            Kind::Regexes => "a list of regular expressions such as [\"(?i)important\"]".to_string(),
            Kind::Tools => {
                "a map {TOOL: ARGUMENT} such as {\"Read\": \"file_path\"}, with {path, act, partial} or null in the place of ARGUMENT"
                    .to_string()
            }
            Kind::Workloads => {
                "a map {NAME: {SETTINGS, canary: {floor, minSamples, window}}} with a floor such as 0.9 or \"95%\" and counts from 1"
                    .to_string()
            }
            Kind::Rates => "a map {MODEL: {input, output, cacheRead, cacheWrite, cacheWriteLong, lifetime, minPrefix}}".to_string(),
            Kind::Object => "a map {NAME: {models: [{id, contextWindow}]}} with windows in tokens from 1".to_string(),
        }
    }

    /// What JSON Schema says of a value.
    pub fn schema(&self) -> Value {
        match self {
            Kind::Bool => json!({"type": "boolean"}),
            Kind::Integer => json!({"type": "integer", "minimum": 0}),
            Kind::Tokens => json!({"type": ["integer", "null"], "minimum": 1}),
            Kind::Limit => json!({"type": ["integer", "null"], "minimum": 1}),
            Kind::Ratio => json!({"type": "number", "minimum": 0, "maximum": 1}),
            Kind::OptionalRatio => json!({"type": ["number", "null"], "minimum": 0, "maximum": 1}),
            Kind::Duration => {
                json!({"type": ["string", "number"], "pattern": duration::PATTERN, "minimum": 0})
            }
            Kind::OptionalDuration => {
                json!({"type": ["string", "number", "null"], "pattern": duration::PATTERN, "minimum": 0})
            }
            Kind::Text => json!({"type": "string"}),
            Kind::OptionalText => json!({"type": ["string", "null"], "pattern": r"\S"}),
            Kind::Tools => {
                let texts = || json!({"type": "array", "items": {"type": "string"}});
                let row = json!({"type": "object", "additionalProperties": false, "required": ["path"], "properties": {
                    "path": {"anyOf": [{"type": "string"}, texts()]},
                    "act": {"enum": super::words::words::<super::settings::Act>()},
                    "partial": texts(),
                }});
                json!({"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, row, {"type": "null"}]}})
            }
            Kind::List | Kind::Names | Kind::Globs | Kind::Regexes => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Choice(words) => json!({"enum": words()}),
            Kind::OptionalChoice(words) => {
                let words = words().into_iter().map(Value::from).chain([Value::Null]);
                json!({"enum": words.collect::<Vec<_>>()})
            }
            Kind::Workloads => {
                json!({"type": "object", "additionalProperties": {"type": "object", "properties": {
                    "canary": {"type": "object", "additionalProperties": false, "properties": {
                        "floor": {"type": ["number", "string"], "pattern": r"^\s*[0-9.]+\s*%\s*$", "default": "95%"},
                        "minSamples": {"type": "integer", "minimum": 1, "default": 20},
                        "window": {"type": "integer", "minimum": 1, "default": 100},
                    }},
                }}})
            }
            Kind::Rates => {
                let price = json!({"type": "number", "minimum": 0});
                let names = ["input", "output", "cacheRead", "cacheWrite", "cacheWriteLong"];
                let mut members: serde_json::Map<String, Value> = names.iter().map(|name| (name.to_string(), price.clone())).collect();
                members.insert("lifetime".to_string(), Kind::Duration.schema());
                members.insert("minPrefix".to_string(), Kind::Integer.schema());
                json!({"type": "object", "additionalProperties": {"type": "object", "additionalProperties": false, "properties": members}})
            }
            Kind::Object => {
                json!({"type": "object", "additionalProperties": {"type": "object", "properties": {
                    "models": {"type": ["array", "null"], "items": {"type": "object", "properties": {
                        "id": {"type": "string"},
                        "contextWindow": Kind::Tokens.schema(),
                        "contextTokens": Kind::Tokens.schema(),
                    }}},
                }}})
            }
        }
    }
}
