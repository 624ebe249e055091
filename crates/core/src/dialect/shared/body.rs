//! Request bodies whose history is `messages`, and lists of messages wherever they stand.

use super::answered::Answered;
use super::declared::{Declared, cache_mark};
use super::message::message;
use super::prompt::{documents, prompt};
use super::unread;
use crate::dialect::sheet::{Level, Sheet};
use crate::json::{Cursor, Kind, ScanError};
use crate::transcript::Thinking;
use std::borrow::Cow;

/// Reads a request body whose history is `messages`, or that history alone.
///
/// # Errors
/// The body is malformed JSON, or no object.
pub fn body(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    let kind = cursor.kind()?;
    let origin = cursor.at();
    if kind == Kind::Array {
        // A list says nothing of tools: what it does not declare is not missing.
        sheet.request.tools = true;
        return messages(cursor, origin, sheet);
    }
    let before = sheet.mark();
    let mut members = cursor.enter_object()?;
    let (mut found, mut answered) = (false, Answered::default());
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"messages" => {
                found = true;
                sheet.rollback_blocks(before);
                history(cursor, origin, "messages", sheet, messages)?;
            }
            b"model" => sheet.model = cursor.string_or_skip()?.map(Cow::into_owned),
            b"tools" if cursor.kind()? == Kind::Array => Declared::read(cursor)?.note(&mut sheet.request),
            b"thinking" if cursor.kind()? == Kind::Object => sheet.request.thinking = thinking(cursor)?,
            b"cache_control" => sheet.request.automatic_mark = cache_mark(cursor)?,
            b"system" => sheet.request.system_marks = prompt(cursor, origin, sheet)?,
            b"documents" if cursor.kind()? == Kind::Array => documents(cursor, origin, sheet)?,
            name => answered.skip(cursor, name)?,
        }
    }
    answered.note(sheet);
    if !found {
        missing("messages", sheet);
    }
    Ok(())
}

/// Reads the array of messages under `name` as `read` does, and notes any other value.
///
/// # Errors
/// The value is malformed JSON.
pub fn history(
    cursor: &mut Cursor<'_>,
    origin: usize,
    name: &str,
    sheet: &mut Sheet,
    read: fn(&mut Cursor<'_>, usize, &mut Sheet) -> Result<(), ScanError>,
) -> Result<(), ScanError> {
    if cursor.kind()? == Kind::Array {
        return read(cursor, origin, sheet);
    }
    cursor.skip()?;
    sheet.strange(Level::Place, format!("key {name} that is no list"));
    Ok(())
}

/// Notes that a body has no `name`, under which its messages would stand.
pub fn missing(name: &str, sheet: &mut Sheet) {
    sheet.strange(Level::Place, format!("body without key {name}"));
}

/// Reads what is asked of thinking.
fn thinking(cursor: &mut Cursor<'_>) -> Result<Thinking, ScanError> {
    let mut found = Thinking::Unsaid;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if &*key != b"type" {
            cursor.skip()?;
            continue;
        }
        found = match cursor.bytes_or_skip()?.as_deref() {
            Some(b"enabled") => Thinking::Enabled,
            Some(b"disabled") => Thinking::Disabled,
            _ => Thinking::Adaptive,
        };
    }
    Ok(found)
}

/// Reads an array of messages; what is no object is noted.
///
/// # Errors
/// The array is malformed JSON.
pub fn messages(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    objects(cursor, sheet, |cursor, sheet| message(cursor, origin, sheet).map(|_| ()))
}

/// Reads each object of an array as `read` does, and notes each other element.
///
/// # Errors
/// The array is malformed JSON.
pub fn objects(
    cursor: &mut Cursor<'_>,
    sheet: &mut Sheet,
    mut read: impl FnMut(&mut Cursor<'_>, &mut Sheet) -> Result<(), ScanError>,
) -> Result<(), ScanError> {
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        match cursor.kind()? {
            Kind::Object => read(cursor, sheet)?,
            kind => no_message(cursor, kind, sheet)?,
        }
    }
    Ok(())
}

/// Notes a value of `kind` that stands where a message should, and skips it.
///
/// # Errors
/// The value is malformed JSON.
#[cold]
pub fn no_message(cursor: &mut Cursor<'_>, kind: Kind, sheet: &mut Sheet) -> Result<(), ScanError> {
    cursor.skip()?;
    sheet.strange(Level::Place, format!("{} in place of a message", unread::kind_name(kind)));
    Ok(())
}
