//! Makes a text shorter without loss of meaning: JSON without its white space, a unified diff without its unchanged lines.

use super::measure::{Measure, size};
use regex::Regex;
use std::sync::LazyLock;

/// JSON is printed anew only where that leaves less than this share of it.
const WORTHWHILE: f64 = 0.85;

/// Returns a shorter form of `text`: compact JSON, or a diff without unchanged lines. `None` if `text` stays as it is.
pub fn condense(text: &str) -> Option<String> {
    let length = size(text, Measure::CodePoints) as f64;
    let compact = compact_ascii(text).filter(|new| (new.len() as f64) < length * WORTHWHILE);
    compact.or_else(|| if is_diff(text) { without_context(text) } else { None })
}

/// JSON without white space between its values, in ASCII, with numbers as Python prints them; none where `text` is no JSON.
pub fn compact_ascii(text: &str) -> Option<String> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        match bytes[at] {
            b'"' => {
                at += 1;
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                let decoded: String = serde_json::from_str(&text[from..at]).ok()?;
                quote(&decoded, &mut out);
            }
            b'-' | b'0'..=b'9' => {
                at += bytes[at..].iter().take_while(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')).count();
                number(&text[from..at], &mut out)?;
            }
            other => {
                at += 1;
                if !other.is_ascii_whitespace() {
                    out.push(char::from(other));
                }
            }
        }
    }
    Some(out)
}

/// Appends a string in quotes, with escapes for all but ASCII.
fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out.push('"');
}

/// Appends a number: a whole one as it is, another as the shortest that reads as the same.
fn number(text: &str, out: &mut String) -> Option<()> {
    if text == "-0" {
        out.push('0');
    } else if !text.contains(['.', 'e', 'E']) {
        out.push_str(text);
    } else {
        out.push_str(&float(text.parse().ok().filter(|value: &f64| value.is_finite())?));
    }
    Some(())
}

/// A number with a fraction as Python prints it: with an exponent below 0.0001 and from 10^16 on.
pub(super) fn float(value: f64) -> String {
    let shortest = format!("{value:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    match exponent.parse().unwrap_or(0) {
        -4..16 => match format!("{value}") {
            whole if !whole.contains('.') => whole + ".0",
            other => other,
        },
        exponent => format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, i32::abs(exponent)),
    }
}

/// Whether `text` has the envelope of a unified diff and a hunk in it.
fn is_diff(text: &str) -> bool {
    static HUNK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^@@ -[0-9]+(?:,[0-9]+)? \+[0-9]+(?:,[0-9]+)? @@").expect("a test uses it"));
    static HEADER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^--- .*\n\+\+\+ ").expect("a test uses it"));
    !text.contains('\0') && HUNK.is_match(text) && (HEADER.is_match(text) || text.starts_with("diff ") || text.contains("\ndiff "))
}

/// A diff whose runs of unchanged lines give way to their number; none where that is no shorter.
fn without_context(text: &str) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut unchanged, mut in_hunk) = (0, false);
    for line in text.split('\n') {
        let is_hunk = line.starts_with("@@");
        if in_hunk && !is_hunk && line.starts_with(' ') {
            unchanged += 1;
            continue;
        }
        if unchanged > 0 {
            lines.push(format!("  [...{unchanged} unchanged lines...]"));
            unchanged = 0;
        }
        // Behind a hunk that ended, an indented line is no context.
        in_hunk = is_hunk || in_hunk && ["diff ", "+", "-"].iter().any(|sign| line.starts_with(sign));
        lines.push(line.to_owned());
    }
    if unchanged > 0 {
        lines.push(format!("  [...{unchanged} unchanged lines...]"));
    }
    let new = lines.join("\n");
    (size(&new, Measure::CodePoints) < size(text, Measure::CodePoints)).then_some(new)
}
