//! Presets: named policies as data, each reproducing a release of a program.
//!
//! Presets of other programs accept these programs' own options, and name known differences. A
//! preset of a configuration file lies under that file; one of a flag wins over files, unless it is
//! the defaults of a release. Keys that it does not set keep their values.

use super::{
    context_management::steps,
    error::{ConfigError, nearest},
    layer::{Layer, at_mut},
    maps::Chosen,
    steps::ListPlace,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, sync::LazyLock};

/// A named policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// The name that a user types.
    pub name: String,
    /// One line about it.
    pub about: String,
    /// The releases it represents.
    pub source: String,
    /// Date of the first of them, or, for other programs, of the reading.
    pub date: String,
    /// The differences from its source; empty if it does the same.
    #[serde(default)]
    pub differs: String,
    /// The number of runs of its program that the preset is compared with; `None` if it is made
    /// from documentation.
    #[serde(default)]
    pub vectors: Option<Vectors>,
    /// Whether its program cuts a copy at each request, so that no cut is kept: a replay shows it
    /// so.
    #[serde(default)]
    pub is_transient: bool,
    /// Whether it is the defaults of a release, which a configuration refines; the settings of the
    /// others win over a configuration.
    #[serde(default)]
    pub is_refined: bool,
    /// The options of its program, and the members that each sets.
    #[serde(default)]
    pub options: BTreeMap<String, Vec<Effect>>,
    /// Keys and their values.
    pub settings: Map<String, Value>,
}

/// A member of a step that an option sets.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Effect {
    /// The index of the step.
    step: usize,
    /// The member, dotted; with `edits` it is all steps, and the option is a list of edits of
    /// `context_management`.
    sets: String,
    /// The factor of a number, whose fraction is cut off then.
    times: Option<f64>,
    /// The least value of a number.
    least: Option<f64>,
    /// A number below this sets nothing.
    off_below: Option<f64>,
    /// Whether the step is removed then.
    drops: bool,
}

/// All presets, the default first.
pub fn presets() -> &'static [Preset] {
    static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
        json5::from_str(include_str!("presets.json5")).expect("a test reads the file")
    });
    &PRESETS
}

/// Inputs for which the output of a program is known.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vectors {
    /// The number of inputs.
    pub inputs: u32,
    /// The number of inputs for which the preset gives the same output.
    pub identical: u32,
}

/// The preset of a name, as a layer.
///
/// # Errors
/// No preset has that name.
pub fn preset(name: &str) -> Result<Layer, ConfigError> {
    with_options(&Chosen::plain(name)).map(|(layer, _)| layer)
}

/// The presets that are chosen, as layers, the lowest first. The steps of a later one follow those
/// of an earlier one.
///
/// # Errors
/// No preset has one of the names, or it takes no such option.
pub(super) fn chosen(list: &[Chosen]) -> Result<Vec<Layer>, ConfigError> {
    let mut steps: Vec<Value> = Vec::new();
    let layer = |one: &Chosen| {
        let (mut layer, settings) = with_options(one)?;
        if let Some(Value::Array(own)) = settings.get("edits") {
            steps.extend(own.iter().cloned());
            if steps.len() > own.len() {
                layer.put("edits", "edits", &json!(steps))?;
            }
        }
        Ok(layer)
    };
    list.iter().map(layer).collect()
}

/// Returns the presets of a flag, separated by commas, as layers above those of files. Presets that
/// a file refines are left out.
///
/// # Errors
/// There is no preset of a name.
pub fn decided(names: &str) -> Result<Vec<Layer>, ConfigError> {
    let refined = presets().iter().filter(|preset| preset.is_refined);
    let names = names
        .split(',')
        .map(str::trim)
        .filter(|name| !refined.clone().any(|preset| preset.name == *name));
    chosen(&names.map(Chosen::plain).collect::<Vec<_>>())
}

fn with_options(one: &Chosen) -> Result<(Layer, Value), ConfigError> {
    let name = &one.name;
    let preset = presets()
        .iter()
        .find(|preset| preset.name == *name)
        .ok_or_else(|| {
            let known = presets().iter().map(|preset| &*preset.name);
            ConfigError::UnknownPreset {
                name: name.to_owned(),
                nearest: nearest(name, known.clone()),
                known: known.map(str::to_owned).collect(),
            }
        })?;
    let mut settings = json!({});
    for (path, value) in &preset.settings {
        *at_mut(&mut settings, path) = value.clone();
    }
    let mut layer = Layer::new(format!("preset {name}"));
    for (option, value) in &one.options {
        let effects = preset.options.get(option).ok_or_else(|| {
            let known: Vec<&str> = preset.options.keys().map(String::as_str).collect();
            ConfigError::unknown(&layer.source, option, option, &known)
        })?;
        effects.iter().try_for_each(|effect| {
            effect.apply(&layer.source, option, value, &mut settings["edits"])
        })?;
    }
    if let Some(Value::Array(steps)) = settings.get_mut("edits") {
        steps.retain(|step| !step.is_null());
    }
    for (path, value) in settings.as_object().into_iter().flatten() {
        layer.put(path, path, value)?;
    }
    Ok((layer, settings))
}

