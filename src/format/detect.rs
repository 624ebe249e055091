//! Which format an input is, by its content.
//!
//! The first record is looked over once: its top-level keys, and roles, keys and block types of its first messages. The
//! walk stops as soon as some format is certain. [`Format::looks`](super::Format::looks) weighs the signs.

use super::spelling::Spelling;
use super::{FORMATS, Format, Layout, Likeness, wrapper};
use crate::json::{Cursor, Kind, ScanError};

/// Signs of a format, from one record or from a few lines.
#[derive(Debug, Default)]
pub struct Clues {
    keys: Vec<(String, Option<String>)>,
    message_keys: Vec<String>,
    tool_keys: Vec<String>,
    block_keys: Vec<String>,
    /// Whether a block seen has no type.
    untyped: bool,
    /// Roles of the messages seen, in order.
    pub roles: Vec<String>,
    /// Types of the blocks seen.
    pub block_types: Vec<String>,
    /// Whether the record is an array.
    pub array: bool,
    /// How calls beside a content are spelled.
    pub calls: Spelling,
    /// The member of a wrapper that these are the clues of.
    within: Option<&'static str>,
    /// Clues of what a member holds in which a wrapper has its body.
    inner: Option<Box<Clues>>,
    /// Whether the record is an element of a list.
    listed: bool,
    /// Whether the walk goes on when some format is certain.
    to_the_end: bool,
    /// Whether that wrapper is the first of a list.
    batch: bool,
}

impl Clues {
    /// Whether the record has this key at its top.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|(k, _)| k == key)
    }

    /// The string under a key at the top, shortened if it is long.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.keys.iter().find(|(k, _)| k == key)?.1.as_deref()
    }

    /// Whether `format` is asked at all: only bodies have wrappers.
    fn may_be(&self, format: &Format) -> bool {
        self.within.is_none() || format.layout == Layout::Body
    }

    /// Whether a message has this key.
    pub fn message_has(&self, key: &str) -> bool {
        self.message_keys.iter().any(|k| k == key)
    }

    /// Whether a declared tool has this key.
    pub fn has_tool_member(&self, key: &str) -> bool {
        self.tool_keys.iter().any(|k| k == key)
    }

    /// Whether a block seen has this key.
    pub fn block_has(&self, key: &str) -> bool {
        self.block_keys.iter().any(|k| k == key)
    }

    /// Whether there are blocks and none of them has a type.
    pub fn is_untyped(&self) -> bool {
        self.untyped && self.block_types.is_empty()
    }
}

/// The format of an input and whether others fit as well.
#[derive(Clone, Copy, Debug)]
pub struct Detected {
    /// The likeliest format.
    pub format: &'static Format,
    /// Another that fits just as well.
    pub rival: Option<&'static Format>,
    /// The member that holds the body, where there is a wrapper around it.
    pub within: Option<&'static str>,
    /// Whether it is a list of wrappers, each with a body of its own; then the rest is said of the first.
    pub batch: bool,
}

impl From<&'static Format> for Detected {
    fn from(format: &'static Format) -> Detected {
        Detected { format, rival: None, within: None, batch: false }
    }
}

/// Messages that are looked into before the rest is only skipped.
const SAMPLE: usize = 16;

/// Finds the format of the record at the cursor, which is left past it unless a format was certain before.
///
/// # Errors
/// The record is malformed JSON.
pub fn detect(cursor: &mut Cursor<'_>) -> Result<Option<Detected>, ScanError> {
    let clues = gather(cursor, Clues::default())?;
    Ok(likeliest(&clues).or_else(|| likeliest(clues.inner.as_deref()?).map(|found| Detected { batch: clues.batch, ..found })))
}

/// The record at the cursor as one of `format`, where it can be that.
///
/// # Errors
/// The record is malformed JSON.
pub fn fits(format: &'static Format, cursor: &mut Cursor<'_>) -> Result<Option<Detected>, ScanError> {
    // What speaks against it may come late.
    let clues = gather(cursor, Clues { to_the_end: true, ..Clues::default() })?;
    let fits = |clues: &Clues| (format.looks)(clues) > Likeness::No && clues.may_be(format);
    let found = [Some(&clues), clues.inner.as_deref()].into_iter().flatten().find(|clues| fits(clues));
    Ok(found.map(|found| Detected { within: found.within, batch: clues.batch && found.within.is_some(), ..format.into() }))
}

fn gather(cursor: &mut Cursor<'_>, mut clues: Clues) -> Result<Clues, ScanError> {
    match cursor.kind()? {
        Kind::Array => {
            clues.array = true;
            messages(cursor, &mut clues)?;
        }
        Kind::Object => object(cursor, &mut clues)?,
        _ => {
            cursor.skip()?;
        }
    }
    Ok(clues)
}

