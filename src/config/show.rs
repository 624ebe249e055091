//! `config show`: prints every value with its source, as a table, and the steps of `edits`.

use deadhead_core::settings::{Resolved, Settings, keys};
use serde_json::{Value, json};

/// `key  value  source`, aligned, one line each, with a head line.
pub fn show(resolved: &Resolved) -> String {
    let head = ("key".to_string(), "value".to_string(), "source".to_string());
    let body = resolved
        .rows()
        .into_iter()
        .map(|row| (row.key.to_owned(), plain(&row.value), row.source));
    let rows: Vec<_> = [head].into_iter().chain(body).collect();
    let width = |cell: fn(&(String, String, String)) -> &String| {
        rows.iter()
            .map(|row| cell(row).chars().count())
            .max()
            .unwrap_or(0)
            .min(40)
    };
    let (keys, values) = (width(|row| &row.0), width(|row| &row.1));
    let table: String = rows
        .iter()
        .map(|(key, value, source)| format!("{key:keys$}  {value:values$}  {source}\n"))
        .collect();
    table + &steps(&resolved.settings)
}

/// The steps of the policy as JSON5, with what each member is; nothing where there are none.
fn steps(settings: &Settings) -> String {
    let value = json!(settings.edits);
    let docs = keys()
        .iter()
        .find(|key| key.path == "edits")
        .map(|key| &key.schema()["items"]["properties"]);
    let member = |(name, value): (&String, &Value)| {
        let doc = docs
            .and_then(|docs| docs[name]["description"].as_str())
            .unwrap_or_default();
        format!("    // {doc}\n    {name}: {value},\n")
    };
    let step = |step: &Value| {
        format!(
            "  {{\n{}  }},\n",
            step.as_object()
                .into_iter()
                .flatten()
                .map(member)
                .collect::<String>()
        )
    };
    match value.as_array() {
        Some(steps) if !steps.is_empty() => format!(
            "\nedits: [\n{}]\n",
            steps.iter().map(step).collect::<String>()
        ),
        _ => String::new(),
    }
}

/// A text as it is, anything else as JSON; nothing is a dash.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_string(),
        Value::String(text) if !text.chars().any(char::is_control) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sources::{Sources, resolve};
    use super::*;

    #[test]
    fn columns_are_aligned_and_durations_are_for_people() {
        let sources = Sources {
            flags: vec![("contextPruning.ttl", json!("90m"))],
            ..Sources::default()
        };
        let text = show(&resolve(&sources).expect("valid"));
        let lines: Vec<_> = text.lines().collect();
        let column = lines[0].find("source").expect("a head line");
        assert!(lines[0].starts_with("key "));
        let ttl = lines
            .iter()
            .find(|line| line.starts_with("contextPruning.ttl "))
            .expect("a row");
        assert!(
            ttl.contains(" 1h30m ") && &ttl[column..] == "--ttl",
            "{text}"
        );
        assert!(
            lines[1..]
                .iter()
                .all(|line| ["default", "--ttl"].contains(&&line[column..])),
            "{text}"
        );
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("model ") && line.contains(" - ")),
            "{text}"
        );
    }

    #[test]
    fn steps_are_printed_with_their_docs() {
        let sources = Sources {
            preset: Some("codex-truncation".to_owned()),
            ..Sources::default()
        };
        let resolved = resolve(&sources).expect("valid");
        let text = show(&resolved);
        let (_, steps) = text.split_once("\n\n").expect("steps behind the table");
        assert!(
            steps.contains("    // Only results larger than this\n    over: {\"tokens\":12000},\n"),
            "{steps}"
        );
        let read = deadhead_core::settings::parse("steps", &format!("{{{steps}}}")).expect("JSON5");
        assert_eq!(read["edits"], json!(resolved.settings.edits));
    }
}
