//! The length of a value as Python prints it, which some programs use as the size of calls.

use super::condense::float;
use serde_json::Value;

/// Code points of `repr(value)`.
pub fn repr_length(value: &Value) -> u64 {
    let list = |lengths: Vec<u64>| 2 + lengths.iter().sum::<u64>() + 2 * (lengths.len() as u64).saturating_sub(1);
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) if number.is_f64() => float(number.as_f64().unwrap_or_default()).len() as u64,
        Value::Number(number) => number.to_string().len() as u64,
        Value::String(text) => string(text),
        Value::Array(values) => list(values.iter().map(repr_length).collect()),
        Value::Object(members) => list(members.iter().map(|(key, value)| string(key) + 2 + repr_length(value)).collect()),
    }
}

/// Code points of a text with its quotes and escapes.
fn string(text: &str) -> u64 {
    // Double quotes are around a text with single ones in it, if it has no double ones.
    let escaped_quote = text.contains('\'') && text.contains('"');
    let of = |c: char| match c {
        '\\' | '\n' | '\r' | '\t' => 2,
        '\'' if escaped_quote => 2,
        _ if is_printed(c) => 1,
        '\0'..='\u{ff}' => 4,
        '\u{100}'..='\u{ffff}' => 6,
        _ => 10,
    };
    2 + text.chars().map(of).sum::<u64>()
}

/// Whether a character is printed as it is: neither control, format, private nor a space other than the usual one.
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
    fn lengths() {
        for (value, printed) in [
            (json!({"a": [1, 2.5, true, false, null], "b": {}}), "{'a': [1, 2.5, True, False, None], 'b': {}}"),
            (json!("it's"), "\"it's\""),
            (json!("it's \"so\""), "'it\\'s \"so\"'"),
            (json!("a\nb\t\\\u{1}é漢😀\u{200b}\u{a0}"), "'a\\nb\\t\\\\\\x01é漢😀\\u200b\\xa0'"),
            (json!("\u{e0001}"), "'\\U000e0001'"),
            (json!([1e16, 1e-5, 100000.0, -0.0]), "[1e+16, 1e-05, 100000.0, -0.0]"),
        ] {
            assert_eq!(repr_length(&value), printed.chars().count() as u64, "{printed}");
        }
    }
}
