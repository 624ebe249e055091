//! Options of presets: maps a program's own settings to configuration keys.

use super::context_management;
use super::error::{ConfigError, nearest};
use super::tool_rules;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The effect of an option, in presets.json5: a place, a rule, or a list of rules.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Effect {
    /// Its value is passed to this place.
    Place(String),
    /// The rule that is applied to its value.
    One(Box<Rule>),
    /// The rules that are applied to its value.
    Several(Vec<Rule>),
}

/// A rule about the value of an option.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// The place it is passed to, such as `edits[0].keep.tool_results`; none where it only turns something off.
    to: Option<String>,
    /// Values that turn something off.
    off: Vec<Value>,
    /// Whether every number below 0 turns it off.
    off_below_0: bool,
    /// The place that is removed if the value turns something off: by default the place that it is passed to.
    drops: Option<String>,
    /// The factor by which a number is multiplied.
    times: Option<f64>,
    /// The number that is added to it then.
    plus: Option<f64>,
    /// Whether the fraction is cut off then.
    floor: bool,
    /// The least value that it has then.
    least: Option<f64>,
    /// A text with `{}` for the value.
    within: Option<String>,
    /// Other values for some, by their texts.
    values: Map<String, Value>,
    /// Whether a list is added to the one that is there.
    append: bool,
    /// Whether it has no effect where the place has a value.
    unless_stated: bool,
    /// Values that are added to a list beside those that are given.
    beside: Vec<Value>,
    /// Whether it is a list of edits as in `context_management`; what they do not state is as the first step has it.
    context_management: bool,
    /// Whether it is a list of rules about calls of tools, each of which becomes a step as the last one is.
    tool_rules: bool,
}

/// Applies the options that were given of a preset to its settings.
///
/// # Errors
/// The program has no such option, or it takes no such value.
pub fn apply(name: &str, effects: &Map<String, Value>, given: &Map<String, Value>, settings: &mut Value) -> Result<(), ConfigError> {
    let mut drops = Vec::new();
    let source = format!("preset {name}");
    each("", given, &mut |option, value| {
        let Some(effect) = effects.get(option) else {
            // What holds options is none itself.
            return match value {
                Value::Object(_) if effects.keys().any(|known| known.starts_with(&format!("{option}."))) => Ok(false),
                _ => Err(unknown(&source, option, effects)),
            };
        };
        let rules = match Effect::deserialize(effect).expect("a test reads the file") {
            Effect::Place(to) => vec![Rule { to: Some(to), ..Rule::default() }],
            Effect::One(rule) => vec![*rule],
            Effect::Several(rules) => rules,
        };
        rules.iter().try_for_each(|rule| rule.apply(&source, option, value, settings, &mut drops)).map(|()| true)
    })?;
    drops.iter().for_each(|place| remove(settings, place));
    clean(settings);
    Ok(())
}

/// Removed through options, by their dotted names, as deep as `see` says.
fn each(
    path: &str,
    members: &Map<String, Value>,
    see: &mut impl FnMut(&str, &Value) -> Result<bool, ConfigError>,
) -> Result<(), ConfigError> {
    for (name, value) in members {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if !see(&path, value)?
            && let Value::Object(members) = value
        {
            each(&path, members, see)?;
        }
    }
    Ok(())
}

impl Rule {
    fn apply(&self, source: &str, option: &str, value: &Value, settings: &mut Value, drops: &mut Vec<String>) -> Result<(), ConfigError> {
        let is_off = self.off.contains(value) || self.off_below_0 && value.as_f64().is_some_and(|number| number < 0.0);
        if is_off {
            drops.extend(self.drops.clone().or(self.to.clone()));
            return Ok(());
        }
        let Some(to) = &self.to else { return Ok(()) };
        if self.unless_stated && !at(settings, to).is_null() {
            return Ok(());
        }
        let bad = |expected: &str| ConfigError::BadValue {
            source: source.to_owned(),
            key: option.to_owned(),
            expected: expected.to_owned(),
            found: value.to_string(),
        };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut new = self.values.get(&text).cloned().unwrap_or_else(|| value.clone());
        if self.times.is_some() || self.plus.is_some() || self.least.is_some() {
            let number = new.as_f64().ok_or_else(|| bad("a number"))?;
            let number = (number * self.times.unwrap_or(1.0) + self.plus.unwrap_or(0.0)).max(self.least.unwrap_or(f64::NEG_INFINITY));
            let number = if self.floor { number.floor() } else { number };
            new = if number.fract() == 0.0 { json!(number as i64) } else { json!(number) };
        }
        if let Some(within) = &self.within {
            new = json!(within.replace("{}", &text));
        }
        if self.context_management {
            let step = at(settings, to).get(0).cloned().unwrap_or_else(|| json!({}));
            let steps = context_management::steps(&new, &step, &json!(1)).map_err(|wrong| wrong.error(source, option))?;
            new = Value::Array(steps);
        }
        if self.tool_rules {
            let mut steps = at(settings, to).as_array().cloned().unwrap_or_default();
            let step = steps.pop().unwrap_or_default();
            steps.extend(tool_rules::steps(&new, &step).map_err(|wrong| wrong.error(source, option))?);
            new = Value::Array(steps);
        }
        if let Value::Array(list) = &mut new {
            list.extend(self.beside.iter().cloned());
        }
        let place = at(settings, to);
        match (place, new) {
            (Value::Array(there), Value::Array(more)) if self.append => there.extend(more),
            (place, new) => *place = new,
        }
        Ok(())
    }
}

/// The value at a place, which is made where there is none.
fn at<'a>(settings: &'a mut Value, place: &str) -> &'a mut Value {
    let mut value = settings;
    for name in place.split(['.', '[']) {
        value = match name.strip_suffix(']').and_then(|index| index.parse::<usize>().ok()) {
            Some(index) => {
                if !value.is_array() {
                    *value = json!([]);
                }
                let Value::Array(list) = value else { unreachable!("it is a list now") };
                if list.len() <= index {
                    list.resize(index + 1, Value::Null);
                }
                &mut list[index]
            }
            None => {
                if !value.is_object() {
                    *value = json!({});
                }
                &mut value[name]
            }
        };
    }
    value
}

/// Removes the value at a place. Elements of a list become null first, so that those behind them keep their numbers.
fn remove(settings: &mut Value, place: &str) {
    match place.rsplit_once('.') {
        Some((parent, name)) if !name.ends_with(']') => {
            if let Value::Object(members) = at(settings, parent) {
                members.shift_remove(name);
            }
        }
        _ => *at(settings, place) = Value::Null,
    }
}

/// Removes steps that became null.
fn clean(settings: &mut Value) {
    if let Some(Value::Array(steps)) = settings.get_mut("edits") {
        steps.retain(|step| !step.is_null());
    }
}

fn unknown(source: &str, option: &str, effects: &Map<String, Value>) -> ConfigError {
    ConfigError::UnknownKey {
        source: source.to_owned(),
        key: option.to_owned(),
        nearest: nearest(option, effects.keys().map(String::as_str)),
        known: effects.keys().cloned().collect(),
    }
}