impl Effect {
    /// Sets the member to the value of `option`. A step that is removed becomes null.
    fn apply(
        &self,
        source: &str,
        option: &str,
        value: &Value,
        edits: &mut Value,
    ) -> Result<(), ConfigError> {
        if self.sets == "edits" {
            let list = ListPlace {
                source,
                shown: option,
            };
            *edits = Value::Array(steps(value, list, &edits[0], &json!(1))?);
            return Ok(());
        }
        let mut new = value.clone();
        let number = value.as_f64();
        let is_off = |(limit, number)| number < limit;
        if self.off_below.zip(number).is_some_and(is_off) {
            if self.drops {
                edits[self.step] = Value::Null;
            }
            return Ok(());
        }
        if self.times.is_some() || self.least.is_some() {
            let bad = || ConfigError::bad_value(source, option, "a number", value);
            let mut number = number.ok_or_else(bad)?;
            if let Some(times) = self.times {
                number = (number * times).floor();
            }
            number = number.max(self.least.unwrap_or(f64::NEG_INFINITY));
            new = match number.fract() {
                0.0 => json!(number as i64),
                _ => json!(number),
            };
        }
        // Another option may have removed the step.
        if !edits[self.step].is_null() {
            *at_mut(&mut edits[self.step], &self.sets) = new;
        }
        Ok(())
    }
}

/// All presets, or the one of this name, with their sources and keys, for people.
pub fn listing(name: Option<&str>) -> String {
    let mut text = String::new();
    let is_wanted = |preset: &&Preset| name.is_none_or(|name| preset.name == name);
    for preset in presets().iter().filter(is_wanted) {
        text += &format!("{}\n", preset.name);
        text += &wrapped("    ", &preset.about);
        text += &wrapped("    ", &format!("from: {}, {}", preset.source, preset.date));
        match preset.vectors {
            Some(Vectors { inputs, identical }) => {
                text += &format!("    identical for {identical} of {inputs} inputs\n");
            }
            None if preset.source == OWN => {}
            None => text += "    from its documentation\n",
        }
        if !preset.differs.is_empty() {
            text += &wrapped("    ", &format!("differs: {}", preset.differs));
        }
        if !preset.options.is_empty() {
            let names: Vec<&str> = preset.options.keys().map(String::as_str).collect();
            text += &wrapped("    ", &format!("options: {}", names.join(", ")));
        }
        for (key, value) in &preset.settings {
            match value
                .as_array()
                .filter(|steps| key == "edits" && !steps.is_empty())
            {
                Some(steps) => steps
                    .iter()
                    .for_each(|step| text += &wrapped("      ", &spaced(step))),
                None => text += &wrapped("      ", &format!("{key} = {value}")),
            }
        }
    }
    text
}

/// Returns a step with spaces where a line may end.
fn spaced(step: &Value) -> String {
    let members = step.as_object().into_iter().flatten();
    let members: Vec<String> = members
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    format!("{{{}}}", members.join(", ")).replace("\",\"", "\", \"")
}

/// The source of this program's own presets.
pub const OWN: &str = "this program";

/// Columns of the listing.
const COLUMNS: usize = 88;

/// Returns a text in indented lines, the first less than the others.
fn wrapped(indent: &str, text: &str) -> String {
    let (mut lines, mut line) = (String::new(), indent.to_owned());
    for word in text.split(' ') {
        if line.trim() != "" && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push_str(&line);
            lines.push('\n');
            line = format!("{indent}  ");
        }
        if !line.ends_with(' ') {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::{super::layer::resolve, *};

    #[test]
    fn every_key_of_every_preset_is_valid() {
        for preset in presets() {
            let resolved = resolve(&[super::preset(&preset.name).expect("its keys are known")])
                .expect("its values are valid");
            assert!(resolved.warnings.is_empty(), "{}", preset.name);
            for (path, value) in &preset.settings {
                let row = resolved
                    .rows()
                    .into_iter()
                    .find(|row| row.key == path)
                    .expect(path);
                assert_eq!(&row.value, value, "{path} is written as it reads");
            }
            let steps = preset
                .settings
                .get("edits")
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            assert!(
                preset
                    .options
                    .values()
                    .flatten()
                    .all(|effect| effect.step < steps),
                "{}",
                preset.name
            );
        }
    }

    #[test]
    fn the_listing_names_all_and_fits_a_terminal() {
        let text = listing(None);
        for preset in presets() {
            assert!(text.contains(&*preset.name) && text.contains(&*preset.date));
        }
        assert!(
            text.lines().all(|line| line.chars().count() <= 90),
            "{text}"
        );
    }

    #[test]
    fn an_unknown_preset_is_reported_with_the_nearest() {
        let Err(error) = preset("openclaw-2026.5") else {
            panic!("there is none")
        };
        let text = error.to_string();
        assert!(
            text.starts_with("unknown preset openclaw-2026.5, did you mean openclaw-2026."),
            "{text}"
        );
        assert!(text.contains("clawdbot-aggressive"), "{text}");
        let Err(error) = preset("x") else {
            panic!("there is none")
        };
        assert!(!error.to_string().contains("did you mean"), "{error}");
    }
}
