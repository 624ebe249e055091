//! A text block whose `text` is not a string: trims use its JSON, as `JSON.stringify` prints it.

use crate::json::text;
use serde_json::Value;

/// A malformed block's JSON, as the inside of a JSON string. JSON that is nested too deep to be
/// printed stays as it is spelled.
pub fn malformed(json: &[u8]) -> Vec<u8> {
    let compact = compact(json).unwrap_or_else(|| String::from_utf8_lossy(json).into_owned());
    text::encoded(&compact).into_bytes()
}

/// The JSON without white space. Escapes of halves of surrogate pairs, which are no text, are kept
/// by a mark that occurs nowhere else in it.
fn compact(json: &[u8]) -> Option<String> {
    let halves = halves(json);
    if halves.is_empty() {
        return Some(serde_json::from_slice::<Value>(json).ok()?.to_string());
    }
    let spelled = String::from_utf8_lossy(json).to_lowercase();
    let free = |mark: &char| {
        !spelled.contains(*mark) && !spelled.contains(&format!("\\u{:04x}", u32::from(*mark)))
    };
    let mark = ('\u{e000}'..='\u{f8ff}').find(free)?.to_string();
    let mut marked = Vec::with_capacity(json.len());
    let mut at = 0;
    for half in halves {
        marked.extend_from_slice(&json[at..half]);
        marked.extend_from_slice(mark.as_bytes());
        marked.extend(json[half + 2..half + 6].iter().map(u8::to_ascii_lowercase));
        at = half + 6;
    }
    marked.extend_from_slice(&json[at..]);
    Some(
        serde_json::from_slice::<Value>(&marked)
            .ok()?
            .to_string()
            .replace(&mark, "\\u"),
    )
}

/// Returns the byte offsets of the escapes that are one half of a surrogate pair without the other.
fn halves(json: &[u8]) -> Vec<usize> {
    let unit = |at: usize| {
        let digits = json
            .get(at..at + 6)
            .and_then(|escape| escape.strip_prefix(b"\\u"))?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = json.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += next;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                found.push(at);
                6
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Cursor, stringify};

    #[test]
    fn halves_of_pairs_are_printed_as_javascript_does() {
        for (json, want) in [
            (r#"{ "text" : [1, "a\/b"] }"#, r#"{"text":[1,"a/b"]}"#),
            (
                r#"{ "text": ["\uD83D", 1.0] }"#,
                r#"{"text":["\ud83d",1.0]}"#,
            ),
            (
                r#"{"text": ["\ude00\ud83d\ude00\uD83D", "\\ud83d"]}"#,
                r#"{"text":["\ude00😀\ud83d","\\ud83d"]}"#,
            ),
            (
                r#"{"text": {"a": "\uDE00\ue000"}}"#,
                "{\"text\":{\"a\":\"\\ude00\u{e000}\"}}",
            ),
        ] {
            let printed = text::lossy(&malformed(json.as_bytes()));
            assert_eq!(printed, want);
            if !want.contains("1.0") {
                let length =
                    stringify::length(&mut Cursor::new(json.as_bytes())).expect("it is JSON");
                assert_eq!(length, printed.encode_utf16().count(), "{json}");
            }
        }
        let deep = format!("{}{}", "[".repeat(200), " ]".repeat(200));
        assert_eq!(text::lossy(&malformed(deep.as_bytes())), deep);
    }
}
