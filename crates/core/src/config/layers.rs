//! Layers, last wins: built in, smart defaults, preset, configuration file, workload, flags, `--set`, `--sweep`.
//!
//! Every value keeps the name of the layer that it comes from. Nothing here reads a file or the environment: the caller
//! gives texts, so that the same input and configuration mean the same on any machine.

use serde::Serialize;
use serde_json::{Value, json};

use super::error::{ConfigError, nearest};
use super::file::{self, Assignment, flatten};
use super::json5_text::parse;
use super::keys::{KEYS, Key, key};
use super::kind::Kind;
use super::presets::preset;
use super::settings::{Auth, Settings};
use super::words::Word;
use crate::diagnostics::Warning;

/// What the user gave, one field per layer.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// `--preset`.
    pub preset: Option<String>,
    /// The configuration file: its name for errors and provenance, and its text.
    pub file: Option<(String, String)>,
    /// `--workload`.
    pub workload: Option<String>,
    /// Flags with a key of their own, such as `("contextPruning.ttl", "10m")` for `--ttl 10m`.
    pub flags: Vec<(&'static str, Value)>,
    /// `--set KEY=VALUE`, as given.
    pub sets: Vec<String>,
    /// One setting of the grid of `--sweep`, as `KEY=VALUE`.
    pub sweeps: Vec<String>,
    /// `--auth`.
    pub auth: Option<Auth>,
}

/// The settings, and where each comes from.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What the passes read.
    pub settings: Settings,
    /// One row per key, in the order of the table.
    pub rows: Vec<Row>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// One value with its provenance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Dotted path.
    pub key: &'static str,
    /// The value; durations are text such as `5m`.
    pub value: Value,
    /// `default`, `smart default (oauth)`, `preset NAME`, the name of the file, `workload NAME`, `--ttl` and the like, `--set`.
    pub source: String,
}

/// Puts the layers together.
pub fn resolve(sources: &Sources) -> Result<Resolved, ConfigError> {
    let mut warnings = Vec::new();
    let mut layers = stated(sources, &mut warnings)?;
    let mut probe = Stack::new();
    layers.iter().try_for_each(|layer| probe.apply(layer))?;
    if let Some(auth) = probe.settings.auth {
        layers.insert(0, smart_defaults(auth, &probe));
    }
    let mut stack = Stack::new();
    layers.iter().try_for_each(|layer| stack.apply(layer))?;
    warnings.append(&mut stack.warnings);
    let rows = KEYS.iter().zip(stack.sources);
    let rows = rows.map(|(key, source)| Row {
        key: key.path,
        value: key.get(&stack.settings),
        source: source.unwrap_or_else(|| "default".to_string()),
    });
    Ok(Resolved { rows: rows.collect(), settings: stack.settings, warnings })
}

/// What one source says.
struct Layer {
    source: String,
    assignments: Vec<Assignment>,
}

/// The layers that the user gave, lowest first.
fn stated(sources: &Sources, warnings: &mut Vec<Warning>) -> Result<Vec<Layer>, ConfigError> {
    let mut layers = Vec::new();
    if let Some(name) = &sources.preset {
        let preset = preset(name)?;
        let (source, mut assignments) = (format!("preset {name}"), Vec::new());
        for (path, json) in preset.keys {
            flatten(&source, path, path, &parse(&source, json)?, &mut assignments)?;
        }
        layers.push(Layer { source, assignments });
    }
    if let Some((name, text)) = &sources.file {
        layers.push(Layer { source: name.clone(), assignments: file::read(name, text, warnings)? });
    }
    let workloads = workloads(&layers)?;
    if let Some(name) = &sources.workload {
        let found = workloads.into_iter().find(|layer| layer.source == source_of_workload(name));
        layers.push(found.ok_or_else(|| unknown_workload(name, &layers))?);
    }
    let auth = sources.auth.map(|auth| ("auth", json!(auth.word())));
    for (path, value) in sources.flags.iter().cloned().chain(auth) {
        let (source, mut assignments) = (flag(path), Vec::new());
        flatten(&source, path, path, &value, &mut assignments)?;
        layers.push(Layer { source, assignments });
    }
    let sets = sources.sets.iter().map(|set| ("--set", set));
    for (flag, set) in sets.chain(sources.sweeps.iter().map(|sweep| ("--sweep", sweep))) {
        let (source, mut assignments) = (flag.to_string(), Vec::new());
        let pair = set.split_once('=').map(|(path, text)| (path.trim(), text.trim()));
        let Some((path, text)) = pair.filter(|(path, _)| !path.is_empty()) else {
            return Err(ConfigError::BadSet { flag, text: set.clone() });
        };
        flatten(&source, path, path, &set_value(flag, path, text)?, &mut assignments)?;
        layers.push(Layer { source, assignments });
    }
    Ok(layers)
}

/// The layers of all workloads that the file has, each held to the letter, whether it is asked for or not.
fn workloads(layers: &[Layer]) -> Result<Vec<Layer>, ConfigError> {
    let mut found = Vec::new();
    for (file, name, value) in layers.iter().flat_map(stated_workloads) {
        let mut assignments = Vec::new();
        for (section, value) in value.as_object().into_iter().flatten().filter(|(section, _)| *section != "canary") {
            let shown = format!("workloads.{name}.{section}");
            if section == "workloads" {
                let (source, key) = (file.to_string(), shown);
                return Err(ConfigError::UnknownKey { source, key, nearest: None, known: Vec::new() });
            }
            flatten(file, section, &shown, value, &mut assignments)?;
        }
        let layer = Layer { source: source_of_workload(name), assignments };
        Stack::new().apply(&layer)?;
        found.push(layer);
    }
    Ok(found)
}

