//! The member of an Anthropic body that asks the server to drop thinking blocks whose prefix has changed.

use super::Change;
use super::View;
use crate::Error;
use crate::json::{Cursor, Kind, ScanError};

/// The value of the member `block_binding`.
const BINDING: &str = r#""block_binding":{"prefix_mismatch_behavior":"drop_block"}"#;

/// The change that puts `thinking.block_binding` into the body of `view`; one that is there is replaced.
///
/// # Errors
/// The input cannot be read any more.
pub fn drop_block(view: &View<'_>) -> Result<Change, Error> {
    let bytes = view.texts.read(0, view.texts.size())?;
    let inside = view.transcript.messages.first().map_or(0, |m| m.record as usize + m.span.start as usize);
    change(&bytes, inside).map_err(|_| Error::Changed)
}

/// The same for the innermost object with a member `messages` that holds the byte at `inside`.
fn change(bytes: &[u8], inside: usize) -> Result<Change, ScanError> {
    let mut cursor = Cursor::new(bytes);
    if bytes.starts_with(b"\xef\xbb\xbf") {
        cursor.go_to(3);
    }
    cursor.peek();
    let mut at = cursor.at();
    loop {
        cursor.go_to(at);
        let mut members = cursor.enter_object()?;
        let body = cursor.at();
        let (mut thinking, mut deeper, mut is_body) = (None, None, false);
        while let Some(key) = cursor.key(&mut members)? {
            cursor.peek();
            let from = cursor.at();
            let kind = cursor.skip()?;
            let holds = (from..cursor.at()).contains(&inside);
            match &*key {
                b"messages" if holds => is_body = true,
                b"thinking" if kind == Kind::Object => thinking = Some(from),
                _ if holds && kind == Kind::Object => deeper = Some(from),
                _ => {}
            }
        }
        match (is_body, deeper, thinking) {
            (false, Some(object), _) => at = object,
            (_, _, Some(object)) => return member(bytes, object),
            _ => return Ok(put(body, body, format!(r#""thinking":{{"type":"adaptive",{BINDING}}},"#))),
        }
    }
}

/// The change that puts the binding into the object at `object`.
fn member(bytes: &[u8], object: usize) -> Result<Change, ScanError> {
    let mut cursor = Cursor::new(bytes);
    cursor.go_to(object);
    let mut members = cursor.enter_object()?;
    let (inside, mut empty) = (cursor.at(), true);
    let mut before = inside;
    while let Some(key) = cursor.key(&mut members)? {
        empty = false;
        let key_at = before + memchr::memchr(b'"', &bytes[before..]).unwrap_or(0);
        cursor.skip()?;
        before = cursor.at();
        if &*key == b"block_binding" {
            return Ok(put(key_at, before, BINDING.to_owned()));
        }
    }
    Ok(put(inside, inside, format!("{BINDING}{}", if empty { "" } else { "," })))
}

fn put(start: usize, end: usize, text: String) -> Change {
    Change::Put { start: start as u64, end: end as u64, text: text.into_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_member_comes_where_it_belongs() {
        for (body, want) in [
            (
                r#"{"messages":[0]}"#,
                r#"{"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"messages":[0]}"#,
            ),
            (
                r#"{"thinking":{"type":"enabled"},"messages":[0]}"#,
                r#"{"thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block"},"type":"enabled"},"messages":[0]}"#,
            ),
            (
                r#"{"params":{"messages":[0],"thinking":{"block_binding":{}}}}"#,
                r#"{"params":{"messages":[0],"thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block"}}}}"#,
            ),
            (
                r#"{"thinking":{},"messages":[0]}"#,
                r#"{"thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block"}},"messages":[0]}"#,
            ),
        ] {
            let inside = body.find("0").expect("a message");
            let Change::Put { start, end, text } = change(body.as_bytes(), inside).expect("it is JSON") else { panic!("no text") };
            let out = [&body.as_bytes()[..start as usize], &text, &body.as_bytes()[end as usize..]].concat();
            assert_eq!(String::from_utf8(out).expect("text"), want);
        }
    }
}