fn likeliest(clues: &Clues) -> Option<Detected> {
    let mut ranked: Vec<(Likeness, &'static Format)> =
        FORMATS.iter().filter(|f| clues.may_be(f)).map(|f| ((f.looks)(clues), f)).filter(|(l, _)| *l > Likeness::Named).collect();
    ranked.sort_by_key(|(likeness, _)| std::cmp::Reverse(*likeness));
    let (best, format) = *ranked.first()?;
    let rival = ranked.get(1).filter(|(l, _)| *l == best).map(|(_, f)| *f);
    Some(Detected { format, rival, within: clues.within, batch: false })
}

fn is_certain(clues: &Clues) -> bool {
    let certain = |clues: &Clues| FORMATS.iter().any(|f| clues.may_be(f) && (f.looks)(clues) == Likeness::Certain);
    !clues.to_the_end && (certain(clues) || clues.inner.as_deref().is_some_and(certain))
}

fn object(cursor: &mut Cursor<'_>, clues: &mut Clues) -> Result<(), ScanError> {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        let key = String::from_utf8_lossy(&key).into_owned();
        match (key.as_str(), cursor.kind()?) {
            ("messages" | "contents" | "input", Kind::Array) => {
                clues.keys.push((key, None));
                if messages(cursor, clues)? {
                    return Ok(());
                }
            }
            ("message" | "contents", Kind::Object) => {
                clues.keys.push((key, None));
                message(cursor, clues)?;
            }
            ("content" | "system", Kind::Array) => {
                clues.keys.push((key, None));
                blocks(cursor, clues)?;
            }
            (name, Kind::Object) if clues.within.is_none() && wrapper::member(name).is_some() => {
                let mut inner = Clues { within: wrapper::member(name), to_the_end: clues.to_the_end, ..Clues::default() };
                clues.keys.push((key, None));
                // No deeper than this: a wrapper has no wrapper inside.
                object(cursor, &mut inner)?;
                clues.inner = Some(Box::new(inner));
            }
            (wrapper::LIST, Kind::Array) if clues.within.is_none() && !clues.listed => {
                clues.keys.push((key, None));
                if first_of_list(cursor, clues)? {
                    return Ok(());
                }
            }
            ("tools", Kind::Array) => {
                clues.keys.push((key, None));
                tools(cursor, clues)?;
            }
            (_, Kind::String) => {
                let value = cursor.string_or_skip()?.map(|v| if v.len() < 200 { v } else { v.chars().take(50).collect() });
                if key == "role" {
                    clues.roles.extend(value.clone().map(|r| r.into_owned()));
                }
                clues.keys.push((key, value.map(|v| v.into_owned())));
            }
            _ => {
                cursor.skip()?;
                clues.keys.push((key, None));
            }
        }
        if is_certain(clues) {
            return Ok(());
        }
    }
    Ok(())
}

