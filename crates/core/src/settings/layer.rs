//! Layers: the settings from each source, merged key by key; the last one wins. And the keys as a
//! list: their paths with the defaults, and their descriptions in the schema of [`Settings`].
//!
//! Each value is read alone before anything is merged, so that a wrong one is an error even if a
//! higher layer hides it, and the error names its key and its layer. Every value keeps the name of
//! its layer.

use super::{
    error::ConfigError,
    file::parse,
    keys::{Auth, PassSwitches, Settings},
    kinds::{Kind, Share, word, words},
    presets,
    steps::{ListPlace, check},
};
use crate::diagnostics::Warning;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::{collections::HashMap, sync::LazyLock};

/// The settings from one source.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The name of the layer in errors and in `config show`.
    pub source: String,
    /// Warnings about the contents of the layer.
    pub(super) warnings: Vec<Warning>,
    /// In the order of the table, so that their meaning does not depend on the order of the
    /// members.
    leaves: Vec<Leaf>,
}

/// A value for a key, not checked yet.
#[derive(Clone, Debug)]
struct Leaf {
    key: &'static Key,
    /// The key's path as it is in the source.
    shown: String,
    value: Value,
}

/// The settings, and where each comes from.
#[derive(Debug)]
pub struct Resolved {
    /// The settings that the passes read.
    pub settings: Settings,
    /// Warnings to the user.
    pub warnings: Vec<Warning>,
    /// The sources of the keys that a layer states, by their paths.
    sources: HashMap<&'static str, String>,
}

impl Resolved {
    /// One row per key, in the order of the table.
    pub fn rows(&self) -> Vec<Row> {
        let written = json!(self.settings);
        let row = |key: &'static Key| Row {
            key: &key.path,
            value: at(&written, &key.path).clone(),
            source: match self.sources.get(&*key.path) {
                Some(source) => source.clone(),
                None => "default".to_owned(),
            },
        };
        keys().iter().map(row).collect()
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

/// Puts layers together, the lowest first. Below them are the presets that they name and, if it is
/// known how Anthropic is paid, smart defaults at the bottom.
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

    /// Returns a layer that states the value of a key.
    ///
    /// # Errors
    /// A key that nobody reads.
    pub fn of(source: impl Into<String>, path: &str, value: &Value) -> Result<Layer, ConfigError> {
        let mut layer = Layer::new(source);
        layer.put(path, path, value)?;
        Ok(layer)
    }

