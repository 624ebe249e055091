//! Where members, elements and lines lie: what a transcript does not say, as only repairs want to know it.

pub use crate::json::locate::{Member, elements, member, members, value};

use crate::json::locate;
use crate::read_at::Window;
use std::ops::Range;

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
    locate::line_end(&mut Window::new(&bytes), at as u64).unwrap_or(b"\n")
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
        assert_eq!((record(lines, 20), record(lines, 34)), (Some(8..27), Some(33..35)));
        let entries = br#"[{"message":{"b":2}}]"#;
        assert_eq!(seat(entries, 0, &(12..19), true, &elements(entries, 0).unwrap()), Seat::Element(1..20));
        assert_eq!(seat(br#"{"contents":{}}"#, 0, &(12..14), false, &[]), Seat::Fixed);
    }
}
