//! Reads a JSON value as what a setting needs: clamped, floored and trimmed as OpenClaw does it, but never guessed.
//!
//! Each function gives `None` for a value of the wrong kind; the caller says what was expected.

use std::collections::BTreeSet;

use serde_json::Value;

use super::duration::parse_duration;
use super::patterns::{Globs, Regexes};
use super::settings::PLACEHOLDER;
use super::words::Word;

/// `true` or `false`.
pub(super) fn boolean(value: &Value) -> Option<bool> {
    value.as_bool()
}

/// A whole number from 0: fractions are cut off, what is below 0 is 0.
pub(super) fn integer(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().map(|number| number.floor().max(0.0) as u64))
}

/// [`integer`] as a count of messages.
pub(super) fn count(value: &Value) -> Option<usize> {
    integer(value).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// A number brought into 0..1.
pub(super) fn ratio(value: &Value) -> Option<f64> {
    value.as_f64().map(|number| number.clamp(0.0, 1.0))
}

/// A number from 0 to 1, and no other.
pub(super) fn share(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| (0.0..=1.0).contains(number))
}

/// Tokens, at least 1; null for none.
pub(super) fn tokens(value: &Value) -> Option<Option<u64>> {
    optional(value, |value| integer(value).filter(|tokens| *tokens > 0))
}

/// Milliseconds of a duration: text, or a number of minutes.
pub(super) fn duration(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => parse_duration(text).ok(),
        Value::Number(number) => parse_duration(&number.to_string()).ok(),
        _ => None,
    }
}

/// A text that is not blank, trimmed.
pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(|text| trim(text).to_string()).filter(|text| !text.is_empty())
}

/// The text left in place of a cleared result: trimmed, and the usual one if blank.
pub(super) fn placeholder(value: &Value) -> Option<String> {
    value.as_str().map(|text| match trim(text) {
        "" => PLACEHOLDER.to_string(),
        text => text.to_string(),
    })
}

/// One of a few words.
pub(super) fn choice<T: Word>(value: &Value) -> Option<T> {
    T::parse(value.as_str()?)
}

/// A list of texts, trimmed, without blanks.
pub(super) fn list(value: &Value) -> Option<Vec<String>> {
    let texts: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    Some(texts?.into_iter().map(trim).filter(|text| !text.is_empty()).map(str::to_string).collect())
}

/// Patterns of tool names: a [`list`] in lower case.
pub(super) fn patterns(value: &Value) -> Option<Vec<String>> {
    Some(list(value)?.iter().map(|pattern| pattern.to_lowercase()).collect())
}

/// Names of passes, each once.
pub(super) fn names(value: &Value) -> Option<BTreeSet<String>> {
    Some(list(value)?.into_iter().collect())
}

/// Any of the above, or null for none.
pub(super) fn optional<T>(value: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<Option<T>> {
    if value.is_null() { Some(None) } else { read(value).map(Some) }
}

/// Globs of paths.
pub(super) fn globs(value: &Value) -> Option<Globs> {
    Globs::new(list(value)?)
}

/// Regular expressions.
pub(super) fn regexes(value: &Value) -> Option<Regexes> {
    Regexes::new(list(value)?)
}

/// Trims what JavaScript trims: the byte order mark too, the control character U+0085 not.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_normalised() {
        for (value, want) in [
            (json!(3), Some(3)),
            (json!(3.9), Some(3)),
            (json!(-2), Some(0)),
            (json!(-0.5), Some(0)),
            (json!(1e300), Some(u64::MAX)),
            (json!("3"), None),
            (json!(null), None),
        ] {
            assert_eq!(integer(&value), want, "{value}");
        }
        for (value, want) in
            [(json!(0.3), Some(0.3)), (json!(7), Some(1.0)), (json!(-1), Some(0.0)), (json!("0.3"), None), (json!(null), None)]
        {
            assert_eq!(ratio(&value), want, "{value}");
        }
        assert_eq!(tokens(&json!(0)), None);
        assert_eq!(tokens(&json!(null)), Some(None));
        assert_eq!(duration(&json!(5)), Some(300_000));
        assert_eq!(duration(&json!(-5)), None);
    }

    #[test]
    fn texts_are_trimmed() {
        assert_eq!(placeholder(&json!("  [padded]\u{feff} ")).as_deref(), Some("[padded]"));
        assert_eq!(placeholder(&json!(" ")).as_deref(), Some(PLACEHOLDER));
        assert_eq!(placeholder(&json!(1)), None);
        assert_eq!(patterns(&json!([" Exec ", "", "*IMAGE*"])), Some(vec!["exec".into(), "*image*".into()]));
        assert_eq!(list(&json!(["a", 1])), None);
        assert_eq!(text(&json!(" ")), None);
    }
}
