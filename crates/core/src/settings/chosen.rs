//! `preset`: the named policies that a layer starts from, with their options.

use super::kinds::{Kind, Text, kind};
use serde_json::{Map, Value, json};

/// A preset by its name, and what is set of its program's own options.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Its name.
    pub name: String,
    /// Options of the program that it is named after, by their own names.
    pub options: Map<String, Value>,
}

impl Chosen {
    /// A preset with the defaults of its program.
    pub fn plain(name: &str) -> Chosen {
        Chosen {
            name: name.to_owned(),
            options: Map::new(),
        }
    }
}

kind!(
    /// The kind of `preset`.
    Presets = Vec<Chosen>, "a name, {name, options}, or a list of these",
    {"anyOf": [Text::schema(), full(), {"type": "array", "items": {"anyOf": [Text::schema(), full()]}}]},
    |value| match value {
        Value::Array(list) => list.iter().map(one).collect(),
        Value::String(names) => names.split(',').map(|name| one(&json!(name))).collect(),
        value => one(value).map(|one| vec![one]),
    },
    |list| {
        let one = |chosen: &Chosen| match chosen.options.is_empty() {
            true => json!(chosen.name),
            false => json!({"name": chosen.name, "options": chosen.options}),
        };
        match &list[..] {
            [chosen] => one(chosen),
            list => list.iter().map(one).collect(),
        }
    }
);

/// The schema of a preset with options.
fn full() -> Value {
    let members = json!({"name": Text::schema(), "options": {"type": "object"}});
    json!({"type": "object", "properties": members, "required": ["name"], "additionalProperties": false})
}

fn one(value: &Value) -> Option<Chosen> {
    let Value::Object(members) = value else {
        return Text::read(value).map(|name| Chosen::plain(&name));
    };
    let mut members = members.clone();
    let name = Text::read(&members.shift_remove("name")?)?;
    let options = match members.shift_remove("options") {
        Some(options) => options.as_object()?.clone(),
        None => Map::new(),
    };
    members.is_empty().then_some(Chosen { name, options })
}
