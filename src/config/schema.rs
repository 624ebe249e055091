//! `config schema`: JSON Schemas of the configuration, of the report, of a replay and of an advice,
//! from the types that are read and written.

use deadhead_core::{
    internal::schema::{DIALECT, of_output},
    outcome::Report,
    settings,
};
use deadhead_replay::{advice::Advice, summary::Replay};
use serde_json::{Value, json};

/// `{"configuration": …, "report": …, "replay": …, "advice": …}`.
pub fn schema() -> Value {
    json!({
        "configuration": titled("deadhead: configuration", configuration()),
        "report": titled("deadhead: report, schema 1", of_output::<Report>()),
        "replay": titled("deadhead: replay, schema 1", of_output::<Replay>()),
        "advice": titled("deadhead: advice, schema 1", of_output::<Advice>()),
    })
}

fn titled(title: &str, mut schema: Value) -> Value {
    schema["$schema"] = json!(DIALECT);
    schema["title"] = json!(title);
    schema
}

/// Our own form of a configuration file. Of an OpenClaw configuration only the parts read here are
/// described, and anything may be beside them.
fn configuration() -> Value {
    let mut root = settings::schema().clone();
    let properties = &mut root["properties"];
    properties["$schema"] = json!({"type": "string"});
    let pruning = properties["contextPruning"].take();
    let reference = json!({"$ref": "#/$defs/contextPruning"});
    properties["contextPruning"] = reference.clone();
    properties["agents"]["properties"]["defaults"]["properties"]["contextPruning"] =
        reference.clone();
    properties["agent"] = json!({"type": "object", "properties": {"contextPruning": reference}});
    for foreign in ["/agents", "/agents/properties/defaults", "/models"] {
        if let Some(Value::Object(schema)) = properties.pointer_mut(foreign) {
            schema.remove("additionalProperties");
        }
    }
    root["$defs"] = json!({"contextPruning": pruning});
    root
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
