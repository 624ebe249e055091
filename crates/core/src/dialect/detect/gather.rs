//! Collects the signals of a record in one walk, which stops as soon as one format is certain.

use super::Signals;
use crate::dialect::cline::texts;
use crate::dialect::detect::likeliest;
use crate::dialect::detect::preferences::confidence;
use crate::dialect::{Confidence, wrapper};
use crate::json::{Cursor, Kind, Scanned};

/// Messages that are looked into before the rest is only skipped.
const SAMPLE: usize = 16;

pub fn gather(cursor: &mut Cursor<'_>, mut signals: Signals) -> Scanned<Signals> {
    match cursor.kind()? {
        Kind::Array => {
            signals.array = true;
            messages(cursor, &mut signals, false)?;
        }
        Kind::Object => object(cursor, &mut signals)?,
        _ => drop(cursor.skip()?),
    }
    Ok(signals)
}

/// Whether some format is certain. The formats are asked after every new sign. There are only so many signs, so that how often
/// they are asked does not grow with the record.
fn is_certain(signals: &mut Signals) -> bool {
    let count = signals.count();
    if signals.to_the_end || signals.certain || count == signals.asked {
        return signals.certain;
    }
    (signals.asked, signals.asks) = (count, signals.asks + 1);
    signals.certain = signals.inner.as_deref().is_some_and(|inner| inner.certain)
        || signals
            .table
            .iter()
            .any(|f| signals.may_be(f) && confidence(f, signals) == Confidence::Certain);
    signals.certain
}

fn object(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Scanned {
    let mut members = cursor.enter_object()?;
    // Messages that come before the model, as where keys are sorted, may be those of another format: then all keys are read.
    let mut open = false;
    let mut model = false;
    while let Some(key) = cursor.key(&mut members)? {
        let key = String::from_utf8_lossy(&key).into_owned();
        model |= key == "model";
        open = !model && (open || key == "messages");
        match (key.as_str(), cursor.kind()?) {
            ("messages" | "contents" | "input", Kind::Array) => {
                signals.key(key, None);
                if messages(cursor, signals, open)? {
                    return Ok(());
                }
            }
            ("message" | "contents", Kind::Object) => {
                signals.key(key, None);
                message(cursor, signals)?;
            }
            ("content" | "system", Kind::Array) => {
                signals.key(key, None);
                blocks(cursor, signals)?;
            }
            (name, Kind::Object) if signals.within.is_none() && wrapper::member(name).is_some() => {
                let mut inner = Signals {
                    within: wrapper::member(name),
                    to_the_end: signals.to_the_end,
                    ..Signals::among(signals.table)
                };
                signals.key(key, None);
                // No deeper than this: a wrapper has no wrapper inside.
                object(cursor, &mut inner)?;
                signals.inner = Some(Box::new(inner));
            }
            (wrapper::LIST, Kind::Array) if signals.within.is_none() && !signals.listed => {
                signals.key(key, None);
                if first_of_list(cursor, signals)? {
                    return Ok(());
                }
            }
            ("tools", Kind::Array) => {
                signals.key(key, None);
                tools(cursor, signals)?;
            }
            (_, Kind::String) => {
                let value = cursor.string_or_skip()?.map(|v| {
                    if v.len() < 200 {
                        v
                    } else {
                        v.chars().take(50).collect()
                    }
                });
                if let Some(role) = value.as_deref().filter(|_| key == "role") {
                    add(&mut signals.roles, role.as_bytes());
                }
                signals.key(key, value.map(|v| v.into_owned()));
            }
            _ => signals.key(key, None),
        }
        if is_certain(signals) && !open {
            return Ok(());
        }
    }
    Ok(())
}

/// Looks into the first elements of a list; true, with the cursor among them, as soon as one says what the list is.
fn first_of_list(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Scanned<bool> {
    let mut elements = cursor.enter_array()?;
    let mut seen = 0;
    while cursor.element(&mut elements)? {
        seen += 1;
        if signals.batch || seen > SAMPLE || cursor.kind()? != Kind::Object {
            continue;
        }
        let mut element = Signals {
            listed: true,
            to_the_end: signals.to_the_end,
            ..Signals::among(signals.table)
        };
        object(cursor, &mut element)?;
        // Bodies without wrappers are no batch.
        let done = is_certain(&mut element);
        if element
            .inner
            .as_deref()
            .is_some_and(|inner| likeliest(inner).is_some())
        {
            (signals.batch, signals.inner) = (true, element.inner);
        }
        if done || signals.batch && !signals.to_the_end {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Looks into the first messages; true, with the cursor among them, as soon as they make some format certain, unless
/// that is left open.
fn messages(cursor: &mut Cursor<'_>, signals: &mut Signals, open: bool) -> Scanned<bool> {
    let mut elements = cursor.enter_array()?;
    let mut seen = 0;
    while cursor.element(&mut elements)? {
        seen += 1;
        if seen > SAMPLE || signals.certain || cursor.kind()? != Kind::Object {
            continue;
        }
        message(cursor, signals)?;
        if is_certain(signals) && !open {
            return Ok(true);
        }
    }
    Ok(false)
}

fn message(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Scanned {
    cursor.each_member(|key, cursor| {
        let kind = cursor.kind()?;
        match key {
            b"role" => {
                if let Some(role) = cursor.bytes_or_skip()? {
                    add(&mut signals.roles, &role);
                }
            }
            b"content" | b"parts" if kind == Kind::Array => blocks(cursor, signals)?,
            b"tool_calls" if kind == Kind::Array => signals.calls.read(cursor)?,
            _ => {}
        }
        add(&mut signals.message_keys, key);
        Ok(())
    })
}

fn blocks(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Scanned {
    cursor.each_object(|_, cursor| {
        let mut typed = false;
        cursor.each_member(|key, cursor| {
            add(&mut signals.block_keys, key);
            match key {
                b"type" => {
                    typed = true;
                    if let Some(kind) = cursor.string_or_skip()? {
                        add(&mut signals.block_types, kind.as_bytes());
                    }
                }
                b"text" => {
                    let from = cursor.at();
                    let kind = cursor.skip()?;
                    let text = &cursor.bytes()[from..cursor.at()];
                    signals.headed |=
                        kind == Kind::String && texts::is_headed(&text[1..text.len() - 1]);
                }
                _ => {}
            }
            Ok(())
        })?;
        signals.untyped |= !typed;
        Ok(())
    })
}

fn tools(cursor: &mut Cursor<'_>, signals: &mut Signals) -> Scanned {
    cursor.each_object(|_, cursor| {
        cursor.each_member(|key, _| {
            add(&mut signals.tool_keys, key);
            Ok(())
        })
    })
}

fn add(list: &mut Vec<String>, name: &[u8]) {
    if list.len() < 256 && !list.iter().any(|n| n.as_bytes() == name) {
        list.push(String::from_utf8_lossy(name).into_owned());
    }
}
