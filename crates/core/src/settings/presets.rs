//! Presets: named policies as data, each reproducing what a release did.
//!
//! The policies of other programs are here as far as our passes can say them: each says whether it is exact, and if not,
//! what differs. A preset lies under the configuration file and the flags; what it does not name keeps its default. The three
//! `openclaw` presets are one algorithm with three switches (images, estimator, markers) and, from 2026.8, fixed sizes.

use super::error::{ConfigError, nearest};
use super::layer::Layer;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// A named policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// What a user types.
    pub name: String,
    /// One line about it.
    pub about: String,
    /// The releases it represents.
    pub source: String,
    /// Date of the first of them, or, for other programs, of the reading.
    pub date: String,
    /// What it does otherwise than its source; empty where it does the same.
    #[serde(default)]
    pub differs: String,
    /// Keys and their values.
    pub settings: Map<String, Value>,
}

/// All presets, the default first.
pub fn presets() -> &'static [Preset] {
    static PRESETS: LazyLock<Vec<Preset>> =
        LazyLock::new(|| json5::from_str(include_str!("presets.json5")).expect("a test reads the file"));
    &PRESETS
}

/// The preset of a name, as a layer.
///
/// # Errors
/// There is none of that name.
pub fn preset(name: &str) -> Result<Layer, ConfigError> {
    let preset = presets().iter().find(|preset| preset.name == name).ok_or_else(|| {
        let known: Vec<String> = presets().iter().map(|preset| preset.name.clone()).collect();
        ConfigError::UnknownPreset { name: name.to_owned(), nearest: nearest(name, known.iter().map(|name| &**name)), known }
    })?;
    let mut layer = Layer::new(format!("preset {name}"));
    preset.settings.iter().try_for_each(|(path, value)| layer.put(path, path, value))?;
    Ok(layer)
}

/// All presets with their sources and keys, for people.
pub fn listing() -> String {
    let mut text = String::new();
    for Preset { name, about, source, date, differs, settings } in presets() {
        text.push_str(&format!("{name}\n    {about}\n    from: {source}, {date}\n"));
        match differs.as_str() {
            "" => text.push_str("    exact\n"),
            differs => text.push_str(&format!("    approximate: {differs}\n")),
        }
        settings.iter().for_each(|(key, value)| text.push_str(&format!("      {key} = {value}\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::layer::resolve;
    use super::*;

    #[test]
    fn every_key_of_every_preset_is_valid() {
        for preset in presets() {
            let resolved = resolve(&[super::preset(&preset.name).expect("its keys are known")]).expect("its values are valid");
            assert!(resolved.warnings.is_empty(), "{}", preset.name);
            for (path, value) in &preset.settings {
                let row = resolved.rows().into_iter().find(|row| row.key == path).expect(path);
                assert_eq!(&row.value, value, "{path} is written as it reads");
            }
        }
    }

    #[test]
    fn the_listing_names_all_and_fits_a_terminal() {
        let text = listing();
        for preset in presets() {
            assert!(text.contains(&*preset.name) && text.contains(&*preset.date));
        }
        assert!(text.lines().all(|line| line.chars().count() <= 90), "{text}");
    }

    #[test]
    fn an_unknown_preset_is_told_with_the_nearest() {
        let Err(error) = preset("openclaw-2026.5") else { panic!("there is none") };
        let text = error.to_string();
        assert!(text.starts_with("unknown preset openclaw-2026.5, did you mean openclaw-2026."), "{text}");
        assert!(text.contains("clawdbot-aggressive"), "{text}");
        let Err(error) = preset("x") else { panic!("there is none") };
        assert!(!error.to_string().contains("did you mean"), "{error}");
    }
}
