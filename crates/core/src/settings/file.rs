//! Reads a configuration file as settings: ours, or OpenClaw's unchanged. Reads JSON5 text, with
//! errors that have a place, and without running out of stack.
//!
//! The content decides which. A file with any of OpenClaw's top-level keys is OpenClaw's:
//! `contextPruning` is taken from `agent` (until January 2026) and from `agents.defaults` (which
//! wins), beside them the windows of models, the heartbeat and the way Anthropic is paid;
//! everything else in it is ignored. Whatever is under one of our keys is checked to the letter in
//! both: an unknown name there is an error. A file may have both shapes; ours wins.

use super::{
    error::{ConfigError, nearest},
    layer::{Layer, names_under},
    openclaw,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns the layer of a file. If a key has two places, the later one counts: OpenClaw's come
/// first, then ours.
///
/// # Errors
/// It is not JSON5, or has a key that nobody reads.
pub fn file(source: &str, text: &str) -> Result<Layer, ConfigError> {
    let root = match text.trim().is_empty() {
        true => json!({}),
        false => parse(source, text)?,
    };
    let Value::Object(root) = &root else {
        let syntax =
            "expected an object such as { contextPruning: { mode: \"auto\" } }".to_string();
        return Err(ConfigError::Syntax {
            source: source.to_string(),
            line: 1,
            column: 1,
            text: syntax,
        });
    };
    let foreign = openclaw::is_openclaw(root);
    let mut layer = Layer::new(source);
    if foreign {
        openclaw::read(&mut layer, root)?;
    }
    for (name, value) in root {
        if name == "$schema" || (foreign && openclaw::owns(name, value)) {
            continue;
        }
        if foreign && !names_under("").contains(&name.as_str()) {
            if let Some(near) =
                nearest(name, ["contextPruning", "contextWindow", "cacheControlTtl"])
            {
                layer.ignore(&format!("key {name}, did you mean {near}?"));
            }
            continue;
        }
        layer.put(name, name, value)?;
    }
    Ok(layer)
}

/// Returns the workloads that layers state, as layers. Each is checked, even if it is not used.
///
/// # Errors
/// A key that nobody reads, or a value that is not of its key's kind.
pub fn workloads(layers: &[Layer]) -> Result<Vec<(String, Layer)>, ConfigError> {
    let mut found = Vec::new();
    for below in layers {
        for (name, value) in below
            .stated("workloads")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let mut layer = Layer::new(&below.source);
            for (section, value) in value
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(section, _)| *section != "canary")
            {
                let shown = format!("workloads.{name}.{section}");
                if section == "workloads" {
                    return Err(ConfigError::unknown(&layer.source, &shown, section, &[]));
                }
                layer.put(section, &shown, value)?;
            }
            layer.source = format!("workload {name}");
            layer.check()?;
            found.push((name.clone(), layer));
        }
    }
    Ok(found)
}

/// More levels than any configuration has: the parser is recursive and would overflow the stack.
const DEEPEST: usize = 128;

/// Reads one JSON5 value; `source` names the text in errors.
///
/// # Errors
/// The text is not JSON5, or no `T`, or is nested deeper than any configuration.
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

/// Returns the byte offset at which nesting passes [`DEEPEST`]. Brackets in strings and comments do
/// not count.
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

/// Returns the closing quote, or the end of the text.
fn end_of_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut i = start + 1;
    while i < bytes.len() && bytes[i] != quote {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    i
}

/// Returns line and column of a byte, from 1, columns in characters.
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
    use crate::diagnostics::Warning;

    fn found(text: &str) -> Result<Vec<(String, String)>, String> {
        let found = file("c.json5", text).map_err(|error| error.to_string())?;
        Ok(found
            .iter()
            .map(|(shown, value)| (shown.to_owned(), value.to_string()))
            .collect())
    }

    #[test]
    fn ours() {
        let text = "{ $schema: 'x', scope: 'file', contextPruning: { ttl: '2m', mode: 'off' }, model: 'm' } // tail";
        let want = [
            ("contextPruning.mode", "\"off\""),
            ("contextPruning.ttl", "\"2m\""),
            ("model", "\"m\""),
            ("scope", "\"file\""),
        ];
        let got = found(text).expect("valid");
        assert_eq!(
            got.iter()
                .map(|(k, v)| (k.as_str(), v.as_str()))
                .collect::<Vec<_>>(),
            want
        );
        for empty in ["", " \n", "{}", "// nothing\n{ }"] {
            assert_eq!(found(empty), Ok(vec![]));
        }
    }

    #[test]
    fn unknown_names_are_errors_with_the_nearest() {
        for (text, want) in [
            (
                "{contextPruning:{softTrimRatoi:0.2}}",
                "c.json5: unknown key contextPruning.softTrimRatoi, did you mean contextPruning.softTrimRatio?",
            ),
            (
                "{contextPruning:{softTrim:{maxChar:1}}}",
                "c.json5: unknown key contextPruning.softTrim.maxChar, did you mean contextPruning.softTrim.maxChars?",
            ),
            (
                "{contextPrunning:{}}",
                "c.json5: unknown key contextPrunning, did you mean contextPruning?",
            ),
            (
                "{ttl:'5m'}",
                "c.json5: unknown key ttl, did you mean contextPruning.ttl?",
            ),
            (
                "{contextPruning:{tools:{only:[]}}}",
                "c.json5: unknown key contextPruning.tools.only, known here: allow, deny",
            ),
            (
                "{contextPruning:5}",
                "c.json5: contextPruning must be an object with any of mode, ttl,",
            ),
            ("[1]", "c.json5:1:1: expected an object"),
            (
                "{ agents: { defaults: { contextPruning: { ttll: 1 } } } }",
                "c.json5: unknown key agents.defaults.contextPruning.ttll, did you mean agents.defaults.contextPruning.ttl?",
            ),
            (
                "{ agents: {}, contextPruning: { ttll: 1 } }",
                "c.json5: unknown key contextPruning.ttll, did you mean contextPruning.ttl?",
            ),
        ] {
            let error = found(text).expect_err(text);
            assert!(error.starts_with(want), "{error}\n{want}");
        }
    }

    #[test]
    fn in_a_foreign_file_a_near_miss_is_a_warning() {
        let layer = file(
            "c.json5",
            "{ gateway: {}, contextPrunning: {}, wizard: {} }",
        )
        .expect("valid");
        assert_eq!(
            layer.warnings,
            [Warning::new(
                "c.json5: ignored key contextPrunning, did you mean contextPruning?"
            )]
        );
    }
}
#[cfg(test)]
mod text_tests {
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
