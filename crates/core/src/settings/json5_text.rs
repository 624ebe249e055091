//! JSON5 text to a value, with errors that have a place, and without running out of stack.

use serde::de::DeserializeOwned;

use super::error::ConfigError;

/// More levels than any configuration has; the parser underneath would go down as far as the stack lasts.
const DEEPEST: usize = 128;

/// Reads one JSON5 value; `source` names the text in errors.
///
/// # Errors
/// It is none, or another one than `T`, or nested deeper than any configuration.
pub fn parse<T: DeserializeOwned>(source: &str, text: &str) -> Result<T, ConfigError> {
    let syntax = |(line, column): (usize, usize), text: String| ConfigError::Syntax {
        source: source.to_string(),
        line,
        column,
        text,
    };
    if let Some(byte) = too_deep(text) {
        return Err(syntax(
            place(text, byte),
            format!("nested deeper than {DEEPEST} levels"),
        ));
    }
    json5::from_str(text).map_err(|error| {
        let what = error
            .code()
            .map_or_else(|| error.to_string(), |code| code.to_string());
        let place = error
            .position()
            .map_or_else(|| place(text, text.len()), |p| (p.line + 1, p.column + 1));
        syntax(
            place,
            what.replace("EOF parsing", "the text ends while reading"),
        )
    })
}

/// Returns the byte offset at which nesting passes [`DEEPEST`]. Brackets in strings and comments do not count.
fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut i) = (0usize, 0);
    while i < bytes.len() {
        match bytes[i] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            quote @ (b'"' | b'\'') => i = end_of_string(bytes, i, quote),
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                i += text[i..].find(['\n', '\r', '\u{2028}', '\u{2029}'])?
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => i += 2 + text[i + 2..].find("*/")?,
            _ => {}
        }
        if depth > DEEPEST {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// The closing quote, or the end of the text.
fn end_of_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut i = start + 1;
    while i < bytes.len() && bytes[i] != quote {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    i
}

/// Line and column of a byte, from 1, columns in characters.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..byte];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse::<serde_json::Value>("c.json5", text)
            .expect_err(text)
            .to_string()
    }

    #[test]
    fn errors_have_a_place() {
        assert_eq!(error("{\n  a: 1\n  b: 2\n}"), "c.json5:3:3: expected comma");
        assert_eq!(
            error("{\n  a: ["),
            "c.json5:2:6: the text ends while reading value"
        );
        assert!(error("{} x").starts_with("c.json5:1:4: "));
        for text in [
            "",
            "{",
            "\"",
            "'\\",
            "//",
            "/*",
            "{é",
            "\u{2028}/",
            "[1,,2]",
            "{a:01}",
            "{'a':1,'b'}",
        ] {
            assert_eq!(error(text).lines().count(), 1);
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_strings_do_not_count() {
        let deep = "[".repeat(100_000);
        assert_eq!(error(&deep), "c.json5:1:129: nested deeper than 128 levels");
        let brackets = format!(
            "{{ a: '{0}', /* {0} */ b: \"\\\"{0}\" }} // {0}",
            "[".repeat(200)
        );
        assert!(parse::<serde_json::Value>("c.json5", &brackets).is_ok());
        let level = format!("{}{}", "[".repeat(128), "]".repeat(128));
        assert!(parse::<serde_json::Value>("c.json5", &level).is_ok());
    }
}
