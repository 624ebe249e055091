//! The member of an Anthropic body that asks the server to drop thinking blocks whose prefix has changed.

use super::*;
use crate::json::{bom, locate::Member};
use memchr::memmem;

/// The value of the member `block_binding`.
const BINDING: &str = r#""block_binding":{"prefix_mismatch_behavior":"drop_block"}"#;

/// Members that are written into bodies of Anthropic's, and the value of the header `anthropic-beta` without which its API refuses each
/// (the types of anthropic 2.14.0; platform.claude.com, context editing).
const BETAS: [(&str, &str); 2] = [
    ("block_binding", "thinking-binding-controls-2026-08-01"),
    ("context_management", "context-management-2025-06-27"),
];

/// Returns the values of the header `anthropic-beta` that the changes outside the messages make necessary.
pub fn betas(view: &View<'_>) -> Vec<&'static str> {
    let is_written = |name: &str| {
        let member = format!("\"{name}\":");
        let mut changes = view.changes().iter();
        changes.any(|change| match change {
            Change::Put { text, .. } => memmem::find(text, member.as_bytes()).is_some(),
            _ => false,
        })
    };
    let needed = BETAS.iter().filter(|(name, _)| is_written(name));
    needed.map(|(_, beta)| *beta).collect()
}

/// Returns the change that sets `thinking.block_binding` in the body of `view`.
///
/// # Errors
/// The input cannot be read any more.
pub fn drop_block(view: &View<'_>) -> Result<Change> {
    let (bytes, inside) = body(view)?;
    change(&bytes, inside).ok_or(Error::Changed)
}

/// Returns the bytes of a body, and the first byte of its first message.
fn body<'a>(view: &View<'a>) -> Result<(Cow<'a, [u8]>, usize)> {
    let mut messages = view.transcript.messages.iter();
    let inside = messages
        .next()
        .map_or(0, |first| first.range(first.span).start);
    Ok((view.texts.read(0, view.texts.size())?, inside as usize))
}

/// Returns the byte at which the body's object begins, and its members. The body is the innermost object with a member `messages`
/// that contains the byte at `inside`.
fn object(bytes: &[u8], inside: usize) -> Option<(usize, Vec<Member<'_>>)> {
    let begin = bom(bytes);
    let mut at = begin
        + bytes[begin..]
            .iter()
            .position(|byte| !byte.is_ascii_whitespace())?;
    loop {
        let members = members(bytes, at)?;
        let last = |is_wanted: &dyn Fn(&Member<'_>) -> bool| {
            members
                .iter()
                .rfind(|m| is_wanted(m))
                .map(|m| m.value.start)
        };
        let is_body = last(&|m| &*m.name == b"messages" && m.value.contains(&inside)).is_some();
        let deeper = last(&|m| {
            &*m.name != b"thinking" && m.kind == Kind::Object && m.value.contains(&inside)
        });
        match deeper.filter(|_| !is_body) {
            Some(object) => at = object,
            None => return Some((at, members)),
        }
    }
}

/// Returns the change for a body in memory.
fn change(bytes: &[u8], inside: usize) -> Option<Change> {
    let (at, members) = object(bytes, inside)?;
    match members
        .iter()
        .rfind(|m| &*m.name == b"thinking" && m.kind == Kind::Object)
    {
        Some(thinking) => member(bytes, thinking.value.start),
        None => Some(put(
            at + 1,
            at + 1,
            format!(r#""thinking":{{"type":"adaptive",{BINDING}}},"#),
        )),
    }
}

/// A member of a body other than its messages.
#[derive(Debug)]
pub struct BodyMember {
    /// Its value, JSON.
    pub value: Vec<u8>,
    /// The ranges of all members with this name; that of the last, which counts, comes first.
    places: Vec<Range<u64>>,
    value_start: u64,
}

impl BodyMember {
    /// Returns the member `name` of the body of `view`, if it has one.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn find(view: &View<'_>, name: &str) -> Result<Option<BodyMember>> {
        if view.transcript.messages.is_empty() {
            return Ok(None);
        }
        let (bytes, inside) = body(view)?;
        let (_, members) = object(&bytes, inside).ok_or(Error::Changed)?;
        let found: Vec<&Member<'_>> = members
            .iter()
            .rev()
            .filter(|m| *m.name == *name.as_bytes())
            .collect();
        Ok(found.first().map(|m| BodyMember {
            value: bytes[m.value.clone()].to_vec(),
            places: found
                .iter()
                .map(|m| m.whole.start as u64..m.whole.end as u64)
                .collect(),
            value_start: m.value.start as u64,
        }))
    }

    /// Returns the changes that remove the member or set its value. Duplicates are removed, as they would count otherwise.
    pub fn changed(&self, value: Option<String>) -> Vec<Change> {
        let (last, others) = self.places.split_first().expect("it was found");
        let last = match value {
            Some(value) => Change::put(self.value_start..last.end, value),
            None => Change::removal(last.clone()),
        };
        others
            .iter()
            .cloned()
            .map(Change::removal)
            .chain([last])
            .collect()
    }

    /// Returns the change that adds a member to the body of `view`.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn added(view: &View<'_>, name: &str, value: &str) -> Result<Change> {
        let (bytes, inside) = body(view)?;
        let (at, _) = object(&bytes, inside).ok_or(Error::Changed)?;
        Ok(put(at + 1, at + 1, format!("\"{name}\":{value},")))
    }
}

/// Returns the change that adds the binding to the object at `object`.
fn member(bytes: &[u8], object: usize) -> Option<Change> {
    let members = members(bytes, object)?;
    Some(
        match members.iter().find(|m| &*m.name == b"block_binding") {
            Some(there) => put(there.whole.start, there.whole.end, BINDING.to_owned()),
            None => put(
                object + 1,
                object + 1,
                format!("{BINDING}{}", if members.is_empty() { "" } else { "," }),
            ),
        },
    )
}

fn put(start: usize, end: usize, text: String) -> Change {
    Change::put(start as u64..end as u64, text)
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
            let Change::Put { start, end, text } =
                change(body.as_bytes(), inside).expect("it is JSON")
            else {
                panic!("no text")
            };
            let out = [
                &body.as_bytes()[..start as usize],
                &text,
                &body.as_bytes()[end as usize..],
            ]
            .concat();
            assert_eq!(String::from_utf8(out).expect("text"), want);
        }
    }
}
