//! JSON Schemas (2020-12) of types that serde writes, with subschemas inlined instead of
//! referenced.

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Value, json};

/// The dialect of the schemas.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of what a type is written as: objects of exactly their members.
pub fn of_output<T: JsonSchema>() -> Value {
    let close = |schema: &mut Schema| {
        if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
            schema.insert("additionalProperties".to_owned(), json!(false));
        }
    };
    // A doc is a sentence of one or more lines; a description is one line without the full stop.
    let describe = |schema: &mut Schema| {
        if let Some(Value::String(doc)) = schema.get_mut("description") {
            *doc = doc.replace('\n', " ");
            doc.truncate(doc.trim_end_matches('.').len());
        }
    };
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(close))
        .with_transform(RecursiveTransform(describe))
        .with(|settings| (settings.inline_subschemas, settings.meta_schema) = (true, None));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

/// Turns the schema of a choice, with a schema for each word, into one list of words: for
/// `#[schemars(transform = …)]`.
pub fn choices(schema: &mut Schema) {
    if let Some(Value::Array(variants)) = schema.remove("oneOf") {
        let words: Vec<Value> = variants
            .into_iter()
            .map(|mut variant| variant["const"].take())
            .collect();
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("enum".to_owned(), json!(words));
    }
}
