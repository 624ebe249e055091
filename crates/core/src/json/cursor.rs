//! A walk over one JSON document: the caller asks for the members it knows and skips the rest, all
//! of it checked.
//!
//! Invariant: `at <= bytes.len()`. A cursor never recurses: nested values are skipped with one byte
//! of memory per level.

mod skip;

use super::{
    ScanError, Scanned, Span,
    vector::{Measure, measure, short_end, shorter_end},
};
use simdutf8::basic::from_utf8;
use std::borrow::Cow;

/// The kind of a value, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

/// A string value: its raw bytes without the quotes, and its length.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// Between the quotes, escapes as they are.
    pub raw: &'a [u8],
    /// Its place in the record, quotes included.
    pub span: Span,
    /// Length in UTF-16 units.
    pub units: usize,
    /// Whether all bytes are ASCII and none is a `\uXXXX` escape: each unit is then one character.
    pub plain: bool,
}

/// The position of a walk over the members of an object, or the elements of an array.
#[derive(Clone, Copy, Debug, Default)]
pub struct Members {
    started: bool,
    /// Index of the value handed out last. The caller has not read it while the cursor is still
    /// there.
    value: usize,
}

/// A walk over one JSON document or over lines of JSON.
#[derive(Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The index of the first byte of the record, from which spans count.
    record: usize,
    lines: bool,
    /// The kinds of the levels that a skip is inside of: true for an object.
    levels: Vec<bool>,
}

