//! Reads the list of steps of `edits`. A wrong list is examined member by member, so that an error names the step and its member.

use super::error::{ConfigError, nearest};
use super::keys::{Step, StepType};
use super::kinds::{Choice, Kind, List};
use super::removed::instead;
use crate::schema::of_input;
use serde::Deserialize;
use serde_json::{Value, json};

/// Members of all steps that look at results.
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

/// Members that a step of this type takes beside `type`.
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
    };
    [&OF_RESULTS, own].concat()
}

/// The kind of `edits`.
pub struct Steps;

impl Kind for Steps {
    type Value = Vec<Step>;

    fn expected() -> String {
        "a list of steps such as [{type: \"clear_tool_results\", keep: {tool_results: 3}}]"
            .to_owned()
    }

    fn read(value: &Value) -> Option<Vec<Step>> {
        let steps = value.as_array()?;
        if first_error(value).is_some() {
            return None;
        }
        steps
            .iter()
            .map(|step| Step::deserialize(step).ok())
            .collect()
    }

    fn write(steps: &Vec<Step>) -> Value {
        json!(steps)
    }

    fn schema() -> Value {
        let mut step = of_input::<Step>();
        step["required"] = json!(["type"]);
        json!({"type": "array", "items": step})
    }
}

/// An error in a list of steps, with its place.
#[derive(Debug)]
pub struct StepError {
    /// The member, from the list on: `[1].trigger`.
    place: String,
    what: Problem,
}

#[derive(Debug)]
enum Problem {
    /// The step takes no such member.
    Unknown(Vec<&'static str>),
    /// It must be something else.
    Bad { expected: String, found: Value },
}

impl StepError {
    /// A member at `place` that must be something else.
    pub(super) fn bad(place: &str, expected: &str, found: &Value) -> StepError {
        StepError {
            place: place.to_owned(),
            what: Problem::Bad {
                expected: expected.to_owned(),
                found: found.clone(),
            },
        }
    }

    /// A member at `place` that is none of `known`.
    pub(super) fn unknown(place: &str, known: &[&'static str]) -> StepError {
        StepError {
            place: place.to_owned(),
            what: Problem::Unknown(known.to_vec()),
        }
    }

    /// The error of a layer that calls the list `shown`.
    pub fn error(self, source: &str, shown: &str) -> ConfigError {
        let (source, key) = (source.to_owned(), format!("{shown}{}", self.place));
        match self.what {
            Problem::Bad { expected, found } => ConfigError::BadValue {
                source,
                key,
                expected,
                found: found.to_string(),
            },
            Problem::Unknown(known) => {
                let name = key.rsplit('.').next().unwrap_or_default();
                if let Some(instead) = instead("step", name) {
                    return ConfigError::Removed {
                        name: format!("{source}: {key}"),
                        instead,
                    };
                }
                let nearest = nearest(name, known.iter().copied());
                ConfigError::UnknownKey {
                    source,
                    nearest,
                    known: known.into_iter().map(str::to_owned).collect(),
                    key,
                }
            }
        }
    }
}

/// The first thing that is wrong with a list of steps.
pub(super) fn first_error(value: &Value) -> Option<StepError> {
    let bad = |place: String, expected: String, found: &Value| StepError {
        place,
        what: Problem::Bad {
            expected,
            found: found.clone(),
        },
    };
    let Some(steps) = value.as_array() else {
        return Some(bad(String::new(), Steps::expected(), value));
    };
    steps.iter().enumerate().find_map(|(i, step)| {
        let Some(members) = step.as_object() else {
            return Some(bad(
                format!("[{i}]"),
                "an object with type".to_owned(),
                step,
            ));
        };
        let stated = members.get("type").unwrap_or(&Value::Null);
        let Some(kind) = Choice::<StepType>::read(stated) else {
            return Some(bad(
                format!("[{i}].type"),
                Choice::<StepType>::expected(),
                stated,
            ));
        };
        let known = members_of(kind);
        members
            .iter()
            .filter(|(name, _)| *name != "type")
            .find_map(|(name, value)| {
                let place = format!("[{i}].{name}");
                if !known.contains(&name.as_str()) {
                    return Some(StepError {
                        place,
                        what: Problem::Unknown(known.clone()),
                    });
                }
                if name == "keep"
                    && value.get("thinking_turns").is_some() != (kind == StepType::ClearThinking)
                {
                    return Some(bad(
                        place,
                        "thinking_turns for clear_thinking, and another unit for other steps"
                            .to_owned(),
                        value,
                    ));
                }
                let alone = Step::deserialize(json!({ name: value }));
                alone
                    .err()
                    .map(|error| bad(place, error.to_string(), value))
            })
    })
}

/// The kind of `clear_tool_inputs`: `true` is all tools.
pub struct Inputs;

impl Kind for Inputs {
    type Value = Vec<String>;

    fn expected() -> String {
        "true, false or a list of tools".to_owned()
    }

    fn read(value: &Value) -> Option<Vec<String>> {
        match value {
            Value::Bool(all) => Some(all.then(|| "*".to_owned()).into_iter().collect()),
            _ => List::read(value),
        }
    }

    fn write(tools: &Vec<String>) -> Value {
        if *tools == ["*"] {
            json!(true)
        } else {
            json!(tools)
        }
    }

    fn schema() -> Value {
        json!({"anyOf": [{"type": "boolean"}, List::schema()]})
    }
}
