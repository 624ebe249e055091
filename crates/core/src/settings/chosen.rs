//! `preset`: the named policies that a layer starts from, with their options.

use super::kinds::{Kind, Text};
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

/// The kind of `preset`.
pub struct Presets;

impl Kind for Presets {
    type Value = Vec<Chosen>;

    fn expected() -> String {
        "a name, {name, options}, or a list of these".to_owned()
    }

    fn read(value: &Value) -> Option<Vec<Chosen>> {
        match value {
            Value::Array(list) => list.iter().map(one).collect(),
            Value::String(names) if names.contains(',') => names
                .split(',')
                .map(|name| Text::read(&json!(name)).map(|name| Chosen::plain(&name)))
                .collect(),
            value => one(value).map(|one| vec![one]),
        }
    }

    fn write(list: &Vec<Chosen>) -> Value {
        let one = |chosen: &Chosen| match chosen.options.is_empty() {
            true => json!(chosen.name),
            false => json!({"name": chosen.name, "options": chosen.options}),
        };
        match &list[..] {
            [chosen] => one(chosen),
            list => list.iter().map(one).collect(),
        }
    }

    fn schema() -> Value {
        let options = json!({"type": "object"});
        let full = json!({"type": "object", "properties": {"name": Text::schema(), "options": options}, "required": ["name"], "additionalProperties": false});
        let one = json!({"anyOf": [Text::schema(), full]});
        json!({"anyOf": [Text::schema(), full, {"type": "array", "items": one}]})
    }
}

fn one(value: &Value) -> Option<Chosen> {
    let Value::Object(members) = value else {
        return Text::read(value).map(|name| Chosen::plain(&name));
    };
    let known = |name: &String| name == "name" || name == "options";
    let options = members
        .get("options")
        .map_or(Some(Map::new()), |options| options.as_object().cloned())?;
    members.keys().all(known).then_some(())?;
    Some(Chosen {
        name: Text::read(members.get("name")?)?,
        options,
    })
}