    /// States the value of a key, or of several by an object. `shown` is what the source calls
    /// `path`.
    ///
    /// # Errors
    /// A key that nobody reads.
    pub fn put(&mut self, path: &str, shown: &str, value: &Value) -> Result<(), ConfigError> {
        if let Some(key) = key(path) {
            let (shown, value) = (shown.to_owned(), value.clone());
            let behind = |leaf: &Leaf| leaf.key.place <= key.place;
            let at = self.leaves.partition_point(behind);
            self.leaves.insert(at, Leaf { key, shown, value });
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

    /// States the value of a key as it is typed: JSON5, where a bare word is a text, as is
    /// everything for a key that takes text. A list may be words with commas.
    ///
    /// # Errors
    /// A text that is broken, or a key that nobody reads.
    pub fn put_text(&mut self, path: &str, text: &str) -> Result<(), ConfigError> {
        let value = match parse(&format!("{} {path}", self.source), text) {
            Ok(value) => value,
            Err(error) if text.starts_with(['{', '[', '"', '\'']) => return Err(error),
            Err(_) => Value::String(text.to_owned()),
        };
        let value = match (key(path), value) {
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

    /// Warns of something in the layer that is ignored.
    pub(super) fn ignore(&mut self, what: &str) {
        let text = format!("{}: ignored {what}", self.source);
        self.warnings.push(Warning::new(text));
    }

    /// Returns the value that the layer states for a key; the later, if there are two.
    pub fn stated(&self, path: &str) -> Option<&Value> {
        let mut leaves = self.leaves.iter().rev();
        let leaf = leaves.find(|leaf| leaf.key.path == path);
        leaf.map(|leaf| &leaf.value)
    }

    /// Returns the keys of the layer, as the source spells them, with their values, in the order of
    /// the table.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        let leaves = self.leaves.iter();
        leaves.map(|leaf| (&*leaf.shown, &leaf.value))
    }

    /// Whether every value is of its key's kind.
    ///
    /// # Errors
    /// The first that is not, in the order of the table.
    pub fn check(&self) -> Result<(), ConfigError> {
        let mut leaves = self.leaves.iter();
        leaves.try_for_each(|leaf| self.alone(leaf).map(drop))
    }

    /// Returns settings that state only one value.
    fn alone(&self, leaf: &Leaf) -> Result<Settings, ConfigError> {
        let (source, shown) = (&self.source, &leaf.shown);
        if leaf.key.path == "edits" {
            check(&leaf.value, ListPlace { source, shown })?;
        }
        read([leaf])
            .map_err(|expected| ConfigError::bad_value(source, shown, expected, &leaf.value))
    }
}

/// Returns settings with these values, and otherwise the defaults.
fn read<'a>(leaves: impl IntoIterator<Item = &'a Leaf>) -> Result<Settings, String> {
    let mut value = json!({});
    for leaf in leaves {
        *at_mut(&mut value, &leaf.key.path) = leaf.value.clone();
    }
    Settings::parse(&value)
}

fn merge<'a>(layers: impl Iterator<Item = &'a Layer> + Clone) -> Result<Resolved, ConfigError> {
    let stated = layers.clone().flat_map(|layer| &layer.warnings);
    let (mut warnings, mut leaves) = (stated.cloned().collect::<Vec<_>>(), Vec::new());
    let mut sources: HashMap<&'static str, String> = HashMap::new();
    let mut passes = PassSwitches::default();
    for layer in layers {
        let source = &layer.source;
        for leaf in &layer.leaves {
            let (alone, path, value) = (layer.alone(leaf)?, &*leaf.key.path, &leaf.value);
            if value.is_number() {
                let alone = json!(alone);
                let taken = at(&alone, path);
                if taken.is_number() && value.as_f64() != taken.as_f64() {
                    let shown = &leaf.shown;
                    // OpenClaw brings shares of its own configuration into 0 to 1.
                    if taken.is_f64() && !shown.starts_with("agent") {
                        return Err(ConfigError::bad_value(
                            source,
                            shown,
                            Share::expected(),
                            value,
                        ));
                    }
                    let text = format!("{source}: {shown} {value} is taken as {taken}");
                    warnings.push(Warning::new(text));
                }
            }
            // Names of passes add up over layers, and so do their sources; everything else is
            // replaced.
            passes.update(&alone.passes);
            let source = match sources.get(path) {
                Some(earlier) if path.starts_with("passes.") && earlier != source => {
                    format!("{earlier}, {source}")
                }
                _ => source.clone(),
            };
            sources.insert(path, source);
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

/// OpenClaw's defaults for Anthropic. They lie under all that the user says; `ttl` belongs to
/// `mode`, so that a stated mode brings none of the two.
fn smart_defaults(auth: Auth, stated: &Resolved) -> Result<Layer, ConfigError> {
    let mut values = Vec::new();
    if !stated.sources.contains_key("contextPruning.mode") {
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
    for (path, value) in values {
        layer.put(path, path, &json!(value))?;
    }
    Ok(layer)
}

/// Returns the error for a path that is not in the table: the names that exist where it leaves the
/// table, and the nearest one.
fn unknown(source: &str, path: &str, shown: &str) -> ConfigError {
    let (mut parent, mut name) = ("", path);
    for (dot, _) in path.match_indices('.') {
        if !names_under(&path[..dot]).is_empty() {
            (parent, name) = (&path[..dot], &path[dot + 1..]);
        }
    }
    let name = name.split('.').next().unwrap_or(name);
    let siblings = names_under(parent);
    let mut paths = keys().iter().map(|key| &key.path);
    let elsewhere = paths.find(|path| path.rsplit('.').next() == Some(name));
    let mut error = ConfigError::unknown(source, shown, name, &siblings);
    if let ConfigError::UnknownKey { nearest, .. } = &mut error
        && nearest.is_none()
    {
        *nearest = elsewhere.cloned();
    }
    error
}

/// One key.
#[derive(Debug)]
pub struct Key {
    /// Its path, dotted.
    pub path: String,
    /// Its default, as it is written.
    pub default: Value,
    /// Its index in the table.
    place: usize,
}

impl Key {
    /// The JSON Schema of its value. All schemas are made when the first is asked for, which takes
    /// longer than a small run.
    pub fn schema(&self) -> &'static Value {
        let names = self.path.split('.');
        names.fold(schema(), |schema, name| &schema["properties"][name])
    }

    /// One line about it.
    pub fn doc(&self) -> &'static str {
        self.schema()["description"].as_str().unwrap_or_default()
    }

    /// Returns the words of a key that is a choice.
    pub fn words(&self) -> Vec<&'static str> {
        words(self.schema())
    }

    /// Whether the key takes any text, as it is typed.
    pub(super) fn is_text(&self) -> bool {
        let kind = &self.schema()["type"];
        *kind == "string" || *kind == json!(["string", "null"])
    }

    /// Whether the key takes a list.
    pub(super) fn is_list(&self) -> bool {
        self.schema()["type"] == "array"
    }
}

/// The JSON Schema of the settings.
pub fn schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(Settings::schema);
    &SCHEMA
}

/// All keys, in the order of the fields.
pub fn keys() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
        let mut keys = Vec::new();
        collect(String::new(), &json!(Settings::default()), &mut keys);
        keys
    });
    &KEYS
}