/// Looks into the first elements of a list; true, with the cursor among them, as soon as one says what the list is.
fn first_of_list(cursor: &mut Cursor<'_>, clues: &mut Clues) -> Result<bool, ScanError> {
    let mut elements = cursor.enter_array()?;
    let mut seen = 0;
    while cursor.element(&mut elements)? {
        seen += 1;
        if clues.batch || seen > SAMPLE || cursor.kind()? != Kind::Object {
            cursor.skip()?;
            continue;
        }
        let mut element = Clues { listed: true, to_the_end: clues.to_the_end, ..Clues::default() };
        object(cursor, &mut element)?;
        // Bodies without wrappers are no batch.
        let done = is_certain(&element);
        if element.inner.as_deref().is_some_and(|inner| likeliest(inner).is_some()) {
            (clues.batch, clues.inner) = (true, element.inner);
        }
        if done || clues.batch && !clues.to_the_end {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Looks into the first messages; true, with the cursor among them, as soon as they make some format certain.
fn messages(cursor: &mut Cursor<'_>, clues: &mut Clues) -> Result<bool, ScanError> {
    let mut elements = cursor.enter_array()?;
    let mut seen = 0;
    while cursor.element(&mut elements)? {
        seen += 1;
        if seen > SAMPLE || cursor.kind()? != Kind::Object {
            cursor.skip()?;
            continue;
        }
        message(cursor, clues)?;
        if is_certain(clues) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn message(cursor: &mut Cursor<'_>, clues: &mut Clues) -> Result<(), ScanError> {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        let kind = cursor.kind()?;
        match &*key {
            b"role" => clues.roles.extend(cursor.string_or_skip()?.map(|r| r.into_owned())),
            b"content" | b"parts" if kind == Kind::Array => blocks(cursor, clues)?,
            b"tool_calls" if kind == Kind::Array => clues.calls.read(cursor)?,
            _ => {
                cursor.skip()?;
            }
        }
        add(&mut clues.message_keys, &key);
    }
    Ok(())
}

fn blocks(cursor: &mut Cursor<'_>, clues: &mut Clues) -> Result<(), ScanError> {
    let mut elements = cursor.enter_array()?;
    while cursor.object_element(&mut elements)? {
        let mut typed = false;
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            add(&mut clues.block_keys, &key);
            match &*key {
                b"type" => {
                    typed = true;
                    if let Some(kind) = cursor.string_or_skip()? {
                        add(&mut clues.block_types, kind.as_bytes());
                    }
                }
                _ => {
                    cursor.skip()?;
                }
            }
        }
        clues.untyped |= !typed;
    }
    Ok(())
}

fn tools(cursor: &mut Cursor<'_>, clues: &mut Clues) -> Result<(), ScanError> {
    let mut elements = cursor.enter_array()?;
    while cursor.object_element(&mut elements)? {
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            add(&mut clues.tool_keys, &key);
            cursor.skip()?;
        }
    }
    Ok(())
}

fn add(list: &mut Vec<String>, name: &[u8]) {
    if list.len() < 256 && !list.iter().any(|n| n.as_bytes() == name) {
        list.push(String::from_utf8_lossy(name).into_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(json: &str) -> Option<&'static str> {
        detect(&mut Cursor::new(json.as_bytes())).unwrap().map(|d| d.format.name)
    }

    #[test]
    fn by_content() {
        for (json, want) in [
            (r#"{"type":"session","version":3,"id":"x","timestamp":"t"}"#, Some("openclaw")),
            (r#"{"type":"message","timestamp":"t","message":{"role":"user","content":"x"}}"#, Some("openclaw")),
            (r#"{"role":"toolResult","toolCallId":"a","content":[]}"#, Some("openclaw")),
            (r#"[{"role":"assistant","content":[{"type":"toolCall","id":"a"}]}]"#, Some("openclaw")),
            (r#"{"model":"claude-a","max_tokens":1,"messages":[{"role":"user","content":"x"}]}"#, Some("anthropic")),
            (r#"{"messages":[{"role":"user","content":[{"type":"tool_result"}]}]}"#, Some("anthropic")),
            (r#"{"messages":[{"role":"assistant","tool_calls":[]}],"system":"s"}"#, Some("openai-chat")),
            (r#"{"model":"gpt-5","messages":[{"role":"user","content":"x"}]}"#, Some("openai-chat")),
            (r#"{"messages":[{"role":"user","content":"x"}]}"#, Some("openai-chat")),
            (r#"{"role":"user","content":"x"}"#, Some("messages")),
            (r#"[{"role":"user","content":"x"}]"#, Some("messages")),
            (r#"{"a":1}"#, None),
            (r#"{"model":"gpt-5","input":[{"role":"user","content":"x"}]}"#, Some("openai-responses")),
            (r#"{"input":[{"call_id":"c","output":"x","type":"function_call_output"}]}"#, Some("openai-responses")),
            (r#"{"model":"gpt-5","input":"x","instructions":"y"}"#, Some("openai-responses")),
            (r#"{"model":"gpt-5","input":"x"}"#, Some("openai-responses")),
            (r#"{"model":"text-embedding-3-small","input":["x","y"]}"#, None),
            (r#"{"model":"text-embedding-3-small","input":"x"}"#, None),
            (r#"{"model":"m","input":"x","voice":"alloy"}"#, None),
            (r#"{"custom_id":"a","url":"u","body":{"messages":[{"role":"tool"}]}}"#, Some("openai-chat")),
            (r#"{"params":{"model":"claude-a","max_tokens":1,"messages":[]},"custom_id":"a"}"#, Some("anthropic")),
            (r#"{"request":{"request":{"messages":[{"role":"tool"}]}}}"#, None),
            (r#"{"request":{"role":"user","content":"x"}}"#, None),
            (r#"{"requests":[{"custom_id":"a","params":{"anthropic_version":"x","messages":[]}}]}"#, Some("anthropic")),
            (r#"{"n":1,"requests":[7,{},{"params":{}},{"body":{"messages":[{"role":"tool"}]}}],"m":2}"#, Some("openai-chat")),
            (r#"{"requests":[{"anthropic_version":"x","messages":[]},{"params":{"messages":[]}}],"m":2}"#, None),
            (r#"{"requests":[{"requests":[{"params":{"messages":[]}}]}]}"#, None),
            (r#"{"type":"session","timestamp":"t","body":{"messages":[{"role":"tool"}]}}"#, Some("openclaw")),
            ("[1,2]", None),
            ("7", None),
        ] {
            assert_eq!(name(json), want, "{json}");
        }
    }
}
