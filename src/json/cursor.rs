//! A walk over one JSON document: the caller asks for the members it knows and skips the rest, all of it checked.
//!
//! Invariant: `at <= bytes.len()`. A cursor never recurses: nested values are skipped with one bit of memory per level.

use super::find;
use super::vector::{Kernel, Measure, StringError, kernel};
use std::borrow::Cow;
use std::fmt;

/// What a value is, by its first byte.
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

/// A document that is not JSON: where, and what was expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanError {
    /// Byte from the start of the cursor's bytes.
    pub at: usize,
    /// What should stand there.
    pub expected: &'static str,
    /// Whether the bytes ended before the value did: more of them could mend it.
    pub open: bool,
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.open { write!(f, "the input ends where {} should follow", self.expected) } else { write!(f, "expected {}", self.expected) }
    }
}

impl std::error::Error for ScanError {}

/// A string value: its raw bytes without the quotes, and its length.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// Between the quotes, escapes as they stand.
    pub raw: &'a [u8],
    /// Index of the first raw byte in the cursor's bytes.
    pub start: usize,
    /// Length in UTF-16 units.
    pub units: usize,
    /// No byte above 0x7f and no `\uXXXX` escape: one unit is one scalar below 0x80.
    pub plain: bool,
}

/// Where a walk over the members of an object, or the elements of an array, has come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Members {
    started: bool,
}

/// The walk.
#[derive(Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    lines: bool,
    levels: Levels,
    kernel: Kernel,
}

