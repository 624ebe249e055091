//! Members of a body beside its messages, which ask the server for something.

use super::*;
use crate::json::{bom, locate::Member};
use memchr::memmem;

use serde_json::{Value, json};

/// Members that are written into bodies of Anthropic's, and the value of the header
/// `anthropic-beta` without which its API refuses each (the types of anthropic 2.14.0;
/// platform.claude.com, context editing).
const BETAS: [(&str, &str); 2] = [
    ("block_binding", "thinking-binding-controls-2026-08-01"),
    ("context_management", "context-management-2025-06-27"),
];

/// Returns the values of the header `anthropic-beta` that the changes outside the messages make
/// necessary.
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

/// Returns the bytes of a body, and the first byte of its first message.
fn body<'a>(view: &View<'a>) -> Result<(Cow<'a, [u8]>, usize)> {
    let mut messages = view.transcript.messages.iter();
    let inside = messages
        .next()
        .map_or(0, |first| first.range(first.span).start);
    Ok((view.texts.read(0, view.texts.size())?, inside as usize))
}

/// Returns the byte at which the body's object begins, and its members. The body is the innermost
/// object with a member `messages` that contains the byte at `inside`.
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

/// Whether a body is a list of messages alone, which has no members.
///
/// # Errors
/// The input cannot be read any more.
pub fn is_list(view: &View<'_>) -> Result<bool> {
    let (bytes, inside) = body(view)?;
    Ok(object(&bytes, inside).is_none())
}

/// Returns the value of the member `name` of the body of `view`; null if it has none.
///
/// # Errors
/// The input cannot be read any more.
pub fn member(view: &View<'_>, name: &str) -> Result<Value> {
    let (bytes, inside) = body(view)?;
    let members = object(&bytes, inside).map(|(_, members)| members);
    let found = members
        .iter()
        .flatten()
        .rfind(|m| *m.name == *name.as_bytes());
    let value = found.and_then(|m| serde_json::from_slice(&bytes[m.value.clone()]).ok());
    Ok(value.unwrap_or_default())
}

/// Sets a member of the body of `view`, or removes it if the value is null. Duplicates are removed,
/// as they would count otherwise.
///
/// # Errors
/// The input cannot be read any more.
pub fn set_member(view: &mut View<'_>, name: &str, value: &Value) -> Result<()> {
    let (bytes, inside) = body(view)?;
    let (at, members) = object(&bytes, inside).ok_or(Error::Changed)?;
    let place = |range: &Range<usize>| range.start as u64..range.end as u64;
    let mut found = members.iter().rev().filter(|m| *m.name == *name.as_bytes());
    let text = format!("{}:{value}", json!(name));
    let mut changes = match found.next() {
        Some(last) if value.is_null() => vec![Change::removal(place(&last.whole))],
        Some(last) => vec![Change::put(place(&last.whole), text)],
        None if value.is_null() => Vec::new(),
        None => vec![Change::put(place(&(at + 1..at + 1)), format!("{text},"))],
    };
    changes.extend(found.map(|m| Change::removal(place(&m.whole))));
    changes.into_iter().for_each(|change| view.change(change));
    Ok(())
}
