//! Errors of a configuration. Each is one line with the place, the key and the expected value.

use serde_json::Value;
use std::fmt;

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigError {
    /// Not JSON5. Line and column count from 1, columns in characters.
    Syntax {
        /// The name of the text.
        source: String,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// The parser's message.
        text: String,
    },
    /// A key that nobody reads.
    UnknownKey {
        /// The layer.
        source: String,
        /// The key, with the path to it as it is there.
        key: String,
        /// The name that was probably meant; `None` if no name is near enough.
        nearest: Option<String>,
        /// All names that exist in its place.
        known: Vec<String>,
    },
    /// A value of the wrong kind.
    BadValue {
        /// The layer.
        source: String,
        /// The key, with the path to it as it is there.
        key: String,
        /// The description of a valid value.
        expected: String,
        /// The value that was found, as JSON.
        found: String,
    },
    /// A line of a price table that is no row: the file, the line, the cell, and what it must be.
    PriceRow(String),
    /// A preset that does not exist.
    UnknownPreset {
        /// As asked for.
        name: String,
        /// The name that was probably meant; `None` if no name is near enough.
        nearest: Option<String>,
        /// All presets.
        known: Vec<String>,
    },
}

impl ConfigError {
    /// The error for a key whose `name` is not among `known`.
    pub(super) fn unknown(source: &str, key: &str, name: &str, known: &[&str]) -> ConfigError {
        ConfigError::UnknownKey {
            source: source.to_owned(),
            key: key.to_owned(),
            nearest: nearest(name, known.iter().copied())
                .map(|near| key.strip_suffix(name).unwrap_or_default().to_owned() + &near),
            known: known.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// The error for a value of the wrong kind.
    pub(super) fn bad_value(
        source: &str,
        key: impl Into<String>,
        expected: impl Into<String>,
        found: &Value,
    ) -> ConfigError {
        ConfigError::BadValue {
            source: source.to_owned(),
            key: key.into(),
            expected: expected.into(),
            found: found.to_string(),
        }
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Syntax {
                source,
                line,
                column,
                text,
            } => write!(f, "{source}:{line}:{column}: {text}"),
            ConfigError::UnknownKey {
                source,
                key,
                nearest,
                known,
            } => {
                let meant = suggestion(nearest, known);
                write!(f, "{source}: unknown key {}{meant}", plain(key))
            }
            ConfigError::BadValue {
                source,
                key,
                expected,
                found,
            } => {
                let found = cut(found.chars(), 60);
                write!(f, "{source}: {key} must be {expected}, not {found}")
            }
            ConfigError::PriceRow(why) => f.write_str(why),
            ConfigError::UnknownPreset {
                name,
                nearest,
                known,
            } => {
                let (meant, known) = (suggestion(nearest, &[]), known.join(", "));
                write!(
                    f,
                    "unknown preset {}{meant} (presets: {known})",
                    plain(name)
                )
            }
        }
    }
}

/// Returns the name most like a word (of several that begin with the word, the last), if any is
/// like it.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if word.len() > 100 {
        return None;
    }
    let word = word.to_lowercase();
    names
        .into_iter()
        .map(|name| {
            let known = name.to_lowercase();
            let begins = known.starts_with(&format!("{word}-"));
            let likeness = strsim::normalized_damerau_levenshtein(&word, &known);
            (if begins { 1.0 } else { likeness }, name)
        })
        .filter(|(similarity, _)| *similarity > 0.55)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.to_string())
}

/// Returns the question whether the name most like a word was meant; empty if none is like it.
pub fn meant<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    suggestion(&nearest(word, names), &[])
}

fn suggestion(nearest: &Option<String>, known: &[String]) -> String {
    match nearest {
        Some(nearest) => format!(", did you mean {nearest}?"),
        None if known.is_empty() => String::new(),
        None => format!(", known here: {}", known.join(", ")),
    }
}

/// Returns a name without control characters, shortened if it is long.
pub fn plain(name: &str) -> String {
    let plain = name
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c });
    cut(plain, 80)
}

/// The first `most` characters, with a mark where there are more.
fn cut(chars: impl Iterator<Item = char> + Clone, most: usize) -> String {
    let more = chars.clone().nth(most).map(|_| '…');
    chars.take(most).chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names = ["mode", "ttl", "softTrim", "softTrimRatio"];
        assert_eq!(
            nearest("softTrimRatoi", names).as_deref(),
            Some("softTrimRatio")
        );
        assert_eq!(nearest("TTL", names).as_deref(), Some("ttl"));
        assert_eq!(nearest("nope", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn always_one_line() {
        let error = ConfigError::UnknownKey {
            source: "c.json5".into(),
            key: "a\nb".repeat(200),
            nearest: None,
            known: vec!["mode".into()],
        };
        let text = error.to_string();
        assert_eq!(text.lines().count(), 1);
        assert!(text.len() < 200, "{text}");
        let found = serde_json::json!("x\n".repeat(500)).to_string();
        let error = ConfigError::BadValue {
            source: "--ttl".into(),
            key: "contextPruning.ttl".into(),
            expected: "…".into(),
            found,
        };
        assert_eq!(error.to_string().lines().count(), 1);
    }
}