impl<'a> Cursor<'a> {
    /// A walk over a document in which newlines are white space.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0, lines: false, levels: Levels::default(), kernel: kernel(bytes.len()) }
    }

    /// A walk over lines, one value each: a newline ends the value it stands in.
    pub fn lines(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { bytes, at, lines: true, levels: Levels::default(), kernel: kernel(bytes.len()) }
    }

    /// Index of the next byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// All bytes, also those already passed.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Goes to `at`, a place where a value begins or ends.
    pub fn go_to(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    /// The next byte that is not white space, not consumed.
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

    /// What the next value is, not consumed.
    ///
    /// # Errors
    /// No value begins here.
    #[inline]
    pub fn kind(&mut self) -> Result<Kind, ScanError> {
        match self.peek() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::String),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't') => Ok(Kind::True),
            Some(b'f') => Ok(Kind::False),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(self.expected("a value")),
        }
    }

    /// Enters the object that comes next.
    ///
    /// # Errors
    /// Something else comes next.
    #[inline]
    pub fn enter_object(&mut self) -> Result<Members, ScanError> {
        self.byte(b'{', "an object").map(|()| Members::default())
    }

    /// Enters the array that comes next.
    ///
    /// # Errors
    /// Something else comes next.
    #[inline]
    pub fn enter_array(&mut self) -> Result<Members, ScanError> {
        self.byte(b'[', "an array").map(|()| Members::default())
    }

    /// The next key, with the cursor before its value; `None` past the end of the object. The caller reads or skips the
    /// value before it asks again.
    ///
    /// # Errors
    /// The object is malformed here.
    #[inline]
    pub fn key(&mut self, members: &mut Members) -> Result<Option<Cow<'a, [u8]>>, ScanError> {
        if !self.before_key(members)? {
            return Ok(None);
        }
        let (raw, escaped) = self.short_string()?;
        self.byte(b':', "a colon")?;
        Ok(Some(if escaped { Cow::Owned(super::text::decode(raw).into_owned()) } else { Cow::Borrowed(raw) }))
    }

    /// Goes to the quote of the next key; false past the end of the object.
    #[inline(always)]
    fn before_key(&mut self, members: &mut Members) -> Result<bool, ScanError> {
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                return Ok(false);
            }
            Some(b',') if members.started => {
                self.at += 1;
                self.peek();
            }
            _ if members.started => return Err(self.expected("a comma or }")),
            _ => {}
        }
        members.started = true;
        if self.bytes.get(self.at) == Some(&b'"') { Ok(true) } else { Err(self.expected("a key")) }
    }

    /// Whether another element follows, with the cursor before it.
    ///
    /// # Errors
    /// The array is malformed here.
    #[inline]
    pub fn element(&mut self, members: &mut Members) -> Result<bool, ScanError> {
        match self.peek() {
            Some(b']') => {
                self.at += 1;
                return Ok(false);
            }
            Some(b',') if members.started => {
                self.at += 1;
                if self.peek() == Some(b']') {
                    return Err(self.expected("a value"));
                }
            }
            _ if members.started => return Err(self.expected("a comma or ]")),
            _ => {}
        }
        members.started = true;
        Ok(true)
    }

    /// Reads a string and measures it.
    ///
    /// # Errors
    /// Something else comes next, or the string is malformed.
    #[inline]
    pub fn text(&mut self) -> Result<Text<'a>, ScanError> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a string"));
        }
        let start = self.at + 1;
        let Measure { end, units, ascii, unicode_escape } = (self.kernel)(self.bytes, start).map_err(from_string)?;
        self.at = end + 1;
        let raw = &self.bytes[start..end];
        let units = if ascii { units } else { super::text::units_if_ragged(raw).unwrap_or(units) };
        Ok(Text { raw, start, units, plain: ascii && !unicode_escape })
    }

    /// Reads a string if one comes next, decoded; skips any other value.
    ///
    /// # Errors
    /// The value is malformed.
    pub fn string_or_skip(&mut self) -> Result<Option<Cow<'a, str>>, ScanError> {
        if self.peek() != Some(b'"') {
            self.skip()?;
            return Ok(None);
        }
        let (raw, escaped) = self.short_string()?;
        if !escaped && let Ok(text) = std::str::from_utf8(raw) {
            return Ok(Some(Cow::Borrowed(text)));
        }
        Ok(Some(Cow::Owned(super::text::lossy(raw))))
    }

    /// Reads a string if one comes next, as bytes decoded where they must be; skips any other value.
    ///
    /// # Errors
    /// The value is malformed.
    #[inline]
    pub fn bytes_or_skip(&mut self) -> Result<Option<Cow<'a, [u8]>>, ScanError> {
        if self.peek() != Some(b'"') {
            self.skip()?;
            return Ok(None);
        }
        let (raw, escaped) = self.short_string()?;
        Ok(Some(if escaped { super::text::decode(raw) } else { Cow::Borrowed(raw) }))
    }

    /// Skips the next value, checking all of it.
    ///
    /// # Errors
    /// The value is malformed.
    pub fn skip(&mut self) -> Result<Kind, ScanError> {
        let kind = self.kind()?;
        match kind {
            Kind::Object | Kind::Array => self.skip_nested()?,
            _ => self.skip_scalar()?,
        }
        Ok(kind)
    }

    /// Skips what is left of white space; true at the end of the bytes, or of the line in a walk over lines.
    pub fn at_end(&mut self) -> bool {
        matches!(self.peek(), None | Some(b'\n'))
    }

    fn skip_nested(&mut self) -> Result<(), ScanError> {
        let floor = self.levels.depth;
        let mut members = self.open_level();
        loop {
            // Before a member or the end of the innermost level.
            let more = if self.levels.innermost_is_object() { self.key_quick(&mut members)? } else { self.element(&mut members)? };
            if !more {
                self.levels.pop();
                if self.levels.depth == floor {
                    return Ok(());
                }
                members.started = true;
                continue;
            }
            match self.peek() {
                Some(b'"') => {
                    self.string_end()?;
                }
                Some(b'{' | b'[') => members = self.open_level(),
                Some(b'1'..=b'9') => self.skip_digits()?,
                _ => self.skip_scalar()?,
            }
        }
    }

    #[inline]
    fn open_level(&mut self) -> Members {
        self.levels.push(self.bytes[self.at] == b'{');
        self.at += 1;
        Members::default()
    }

    /// `key` without the key's text.
    #[inline]
    fn key_quick(&mut self, members: &mut Members) -> Result<bool, ScanError> {
        if !self.before_key(members)? {
            return Ok(false);
        }
        self.string_end()?;
        self.byte(b':', "a colon")?;
        Ok(true)
    }

    fn skip_scalar(&mut self) -> Result<(), ScanError> {
        match self.kind()? {
            Kind::String => self.string_end().map(|_| ()),
            Kind::Number => self.skip_number(),
            Kind::True => self.word(b"true"),
            Kind::False => self.word(b"false"),
            Kind::Null => self.word(b"null"),
            Kind::Object | Kind::Array => self.skip_nested(),
        }
    }

    /// The end of a string that is probably short: 32 bytes are looked at before the kernel is called.
    #[inline(always)]
    fn string_end(&mut self) -> Result<(usize, usize, bool), ScanError> {
        let start = self.at + 1;
        if let Some(chunk) = self.bytes[start..].first_chunk::<32>()
            && let Some(length) = super::vector::short_end(chunk)
        {
            self.at = start + length + 1;
            return Ok((start, start + length, true));
        }
        let end = (self.kernel)(self.bytes, start).map_err(from_string)?.end;
        self.at = end + 1;
        Ok((start, end, false))
    }

    /// Reads a string that is probably short: its raw bytes, and whether there is a backslash among them.
    #[inline(always)]
    fn short_string(&mut self) -> Result<(&'a [u8], bool), ScanError> {
        let (start, end, plain) = self.string_end()?;
        let raw = &self.bytes[start..end];
        Ok((raw, !plain && find(b'\\', raw).is_some()))
    }

    /// A number that begins with a digit other than 0: mostly that is all there is to it.
    #[inline]
    fn skip_digits(&mut self) -> Result<(), ScanError> {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if let Some(b'.' | b'e' | b'E') = self.bytes.get(self.at) {
            self.at = from;
            return self.skip_number();
        }
        Ok(())
    }

    fn skip_number(&mut self) -> Result<(), ScanError> {
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ScanError> {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == from { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), ScanError> {
        let found = self.bytes[self.at..].iter().zip(word).take_while(|(a, b)| a == b).count();
        self.at += found;
        if found == word.len() { Ok(()) } else { Err(self.expected("a value")) }
    }

    #[inline]
    fn byte(&mut self, byte: u8, expected: &'static str) -> Result<(), ScanError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.expected(expected))
        }
    }

    #[cold]
    fn expected(&self, expected: &'static str) -> ScanError {
        ScanError { at: self.at, expected, open: self.at == self.bytes.len() }
    }
}

