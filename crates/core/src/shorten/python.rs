//! Values as Python prints them, which some programs use as the size of calls.

use serde_json::Value;

/// Returns a value as Python prints it.
pub fn repr(value: &Value) -> String {
    let list = |values: Vec<String>, open, close| format!("{open}{}{close}", values.join(", "));
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) if number.is_f64() => float(number.as_f64().unwrap_or_default()),
        Value::Number(number) => number.to_string(),
        Value::String(text) => string(text),
        Value::Array(values) => list(values.iter().map(repr).collect(), '[', ']'),
        Value::Object(members) => list(
            members
                .iter()
                .map(|(key, value)| format!("{}: {}", string(key), repr(value)))
                .collect(),
            '{',
            '}',
        ),
    }
}

/// Returns a text with its quotes and escapes.
fn string(text: &str) -> String {
    // A text that holds single quotes and no double ones is in double quotes.
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c == quote => out.extend(['\\', c]),
            _ if is_printed(c) => out.push(c),
            '\0'..='\u{ff}' => out.push_str(&format!("\\x{:02x}", c as u32)),
            '\u{100}'..='\u{ffff}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            _ => out.push_str(&format!("\\U{:08x}", c as u32)),
        }
    }
    out.push(quote);
    out
}

/// Returns a number with a fraction as Python prints it: with an exponent below 0.0001 and from
/// 10^16 on.
fn float(value: f64) -> String {
    let shortest = format!("{value:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    match exponent.parse().unwrap_or(0) {
        -4..16 => match format!("{value}") {
            whole if !whole.contains('.') => whole + ".0",
            other => other,
        },
        exponent => format!(
            "{digits}e{}{:02}",
            if exponent < 0 { '-' } else { '+' },
            i32::abs(exponent)
        ),
    }
}

/// Whether a character is printed as it is: neither control, format, private nor a space other than
/// the usual one.
fn is_printed(c: char) -> bool {
    !matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{1680}'
        | '\u{180e}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}'
        | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_printed() {
        for (value, printed) in [
            (
                json!({"a": [1, 2.5, true, false, null], "b": {}}),
                "{'a': [1, 2.5, True, False, None], 'b': {}}",
            ),
            (json!("it's"), "\"it's\""),
            (json!("it's \"so\""), "'it\\'s \"so\"'"),
            (
                json!("a\nb\t\\\u{1}é漢😀\u{200b}\u{a0}"),
                "'a\\nb\\t\\\\\\x01é漢😀\\u200b\\xa0'",
            ),
            (json!("\u{e0001}"), "'\\U000e0001'"),
            (
                json!([1e16, 1e-5, 100000.0, -0.0]),
                "[1e+16, 1e-05, 100000.0, -0.0]",
            ),
        ] {
            assert_eq!(repr(&value), printed);
        }
    }
}
