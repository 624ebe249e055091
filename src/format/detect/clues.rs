//! Signs of a format, gathered from one record: its top-level keys, and roles, keys and block types of its first messages.

use super::super::spelling::Spelling;
use super::super::{FORMATS, Format, Layout, Likeness, wrapper};
use super::likeliest;
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
    pub(super) within: Option<&'static str>,
    /// Clues of what a member holds in which a wrapper has its body.
    pub(super) inner: Option<Box<Clues>>,
    /// Whether the record is an element of a list.
    listed: bool,
    /// Whether the walk goes on when some format is certain.
    to_the_end: bool,
    /// Whether that wrapper is the first of a list.
    pub(super) batch: bool,
}

impl Clues {
    /// None yet, of a record that is walked to its end though some format may be certain before.
    pub(super) fn to_the_end() -> Clues {
        Clues { to_the_end: true, ..Clues::default() }
    }

    /// Whether the record has this key at its top.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|(k, _)| k == key)
    }

    /// Whether the record has this list at its top, or is one.
    pub fn lists(&self, key: &str) -> bool {
        self.array || self.has(key)
    }

    /// The string under a key at the top, shortened if it is long.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.keys.iter().find(|(k, _)| k == key)?.1.as_deref()
    }

    /// Whether `format` is asked at all: only bodies have wrappers.
    pub(super) fn may_be(&self, format: &Format) -> bool {
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

/// Messages that are looked into before the rest is only skipped.
const SAMPLE: usize = 16;

pub(super) fn gather(cursor: &mut Cursor<'_>, mut clues: Clues) -> Result<Clues, ScanError> {
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

fn is_certain(clues: &Clues) -> bool {
    let certain = |clues: &Clues| FORMATS.iter().any(|f| clues.may_be(f) && f.likeness(clues) == Likeness::Certain);
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