/// The key whose default has members.
const WITH_MEMBERS: &str = "breakEven.alongTokens";

/// A section has members; the default of a key has none, with one exception.
fn collect(path: String, written: &Value, keys: &mut Vec<Key>) {
    let is_section = |members: &&Map<String, Value>| !members.is_empty() && path != WITH_MEMBERS;
    let Some(members) = written.as_object().filter(is_section) else {
        return keys.push(Key {
            path,
            default: written.clone(),
            place: keys.len(),
        });
    };
    for (name, value) in members {
        let path = match &*path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        collect(path, value, keys);
    }
}

/// Returns the value at a dotted path; null if it is missing.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(value, |value, name| &value[name])
}

/// Returns the value at a dotted path, which is added if it is missing.
pub(super) fn at_mut<'a>(value: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('.').fold(value, |value, name| &mut value[name])
}

/// The key of a path.
fn key(path: &str) -> Option<&'static Key> {
    keys().iter().find(|key| key.path == path)
}

/// Returns the names that may follow a path, each once; `""` for the top.
pub fn names_under(path: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in keys() {
        let rest = match path {
            "" => Some(&*key.path),
            path => key
                .path
                .strip_prefix(path)
                .and_then(|rest| rest.strip_prefix('.')),
        };
        if let Some(name) = rest.and_then(|rest| rest.split('.').next())
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{
        super::layer::{Layer, resolve},
        *,
    };

    #[test]
    fn every_default_reads_back_as_it_is_written() {
        for key in keys() {
            assert_eq!(key.default, key.schema()["default"], "{}", key.path);
            assert!(
                key.schema().get("properties").is_none(),
                "{} is no section",
                key.path
            );
            let mut layer = Layer::new("test");
            layer
                .put(&key.path, &key.path, &key.default)
                .expect("a key");
            let resolved = resolve(&[layer]).expect("a value");
            assert_eq!(
                (resolved.settings, resolved.warnings),
                (Settings::default(), vec![]),
                "{}",
                key.path
            );
            let mut layer = Layer::new("test");
            layer
                .put(&key.path, &key.path, &json!({"a": 1}))
                .expect("a key");
            assert!(layer.check().is_err(), "{}", key.path);
            assert!(
                !key.doc().is_empty()
                    && !key.doc().ends_with('.')
                    && super::key(&key.path).is_some()
            );
        }
    }

    #[test]
    fn names_by_place() {
        assert_eq!(
            names_under("contextPruning.softTrim"),
            ["maxChars", "headChars", "tailChars"]
        );
        assert_eq!(names_under("contextPruning.mode"), [""; 0]);
        assert!(names_under("").contains(&"contextPruning"));
        assert!(names_under("contextPrun").is_empty());
    }
}
