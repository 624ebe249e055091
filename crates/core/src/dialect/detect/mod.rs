//! Detects the format of an input from its content.
//!
//! The first record is walked once: its top-level keys, and roles, keys and block types of its
//! first messages. The walk stops as soon as one format is certain.
//! [`Dialect::detect`](crate::dialect::Dialect::detect) evaluates the signals of one format,
//! `confidence` compares formats.

mod signals;

use crate::{
    Error,
    dialect::{
        Confidence, DIALECTS, Dialect, Layout, anthropic,
        builder::{TranscriptBuilder, printable},
        cohere, mistral, ollama, openai_chat,
        shared::unread::{is_about, kind_name},
        wrapper,
    },
    json::{Cursor, Scanned},
    settings::Estimator,
};
use signals::gather;

pub use signals::Signals;

/// The format of an input and whether others fit as well.
#[derive(Clone, Copy, Debug)]
pub struct Detected {
    /// The likeliest format.
    pub format: &'static Dialect,
    /// Another that fits just as well.
    pub rival: Option<&'static Dialect>,
    /// The member that holds the body, where there is a wrapper around it.
    pub within: Option<&'static str>,
    /// Whether it is a list of wrappers, each with a body of its own; then the other fields are
    /// about the first.
    pub batch: bool,
    /// Whether the user named the format, rather than the content.
    pub named: bool,
    /// Whether no other format fits as well.
    pub certain: bool,
}

/// The format as the user names it.
impl From<&'static Dialect> for Detected {
    fn from(format: &'static Dialect) -> Detected {
        Detected {
            format,
            rival: None,
            within: None,
            batch: false,
            named: true,
            certain: false,
        }
    }
}

/// Finds the format of the record at the cursor, which is left past it unless a format was certain
/// before.
///
/// # Errors
/// The record is malformed JSON.
pub fn detect(cursor: &mut Cursor<'_>) -> Scanned<Option<Detected>> {
    detect_among(DIALECTS, cursor)
}

/// Finds the format of the record at the cursor among those of a table.
pub fn detect_among(
    table: &'static [Dialect],
    cursor: &mut Cursor<'_>,
) -> Scanned<Option<Detected>> {
    let signals = gather(cursor, Signals::among(table))?;
    Ok(likeliest(&signals).or_else(|| {
        likeliest(signals.inner.as_deref()?).map(|found| Detected {
            batch: signals.batch,
            ..found
        })
    }))
}

/// Reads the record at the cursor as `format`, if it looks like that format or something in it is
/// understood. The cursor is left past it.
///
/// # Errors
/// The record is malformed JSON.
pub fn fits(format: &'static Dialect, cursor: &mut Cursor<'_>) -> Scanned<Option<Detected>> {
    let from = cursor.next_at();
    // A sign against the format may come late in the record.
    let signals = gather(cursor, Signals::to_the_end())?;
    let end = cursor.at();
    let places: Vec<&Signals> = [Some(&signals), signals.inner.as_deref()]
        .into_iter()
        .flatten()
        .filter(|signals| signals.may_be(format))
        .collect();
    let named = |place: &&Signals| Detected {
        within: place.within,
        batch: signals.batch && place.within.is_some(),
        ..format.into()
    };
    let looks = |place: &&&Signals| confidence(format, place) > Confidence::No;
    let found = places.iter().find(looks).map(named).or_else(|| {
        places.iter().map(named).find(|found| {
            cursor.go_to(from);
            is_readable(cursor, *found)
        })
    });
    cursor.go_to(end);
    Ok(found)
}

/// Whether any message of the record at the cursor is understood.
fn is_readable(cursor: &mut Cursor<'_>, found: Detected) -> bool {
    let mut builder = TranscriptBuilder::new(Estimator::Utf16);
    !found.batch
        && wrapper::read(cursor, found, 1, &mut builder).is_ok()
        && builder.all_not_understood().1.understood > 0
}

/// Returns why the record at the cursor is of no known format: its first keys that hold content.
pub fn unknown(cursor: &mut Cursor<'_>) -> Error {
    let kind = cursor.kind().map_or("it", kind_name);
    let signals = gather(cursor, Signals::to_the_end()).unwrap_or_default();
    let all: Vec<&str> = signals.names().collect();
    let telling: Vec<&str> = all.iter().copied().filter(|name| !is_about(name)).collect();
    let names: Vec<String> = if telling.is_empty() { all } else { telling }
        .into_iter()
        .take(KEYS)
        .map(printable)
        .collect();
    if ["parent_id", "type"]
        .iter()
        .all(|key| signals.names().any(|name| name == *key))
    {
        return unknown_format("a session of tau (key parent_id) is".to_owned());
    }
    unknown_format(match &names[..] {
        [] => format!("{kind} is"),
        [one] => format!("key {one} is"),
        [first, rest @ ..] => format!("key {first} (then {}) is", rest.join(", ")),
    })
}

