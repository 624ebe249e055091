//! Unknown members and values in items of OpenAI's Responses.

use crate::dialect::builder::{Level, TranscriptBuilder, printable};
use crate::dialect::openai_responses::items::{ALONE, CALLS, COMPACTIONS, ItemMembers};
use crate::dialect::shared::content::Content;
use crate::dialect::shared::unread::{ContentState, UnreadMember, first_key, foreign_key, no_role};
use crate::json::{Cursor, ScanError};

/// Members that calls and outputs may have.
pub const KNOWN: [&[u8]; 14] = [
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

/// Returns the thing that was not understood of an item, with its level. The item has the type `kind`. It is the object at byte
/// `at`, and its texts are the blocks from index `first` on.
pub fn unknown_content(
    kind: &str,
    seen: &mut ItemMembers<'_>,
    cursor: &mut Cursor<'_>,
    at: usize,
    first: usize,
    builder: &TranscriptBuilder,
) -> Result<Option<(Level, String)>, ScanError> {
    let (call, id, named) = (
        seen.call.hash.is_some(),
        seen.id.hash.is_some(),
        seen.name.is_some(),
    );
    let lacks = |there: bool, member: &'static str| (!there).then_some(member);
    let lacking = match kind {
        "function_call" | "custom_tool_call" => {
            lacks(call, "call_id").or(lacks(named, "name")).or(lacks(
                seen.arguments.is_some(),
                if kind == "function_call" {
                    "arguments"
                } else {
                    "input"
                },
            ))
        }
        "function_call_output" | "custom_tool_call_output" => {
            lacks(call, "call_id").or(lacks(seen.said, "output"))
        }
        "local_shell_call" | "local_shell_call_output" => lacks(call || id, "call_id"),
        "tool_search_call" | "tool_search_output" => None,
        _ if CALLS
            .iter()
            .any(|(call, output, _)| [*call, *output].contains(&kind)) =>
        {
            lacks(call, "call_id")
        }
        "message" => return words(seen, cursor, at, first, builder),
        "reasoning"
        | "image_generation_call"
        | "mcp_approval_response"
        | "additional_tools"
        | "configuration_update"
        | "compaction_trigger"
        | "item_reference" => None,
        _ if ALONE.contains(&kind)
            || COMPACTIONS.contains(&kind)
            || kind.starts_with("tool_search_") =>
        {
            None
        }
        "" => {
            let said = first_key(cursor, at, &[], ContentState::Missing)?;
            return Ok(Some(said.map_or_else(
                || (Level::Message, "item without a type".to_owned()),
                UnreadMember::level,
            )));
        }
        unknown => {
            return Ok(Some((
                Level::Message,
                format!("item of type {}", printable(unknown)),
            )));
        }
    };
    // An item that lacks a member, and has none of another spelling, is a fault that the check reports.
    let Some(member) = lacking else {
        return Ok(None);
    };
    let instead = foreign_key(cursor, at, &KNOWN)?;
    Ok(instead.map(|key| {
        (
            Level::Message,
            format!("{key} in an item of type {kind} without {member}"),
        )
    }))
}

/// Returns the thing that was not understood of an item that is a message, with its level.
fn words(
    seen: &mut ItemMembers<'_>,
    cursor: &mut Cursor<'_>,
    at: usize,
    first: usize,
    builder: &TranscriptBuilder,
) -> Result<Option<(Level, String)>, ScanError> {
    let known = matches!(
        seen.role.as_deref(),
        Some("user" | "assistant" | "system" | "developer")
    );
    if known
        && !builder.is_empty_since(first)
        && seen.foreign.is_none()
        && builder.unknown_kinds() == seen.unknown_kinds
    {
        return Ok(None);
    }
    if let Some(key) = seen.foreign.take() {
        return Ok(Some((Level::Message, key)));
    }
    if !known {
        return no_role(cursor, at, seen.role.as_deref().map(str::as_bytes)).map(Some);
    }
    let said = match seen.content {
        Content::Odd(_) => Some(UnreadMember::content()),
        _ => first_key(
            cursor,
            at,
            &[b"content"],
            if seen.said {
                ContentState::Empty
            } else {
                ContentState::Missing
            },
        )?,
    };
    Ok(builder.verdict(first, seen.unknown_kinds, said))
}