#[cold]
fn from_string(error: StringError) -> ScanError {
    match error {
        StringError::Open(at) => ScanError { at, expected: "a closing quote", open: true },
        StringError::Control(at) => ScanError { at, expected: "an escape instead of a raw control character", open: false },
        StringError::Escape(at) => ScanError { at, expected: "a valid escape", open: false },
    }
}

/// The kinds of the levels that a walk is inside of, one bit each: set for an object.
#[derive(Debug, Default)]
struct Levels {
    bits: Vec<u64>,
    depth: usize,
}

impl Levels {
    #[inline]
    fn push(&mut self, object: bool) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.bits.len() {
            self.bits.push(0);
        }
        self.bits[word] = self.bits[word] & !(1 << bit) | u64::from(object) << bit;
        self.depth += 1;
    }

    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
    }

    #[inline]
    fn innermost_is_object(&self) -> bool {
        let i = self.depth - 1;
        self.bits[i / 64] >> (i % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(bytes: &[u8]) -> Result<(), ScanError> {
        let mut cursor = Cursor::new(bytes);
        cursor.skip()?;
        if cursor.at_end() { Ok(()) } else { Err(cursor.expected("the end")) }
    }

    #[test]
    fn accepts_what_is_json() {
        for text in ["{}", " [ ] ", "[1,2.5e-3,-0,0.10,1E5]", r#"{"a":{"b":[{},[],"x"]},"c":null}"#, "\"\\ud800\"", "true", "[false,null]"]
        {
            assert_eq!(whole(text.as_bytes()), Ok(()), "{text}");
        }
        let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        assert_eq!(whole(&deep), Ok(()));
    }

    #[test]
    fn refuses_what_is_not_with_the_place() {
        for (text, at) in [
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("[1 2]", 3),
            ("01", 1),
            ("-", 1),
            ("1.", 2),
            ("[1}", 2),
            ("{\"a\" 1}", 5),
            ("{a:1}", 1),
            ("tru", 3),
            ("nulL", 3),
            ("\"a\nb\"", 2),
            ("[", 1),
            ("{\"a\"", 4),
            ("", 0),
            ("{,}", 1),
            ("[,1]", 1),
            ("\u{feff}1", 0),
            ("NaN", 0),
        ] {
            assert_eq!(whole(text.as_bytes()).map_err(|e| e.at), Err(at), "{text}");
        }
    }

    #[test]
    fn a_newline_ends_a_value_in_lines() {
        let mut cursor = Cursor::lines(b"{\"a\":\n1}", 0);
        assert!(cursor.skip().is_err());
        let mut cursor = Cursor::lines(b"{\"a\":1} \r\n[2]", 0);
        assert_eq!(cursor.skip(), Ok(Kind::Object));
        assert!(cursor.at_end());
        assert_eq!(cursor.at(), 9);
    }

    #[test]
    fn keys_are_decoded_when_they_must_be() {
        let mut cursor = Cursor::new(br#"{"r\u006fle":1,"content_of_this_very_long_key":2}"#);
        let mut members = cursor.enter_object().unwrap();
        assert_eq!(cursor.key(&mut members).unwrap().unwrap().as_ref(), b"role");
        cursor.skip().unwrap();
        assert_eq!(cursor.key(&mut members).unwrap().unwrap().as_ref(), b"content_of_this_very_long_key");
        cursor.skip().unwrap();
        assert_eq!(cursor.key(&mut members), Ok(None));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        /// Mutated JSON is accepted exactly when serde_json accepts its syntax.
        #[test]
        fn agrees_with_serde(mut bytes in r#"(\[|\{"a":|"x\\n","|1.5e3|,|true|null|\}|\]|:| |"k":|\\u00e9|"){0,14}"#.prop_map(String::into_bytes), flip in any::<Option<(u8, u8)>>()) {
            if let Some((i, byte)) = flip && !bytes.is_empty() {
                let i = i as usize % bytes.len();
                bytes[i] = byte & 0x7f;
            }
            let serde = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
            prop_assert_eq!(whole(&bytes).is_ok(), serde, "{}", String::from_utf8_lossy(&bytes));
        }
    }
}
