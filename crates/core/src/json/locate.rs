//! Finds members, elements, records and lines by one of their bytes.

mod around;
mod path;

pub use around::{after, before, line_end, line_of, record_around, value_at};

pub use path::Paths;

use super::{Cursor, Kind, Scanned};
use std::{borrow::Cow, ops::Range};

/// A member of an object.
#[derive(Debug)]
pub struct Member<'a> {
    /// Its key, decoded.
    pub name: Cow<'a, [u8]>,
    /// The range from its key to the end of its value.
    pub whole: Range<usize>,
    /// Its value.
    pub value: Range<usize>,
    /// The kind of the value.
    pub kind: Kind,
}

/// Returns the members of the object that begins at `start`, in order; `None` if no object begins
/// there.
pub fn members(bytes: &[u8], start: usize) -> Option<Vec<Member<'_>>> {
    let walk = || -> Scanned<Vec<Member<'_>>> {
        let mut cursor = Cursor::new_at(bytes, start);
        let mut members = cursor.enter_object()?;
        let mut found = Vec::new();
        let mut before = cursor.at();
        while let Some(name) = cursor.key(&mut members)? {
            let from = before + memchr::memchr(b'"', &bytes[before..]).unwrap_or(0);
            let at = cursor.at();
            let kind = cursor.skip()?;
            before = cursor.at();
            found.push(Member {
                name,
                whole: from..before,
                value: at..before,
                kind,
            });
        }
        Ok(found)
    };
    walk().ok()
}

/// Returns the member `name` of the object that begins at `start`; if there are several, the last.
pub fn member<'a>(bytes: &'a [u8], start: usize, name: &str) -> Option<Member<'a>> {
    members(bytes, start)?
        .into_iter()
        .rfind(|m| *m.name == *name.as_bytes())
}

/// Returns the value of the member `name` of the object that begins at `start`; if there are
/// several, of the last.
pub fn member_value(bytes: &[u8], start: usize, name: &str) -> Option<Range<usize>> {
    member(bytes, start, name).map(|member| member.value)
}

/// Returns the member `name` of an object, decoded, if it is a string.
pub fn text_member(object: &[u8], name: &str) -> Option<String> {
    let at = member_value(object, 0, name)?;
    let raw = object[at].strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    Some(String::from_utf8_lossy(&super::text::decode(raw)).into_owned())
}

/// Returns the elements of the array that begins at `start`; `None` if no array begins there.
pub fn elements(bytes: &[u8], start: usize) -> Option<Vec<Range<usize>>> {
    let mut cursor = Cursor::new_at(bytes, start);
    cursor.element_ranges().ok()
}

/// Returns whether `bytes` are one JSON value.
pub fn is_value(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes);
    cursor.skip().is_ok() && cursor.at_end()
}

/// Returns the value that begins at `start`, or after white space there.
pub fn value(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let mut cursor = Cursor::new_at(bytes, start);
    let from = cursor.next_at();
    cursor.skip().ok().map(|_| from..cursor.at())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements() {
        let text = br#" {"role" : "user", "content" : [ 1 , {"a":[2]} ] , "z":0}"#;
        let place = member(text, 1, "content").unwrap();
        assert_eq!(
            (&text[place.whole], place.kind),
            (&br#""content" : [ 1 , {"a":[2]} ]"#[..], Kind::Array)
        );
        let found: Vec<&[u8]> = elements(text, place.value.start)
            .unwrap()
            .into_iter()
            .map(|e| &text[e])
            .collect();
        assert_eq!(found, [&b"1"[..], br#"{"a":[2]}"#]);
        assert!(member(text, 1, "none").is_none());
        assert!(member(b"[1]", 0, "none").is_none() && elements(b"{}", 0).is_none());
        assert_eq!(
            (value(text, 0), value(b" [1", 0)),
            (Some(1..text.len()), None)
        );
    }
}
