//! `config show`: prints every value with its source, as a table, and the steps of `edits`.

use deadhead_core::settings::{Resolved, Settings, keys};
use serde_json::{Value, json};

/// `key  value  source`, aligned, one line each, with a head line.
pub fn show(resolved: &Resolved) -> String {
    let head = ["key", "value", "source"].map(str::to_owned);
    let body = resolved.rows().into_iter();
    let body = body.map(|row| [row.key.to_owned(), plain(&row.value), row.source]);
    let rows: Vec<[String; 3]> = [head].into_iter().chain(body).collect();
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0).min(40)
    };
    let (keys, values) = (width(0), width(1));
    let line =
        |[key, value, source]: &[String; 3]| format!("{key:keys$}  {value:values$}  {source}\n");
    let table: String = rows.iter().map(line).collect();
    table + &steps(&resolved.settings)
}

/// The steps of the policy as JSON5, with what each member is; nothing where there are none.
fn steps(settings: &Settings) -> String {
    if settings.edits.is_empty() {
        return String::new();
    }
    let docs = keys().iter().find(|key| key.path == "edits");
    let docs = docs.map(|key| &key.schema()["items"]["properties"]);
    let mut text = "\nedits: [\n".to_owned();
    for step in json!(settings.edits).as_array().into_iter().flatten() {
        text += "  {\n";
        for (name, value) in step.as_object().into_iter().flatten() {
            let doc = docs.and_then(|docs| docs[name]["description"].as_str());
            let doc = doc.unwrap_or_default();
            text += &format!("    // {doc}\n    {name}: {value},\n");
        }
        text += "  },\n";
    }
    text + "]\n"
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
        let read: serde_json::Value =
            deadhead_core::settings::parse("steps", &format!("{{{steps}}}")).expect("JSON5");
        assert_eq!(read["edits"], json!(resolved.settings.edits));
    }
}
