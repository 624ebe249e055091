//! Parts of a request beside blocks: declared tools, cache marks, and the server tool that made a call.

use crate::dialect::builder::CallId;
use crate::json::{Cursor, Id, Kind, Scanned};
use crate::transcript::Request;
use std::borrow::Cow;

/// Reads an array of tools, and notes in a request what they say.
///
/// # Errors
/// The array is malformed JSON.
pub fn tools(cursor: &mut Cursor<'_>, request: &mut Request) -> Scanned {
    request.tools = false;
    request.tool_marks.clear();
    request.declared.clear();
    cursor.each_element(|_, cursor| {
        if cursor.kind()? == Kind::Object {
            tool(cursor, request)?;
        } else {
            request.tools = true;
        }
        Ok(())
    })
}

/// Reads a tool. Its name is in it or in what it holds, in which there is no other tool: so far does the walk go in.
fn tool(cursor: &mut Cursor<'_>, request: &mut Request) -> Scanned {
    let first = request.declared.len();
    cursor.each_member(|key, cursor| {
        // A cache point is among the tools and is none.
        request.tools |= key != b"cachePoint";
        // Of a key that is there twice the last counts.
        match (key, cursor.kind()?) {
            (b"cache_control" | b"cachePoint", _) => request.tool_marks.extend(cache_mark(cursor)?),
            (b"name", _) => {
                request.declared.truncate(first);
                name(cursor, &mut request.declared)?;
            }
            (b"function" | b"custom" | b"toolSpec", _) => {
                request.declared.truncate(first);
                named(cursor, &mut request.declared)?;
            }
            (b"functionDeclarations" | b"function_declarations", kind) => {
                request.declared.truncate(first);
                if kind == Kind::Array {
                    cursor.each_object(|_, cursor| named(cursor, &mut request.declared))?;
                }
            }
            _ => {}
        }
        Ok(())
    })
}

/// Reads the name of what a tool holds.
fn named(cursor: &mut Cursor<'_>, names: &mut Vec<String>) -> Scanned {
    let first = names.len();
    cursor.member(b"name", |cursor| {
        names.truncate(first);
        name(cursor, names)
    })
}

fn name(cursor: &mut Cursor<'_>, names: &mut Vec<String>) -> Scanned {
    names.extend(cursor.string_or_skip()?.map(Cow::into_owned));
    Ok(())
}

/// Reads a `cache_control`: whether it is for an hour; nothing where it is no mark.
///
/// # Errors
/// The value is malformed JSON.
pub fn cache_mark(cursor: &mut Cursor<'_>) -> Scanned<Option<bool>> {
    if cursor.kind()? != Kind::Object {
        return cursor.skip().map(|_| None);
    }
    let mut long = false;
    cursor.member(b"ttl", |cursor| {
        long = cursor.bytes_or_skip()?.as_deref() == Some(b"1h");
        Ok(())
    })?;
    Ok(Some(long))
}

/// Reads a `caller`: the server tool whose code made the call.
///
/// # Errors
/// The value is no object, or malformed JSON.
pub fn caller(cursor: &mut Cursor<'_>) -> Scanned<Option<Id>> {
    let mut made_by = None;
    cursor.each_member(|key, cursor| {
        if matches!(key, b"tool_id" | b"caller_id") {
            made_by = Some(CallId::read(cursor)?.hash).filter(|id| id.is_some())
        }
        Ok(())
    })?;
    Ok(made_by)
}
