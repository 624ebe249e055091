//! `$patch` records of Gemini CLI sessions: changes of existing messages, as opposed to `$set`, which writes all messages again.
//!
//! `updates` give messages another content, and runs of tools another result; a patch may be one such update itself. What
//! `removeIds` names is removed, and what `orderIds` names is moved to the end, in that order.

use crate::dialect::builder::{Entry, EntryKind, NONE, TranscriptBuilder};
use crate::dialect::gemini;
use crate::dialect::gemini_cli::{PendingCall, tool_calls};
use crate::json::{Cursor, Id, Kind, Scanned};
use crate::transcript::{BlockKind, Role};

/// Reads the object that is patched with: an entry for each change, in the order in which they are made.
///
/// # Errors
/// It is malformed JSON.
pub fn patch(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let from = cursor.next_at();
    update(cursor, builder)?;
    cursor.go_to(from);
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"updates", Kind::Array) => {
                cursor.each_object(|_, cursor| update(cursor, builder))?;
            }
            (b"removeIds", Kind::Array) => ids(cursor, EntryKind::Removed, builder)?,
            (b"orderIds", Kind::Array) => ids(cursor, EntryKind::Last, builder)?,
            _ => {}
        }
        Ok(())
    })
}

/// Reads a list of ids: an entry of this kind for each.
fn ids(cursor: &mut Cursor<'_>, kind: EntryKind, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.each_element(|_, cursor| {
        if let Some(id) = cursor.bytes_or_skip()? {
            builder.entries.push(Entry {
                id: Id::of(&id),
                kind,
                ..Entry::default()
            });
        }
        Ok(())
    })
}

/// Reads one update, `{id, content, toolCalls: [{id, result}]}`; without an id it is none.
fn update(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, before, first) = (cursor.next_at(), builder.mark(), builder.blocks.len());
    let (mut id, mut content, mut calls) = (Id::NONE, None, Vec::new());
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"id", Kind::String) => id = Id::of(&cursor.bytes_or_skip()?.unwrap_or_default()),
            (b"content", _) => {
                builder.keep_blocks(first);
                content = Some(gemini::parts(cursor, builder)?);
            }
            (b"toolCalls", Kind::Array) => calls = tool_calls(cursor, builder)?,
            _ => {}
        }
        Ok(())
    })?;
    if id.is_none() {
        builder.rollback_blocks(before);
        return Ok(());
    }
    let message = content.map_or(NONE, |array| {
        builder.count_parts(first);
        // Whose it is shows when the patch is made; until then it is guessed.
        let model = builder.blocks[first..]
            .iter()
            .any(|b| matches!(b.kind, BlockKind::Call | BlockKind::Thinking));
        let role = if model { Role::Assistant } else { Role::User };
        builder.message(role, cursor.span_from(from), first, array)
    });
    builder.entries.push(Entry {
        id,
        kind: EntryKind::Patch,
        message,
        ..Entry::default()
    });
    for PendingCall { call, answer } in calls {
        let first = builder.blocks.len();
        let said = !answer.is_empty();
        builder.blocks.extend(answer);
        let message = if said {
            builder.message(Role::Tool, call.span, first, true)
        } else {
            NONE
        };
        let kind = EntryKind::Run(builder.link_of(&call).call);
        builder.entries.push(Entry {
            parent: id,
            kind,
            message,
            ..Entry::default()
        });
    }
    Ok(())
}
