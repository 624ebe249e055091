//! `config schema`: JSON Schemas (2020-12) of the configuration, made from the table of keys, and of the report.

use serde_json::{Map, Value, json};

use super::replay_schema::replay;
use super::report_schema::report;
use deadhead_core::settings::keys;

/// The dialect of both schemas.
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// `{"configuration": …, "report": …, "replay": …}`.
pub fn schema() -> Value {
    json!({"configuration": configuration(), "report": report(), "replay": replay()})
}

/// Our own shape of a configuration file. Of an OpenClaw configuration only the parts read here are described, and
/// anything may stand beside them.
fn configuration() -> Value {
    let mut root = object("deadhead: configuration");
    for key in keys() {
        let mut schema = key.schema.clone();
        schema["description"] = json!(key.doc);
        insert(&mut root, &key.path, schema);
    }
    root["$schema"] = json!(DIALECT);
    root["properties"]["$schema"] = json!({"type": "string"});
    let pruning = root["properties"]["contextPruning"].take();
    let reference = json!({"$ref": "#/$defs/contextPruning"});
    root["$defs"] = json!({"contextPruning": pruning});
    root["properties"]["contextPruning"] = reference.clone();
    insert(&mut root, "agents.defaults.contextPruning", reference.clone());
    insert(&mut root, "agent.contextPruning", reference);
    for foreign in ["/properties/agent", "/properties/agents", "/properties/agents/properties/defaults", "/properties/models"] {
        if let Some(Value::Object(schema)) = root.pointer_mut(foreign) {
            schema.remove("additionalProperties");
        }
    }
    root
}

/// Puts a schema at a dotted path, with an object for each name on the way.
fn insert(object_schema: &mut Value, path: &str, schema: Value) {
    let properties = &mut object_schema["properties"];
    match path.split_once('.') {
        None => properties[path] = schema,
        Some((name, rest)) => {
            if properties.get(name).is_none() {
                properties[name] = object("");
            }
            insert(&mut properties[name], rest, schema);
        }
    }
}

/// A closed object without members yet.
fn object(title: &str) -> Value {
    let mut schema = Map::new();
    if !title.is_empty() {
        schema.insert("title".to_string(), json!(title));
    }
    schema.insert("type".to_string(), json!("object"));
    schema.insert("additionalProperties".to_string(), json!(false));
    schema.insert("properties".to_string(), json!({}));
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_described_with_its_default() {
        let schema = schema();
        let configuration = &schema["configuration"];
        for key in keys() {
            let pointer = match key.path.strip_prefix("contextPruning.") {
                Some(rest) => format!("/$defs/contextPruning/properties/{}", rest.replace('.', "/properties/")),
                None => format!("/properties/{}", key.path.replace('.', "/properties/")),
            };
            let found = configuration.pointer(&pointer).unwrap_or_else(|| panic!("{pointer}"));
            assert_eq!(found["description"], key.doc);
            assert_eq!(found["default"], key.default);
        }
    }

    #[test]
    fn ours_is_closed_and_foreign_parts_are_open() {
        let schema = schema();
        let at = |pointer: &str| schema["configuration"].pointer(pointer).cloned();
        assert_eq!(at("/additionalProperties"), Some(json!(false)));
        assert_eq!(at("/$defs/contextPruning/properties/softTrim/additionalProperties"), Some(json!(false)));
        assert_eq!(at("/properties/agents/additionalProperties"), None);
        assert_eq!(at("/properties/agents/properties/defaults/additionalProperties"), None);
        assert_eq!(at("/properties/agents/properties/defaults/properties/contextPruning/$ref"), Some(json!("#/$defs/contextPruning")));
        assert_eq!(at("/$schema"), Some(json!(DIALECT)));
    }
}
