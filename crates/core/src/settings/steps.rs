//! Reads the list of steps of `edits`. A wrong list is examined member by member, so that an error names the step and its member.

use super::error::ConfigError;
use super::keys::{Step, StepType};
use super::kinds::{Choice, Flag, Kind, List, kind};
use super::removed::instead;
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

/// Returns the first word in braces that is no name of a template.
fn unknown_name(template: &str) -> Option<&str> {
    let in_braces = template.split('{').skip(1);
    let mut words = in_braces.filter_map(|rest| Some(rest.split_once('}')?.0));
    words.find(|word| {
        let is_word =
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
        is_word && !TEMPLATE_NAMES.contains(word)
    })
}

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

kind!(
    /// The kind of `edits`.
    Steps = Vec<Step>, "a list of steps such as [{type: \"clear_tool_results\", keep: {tool_results: 3}}]",
    {"type": "array", "items": schema()},
    |value| {
        let list = ListPlace { source: "", shown: "" };
        check(value, list).ok()?;
        value.as_array()?.iter().map(Step::read).collect()
    }
);

/// The schema of a step.
fn schema() -> Value {
    let mut step = Step::schema();
    step["required"] = json!(["type"]);
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

    /// The error for a member at `place` that is none of `known`.
    pub(super) fn unknown(self, place: &str, known: &[&str]) -> ConfigError {
        let key = format!("{}{place}", self.shown);
        let name = place.rsplit('.').next().unwrap_or_default();
        match instead("step", name) {
            Some(instead) => ConfigError::Removed {
                name: format!("{}: {key}", self.source),
                instead,
            },
            None => ConfigError::unknown(self.source, &key, name, known),
        }
    }
}

/// Whether a list of steps is right.
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