/// Returns the error of an input that no format fits; `what` names what was not understood, with
/// its verb, or is empty.
pub fn unknown_format(what: String) -> Error {
    Error::UnknownFormat {
        what,
        known: known(),
    }
}

/// The names of all formats.
pub fn known() -> String {
    DIALECTS
        .iter()
        .map(|format| format.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The number of keys that the error names of an unknown record.
const KEYS: usize = 6;

fn likeliest(signals: &Signals) -> Option<Detected> {
    let mut ranked: Vec<(Confidence, &'static Dialect)> = signals
        .table
        .iter()
        .filter(|f| signals.may_be(f))
        .map(|f| (confidence(f, signals), f))
        .filter(|(l, _)| *l > Confidence::Named)
        .collect();
    ranked.sort_by_key(|(confidence, _)| std::cmp::Reverse(*confidence));
    let (best, format) = *ranked.first()?;
    let rival = ranked.get(1).filter(|(l, _)| *l == best).map(|(_, f)| *f);
    Some(Detected {
        format,
        rival,
        within: signals.within,
        batch: false,
        named: false,
        certain: best == Confidence::Certain,
    })
}

/// Returns how likely an input with these signals is of `dialect`. Comparisons make no format
/// certain.
pub fn confidence(dialect: &Dialect, signals: &Signals) -> Confidence {
    let found = preferred(dialect, signals).unwrap_or_else(|| (dialect.detect)(signals));
    // A list of messages without its body is a body only if the user says so.
    if signals.array && dialect.layout == Layout::Body {
        found.min(Confidence::Named)
    } else {
        found
    }
}

/// Returns the confidence in a dialect that gives way to another, if one fits as well.
fn preferred(dialect: &Dialect, signals: &Signals) -> Option<Confidence> {
    let rival = || mistral::detect(signals).max(cohere::detect(signals));
    if dialect.name == anthropic::DIALECT.name {
        // Both have reasoning of Anthropic's type.
        let gives_way = anthropic::may_be(signals) && rival() >= Confidence::Likely;
        return gives_way.then_some(Confidence::Named);
    }
    let is_chat = dialect.name == openai_chat::DIALECT.name
        && signals.may_be_chat()
        && !openai_chat::is_own(signals);
    if !is_chat {
        return None;
    }
    match rival().max(ollama::detect(signals)) {
        Confidence::Certain => Some(Confidence::Named),
        // If only the model, or arguments that are not a string, speak for another format, the user
        // may still name this one.
        Confidence::Likely if signals.value("model").is_some() || signals.calls.objects => {
            Some(Confidence::Maybe)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(json: &str) -> Option<&'static str> {
        detect(&mut Cursor::new(json.as_bytes()))
            .unwrap()
            .map(|d| d.format.name)
    }

    /// The formats are asked as often for many keys as for few, whatever the keys are beside.
    #[test]
    fn fault_01_many_keys_take_linear_time() {
        let hi = r#"{"role":"user","content":"hi"}"#;
        for (head, tail, want) in [
            (
                r#""model":"gpt-5""#,
                format!(r#""messages":[{hi}]"#),
                Some("openai-chat"),
            ),
            (
                r#""model":"claude-a","max_tokens":9"#,
                format!(r#""messages":[{hi}]"#),
                Some("anthropic"),
            ),
            (
                r#""model":"gpt-5""#,
                format!(r#""input":[{hi}]"#),
                Some("openai-responses"),
            ),
            (
                r#""info":{}"#,
                r#""messages":[{"info":{},"parts":[]}]"#.to_owned(),
                Some("opencode"),
            ),
            (
                r#""n":1"#,
                r#""contents":[{"parts":[{"text":"hi"}]}]"#.to_owned(),
                Some("gemini"),
            ),
            (
                r#""n":1"#,
                r#""body":{"messages":[{"role":"tool"}]}"#.to_owned(),
                Some("openai-chat"),
            ),
            (r#""n":1"#, r#""n":2"#.to_owned(), None),
        ] {
            let keys = |n: usize, key: &dyn Fn(usize) -> String| {
                (0..n)
                    .map(|i| format!(r#""{}":{i},"#, key(i)))
                    .collect::<String>()
            };
            let asks = |json: &str| {
                gather(&mut Cursor::new(json.as_bytes()), Signals::among(DIALECTS))
                    .unwrap()
                    .asks
            };
            let distinct = |n| format!("{{{head},{}{tail}}}", keys(n, &|i| format!("key{i}")));
            let alike = |n| format!("{{{head},{}{tail}}}", keys(n, &|_| "model".to_owned()));
            assert_eq!(asks(&distinct(32_000)), asks(&distinct(100)), "{tail}");
            assert_eq!(asks(&alike(32_000)), asks(&alike(100)), "{tail}");
            assert!(asks(&distinct(32_000)) < 64, "{tail}");
            assert_eq!(name(&distinct(32_000)), want, "{tail}");
        }
        // Nor for many lists of messages, and many roles, keys and types in them.
        for message in [
            r#"{"role":"r#"}"#,
            r#"{"k#":1}"#,
            r#"{"content":[{"type":"t#"}]}"#,
            r#"{"content":[{"k#":1}]}"#,
        ] {
            let lists: String = (0..4_000)
                .map(|i| format!(r#""messages":[{}],"#, message.replace('#', &i.to_string())))
                .collect();
            let signals = gather(
                &mut Cursor::new(format!(r#"{{{lists}"n":1}}"#).as_bytes()),
                Signals::among(DIALECTS),
            )
            .unwrap();
            assert!(signals.asks < 600, "{message}: {}", signals.asks);
        }
    }

    /// Inputs and their formats.
    const BY_CONTENT: &[(&str, Option<&str>)] = &[
        (
            r#"{"type":"session","version":3,"id":"x","timestamp":"t"}"#,
            Some("openclaw"),
        ),
        (
            r#"{"type":"message","timestamp":"t","message":{"role":"user","content":"x"}}"#,
            Some("openclaw"),
        ),
        (
            r#"{"role":"toolResult","toolCallId":"a","content":[]}"#,
            Some("openclaw"),
        ),
        (
            r#"[{"role":"assistant","content":[{"type":"toolCall","id":"a"}]}]"#,
            Some("openclaw"),
        ),
        (
            r#"{"model":"claude-a","max_tokens":1,"messages":[{"role":"user","content":"x"}]}"#,
            Some("anthropic"),
        ),
        (
            r#"{"messages":[{"role":"user","content":[{"type":"tool_result"}]}]}"#,
            Some("anthropic"),
        ),
        (
            r#"{"messages":[{"role":"assistant","tool_calls":[]}],"system":"s"}"#,
            Some("openai-chat"),
        ),
        (
            r#"{"model":"gpt-5","messages":[{"role":"user","content":"x"}]}"#,
            Some("openai-chat"),
        ),
        (
            r#"{"messages":[{"role":"user","content":"x"}]}"#,
            Some("openai-chat"),
        ),
        (r#"{"role":"user","content":"x"}"#, Some("messages")),
        (r#"[{"role":"user","content":"x"}]"#, Some("messages")),
        (r#"{"a":1}"#, None),
        (
            r#"{"model":"gpt-5","input":[{"role":"user","content":"x"}]}"#,
            Some("openai-responses"),
        ),
        (
            r#"{"input":[{"call_id":"c","output":"x","type":"function_call_output"}]}"#,
            Some("openai-responses"),
        ),
        (
            r#"{"model":"gpt-5","input":"x","instructions":"y"}"#,
            Some("openai-responses"),
        ),
        (r#"{"model":"gpt-5","input":"x"}"#, Some("openai-responses")),
        (
            r#"{"model":"text-embedding-3-small","input":["x","y"]}"#,
            None,
        ),
        (r#"{"model":"text-embedding-3-small","input":"x"}"#, None),
        (r#"{"model":"m","input":"x","voice":"alloy"}"#, None),
        (
            r#"{"custom_id":"a","url":"u","body":{"messages":[{"role":"tool"}]}}"#,
            Some("openai-chat"),
        ),
        (
            r#"{"params":{"model":"claude-a","max_tokens":1,"messages":[]},"custom_id":"a"}"#,
            Some("anthropic"),
        ),
        (
            r#"{"request":{"request":{"messages":[{"role":"tool"}]}}}"#,
            None,
        ),
        (r#"{"request":{"role":"user","content":"x"}}"#, None),
        (
            r#"{"requests":[{"custom_id":"a","params":{"anthropic_version":"x","messages":[]}}]}"#,
            Some("anthropic"),
        ),
        (
            r#"{"n":1,"requests":[7,{},{"params":{}},{"body":{"messages":[{"role":"tool"}]}}],"m":2}"#,
            Some("openai-chat"),
        ),
        (
            r#"{"requests":[{"anthropic_version":"x","messages":[]},{"params":{"messages":[]}}],"m":2}"#,
            None,
        ),
        (
            r#"{"requests":[{"requests":[{"params":{"messages":[]}}]}]}"#,
            None,
        ),
        (
            r#"{"type":"session","timestamp":"t","body":{"messages":[{"role":"tool"}]}}"#,
            Some("openclaw"),
        ),
        ("[1,2]", None),
        ("7", None),
    ];

    #[test]
    fn by_content() {
        for (json, want) in BY_CONTENT {
            assert_eq!(name(json), *want, "{json}");
        }
    }
}
