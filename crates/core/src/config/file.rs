//! A configuration file as settings: ours, or OpenClaw's as it stands.
//!
//! The content tells which. A file with any of OpenClaw's top-level keys is OpenClaw's: `contextPruning` is taken from
//! `agent` (until January 2026) and from `agents.defaults` (which wins), beside them the windows of models, the
//! heartbeat and the way Anthropic is paid; all else in it is none of our business. Whatever stands under one of our
//! keys is held to the letter in both: an unknown name there is an error. A file may have both shapes; ours wins.

use serde_json::{Map, Value};

use super::error::{ConfigError, nearest};
use super::json5_text::parse;
use super::keys::{KEYS, Key, key, names_under};
use super::openclaw;
use crate::diagnostics::Warning;

/// A value for a key, and how the file calls that key.
pub(super) struct Assignment {
    /// The key.
    pub key: &'static Key,
    /// Its path as it stands in the source.
    pub shown: String,
    /// The value, not checked yet.
    pub value: Value,
}

impl Assignment {
    /// An assignment under the key's own path.
    pub fn new(key: &'static Key, value: Value) -> Assignment {
        Assignment { key, shown: key.path.to_string(), value }
    }
}

/// All assignments of a file, in the order in which they apply.
pub(super) fn read(source: &str, text: &str, warnings: &mut Vec<Warning>) -> Result<Vec<Assignment>, ConfigError> {
    let root = match text.trim().is_empty() {
        true => Value::Object(Map::new()),
        false => parse(source, text)?,
    };
    let Value::Object(root) = &root else {
        let syntax = "expected an object such as { contextPruning: { mode: \"auto\" } }".to_string();
        return Err(ConfigError::Syntax { source: source.to_string(), line: 1, column: 1, text: syntax });
    };
    let foreign = openclaw::is_openclaw(root);
    let mut found = if foreign { openclaw::read(source, root, warnings)? } else { Vec::new() };
    for (name, value) in root {
        if name == "$schema" || (foreign && openclaw::owns(name, value)) {
            continue;
        }
        if foreign && !names_under("").contains(&name.as_str()) {
            if let Some(near) = nearest(name, ["contextPruning", "contextWindow", "cacheControlTtl"]) {
                warnings.push(Warning::new(format!("{source}: ignored key {name}, did you mean {near}?")));
            }
            continue;
        }
        flatten(source, name, name, value, &mut found)?;
    }
    // Within one file the order of the table decides, so that what a file means does not hang on the order of its
    // members; the sort is stable, so that later places of the same key win.
    found.sort_by_key(|assignment| KEYS.iter().position(|key| key.path == assignment.key.path));
    Ok(found)
}

/// Takes the value of `path` apart into assignments. `shown` is how the source calls that path.
pub(super) fn flatten(source: &str, path: &str, shown: &str, value: &Value, found: &mut Vec<Assignment>) -> Result<(), ConfigError> {
    if let Some(key) = key(path) {
        found.push(Assignment { key, shown: shown.to_string(), value: value.clone() });
        return Ok(());
    }
    if names_under(path).is_empty() {
        return Err(unknown(source, path, shown));
    }
    let Value::Object(members) = value else {
        let expected = format!("an object with any of {}", names_under(path).join(", "));
        let (source, key) = (source.to_string(), shown.to_string());
        return Err(ConfigError::BadValue { source, key, expected, found: value.to_string() });
    };
    members.iter().try_for_each(|(name, value)| flatten(source, &format!("{path}.{name}"), &format!("{shown}.{name}"), value, found))
}

/// The error for a path that is not in the table: what may stand where it leaves the table, and the nearest of that.
fn unknown(source: &str, path: &str, shown: &str) -> ConfigError {
    let (mut parent, mut name) = ("", path);
    for (dot, _) in path.match_indices('.') {
        if !names_under(&path[..dot]).is_empty() {
            (parent, name) = (&path[..dot], &path[dot + 1..]);
        }
    }
    let name = name.split('.').next().unwrap_or(name);
    let siblings = names_under(parent);
    let elsewhere = KEYS.iter().map(|key| key.path).find(|path| path.rsplit('.').next() == Some(name));
    let nearest = nearest(name, siblings.iter().copied()).or(elsewhere.map(str::to_string));
    let known = siblings.into_iter().map(str::to_string).collect();
    ConfigError::UnknownKey { source: source.to_string(), key: shown.to_string(), nearest, known }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<Vec<(String, String)>, String> {
        let found = read("c.json5", text, &mut Vec::new()).map_err(|error| error.to_string())?;
        Ok(found.into_iter().map(|a| (a.shown, a.value.to_string())).collect())
    }

    #[test]
    fn ours() {
        let text = "{ $schema: 'x', scope: 'file', contextPruning: { ttl: '2m', mode: 'off' }, model: 'm' } // tail";
        let want = [("contextPruning.mode", "\"off\""), ("contextPruning.ttl", "\"2m\""), ("model", "\"m\""), ("scope", "\"file\"")];
        let got = found(text).expect("valid");
        assert_eq!(got.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect::<Vec<_>>(), want);
        for empty in ["", " \n", "{}", "// nothing\n{ }"] {
            assert_eq!(found(empty), Ok(vec![]));
        }
    }

    #[test]
    fn unknown_names_are_errors_with_the_nearest() {
        for (text, want) in [
            ("{contextPruning:{softTrimRatoi:0.2}}", "c.json5: unknown key contextPruning.softTrimRatoi, did you mean softTrimRatio?"),
            ("{contextPruning:{softTrim:{maxChar:1}}}", "c.json5: unknown key contextPruning.softTrim.maxChar, did you mean maxChars?"),
            ("{contextPrunning:{}}", "c.json5: unknown key contextPrunning, did you mean contextPruning?"),
            ("{ttl:'5m'}", "c.json5: unknown key ttl, did you mean contextPruning.ttl?"),
            ("{contextPruning:{tools:{only:[]}}}", "c.json5: unknown key contextPruning.tools.only, known here: allow, deny"),
            ("{contextPruning:5}", "c.json5: contextPruning must be an object with any of mode, ttl,"),
            ("[1]", "c.json5:1:1: expected an object"),
            (
                "{ agents: { defaults: { contextPruning: { ttll: 1 } } } }",
                "c.json5: unknown key agents.defaults.contextPruning.ttll, did you mean ttl?",
            ),
            ("{ agents: {}, contextPruning: { ttll: 1 } }", "c.json5: unknown key contextPruning.ttll, did you mean ttl?"),
        ] {
            let error = found(text).expect_err(text);
            assert!(error.starts_with(want), "{error}\n{want}");
        }
    }

    #[test]
    fn in_a_foreign_file_a_near_miss_is_a_warning() {
        let mut warnings = Vec::new();
        read("c.json5", "{ gateway: {}, contextPrunning: {}, wizard: {} }", &mut warnings).expect("valid");
        assert_eq!(warnings, [Warning::new("c.json5: ignored key contextPrunning, did you mean contextPruning?")]);
    }
}