/// What a layer says of workloads: its source, their names and values. Of two of one name the later counts.
fn stated_workloads(layer: &Layer) -> Vec<(&str, &String, &Value)> {
    let stated = layer.assignments.iter().rev().find(|a| a.key.path == "workloads");
    let members = stated.and_then(|a| a.value.as_object()).into_iter().flatten();
    members.map(|(name, value)| (layer.source.as_str(), name, value)).collect()
}

fn source_of_workload(name: &str) -> String {
    format!("workload {name}")
}

fn unknown_workload(name: &str, layers: &[Layer]) -> ConfigError {
    let known: Vec<String> = layers.iter().flat_map(stated_workloads).map(|(_, name, _)| name.clone()).collect();
    let nearest = nearest(name, known.iter().map(String::as_str));
    ConfigError::UnknownWorkload { name: name.to_string(), nearest, known }
}

/// OpenClaw's defaults for Anthropic. They lie under all that the user says; `ttl` goes with `mode`, so that a stated
/// mode brings none of the two.
fn smart_defaults(auth: Auth, stated: &Stack) -> Layer {
    let mut values = Vec::new();
    if stated.source_of("contextPruning.mode").is_none() {
        values.extend([("contextPruning.mode", "cache-ttl"), ("contextPruning.ttl", "1h")]);
    }
    match auth {
        Auth::Oauth => values.push(("heartbeat.every", "1h")),
        Auth::ApiKey => values.extend([("heartbeat.every", "30m"), ("cacheControlTtl", "1h")]),
    }
    let assignments = values.into_iter().filter_map(|(path, value)| Some(Assignment::new(key(path)?, json!(value))));
    Layer { source: format!("smart default ({})", auth.word()), assignments: assignments.collect() }
}

/// Settings under construction, with the source of each key that is not a default.
struct Stack {
    settings: Settings,
    sources: Vec<Option<String>>,
    warnings: Vec<Warning>,
}

impl Stack {
    fn new() -> Stack {
        Stack { settings: Settings::default(), sources: vec![None; KEYS.len()], warnings: Vec::new() }
    }

    fn apply(&mut self, layer: &Layer) -> Result<(), ConfigError> {
        for Assignment { key, shown, value } in &layer.assignments {
            key.set(&mut self.settings, value).map_err(|expected| ConfigError::BadValue {
                source: layer.source.clone(),
                key: shown.clone(),
                expected,
                found: value.to_string(),
            })?;
            let taken = key.get(&self.settings);
            if value.is_number() && taken.is_number() && value.as_f64() != taken.as_f64() {
                let text = format!("{}: {shown} {value} is taken as {taken}", layer.source);
                self.warnings.push(Warning::new(text));
            }
            self.note(key, &layer.source);
        }
        Ok(())
    }

    /// Names add up over layers, so their sources do; all else is replaced.
    fn note(&mut self, key: &Key, source: &str) {
        let Some(place) = KEYS.iter().position(|other| other.path == key.path) else {
            return;
        };
        self.sources[place] = match self.sources[place].take() {
            Some(earlier) if matches!(key.kind, Kind::Names) && earlier != source => Some(format!("{earlier}, {source}")),
            _ => Some(source.to_string()),
        };
    }

    fn source_of(&self, path: &str) -> Option<&String> {
        self.sources[KEYS.iter().position(|key| key.path == path)?].as_ref()
    }
}

/// The value of `--set` or `--sweep`: JSON5, and a bare word that is none is a text, as is all that stands for a text. A list may
/// be words with commas.
fn set_value(flag: &str, path: &str, text: &str) -> Result<Value, ConfigError> {
    let kind = key(path).map(|key| key.kind);
    let value = match parse(&format!("{flag} {path}"), text) {
        Ok(value) => value,
        Err(error) if text.starts_with(['{', '[', '"', '\'']) => return Err(error),
        Err(_) => Value::String(text.to_string()),
    };
    Ok(match (kind, value) {
        (Some(Kind::Text | Kind::OptionalText), Value::Number(_) | Value::Bool(_)) => Value::String(text.to_string()),
        (Some(Kind::List | Kind::Names | Kind::Globs), Value::String(words)) => words.split(',').collect(),
        // A comma may be part of an expression.
        (Some(Kind::Regexes), Value::String(word)) => Value::from(vec![word]),
        (_, value) => value,
    })
}

/// The flag that sets a key: its last name in kebab case.
fn flag(path: &str) -> String {
    let name = match path {
        "passes.on" => "pass",
        "passes.off" => "no-pass",
        _ => path.rsplit('.').next().unwrap_or(path),
    };
    name.chars().fold("--".to_string(), |flag, c| match c.is_ascii_uppercase() {
        true => format!("{flag}-{}", c.to_ascii_lowercase()),
        false => format!("{flag}{c}"),
    })
}

#[cfg(test)]
#[path = "layers_tests.rs"]
mod tests;
