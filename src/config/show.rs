//! `config show`: prints every value with its source, as a table.

use deadhead_core::settings::{Mode, Resolved, Settings, lowered, sentence};
use serde_json::Value;

/// `key  value  source`, aligned, one line each, with a head line.
pub fn show(resolved: &Resolved) -> String {
    let head = ("key".to_string(), "value".to_string(), "source".to_string());
    let body = resolved.rows().into_iter().map(|row| (row.key.to_owned(), plain(&row.value), row.source));
    let rows: Vec<_> = [head].into_iter().chain(body).collect();
    let width =
        |cell: fn(&(String, String, String)) -> &String| rows.iter().map(|row| cell(row).chars().count()).max().unwrap_or(0).min(40);
    let (keys, values) = (width(|row| &row.0), width(|row| &row.1));
    let table: String = rows.iter().map(|(key, value, source)| format!("{key:keys$}  {value:values$}  {source}\n")).collect();
    table + "\n" + &policy(&resolved.settings)
}

/// Returns the description of the policy, a sentence for each step.
fn policy(settings: &Settings) -> String {
    if !settings.edits.is_empty() {
        let steps = settings.edits.iter().enumerate();
        return steps.map(|(i, step)| format!("edits[{i}]: {}\n", sentence(step))).collect();
    }
    if settings.context_pruning.mode == Mode::Off {
        return "mode off: nothing is cut by size.\n".to_owned();
    }
    let is_on = |name: &str| !settings.passes.off.contains(name) && (name != "hard-clear" || settings.context_pruning.hard_clear.enabled);
    let steps = lowered(&settings.context_pruning);
    steps.iter().filter(|(name, _)| is_on(name)).map(|(name, step)| format!("{name}: {}\n", sentence(step))).collect()
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
    use serde_json::json;

    use super::super::sources::{Sources, resolve};
    use super::*;

    #[test]
    fn columns_are_aligned_and_durations_are_for_people() {
        let sources = Sources { flags: vec![("contextPruning.ttl", json!("90m"))], ..Sources::default() };
        let text = show(&resolve(&sources).expect("valid"));
        let lines: Vec<_> = text.lines().collect();
        let column = lines[0].find("source").expect("a head line");
        assert!(lines[0].starts_with("key "));
        let ttl = lines.iter().find(|line| line.starts_with("contextPruning.ttl ")).expect("a row");
        assert!(ttl.contains(" 1h30m ") && &ttl[column..] == "--ttl", "{text}");
        let table: Vec<_> = lines[1..].iter().take_while(|line| !line.is_empty()).collect();
        assert!(
            lines.iter().any(|line| line.starts_with("hard-clear: when the context fills at least 0.5 of the window, replaces results")),
            "{text}"
        );
        assert!(table.iter().all(|line| ["default", "--ttl"].contains(&&line[column..])), "{text}");
        assert!(lines.iter().any(|line| line.starts_with("model ") && line.contains(" - ")), "{text}");
    }
}
