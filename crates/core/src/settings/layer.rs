//! Layers: the settings from each source, merged key by key; the last one wins.
//!
//! Each value is read alone before anything is merged, so that a wrong one is an error even if a higher layer hides it, and the
//! error names its key and its layer. Every value keeps the name of its layer.

use super::error::ConfigError;
use super::json5_text::parse;
use super::keys::{Auth, PassSwitches, Settings};
use super::kinds::{Kind, word};
use super::presets;
use super::removed::instead;
use super::steps::{ListPlace, check};
use super::table::{Key, at, at_mut, keys, names_under, place};
use crate::diagnostics::Warning;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The settings from one source.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The name of the layer in errors and in `config show`.
    pub source: String,
    /// Warnings about the contents of the layer.
    pub(super) warnings: Vec<Warning>,
    leaves: Vec<Leaf>,
}

/// A value for a key, not checked yet.
#[derive(Clone, Debug)]
struct Leaf {
    /// The place of the key in the table.
    place: usize,
    /// The key's path as it is in the source.
    shown: String,
    value: Value,
}

/// The settings, and where each comes from.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The settings that the passes read.
    pub settings: Settings,
    /// Warnings to the user.
    pub warnings: Vec<Warning>,
    /// The sources of the keys that a layer states, by their places in the table.
    sources: BTreeMap<usize, String>,
}

impl Resolved {
    /// One row per key, in the order of the table.
    pub fn rows(&self) -> Vec<Row> {
        let written = json!(self.settings);
        let row = |(place, key): (usize, &'static Key)| Row {
            key: &key.path,
            value: at(&written, &key.path).clone(),
            source: self
                .sources
                .get(&place)
                .map_or(DEFAULT, |source| source)
                .to_owned(),
        };
        keys().iter().enumerate().map(row).collect()
    }
}

/// One value with its provenance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Dotted path.
    pub key: &'static str,
    /// The value; durations are text such as `5m`.
    pub value: Value,
    /// `default`, `smart default (oauth)`, or the source of the layer.
    pub source: String,
}

/// The source of what no layer states.
const DEFAULT: &str = "default";

/// Puts layers together, the lowest first. The presets that they name lie under them, and under those, where it is known how Anthropic is
/// paid, smart defaults.
///
/// # Errors
/// A value that is not of its key's kind, or a preset that does not exist.
pub fn resolve(layers: &[Layer]) -> Result<Resolved, ConfigError> {
    let chosen = merge(layers.iter())?.settings.preset;
    let below = presets::chosen(&chosen)?;
    let layers = below.iter().chain(layers);
    let stated = merge(layers.clone())?;
    match stated.settings.auth {
        Some(auth) => merge([smart_defaults(auth, &stated)?].iter().chain(layers)),
        None => Ok(stated),
    }
}

impl Layer {
    /// A layer that says nothing yet.
    pub fn new(source: impl Into<String>) -> Layer {
        Layer {
            source: source.into(),
            warnings: Vec::new(),
            leaves: Vec::new(),
        }
    }

    /// Says the value of a key, or of several by an object. `shown` is what the source calls `path`.
    ///
    /// # Errors
    /// A key that nobody reads.
    pub fn put(&mut self, path: &str, shown: &str, value: &Value) -> Result<(), ConfigError> {
        if let Some(place) = place(path) {
            self.leaves.push(Leaf {
                place,
                shown: shown.to_owned(),
                value: value.clone(),
            });
            return Ok(());
        }
        let names = names_under(path);
        match value {
            _ if names.is_empty() => Err(unknown(&self.source, path, shown)),
            Value::Object(members) => members.iter().try_for_each(|(name, value)| {
                self.put(&format!("{path}.{name}"), &format!("{shown}.{name}"), value)
            }),
            _ => {
                let expected = format!("an object with any of {}", names.join(", "));
                Err(ConfigError::bad_value(&self.source, shown, expected, value))
            }
        }
    }

    /// Says the value of a key as it is typed: JSON5, and a bare word that is none is a text, as is all that represents a text. A
    /// list may be words with commas.
    ///
    /// # Errors
    /// A text that is broken, or a key that nobody reads.
    pub fn put_text(&mut self, path: &str, text: &str) -> Result<(), ConfigError> {
        let value = match parse(&format!("{} {path}", self.source), text) {
            Ok(value) => value,
            Err(error) if text.starts_with(['{', '[', '"', '\'']) => return Err(error),
            Err(_) => Value::String(text.to_owned()),
        };
        let value = match (place(path).map(|place| &keys()[place]), value) {
            (Some(key), Value::Number(_) | Value::Bool(_)) if key.is_text() => {
                Value::String(text.to_owned())
            }
            // A comma may be part of an expression.
            (Some(key), Value::String(word))
                if key.is_list() && key.schema()["items"]["format"] == "regex" =>
            {
                Value::from(vec![word])
            }
            (Some(key), Value::String(words)) if key.is_list() => words.split(',').collect(),
            (_, value) => value,
        };
        self.put(path, path, &value)
    }

    /// The value that the layer says of a key; of two, the later.
    pub fn stated(&self, path: &str) -> Option<&Value> {
        self.leaves
            .iter()
            .rev()
            .find(|leaf| leaf.key().path == path)
            .map(|leaf| &leaf.value)
    }

