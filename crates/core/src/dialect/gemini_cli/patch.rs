//! `$patch` records of Gemini CLI sessions: changes of existing messages, as opposed to `$set`, which writes all messages again.
//!
//! `updates` give messages another content, and runs of tools another result; a patch may be one such update itself. What
//! `removeIds` names is removed, and what `orderIds` names is moved to the end, in that order.

use crate::dialect::builder::{Entry, EntryKind, NONE, TranscriptBuilder};
use crate::dialect::gemini_cli::MessageMembers;
use crate::json::{Cursor, Kind, Scanned};
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
        let id = cursor.id_or_skip()?;
        if id.is_some() {
            builder.entries.push(Entry {
                id,
                kind,
                ..Entry::default()
            });
        }
        Ok(())
    })
}

/// Reads one update, `{id, content, toolCalls: [{id, result}]}`; without an id it is none.
fn update(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, before) = (cursor.next_at(), builder.mark());
    let seen = MessageMembers::read(cursor, builder)?;
    let (id, first) = (seen.id, before.blocks);
    if id.is_none() {
        builder.rollback_blocks(before);
        return Ok(());
    }
    let message = seen.array.map_or(NONE, |array| {
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
    for called in seen.calls {
        let (call, message) = called.push_answer(builder);
        builder.entries.push(Entry {
            parent: id,
            kind: EntryKind::Run(call),
            message,
            ..Entry::default()
        });
    }
    Ok(())
}
