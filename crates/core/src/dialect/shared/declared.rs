//! Parts of a request beside blocks: declared tools, cache marks, and the server tool that made a call.

use crate::dialect::builder::CallId;
use crate::json::{Cursor, Id, Kind, ScanError};
use crate::transcript::Request;

/// The declared tools, or the system texts, of a request.
#[derive(Debug, Default)]
pub struct Declared {
    /// Whether it has any.
    pub any: bool,
    /// Its cache marks: whether each is for an hour.
    pub marks: Vec<bool>,
    /// Names of tools, in their order.
    pub names: Vec<String>,
}

impl Declared {
    /// Reads an array of tools or of system texts.
    ///
    /// # Errors
    /// The array is malformed JSON.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Declared, ScanError> {
        let mut found = Declared::default();
        found.elements(cursor)?;
        Ok(found)
    }

    /// Notes what tools say in a request.
    pub fn note(self, request: &mut Request) {
        (request.tools, request.tool_marks, request.declared) = (self.any, self.marks, self.names);
    }

    fn elements(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ScanError> {
        cursor.each_element(|_, cursor| {
            if cursor.kind()? == Kind::Object {
                self.tool(cursor)?;
            } else {
                self.any = true;
            }
            Ok(())
        })
    }

    /// Reads a tool. Its name is in it or in what it holds, in which there is no other tool: so far does the walk go in.
    fn tool(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ScanError> {
        let first = self.names.len();
        cursor.each_member(|key, cursor| {
            // A cache point is among the tools and is none.
            self.any |= key != b"cachePoint";
            // Of a key that is there twice the last counts.
            if matches!(
                key,
                b"name"
                    | b"function"
                    | b"custom"
                    | b"toolSpec"
                    | b"functionDeclarations"
                    | b"function_declarations"
            ) {
                self.names.truncate(first);
            }
            match (key, cursor.kind()?) {
                (b"cache_control" | b"cachePoint", _) => self.marks.extend(cache_mark(cursor)?),
                (b"name", Kind::String) => self
                    .names
                    .extend(cursor.string_or_skip()?.map(|name| name.into_owned())),
                (b"function" | b"custom" | b"toolSpec", Kind::Object) => self.named(cursor)?,
                (b"functionDeclarations" | b"function_declarations", Kind::Array) => {
                    cursor.each_object(|_, cursor| self.named(cursor))?;
                }
                _ => {}
            }
            Ok(())
        })
    }

    /// Reads the name of what a tool holds.
    fn named(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ScanError> {
        let first = self.names.len();
        cursor.member(b"name", |cursor| {
            self.names.truncate(first);
            self.names
                .extend(cursor.string_or_skip()?.map(|name| name.into_owned()));
            Ok(())
        })
    }
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
pub fn caller(cursor: &mut Cursor<'_>) -> Result<Option<Id>, ScanError> {
    let mut made_by = None;
    cursor.each_member(|key, cursor| {
        if matches!(key, b"tool_id" | b"caller_id") {
            made_by = Some(CallId::read(cursor, 0)?.hash).filter(|id| id.is_some())
        }
        Ok(())
    })?;
    Ok(made_by)
}