impl<'a> Cursor<'a> {
    /// Starts a walk over a document in which newlines are white space.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor {
            bytes,
            at: 0,
            record: 0,
            lines: false,
            levels: Vec::new(),
        }
    }

    /// Like [`Cursor::new`], but starts at byte `at`.
    pub fn new_at(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        let mut cursor = Cursor::new(bytes);
        cursor.go_to(at);
        cursor
    }

    /// Like [`Cursor::new`], but skips a byte order mark at the beginning.
    pub fn document(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor::new_at(bytes, super::bom(bytes))
    }

    /// Starts a walk over lines at byte `at`, one value each: a newline ends the value it is in.
    pub fn lines(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor {
            at,
            lines: true,
            ..Cursor::new(bytes)
        }
    }

    /// Index of the next byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// All bytes, also those already passed.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Skips white space; returns the index of the next byte, at which a record begins.
    pub fn begin_record(&mut self) -> usize {
        self.record = self.next_at();
        self.record
    }

    /// Moves back to the beginning of the record.
    pub fn rewind(&mut self) {
        self.at = self.record;
    }

    /// All bytes from the beginning of the record on.
    pub fn record_bytes(&self) -> &'a [u8] {
        &self.bytes[self.record..]
    }

    /// Returns how many bytes of the record were passed.
    pub fn offset(&self) -> u32 {
        self.at.saturating_sub(self.record) as u32
    }

    /// Returns the span in the record from byte `from` to here.
    pub fn span_from(&self, from: usize) -> Span {
        Span {
            start: from.saturating_sub(self.record) as u32,
            end: self.offset(),
        }
    }

    /// Moves to `at`, a place where a value begins or ends.
    pub fn go_to(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    /// Returns the next byte that is not white space, without consuming it.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\n') if !self.lines => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Skips white space; returns the index of the next byte.
    pub fn next_at(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Returns the kind of the next value, without consuming it.
    ///
    /// # Errors
    /// No value begins here.
    #[inline(always)]
    pub fn kind(&mut self) -> Scanned<Kind> {
        Ok(match self.peek() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            Some(b't') => Kind::True,
            Some(b'f') => Kind::False,
            Some(b'n') => Kind::Null,
            _ => return Err(self.expected("a value")),
        })
    }

    /// Enters the object that comes next.
    ///
    /// # Errors
    /// Something else comes next.
    #[inline]
    pub fn enter_object(&mut self) -> Scanned<Members> {
        self.byte(b'{', "an object").map(|()| Members::default())
    }

    /// Enters the array that comes next.
    ///
    /// # Errors
    /// Something else comes next.
    #[inline]
    pub fn enter_array(&mut self) -> Scanned<Members> {
        self.byte(b'[', "an array").map(|()| Members::default())
    }

    /// Reads the next key and leaves the cursor at its value; `None` past the end of the object. A
    /// value that the caller did not read is skipped by the next call.
    ///
    /// # Errors
    /// The object is malformed here.
    #[inline(always)]
    pub fn key(&mut self, members: &mut Members) -> Scanned<Option<Cow<'a, [u8]>>> {
        self.skip_unread(members)?;
        let key = self.next_key(members)?;
        if key.is_some() {
            members.value = self.next_at();
        }
        Ok(key)
    }

    /// Like [`Cursor::key`], where the last value was read.
    #[inline(always)]
    fn next_key(&mut self, members: &mut Members) -> Scanned<Option<Cow<'a, [u8]>>> {
        match self.compact_key(members) {
            Some(raw) => Ok(Some(Cow::Borrowed(raw))),
            None => self.any_key(members),
        }
    }

    /// Reads any other key, or the end of the object.
    #[inline(never)]
    fn any_key(&mut self, members: &mut Members) -> Scanned<Option<Cow<'a, [u8]>>> {
        if !self.follows(members, b'}', "a comma or }")? {
            return Ok(None);
        }
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(self.expected("a key"));
        }
        let key = self.short_string()?;
        self.byte(b':', "a colon")?;
        Ok(Some(key))
    }

    /// Reads the next key and its colon if the key is short, has no escape and is written
    /// compactly: `,"key":`.
    #[inline(always)]
    fn compact_key(&mut self, members: &mut Members) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let near = rest.first_chunk::<20>()?;
        let comma = usize::from(members.started);
        if members.started && near[0] != b',' || near[comma] != b'"' {
            return None;
        }
        let length = shorter_end(near[comma + 1..].first_chunk()?)?;
        if near[comma + length + 2] != b':' {
            return None;
        }
        members.started = true;
        self.at += comma + length + 3;
        Some(&rest[comma + 1..comma + 1 + length])
    }

    /// Skips the last value, if the caller has not read it.
    #[inline(always)]
    fn skip_unread(&mut self, members: &Members) -> Scanned {
        if members.value == self.at {
            self.skip_value()
        } else {
            Ok(())
        }
    }

    /// `skip` out of line, so that it is not copied into every reader.
    #[inline(never)]
    fn skip_value(&mut self) -> Scanned {
        self.skip().map(|_| ())
    }

    /// Moves past the comma before the next member or element; returns false at the end, which is
    /// the byte `end`. `expected`: what may come behind another.
    #[inline(always)]
    fn follows(&mut self, members: &mut Members, end: u8, expected: &'static str) -> Scanned<bool> {
        match self.peek() {
            Some(byte) if byte == end => {
                self.at += 1;
                return Ok(false);
            }
            Some(b',') if members.started => {
                self.at += 1;
                self.peek();
            }
            _ if members.started => return Err(self.expected(expected)),
            _ => {}
        }
        members.started = true;
        Ok(true)
    }

    /// Moves to the next element of the array; returns false at its end. An element that the caller
    /// did not read is skipped by the next call.
    ///
    /// # Errors
    /// The array is malformed here.
    #[inline]
    pub fn element(&mut self, members: &mut Members) -> Scanned<bool> {
        self.skip_unread(members)?;
        let follows = self.before_element(members)?;
        members.value = if follows { self.at } else { 0 };
        Ok(follows)
    }

    /// Moves to the next element; returns false at the end of the array.
    #[inline(always)]
    fn before_element(&mut self, members: &mut Members) -> Scanned<bool> {
        let follows = self.follows(members, b']', "a comma or ]")?;
        if follows && self.bytes.get(self.at) == Some(&b']') {
            return Err(self.expected("a value"));
        }
        Ok(follows)
    }

    /// Reads a string and measures it.
    ///
    /// # Errors
    /// Something else comes next, or the string is malformed.
    #[inline]
    pub fn text(&mut self) -> Scanned<Text<'a>> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a string"));
        }
        let start = self.at + 1;
        let Measure {
            end,
            units,
            ascii,
            unicode_escape,
        } = measure(self.bytes, start)?;
        self.at = end + 1;
        let raw = &self.bytes[start..end];
        // The kernel's count is right for UTF-8.
        let units = if ascii || from_utf8(raw).is_ok() {
            units
        } else {
            super::text::units(raw, 0)
        };
        Ok(Text {
            raw,
            span: self.span_from(start - 1),
            units,
            plain: ascii && !unicode_escape,
        })
    }

    /// Reads a string if one comes next, decoded; skips any other value.
    ///
    /// # Errors
    /// The value is malformed.
    pub fn string_or_skip(&mut self) -> Scanned<Option<Cow<'a, str>>> {
        Ok(self.bytes_or_skip()?.map(|bytes| match bytes {
            Cow::Borrowed(raw) => String::from_utf8_lossy(raw),
            // What has escapes is decoded to UTF-8.
            Cow::Owned(decoded) => Cow::Owned(String::from_utf8(decoded).unwrap_or_default()),
        }))
    }

    /// Like [`Cursor::string_or_skip`], for a string that outlives the bytes.
    ///
    /// # Errors
    /// The value is malformed.
    pub fn owned_string_or_skip(&mut self) -> Scanned<Option<String>> {
        Ok(self.string_or_skip()?.map(Cow::into_owned))
    }

    /// Like [`Cursor::string_or_skip`], but returns bytes, decoded only if the string has escapes.
    ///
    /// # Errors
    /// The value is malformed.
    #[inline]
    pub fn bytes_or_skip(&mut self) -> Scanned<Option<Cow<'a, [u8]>>> {
        match self.compact_text() {
            Some(raw) => Ok(Some(Cow::Borrowed(raw))),
            None => self.any_bytes_or_skip(),
        }
    }

    /// Reads a string at the cursor if it is short and has no escape.
    #[inline(always)]
    fn compact_text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let (quote, near) = rest.first_chunk::<33>()?.split_first()?;
        if *quote != b'"' {
            return None;
        }
        let length = short_end(near.first_chunk()?)?;
        self.at += length + 2;
        Some(&rest[1..1 + length])
    }

    #[inline(never)]
    fn any_bytes_or_skip(&mut self) -> Scanned<Option<Cow<'a, [u8]>>> {
        if self.peek() != Some(b'"') {
            self.skip()?;
            return Ok(None);
        }
        self.short_string().map(Some)
    }

    /// Skips white space; returns true at the end of the bytes or, in a walk over lines, of the
    /// line.
    pub fn at_end(&mut self) -> bool {
        matches!(self.peek(), None | Some(b'\n'))
    }

    /// Finds the end of a string: looks at 32 bytes before it calls the kernel, as most strings are
    /// short.
    #[inline(always)]
    fn string_end(&mut self) -> Scanned<(usize, usize, bool)> {
        let start = self.at + 1;
        if let Some(chunk) = self.bytes[start..].first_chunk::<32>()
            && let Some(length) = short_end(chunk)
        {
            self.at = start + length + 1;
            return Ok((start, start + length, true));
        }
        let end = measure(self.bytes, start)?.end;
        self.at = end + 1;
        Ok((start, end, false))
    }

    /// Reads a string that is probably short, decoded if it has escapes.
    #[inline(always)]
    fn short_string(&mut self) -> Scanned<Cow<'a, [u8]>> {
        let (start, end, plain) = self.string_end()?;
        let raw = &self.bytes[start..end];
        Ok(if plain {
            Cow::Borrowed(raw)
        } else {
            super::text::decode(raw)
        })
    }

    #[inline]
    fn byte(&mut self, byte: u8, expected: &'static str) -> Scanned {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.expected(expected))
        }
    }

    #[cold]
    fn expected(&self, expected: &'static str) -> ScanError {
        ScanError {
            at: self.at,
            expected,
            open: self.at == self.bytes.len(),
        }
    }
}

#[cfg(test)]
#[path = "cursor_tests.rs"]
mod tests;
