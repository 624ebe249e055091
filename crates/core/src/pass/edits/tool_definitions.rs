//! Definitions of tools as TypeScript, the text in which OpenAI's models get them.

use crate::shorten::repr;
use serde_json::{Map, Value};

/// Members of a tool with `input_schema` that are no parameters.
const MEMBERS: [&str; 8] = ["name", "input_schema", "description", "cache_control", "strict", "type", "eager_input_streaming", "custom"];

/// Returns the text of all tools.
pub fn text(tools: &[Value]) -> String {
    let mut lines = vec!["namespace functions {".to_owned(), String::new()];
    for tool in tools.iter().filter_map(Value::as_object) {
        let declared =
            ["function_declarations", "functionDeclarations"].iter().filter_map(|name| tool.get(*name)).find(|list| is_filled(list));
        match (tool.get("function").and_then(Value::as_object), declared) {
            (Some(function), _) => lines.extend(definition(function)),
            (None, Some(Value::Array(list))) => list.iter().filter_map(Value::as_object).for_each(|one| lines.extend(definition(one))),
            (None, Some(_)) => {}
            (None, None) => lines.extend(definition(&function(tool))),
        }
    }
    lines.push("} // namespace functions".to_owned());
    lines.join("\n")
}

/// A tool without a member `function`, as one that has it.
fn function(tool: &Map<String, Value>) -> Map<String, Value> {
    let schema = tool.get("input_schema").filter(|schema| !schema.is_null());
    let parameters = schema.filter(|schema| is_filled(schema)).or(tool.get("parameters"));
    let mut parameters = parameters.and_then(Value::as_object).cloned().unwrap_or_default();
    if schema.is_some() {
        let others = tool.iter().filter(|(key, _)| !MEMBERS.contains(&key.as_str()));
        parameters.extend(others.map(|(key, value)| (key.clone(), value.clone())));
    }
    let mut function = Map::new();
    for name in ["name", "description"] {
        function.insert(name.to_owned(), tool.get(name).cloned().unwrap_or_default());
    }
    function.insert("parameters".to_owned(), parameters.into());
    function
}

/// The lines of a function; none without a name.
fn definition(function: &Map<String, Value>) -> Vec<String> {
    let member = |name: &str| function.get(name).filter(|value| is_filled(value));
    let Some(name) = member("name").map(printed) else { return Vec::new() };
    let mut lines: Vec<String> = member("description").map(|about| format!("// {}", printed(about))).into_iter().collect();
    match member("parameters").and_then(Value::as_object).filter(|parameters| properties(parameters).is_some()) {
        Some(parameters) => lines.extend([format!("type {name} = (_: {{"), members(parameters, 0), "}) => any;".to_owned()]),
        None => lines.push(format!("type {name} = () => any;")),
    }
    lines.push(String::new());
    lines
}

fn properties(schema: &Map<String, Value>) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object).filter(|properties| !properties.is_empty())
}

/// The members of an object, a line each.
fn members(schema: &Map<String, Value>, indent: usize) -> String {
    let mut lines = Vec::new();
    for (key, value) in properties(schema).into_iter().flatten() {
        if let Some(about) = value.get("description").filter(|about| is_filled(about)) {
            lines.push(format!("// {}", printed(about)));
        }
        let is_required = schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|name| name == key));
        lines.push(format!("{key}{}: {},", if is_required { "" } else { "?" }, type_of(value, indent)));
    }
    let indented: Vec<String> = lines.iter().map(|line| format!("{}{line}", " ".repeat(indent))).collect();
    indented.join("\n")
}

/// The type of a value with this schema.
fn type_of(schema: &Value, indent: usize) -> String {
    let listed = || {
        let values = schema["enum"].as_array()?;
        Some(values.iter().map(|value| format!("\"{}\"", printed(value))).collect::<Vec<_>>().join(" | "))
    };
    match (schema["type"].as_str(), schema.as_object()) {
        (Some("string"), _) => listed().unwrap_or_else(|| "string".to_owned()),
        (Some("integer" | "number"), _) => listed().unwrap_or_else(|| "number".to_owned()),
        (Some("array"), _) => format!("{}[]", type_of(&schema["items"], indent)),
        (Some("object"), Some(members_of)) => format!("{{\n{}\n}}", members(members_of, indent + 2)),
        (Some(plain @ ("boolean" | "null")), _) => plain.to_owned(),
        _ => "any".to_owned(),
    }
}

/// A value as Python puts it into a text.
fn printed(value: &Value) -> String {
    value.as_str().map_or_else(|| repr(value), str::to_owned)
}

/// Whether Python takes a value for true.
fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(values) => !values.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_are_typescript() {
        // Printed by LiteLLM 1.109.1.
        let tools = json!([
            {"name": "read", "description": "Reads.", "input_schema": {"type": "object", "properties": {
                "path": {"type": "string", "description": "a\nb"},
                "mode": {"type": "string", "enum": ["r", "w"]},
                "n": {"type": "integer", "enum": [1, 2.5, null, true]},
                "at": {"type": "object", "properties": {"line": {"type": "number"}, "tags": {"type": "array", "items": {"type": ["string"]}}}},
                "none": {"type": "object", "properties": {}},
            }, "required": ["path"]}},
            {"type": "bash_20250124", "name": "bash"},
            {"type": "function", "function": {"name": "f", "parameters": {"properties": {"x": {"type": "boolean"}}}}},
            {"function_declarations": [{"name": "g", "description": ""}, {"description": "nameless"}]},
            {"name": "h", "input_schema": {}, "properties": {"over": {"type": "null"}}, "cache_control": {"type": "ephemeral"}},
        ]);
        let printed = "namespace functions {\n\n// Reads.\ntype read = (_: {\n// a\nb\npath: string,\nmode?: \"r\" | \"w\",\nn?: \"1\" | \"2.5\" | \"None\" | \
                       \"True\",\nat?: {\n  line?: number,\n  tags?: any[],\n},\nnone?: {\n\n},\n}) => any;\n\ntype bash = () => any;\n\ntype f = (_: {\nx?: \
                       boolean,\n}) => any;\n\ntype g = () => any;\n\ntype h = (_: {\nover?: null,\n}) => any;\n\n} // namespace functions";
        assert_eq!(text(tools.as_array().expect("a list")), printed);
    }
}
