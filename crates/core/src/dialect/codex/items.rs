//! Items of the Responses API in a log, each read as a message: texts, reasoning, calls and their outputs.
//!
//! Members come in any order. A `content` that comes before its `type` is read at the end of the item.

use crate::dialect::builder::{CallId, Entry, EntryKind, Level, TranscriptBuilder};
use crate::dialect::openai_responses::COMPACTIONS;
use crate::dialect::openai_responses::not_understood::KNOWN;
use crate::dialect::shared;
use crate::dialect::shared::Content;
use crate::dialect::shared::content::texts;
use crate::dialect::shared::unread::{ContentState, first_key, foreign_key, no_role, note_no_role};
use crate::json::{Cursor, Id, Kind, ScanError, stringify};
use crate::settings::Estimator;
use crate::transcript::{BlockKind, Role, Span};
use std::borrow::Cow;

/// The members of an item.
#[derive(Default)]
struct ItemMembers<'a> {
    kind: Option<Cow<'a, str>>,
    role: Option<Role>,
    /// A role that is not known, as it is written.
    odd: Option<Cow<'a, [u8]>>,
    call: CallId,
    id: CallId,
    name: Option<Cow<'a, str>>,
    content: Content,
    /// The byte of a content that could not be read before the type was known.
    later: Option<usize>,
    arguments: usize,
    /// Whether it has arguments.
    asks: bool,
    reasoning: usize,
    /// The number of things that were not understood before it.
    unknown_kinds: usize,
}

/// Reads an item; says whether it is the model's own.
///
/// # Errors
/// The item is malformed JSON.
pub fn item(
    cursor: &mut Cursor<'_>,
    origin: usize,
    builder: &mut TranscriptBuilder,
) -> Result<bool, ScanError> {
    let (from, first, unknown_kinds) = (cursor.at(), builder.blocks.len(), builder.unknown_kinds());
    let mut seen = ItemMembers {
        unknown_kinds,
        ..ItemMembers::default()
    };
    cursor.each_member(|key, cursor| {
        match key {
            b"type" => seen.kind = cursor.string_or_skip()?,
            b"role" => {
                let name = cursor.bytes_or_skip()?.unwrap_or_default();
                seen.role = Some(role_of(&name));
                seen.odd = (seen.role == Some(Role::Other)).then_some(name);
            }
            b"call_id" => seen.call = CallId::read(cursor, origin)?,
            b"id" => seen.id = CallId::read(cursor, origin)?,
            b"name" => seen.name = cursor.string_or_skip()?,
            b"content" if seen.kind.as_deref() == Some("message") => {
                builder.keep_blocks(first);
                seen.content = shared::content(cursor, origin, builder)?;
            }
            b"content" => seen.later = Some(cursor.at()),
            b"output" => {
                builder.keep_blocks(first);
                seen.content = shared::content(cursor, origin, builder)?;
            }
            b"arguments" | b"input" if cursor.kind()? == Kind::String => {
                (seen.arguments, seen.asks) = (cursor.text()?.units, true)
            }
            b"arguments" | b"input" | b"action" => {
                (seen.arguments, seen.asks) = (stringify::length(cursor)?, true)
            }
            b"summary" => seen.reasoning += reasoning(cursor, builder)?,
            // What the model reads again, but the oldest estimator counts plain reasoning alone.
            b"encrypted_content"
                if builder.estimator != Estimator::Utf16 && cursor.kind()? == Kind::String =>
            {
                let found = cursor.text()?;
                seen.reasoning += builder.chars_of(&found);
            }
            _ => {}
        }
        Ok(())
    })?;
    let end = cursor.at();
    let span = Span {
        start: (from - origin) as u32,
        end: (end - origin) as u32,
    };
    let speaks = push_item(seen, cursor, origin, span, first, builder)?;
    cursor.go_to(end);
    Ok(speaks)
}

