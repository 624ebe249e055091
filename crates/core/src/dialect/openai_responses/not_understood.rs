//! Unknown members and values in items of OpenAI's Responses.

use crate::dialect::builder::{Level, TranscriptBuilder, printable};
use crate::dialect::openai_responses::items::{ItemKind, ItemMembers};
use crate::dialect::shared::content::Content;
use crate::dialect::shared::unread::{ContentState, UnreadMember, first_key, foreign_key, no_role};
use crate::json::{Cursor, Scanned};

/// Members that calls and outputs may have.
const KNOWN: [&[u8]; 14] = [
    b"type",
    b"id",
    b"call_id",
    b"name",
    b"namespace",
    b"arguments",
    b"input",
    b"output",
    b"status",
    b"action",
    b"operation",
    b"execution",
    b"caller",
    b"max_output_length",
];

/// Returns the thing that was not understood of an item, with its level. The item has the type `kind`.
pub fn unknown_content(
    kind: &str,
    seen: &mut ItemMembers<'_>,
    cursor: &mut Cursor<'_>,
    builder: &TranscriptBuilder,
) -> Scanned<Option<(Level, String)>> {
    let (call, id) = (seen.call.hash.is_some(), seen.id.hash.is_some());
    let arguments = match kind {
        "function_call" => "arguments",
        _ => "input",
    };
    // The members that it needs, and whether they are there.
    let needs: &[(bool, &str)] = match seen.is {
        ItemKind::Call("") => &[
            (call, "call_id"),
            (seen.name.is_some(), "name"),
            (seen.arguments.is_some(), arguments),
        ],
        ItemKind::Output("") => &[(call, "call_id"), (seen.said, "output")],
        ItemKind::Call("tool_search") | ItemKind::Output("tool_search") => &[],
        ItemKind::Call(tool) | ItemKind::Output(tool) => {
            &[(call || id && tool == "local_shell", "call_id")]
        }
        ItemKind::Message => return words(seen, cursor, builder),
        ItemKind::Unknown if kind.is_empty() => {
            let said = first_key(cursor, seen.at, &[], ContentState::Missing)?;
            return Ok(Some(said.map_or_else(
                || (Level::Message, "item without a type".to_owned()),
                UnreadMember::level,
            )));
        }
        ItemKind::Unknown => {
            let what = format!("item of type {}", printable(kind));
            return Ok(Some((Level::Message, what)));
        }
        _ => &[],
    };
    // An item that lacks a member, and has none of another spelling, is a fault that the check reports.
    let Some((_, member)) = needs.iter().find(|(is_there, _)| !is_there) else {
        return Ok(None);
    };
    let instead = foreign_key(cursor, seen.at, &KNOWN)?;
    Ok(instead.map(|key| {
        let what = format!("{key} in an item of type {kind} without {member}");
        (Level::Message, what)
    }))
}

/// Returns the thing that was not understood of an item that is a message, with its level.
fn words(
    seen: &mut ItemMembers<'_>,
    cursor: &mut Cursor<'_>,
    builder: &TranscriptBuilder,
) -> Scanned<Option<(Level, String)>> {
    let known = matches!(
        seen.role.as_deref(),
        Some("user" | "assistant" | "system" | "developer")
    );
    if known
        && !builder.is_empty_since(seen.first)
        && seen.foreign.is_none()
        && builder.unknown_kinds() == seen.unknown_kinds
    {
        return Ok(None);
    }
    if let Some(key) = seen.foreign.take() {
        return Ok(Some((Level::Message, key)));
    }
    if !known {
        return no_role(cursor, seen.at, seen.role.as_deref().map(str::as_bytes)).map(Some);
    }
    let said = match seen.content {
        Content::Odd(_) => Some(UnreadMember::content()),
        _ => {
            let state = ContentState::of(seen.said);
            first_key(cursor, seen.at, &[b"content"], state)?
        }
    };
    Ok(builder.verdict(seen.first, seen.unknown_kinds, said))
}
