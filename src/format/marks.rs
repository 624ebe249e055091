//! What a provider is told beside blocks: cache marks, and the server tool that made a call.

use super::sheet::CallId;
use crate::json::{Cursor, Id, Kind, ScanError};

/// Reads an array of tools or of system texts: whether it has any, and their cache marks.
///
/// # Errors
/// The array is malformed JSON.
pub fn marked(cursor: &mut Cursor<'_>) -> Result<(bool, Vec<bool>), ScanError> {
    let (mut any, mut marks) = (false, Vec::new());
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        any = true;
        if cursor.kind()? != Kind::Object {
            cursor.skip()?;
            continue;
        }
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            if &*key == b"cache_control" { marks.extend(cache_mark(cursor)?) } else { cursor.skip().map(|_| ())? }
        }
    }
    Ok((any, marks))
}

/// Reads a `cache_control`: whether it is for an hour; nothing where it is no mark.
///
/// # Errors
/// The value is malformed JSON.
pub fn cache_mark(cursor: &mut Cursor<'_>) -> Result<Option<bool>, ScanError> {
    if cursor.kind()? != Kind::Object {
        return cursor.skip().map(|_| None);
    }
    let mut long = false;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if &*key == b"ttl" { long = cursor.bytes_or_skip()?.as_deref() == Some(b"1h") } else { cursor.skip().map(|_| ())? }
    }
    Ok(Some(long))
}

/// Reads a `caller`: the server tool whose code made the call.
///
/// # Errors
/// The value is no object, or malformed JSON.
pub fn caller(cursor: &mut Cursor<'_>) -> Result<Option<Id>, ScanError> {
    let mut made_by = None;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if matches!(&*key, b"tool_id" | b"caller_id") {
            made_by = Some(CallId::read(cursor, 0)?.hash).filter(|id| id.is_some())
        } else {
            cursor.skip().map(|_| ())?
        }
    }
    Ok(made_by)
}
