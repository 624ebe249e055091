//! Masking: replaces a result by a preview in a tag, with the place of the full text.
//!
//! The result is an object of named outputs. Its preview is the first and the last part of its JSON, printed over several lines; of
//! a shell's output it is its sections, each with its first and last lines.

use super::measure::{Measure, Size, head, size, tail};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// The tag around a masked result.
pub const TAG: &str = "tool_output_masked";
/// Units of JSON that a preview has whole, and half of which it keeps at either end.
const WHOLE: u64 = 500;
/// Lines of a section that a preview has whole, and half of which it keeps at either end.
const LINES: u64 = 20;

/// A result that is to be masked.
#[derive(Clone, Copy, Debug)]
pub struct Masked<'a> {
    /// Its content, an object of outputs.
    pub response: &'a Value,
    /// Whether its tool is a shell.
    pub shell: bool,
    /// The path under which the full result can be found.
    pub path: &'a str,
}

/// The text that replaces a result.
pub fn masked(result: Masked<'_>) -> String {
    let json = pretty(result.response);
    let preview = if result.shell { shell(result.response) } else { ends(&json) };
    format!("<{TAG}>\n{preview}\n\nOutput too large. Full output available at: {}\n</{TAG}>", result.path)
}

/// `JSON.stringify(value, null, 2)`.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    print(value, 0, &mut out);
    out
}

fn print(value: &Value, level: usize, out: &mut String) {
    let line = |level: usize, out: &mut String| {
        out.push('\n');
        (0..level).for_each(|_| out.push_str("  "));
    };
    match value {
        Value::Array(list) if !list.is_empty() => {
            out.push('[');
            for (i, inner) in list.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                line(level + 1, out);
                print(inner, level + 1, out);
            }
            line(level, out);
            out.push(']');
        }
        Value::Object(members) if !members.is_empty() => {
            out.push('{');
            for (i, (key, inner)) in members.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                line(level + 1, out);
                out.push_str(&format!("{}: ", Value::from(&**key)));
                print(inner, level + 1, out);
            }
            line(level, out);
            out.push('}');
        }
        Value::Number(number) => out.push_str(&script_number(number)),
        // The control character that serde_json escapes by its own rule is escaped so by JavaScript as well.
        other => out.push_str(&other.to_string()),
    }
}

/// A number as JavaScript prints it.
pub fn script_number(number: &serde_json::Number) -> String {
    if number.is_i64() || number.is_u64() {
        let exact = number.as_f64().is_some_and(|value| value.abs() <= 9_007_199_254_740_992.0);
        if exact {
            return number.to_string();
        }
    }
    let value = number.as_f64().unwrap_or_default();
    let exponent = format!("{value:e}").split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0);
    match exponent {
        _ if value == 0.0 => "0".to_owned(),
        -7..21 => format!("{value}"),
        _ => format!("{value:e}").replace('e', if exponent > 0 { "e+" } else { "e" }),
    }
}

/// The first and the last of a long text.
fn ends(text: &str) -> String {
    if size(text, Measure::Chars) <= WHOLE {
        return text.to_owned();
    }
    let half = Size { measure: Measure::Chars, number: WHOLE / 2 };
    format!("{}\n... [TRUNCATED] ...\n{}", &text[head(text, half)], &text[tail(text, half)])
}

/// The first and the last lines of a text of many.
fn lines(text: &str) -> String {
    let all = size(text, Measure::Lines);
    if all <= LINES {
        return text.to_owned();
    }
    let half = Size { measure: Measure::Lines, number: LINES / 2 };
    format!("{}\n\n... [{} lines omitted] ...\n\n{}", &text[head(text, half)], all - LINES, &text[tail(text, half)])
}

/// The preview of a shell's output, section by section.
fn shell(response: &Value) -> String {
    static SECTION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[\n\r\u{2028}\u{2029}])(Output|Error|Exit Code|Signal|Background PIDs|Process Group PGID): ")
            .expect("a test uses it")
    });
    let output = ["output", "stdout"].iter().map(|key| &response[*key]).find(|value| is_truthy(value));
    let text = match output {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other @ (Value::Array(_) | Value::Object(_))) => return compact(other),
        Some(Value::Number(number)) => return script_number(number),
        Some(other) => return other.to_string(),
    };
    let sections: Vec<(usize, usize, &str)> = SECTION
        .captures_iter(&text)
        .filter_map(|found| Some((found.get(1)?.start(), found.get(0)?.end(), found.get(1)?.as_str())))
        .collect();
    let Some((first, _, _)) = sections.first() else { return lines(&text) };
    let mut parts = Vec::new();
    let before = trim(&text[..*first]);
    if !before.is_empty() {
        parts.push(lines(before));
    }
    for (i, (_, from, name)) in sections.iter().enumerate() {
        let to = sections.get(i + 1).map_or(text.len(), |next| next.0);
        let content = trim(&text[*from..to]);
        parts.push(format!("{name}: {}", if *name == "Output" { lines(content) } else { content.to_owned() }));
    }
    let mut preview = parts.join("\n");
    let code = ["exitCode", "exit_code"].iter().map(|key| &response[*key]).find(|value| !value.is_null());
    let stated = |label: &str, value: &Value| {
        let value = printed(value);
        (!text.contains(&format!("{label}: {value}"))).then(|| format!("\n[{label}: {value}]"))
    };
    preview.extend(code.filter(|code| code.as_f64() != Some(0.0)).and_then(|code| stated("Exit Code", code)));
    preview.extend(Some(&response["error"]).filter(|error| is_truthy(error)).and_then(|error| stated("Error", error)));
    preview
}

/// A text without the white space around it, as JavaScript knows it.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() && c != '\u{85}' || c == '\u{feff}')
}

/// Whether JavaScript takes a value for true.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// A value in a text of JavaScript.
fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => script_number(number),
        Value::Object(_) => "[object Object]".to_owned(),
        Value::Array(list) => {
            list.iter().map(|inner| if inner.is_null() { String::new() } else { printed(inner) }).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// `JSON.stringify(value)`.
pub fn compact(value: &Value) -> String {
    match value {
        Value::Number(number) => script_number(number),
        Value::Array(list) => format!("[{}]", list.iter().map(compact).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let members = members.iter().map(|(key, inner)| format!("{}:{}", Value::from(&**key), compact(inner)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