    /// Returns the keys of the layer, as the source spells them, with their values, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.sorted()
            .into_iter()
            .map(|leaf| (&*leaf.shown, &leaf.value))
    }

    /// Whether every value is of its key's kind.
    ///
    /// # Errors
    /// The first that is not, in the order of the table.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.sorted()
            .into_iter()
            .try_for_each(|leaf| self.alone(leaf).map(drop))
    }

    /// Returns the leaves of the layer in the order of the table, so that its meaning does not depend on the order of its members.
    fn sorted(&self) -> Vec<&Leaf> {
        let mut leaves: Vec<&Leaf> = self.leaves.iter().collect();
        leaves.sort_by_key(|leaf| leaf.place);
        leaves
    }

    /// The settings that say nothing but one value.
    fn alone(&self, leaf: &Leaf) -> Result<Settings, ConfigError> {
        let (source, shown) = (&self.source, &leaf.shown);
        if leaf.key().path == "edits" {
            check(&leaf.value, ListPlace { source, shown })?;
        }
        read([leaf])
            .map_err(|expected| ConfigError::bad_value(source, shown, expected, &leaf.value))
    }
}

impl Leaf {
    fn key(&self) -> &'static Key {
        &keys()[self.place]
    }
}

/// The settings that say these values and else the defaults.
fn read<'a>(leaves: impl IntoIterator<Item = &'a Leaf>) -> Result<Settings, String> {
    let mut value = json!({});
    for leaf in leaves {
        *at_mut(&mut value, &leaf.key().path) = leaf.value.clone();
    }
    Settings::parse(&value)
}

fn merge<'a>(layers: impl Iterator<Item = &'a Layer> + Clone) -> Result<Resolved, ConfigError> {
    let mut warnings: Vec<Warning> = layers
        .clone()
        .flat_map(|layer| layer.warnings.iter().cloned())
        .collect();
    let mut leaves = Vec::new();
    let mut sources: BTreeMap<usize, String> = BTreeMap::new();
    let mut passes = PassSwitches::default();
    for layer in layers {
        for leaf in layer.sorted() {
            let alone = layer.alone(leaf)?;
            let Leaf {
                place,
                shown,
                value,
            } = leaf;
            if value.is_number() {
                let alone = json!(alone);
                let taken = at(&alone, &leaf.key().path);
                if taken.is_number() && value.as_f64() != taken.as_f64() {
                    warnings.push(Warning::new(format!(
                        "{}: {shown} {value} is taken as {taken}",
                        layer.source
                    )));
                }
            }
            // Names of passes add up over layers, so their sources do; all else is replaced.
            passes.update(&alone.passes);
            let source = match sources.remove(place) {
                Some(earlier)
                    if leaf.key().path.starts_with("passes.") && earlier != layer.source =>
                {
                    format!("{earlier}, {}", layer.source)
                }
                _ => layer.source.clone(),
            };
            sources.insert(*place, source);
            leaves.push(leaf);
        }
    }
    let settings = Settings {
        passes,
        ..read(leaves).expect("each value was read alone")
    };
    Ok(Resolved {
        settings,
        warnings,
        sources,
    })
}

/// OpenClaw's defaults for Anthropic. They lie under all that the user says; `ttl` belongs to `mode`, so that a stated
/// mode brings none of the two.
fn smart_defaults(auth: Auth, stated: &Resolved) -> Result<Layer, ConfigError> {
    let mut values = Vec::new();
    if place("contextPruning.mode").is_some_and(|mode| !stated.sources.contains_key(&mode)) {
        values.extend([
            ("contextPruning.mode", "cache-ttl"),
            ("contextPruning.ttl", "1h"),
        ]);
    }
    match auth {
        Auth::Oauth => values.push(("heartbeat.every", "1h")),
        Auth::ApiKey => values.extend([("heartbeat.every", "30m"), ("cacheControlTtl", "1h")]),
    }
    let mut layer = Layer::new(format!("smart default ({})", word(auth)));
    values
        .iter()
        .try_for_each(|(path, value)| layer.put(path, path, &json!(value)))?;
    Ok(layer)
}

/// The error for a path that is not in the table: what may be where it leaves the table, and the nearest of that.
fn unknown(source: &str, path: &str, shown: &str) -> ConfigError {
    if let Some(instead) = instead("key", path) {
        return ConfigError::Removed {
            name: format!("{source}: {shown}"),
            instead,
        };
    }
    let (mut parent, mut name) = ("", path);
    for (dot, _) in path.match_indices('.') {
        if !names_under(&path[..dot]).is_empty() {
            (parent, name) = (&path[..dot], &path[dot + 1..]);
        }
    }
    let name = name.split('.').next().unwrap_or(name);
    let siblings = names_under(parent);
    let elsewhere = keys()
        .iter()
        .map(|key| &*key.path)
        .find(|path| path.rsplit('.').next() == Some(name));
    let mut error = ConfigError::unknown(source, shown, name, &siblings);
    if let ConfigError::UnknownKey { nearest, .. } = &mut error
        && nearest.is_none()
    {
        *nearest = elsewhere.map(str::to_owned);
    }
    error
}
