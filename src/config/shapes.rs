//! What the schemas of a report and of a replay are made of: schemas of a text, a count, a list.

use serde_json::{Map, Value, json};

/// An object of exactly these members.
pub(super) fn object(members: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = members.iter().map(|(name, schema)| (name.to_string(), schema.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": names, "properties": properties})
}

/// A list of these.
pub(super) fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

/// This, or null.
pub(super) fn or_null(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// A value of this type, or null.
pub(super) fn nullable(kind: &str) -> Value {
    json!({"type": [kind, "null"]})
}

/// One of these words.
pub(super) fn words(words: &[&str]) -> Value {
    json!({"enum": words})
}

/// A text.
pub(super) fn text() -> Value {
    json!({"type": "string"})
}

/// A time (RFC 3339).
pub(super) fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

/// A whole number from 0.
pub(super) fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

/// A whole number from 1.
pub(super) fn from_1() -> Value {
    json!({"type": "integer", "minimum": 1})
}
