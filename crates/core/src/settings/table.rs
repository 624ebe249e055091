//! The keys as a list, read from the schema of [`Settings`]: for layers, error texts and what `config show` and `config init` print.

use super::keys::Settings;
use super::kinds::words;
use crate::schema::of_input;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// One key.
#[derive(Debug)]
pub struct Key {
    /// Its path, dotted.
    pub path: String,
    /// One line about it.
    pub doc: String,
    /// Its default, as it is written.
    pub default: Value,
    /// The JSON Schema of its value.
    pub schema: Value,
}

impl Key {
    /// The words of a key that is a choice.
    pub fn words(&self) -> Vec<&str> {
        words(&self.schema)
    }

    /// Whether the key takes any text, as it is typed.
    pub(super) fn is_text(&self) -> bool {
        let kind = &self.schema["type"];
        *kind == "string" || *kind == json!(["string", "null"])
    }

    /// Whether the key takes a list.
    pub(super) fn is_list(&self) -> bool {
        self.schema["type"] == "array"
    }
}

/// All keys, in the order of the fields.
pub fn keys() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
        let mut keys = Vec::new();
        collect("", &of_input::<Settings>(), &mut keys);
        keys
    });
    &KEYS
}

fn collect(path: &str, schema: &Value, keys: &mut Vec<Key>) {
    match schema["properties"].as_object() {
        Some(members) => members.iter().for_each(|(name, schema)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            collect(&path, schema, keys);
        }),
        None => {
            let doc = schema["description"].as_str().unwrap_or_default().to_owned();
            keys.push(Key { path: path.to_owned(), doc, default: schema["default"].clone(), schema: schema.clone() });
        }
    }
}

/// The place of a key in [`keys`].
pub(super) fn place(path: &str) -> Option<usize> {
    keys().iter().position(|key| key.path == path)
}

/// The names that may follow a path, each once; `""` for the top.
pub fn names_under(path: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in keys() {
        let rest = if path.is_empty() { Some(&*key.path) } else { key.path.strip_prefix(path).and_then(|r| r.strip_prefix('.')) };
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
        let settings = json!(Settings::default());
        for key in keys() {
            assert_eq!(key.path.split('.').fold(&settings, |value, name| &value[name]), &key.default, "{}", key.path);
            let mut layer = Layer::new("test");
            layer.put(&key.path, &key.path, &key.default).expect("a key");
            let resolved = resolve(&[layer]).expect("a value");
            assert_eq!((resolved.settings, resolved.warnings), (Settings::default(), vec![]), "{}", key.path);
            let mut layer = Layer::new("test");
            layer.put(&key.path, &key.path, &json!({"a": 1})).expect("a key");
            assert!(layer.check().is_err(), "{}", key.path);
            assert!(!key.doc.is_empty() && !key.doc.ends_with('.') && place(&key.path).is_some());
        }
    }

    #[test]
    fn names_by_place() {
        assert_eq!(names_under("contextPruning.softTrim"), ["maxChars", "headChars", "tailChars"]);
        assert_eq!(names_under("contextPruning.mode"), [""; 0]);
        assert!(names_under("").contains(&"contextPruning"));
        assert!(names_under("contextPrun").is_empty());
    }
}
