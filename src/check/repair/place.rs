//! Where the members and elements of a message lie: what a transcript does not say, as only repairs want to know it.

use crate::json::{Cursor, Kind, ScanError};
use std::ops::Range;

/// The content of a message.
#[derive(Debug)]
pub struct Content {
    /// Its value.
    pub value: Range<usize>,
    /// Its elements, where it is an array.
    pub elements: Option<Vec<Range<usize>>>,
}

impl Content {
    /// Whether the byte at `at` lies in it.
    pub fn holds(&self, at: usize) -> bool {
        self.value.contains(&at)
    }
}

/// The content of the message that begins at `start`; of several the last.
pub fn content(bytes: &[u8], start: usize) -> Option<Content> {
    let key = member(bytes, start, b"content")?;
    read(bytes, key.start).ok()
}

fn read(bytes: &[u8], key: usize) -> Result<Content, ScanError> {
    let mut cursor = Cursor::new(bytes);
    cursor.go_to(key);
    cursor.skip()?;
    cursor.peek();
    cursor.go_to(cursor.at() + 1);
    let kind = cursor.kind()?;
    let from = cursor.at();
    if kind != Kind::Array {
        cursor.skip()?;
        return Ok(Content { value: from..cursor.at(), elements: None });
    }
    let mut found = Vec::new();
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        cursor.peek();
        let from = cursor.at();
        cursor.skip()?;
        found.push(from..cursor.at());
    }
    Ok(Content { value: from..cursor.at(), elements: Some(found) })
}

/// The member `name` of the object that begins at `start`, from its key to the end of its value; of several the last.
pub fn member(bytes: &[u8], start: usize, name: &[u8]) -> Option<Range<usize>> {
    let walk = || -> Result<Option<Range<usize>>, ScanError> {
        let mut cursor = Cursor::new(bytes);
        cursor.go_to(start);
        let mut members = cursor.enter_object()?;
        let mut found = None;
        let mut before = cursor.at();
        while let Some(key) = cursor.key(&mut members)? {
            let from = before + memchr::memchr(b'"', &bytes[before..]).unwrap_or(0);
            let wanted = *key == *name;
            cursor.skip()?;
            before = cursor.at();
            if wanted {
                found = Some(from..before);
            }
        }
        Ok(found)
    };
    walk().ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements() {
        let text = br#" {"role" : "user", "content" : [ 1 , {"a":[2]} ] , "z":0}"#;
        let place = member(text, 1, b"content").expect("it is there");
        assert_eq!(&text[place], br#""content" : [ 1 , {"a":[2]} ]"#);
        let content = content(text, 1).expect("it is there");
        let elements: Vec<&[u8]> = content.elements.expect("an array").into_iter().map(|e| &text[e]).collect();
        assert_eq!(elements, [&b"1"[..], br#"{"a":[2]}"#]);
        assert!(member(text, 1, b"none").is_none());
        assert!(member(b"[1]", 0, b"none").is_none());
    }
}
