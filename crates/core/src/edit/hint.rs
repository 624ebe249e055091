//! The member of an Anthropic body that asks the server to drop thinking blocks whose prefix has changed.

use super::Change;
use super::View;
use crate::Error;
use crate::json::Kind;
use crate::json::locate::{Member, members};

/// The value of the member `block_binding`.
const BINDING: &str = r#""block_binding":{"prefix_mismatch_behavior":"drop_block"}"#;

/// The change that puts `thinking.block_binding` into the body of `view`; one that is there is replaced.
///
/// # Errors
/// The input cannot be read any more.
pub fn drop_block(view: &View<'_>) -> Result<Change, Error> {
    let bytes = view.texts.read(0, view.texts.size())?;
    let inside = view.transcript.messages.first().map_or(0, |m| m.record as usize + m.span.start as usize);
    change(&bytes, inside).ok_or(Error::Changed)
}

/// The same for the innermost object with a member `messages` that holds the byte at `inside`.
fn change(bytes: &[u8], inside: usize) -> Option<Change> {
    let bom = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut at = bom + bytes[bom..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    loop {
        let members = members(bytes, at)?;
        let last = |is_wanted: &dyn Fn(&Member<'_>) -> bool| members.iter().rfind(|m| is_wanted(m)).map(|m| m.value.start);
        let is_body = last(&|m| &*m.name == b"messages" && m.value.contains(&inside)).is_some();
        let thinking = last(&|m| &*m.name == b"thinking" && m.kind == Kind::Object);
        let deeper = last(&|m| &*m.name != b"thinking" && m.kind == Kind::Object && m.value.contains(&inside));
        match (is_body, deeper, thinking) {
            (false, Some(object), _) => at = object,
            (_, _, Some(object)) => return member(bytes, object),
            _ => return Some(put(at + 1, at + 1, format!(r#""thinking":{{"type":"adaptive",{BINDING}}},"#))),
        }
    }
}

/// The change that puts the binding into the object at `object`.
fn member(bytes: &[u8], object: usize) -> Option<Change> {
    let members = members(bytes, object)?;
    Some(match members.iter().find(|m| &*m.name == b"block_binding") {
        Some(there) => put(there.whole.start, there.whole.end, BINDING.to_owned()),
        None => put(object + 1, object + 1, format!("{BINDING}{}", if members.is_empty() { "" } else { "," })),
    })
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