/// Makes of an item the message that its type says.
fn push_item(
    mut seen: ItemMembers<'_>,
    cursor: &mut Cursor<'_>,
    origin: usize,
    span: Span,
    first: usize,
    builder: &mut TranscriptBuilder,
) -> Result<bool, ScanError> {
    let kind = seen.kind.as_deref().unwrap_or("");
    let answers = matches!(
        kind,
        "function_call_output"
            | "custom_tool_call_output"
            | "local_shell_call_output"
            | "tool_search_output"
    );
    let speaks = kind == "message" || kind.is_empty() && seen.role.is_some();
    let holds_blocks = answers || speaks && seen.later.is_none();
    if !holds_blocks {
        builder.keep_blocks(first);
    }
    let at = span.start as usize + origin;
    match kind {
        _ if speaks => {
            if let Some(at) = seen.later {
                cursor.go_to(at);
                seen.content = shared::content(cursor, origin, builder)?;
            }
            if builder.blocks.len() == first || builder.unknown_kinds() > seen.unknown_kinds {
                let absent = seen.content == Content::Absent;
                let said = if absent {
                    first_key(cursor, at, &[], ContentState::Missing)?
                } else {
                    None
                };
                builder.judge(first, seen.unknown_kinds, said);
            }
            if let Some(odd) = &seen.odd {
                let (_, what) = no_role(cursor, at, Some(odd))?;
                builder.not_understood_at(first, Level::Part, what.clone());
                builder.unread(Level::Parts, what);
            } else if seen.role.is_none() {
                note_no_role(cursor, at, None, builder)?;
            }
            let role = seen.role.unwrap_or(Role::Other);
            push(
                builder,
                role,
                span,
                first,
                matches!(seen.content, Content::Array(_)),
            );
            return Ok(role == Role::Assistant);
        }
        _ if answers => {
            builder.not_understood_inside(seen.unknown_kinds);
            if seen.content == Content::Absent && kind != "tool_search_output" {
                builder.not_understood(Level::Part, format!("item of type {kind} without output"));
            }
            let call = if seen.call.hash.is_none() {
                seen.id
            } else {
                seen.call
            };
            shared::answer(
                builder,
                first,
                span,
                seen.content,
                call,
                seen.name.as_deref(),
                false,
            );
            push(
                builder,
                Role::Tool,
                span,
                first,
                matches!(seen.content, Content::Array(_)),
            );
            return Ok(false);
        }
        "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" => {
            let shell = kind == "local_shell_call";
            let call = if shell && seen.call.hash.is_none() {
                seen.id
            } else {
                seen.call
            };
            let name = seen
                .name
                .as_deref()
                .unwrap_or(if shell { "local_shell" } else { "" });
            let lacking = lacking(kind, &seen);
            let instead = if lacking.is_some() {
                foreign_key(cursor, at, &KNOWN)?
            } else {
                None
            };
            if let Some((key, member)) = instead.zip(lacking) {
                builder.not_understood(
                    Level::Part,
                    format!("{key} in an item of type {kind} without {member}"),
                );
                builder.not_understood_ids(span.of(&cursor.bytes()[origin..]));
            }
            builder.call(call, name, 0, span, seen.arguments);
        }
        "reasoning" => {
            if let Some(at) = seen.later {
                cursor.go_to(at);
                seen.reasoning += reasoning(cursor, builder)?;
            }
            builder.plain_block(BlockKind::Thinking, 0, span, seen.reasoning);
        }
        "web_search_call" => builder.other_block(0, span),
        "image_generation_call" => builder.plain_block(BlockKind::Image, 0, span, 0),
        kind if COMPACTIONS.contains(&kind) => {
            push(builder, Role::Other, span, first, false);
            return Ok(false);
        }
        // A mark for undoing, never sent; and the head and the states of a rollout without envelopes.
        "ghost_snapshot" | "" => return Ok(false),
        unknown => {
            builder.unknown(Level::Part, "item of type", unknown);
            builder.not_understood_ids(span.of(&cursor.bytes()[origin..]));
            return Ok(false);
        }
    }
    push(builder, Role::Assistant, span, first, true);
    Ok(true)
}

/// The member that a call of this kind lacks.
fn lacking(kind: &str, seen: &ItemMembers<'_>) -> Option<&'static str> {
    let named = seen.name.is_some() || matches!(kind, "local_shell_call" | "tool_search_call");
    let has_id =
        seen.call.hash.is_some() || matches!(kind, "local_shell_call" | "tool_search_call");
    match kind {
        _ if !has_id => Some("call_id"),
        _ if !named => Some("name"),
        "function_call" if !seen.asks => Some("arguments"),
        "custom_tool_call" if !seen.asks => Some("input"),
        "local_shell_call" if !seen.asks => Some("action"),
        _ => None,
    }
}

/// Adds a message whose blocks were pushed since index `first`, and its place in the history; returns its index.
pub fn push(
    builder: &mut TranscriptBuilder,
    role: Role,
    span: Span,
    first: usize,
    array: bool,
) -> u32 {
    let message = builder.message(role, span, first, array);
    builder.entries.push(Entry {
        kind: EntryKind::Following(Id::NONE),
        message,
        ..Entry::default()
    });
    message
}

/// Chars of a reasoning, which is a list of texts or counts nothing.
fn reasoning(cursor: &mut Cursor<'_>, builder: &TranscriptBuilder) -> Result<usize, ScanError> {
    if cursor.kind()? == Kind::Array {
        texts(cursor, builder)
    } else {
        cursor.skip().map(|_| 0)
    }
}

fn role_of(role: &[u8]) -> Role {
    match role {
        b"user" => Role::User,
        b"assistant" => Role::Assistant,
        b"system" | b"developer" => Role::System,
        _ => Role::Other,
    }
}
