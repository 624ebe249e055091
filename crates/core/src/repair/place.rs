//! Where members, elements and lines lie: what a transcript does not say, as only repairs want to know it.

use crate::json::{Cursor, Kind, ScanError};
use std::borrow::Cow;
use std::ops::Range;

/// A member of an object.
#[derive(Debug)]
pub struct Member<'a> {
    /// Its key, decoded.
    pub name: Cow<'a, [u8]>,
    /// From its key to the end of its value.
    pub whole: Range<usize>,
    /// Its value.
    pub value: Range<usize>,
}

/// The members of the object that begins at `start`, in order.
pub fn members(bytes: &[u8], start: usize) -> Option<Vec<Member<'_>>> {
    let walk = || -> Result<Vec<Member<'_>>, ScanError> {
        let mut cursor = Cursor::new(bytes);
        cursor.go_to(start);
        let mut members = cursor.enter_object()?;
        let mut found = Vec::new();
        let mut before = cursor.at();
        while let Some(name) = cursor.key(&mut members)? {
            let from = before + memchr::memchr(b'"', &bytes[before..]).unwrap_or(0);
            cursor.peek();
            let at = cursor.at();
            cursor.skip()?;
            before = cursor.at();
            found.push(Member { name, whole: from..before, value: at..before });
        }
        Ok(found)
    };
    walk().ok()
}

/// The member `name` of the object that begins at `start`; of several the last.
pub fn member<'a>(bytes: &'a [u8], start: usize, name: &str) -> Option<Member<'a>> {
    members(bytes, start)?.into_iter().rfind(|m| *m.name == *name.as_bytes())
}

/// The elements of the array that begins at `start`.
pub fn elements(bytes: &[u8], start: usize) -> Option<Vec<Range<usize>>> {
    let walk = || -> Result<Option<Vec<Range<usize>>>, ScanError> {
        let mut cursor = Cursor::new(bytes);
        cursor.go_to(start);
        if cursor.kind()? != Kind::Array {
            return Ok(None);
        }
        cursor.element_ranges().map(Some)
    };
    walk().ok().flatten()
}

/// The value that begins at `start`.
pub fn value(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let mut cursor = Cursor::new(bytes);
    cursor.go_to(start);
    cursor.peek()?;
    let from = cursor.at();
    cursor.skip().ok().map(|_| from..cursor.at())
}

/// What a message stands in, as far as it can go or have neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seat {
    /// An array, of which this is an element: the message, or the entry around it.
    Element(Range<usize>),
    /// A line of its own, of which this is the record.
    Line(Range<usize>),
    /// Neither.
    Fixed,
}

/// The seat of the message at `message` whose record begins at `record`; `lines` where records are lines. `entries` are the
/// elements of the record, where that is an array.
pub fn seat(bytes: &[u8], record: usize, message: &Range<usize>, lines: bool, entries: &[Range<usize>]) -> Seat {
    if message.start == record && lines {
        return Seat::Line(message.clone());
    }
    if matches!(last_before(bytes, message.start), Some(b'[' | b',')) {
        return Seat::Element(message.clone());
    }
    if !lines {
        return Seat::Fixed;
    }
    if bytes.get(record) != Some(&b'[') {
        return value(bytes, record).map_or(Seat::Fixed, Seat::Line);
    }
    let entry = entries[..entries.partition_point(|e| e.start <= message.start)].last();
    entry.filter(|e| message.end <= e.end).map_or(Seat::Fixed, |e| Seat::Element(e.clone()))
}

/// The record at `record` with the line that it fills: its white space and its end. Of several on one line it is alone.
pub fn line(bytes: &[u8], record: &Range<usize>) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &bytes[..record.start]).map_or(0, |i| i + 1);
    let end = memchr::memchr(b'\n', &bytes[record.end..]).map_or(bytes.len(), |i| record.end + i + 1);
    let blank = |part: &[u8]| part.trim_ascii().is_empty();
    if blank(&bytes[start..record.start]) && blank(&bytes[record.end..end]) { start..end } else { record.clone() }
}

/// How the line at `at` ends, or the one before it where it is the last and has no end.
pub fn line_end(bytes: &[u8], at: usize) -> &'static [u8] {
    let end = memchr::memchr(b'\n', &bytes[at..]).map(|i| at + i).or_else(|| memchr::memrchr(b'\n', &bytes[..at]));
    if end.is_some_and(|i| i > 0 && bytes[i - 1] == b'\r') { b"\r\n" } else { b"\n" }
}

/// The record that holds the byte at `at`, of a line's records.
pub fn record(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let mut start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |i| i + 1);
    if start == 0 && bytes.starts_with(b"\xef\xbb\xbf") {
        start = 3;
    }
    loop {
        let found = value(bytes, start)?;
        if found.end > at {
            return Some(found);
        }
        start = found.end;
    }
}

fn last_before(bytes: &[u8], at: usize) -> Option<u8> {
    bytes[..at].iter().rev().find(|b| !b.is_ascii_whitespace()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements() {
        let text = br#" {"role" : "user", "content" : [ 1 , {"a":[2]} ] , "z":0}"#;
        let place = member(text, 1, "content").unwrap();
        assert_eq!(&text[place.whole], br#""content" : [ 1 , {"a":[2]} ]"#);
        let found: Vec<&[u8]> = elements(text, place.value.start).unwrap().into_iter().map(|e| &text[e]).collect();
        assert_eq!(found, [&b"1"[..], br#"{"a":[2]}"#]);
        assert!(member(text, 1, "none").is_none());
        assert!(member(b"[1]", 0, "none").is_none() && elements(b"{}", 0).is_none());
    }

    #[test]
    fn seats() {
        let array = br#"{"messages":[{"a":1}, {"b":2}]}"#;
        assert_eq!(seat(array, 0, &(13..20), false, &[]), Seat::Element(13..20));
        assert_eq!(seat(array, 0, &(22..29), true, &[]), Seat::Element(22..29));
        let lines = b"{\"a\":1}\n{\"message\":{\"b\":2}}  \r\n{}{}\n";
        assert_eq!(seat(lines, 0, &(0..7), true, &[]), Seat::Line(0..7));
        assert_eq!(seat(lines, 8, &(19..26), true, &[]), Seat::Line(8..27));
        assert_eq!(line(lines, &(8..27)), 8..31);
        assert_eq!(line(lines, &(31..33)), 31..33);
        assert_eq!((line_end(lines, 7), line_end(lines, 27)), (&b"\n"[..], &b"\r\n"[..]));
        assert_eq!((line_end(b"{}\r\n{}", 4), line_end(b"{}", 1)), (&b"\r\n"[..], &b"\n"[..]));
        assert_eq!((record(lines, 20), record(lines, 34)), (Some(8..27), Some(33..35)));
        let entries = br#"[{"message":{"b":2}}]"#;
        assert_eq!(seat(entries, 0, &(12..19), true, &elements(entries, 0).unwrap()), Seat::Element(1..20));
        assert_eq!(seat(br#"{"contents":{}}"#, 0, &(12..14), false, &[]), Seat::Fixed);
    }
}
