//! The keys as a list: their paths with the defaults, and their descriptions in the schema of [`Settings`].

use super::keys::Settings;
use super::kinds::{Kind, words};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// One key.
#[derive(Debug)]
pub struct Key {
    /// Its path, dotted.
    pub path: String,
    /// Its default, as it is written.
    pub default: Value,
}

impl Key {
    /// The JSON Schema of its value. All schemas are made when the first is asked for, which takes longer than a small run.
    pub fn schema(&self) -> &'static Value {
        let names = self.path.split('.');
        names.fold(schema(), |schema, name| &schema["properties"][name])
    }

    /// One line about it.
    pub fn doc(&self) -> &'static str {
        self.schema()["description"].as_str().unwrap_or_default()
    }

    /// The words of a key that is a choice.
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

/// A section has members; the default of a key has none.
fn collect(path: String, written: &Value, keys: &mut Vec<Key>) {
    match written.as_object().filter(|members| !members.is_empty()) {
        Some(members) => members.iter().for_each(|(name, value)| {
            collect(
                if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                },
                value,
                keys,
            );
        }),
        None => keys.push(Key {
            path,
            default: written.clone(),
        }),
    }
}

/// The value at a dotted path; null where there is none.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(value, |value, name| &value[name])
}

/// The value at a dotted path, which is made where there is none.
pub(super) fn at_mut<'a>(value: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('.').fold(value, |value, name| &mut value[name])
}

/// The place of a key in [`keys`].
pub(super) fn place(path: &str) -> Option<usize> {
    keys().iter().position(|key| key.path == path)
}

/// The names that may follow a path, each once; `""` for the top.
pub fn names_under(path: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in keys() {
        let rest = if path.is_empty() {
            Some(&*key.path)
        } else {
            key.path
                .strip_prefix(path)
                .and_then(|r| r.strip_prefix('.'))
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
    use super::super::layer::{Layer, resolve};
    use super::*;

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
                !key.doc().is_empty() && !key.doc().ends_with('.') && place(&key.path).is_some()
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
