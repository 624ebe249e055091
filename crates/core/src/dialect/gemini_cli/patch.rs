//! `$patch` records of Gemini CLI sessions: what changed in messages that are there, instead of all messages anew (`$set`).
//!
//! `updates` give messages another content, and runs of tools another result; a patch may be one such update itself. What
//! `removeIds` names goes, and what `orderIds` names comes to stand last, in that order.

use crate::dialect::gemini;
use crate::dialect::gemini_cli::{Called, tool_calls};
use crate::dialect::shared::span_from;
use crate::dialect::sheet::{Entry, EntryKind, NONE, Sheet};
use crate::json::{Cursor, Id, Kind, ScanError};
use crate::transcript::{BlockKind, Role};

/// Reads the object that is patched with: an entry for each change, in the order in which they are made.
///
/// # Errors
/// It is malformed JSON.
pub fn patch(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    cursor.peek();
    let from = cursor.at();
    update(cursor, origin, sheet)?;
    cursor.go_to(from);
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match (&*key, cursor.kind()?) {
            (b"updates", Kind::Array) => {
                let mut elements = cursor.enter_array()?;
                while cursor.object_element(&mut elements)? {
                    update(cursor, origin, sheet)?;
                }
            }
            (b"removeIds", Kind::Array) => ids(cursor, EntryKind::Removed, sheet)?,
            (b"orderIds", Kind::Array) => ids(cursor, EntryKind::Last, sheet)?,
            _ => {
                cursor.skip()?;
            }
        }
    }
    Ok(())
}

/// Reads a list of ids: an entry of this kind for each.
fn ids(cursor: &mut Cursor<'_>, kind: EntryKind, sheet: &mut Sheet) -> Result<(), ScanError> {
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        if let Some(id) = cursor.bytes_or_skip()? {
            sheet.entries.push(Entry { id: Id::of(&id), kind, ..Entry::default() });
        }
    }
    Ok(())
}

/// Reads one update, `{id, content, toolCalls: [{id, result}]}`; without an id it is none.
fn update(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    cursor.peek();
    let (from, before, first) = (cursor.at(), sheet.mark(), sheet.blocks.len());
    let (mut id, mut content, mut calls) = (Id::NONE, None, Vec::new());
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match (&*key, cursor.kind()?) {
            (b"id", Kind::String) => id = Id::of(&cursor.bytes_or_skip()?.unwrap_or_default()),
            (b"content", _) => {
                sheet.keep_blocks(first);
                content = Some(gemini::parts(cursor, origin, sheet)?);
            }
            (b"toolCalls", Kind::Array) => calls = tool_calls(cursor, origin, sheet)?,
            _ => {
                cursor.skip()?;
            }
        }
    }
    if id.is_none() {
        sheet.rollback_blocks(before);
        return Ok(());
    }
    let message = content.map_or(NONE, |array| {
        sheet.count_parts(first);
        // Whose it is shows when the patch is made; until then it is guessed.
        let model = sheet.blocks[first..].iter().any(|b| matches!(b.kind, BlockKind::Call | BlockKind::Thinking));
        let role = if model { Role::Assistant } else { Role::User };
        sheet.message(role, span_from(cursor, from, origin), first, array)
    });
    sheet.entries.push(Entry { id, kind: EntryKind::Patch, message, ..Entry::default() });
    for Called { call, answer } in calls {
        let first = sheet.blocks.len();
        let said = !answer.is_empty();
        sheet.blocks.extend(answer);
        let message = if said { sheet.message(Role::Tool, call.span, first, true) } else { NONE };
        let kind = EntryKind::Run(sheet.links[call.extra as usize].call);
        sheet.entries.push(Entry { parent: id, kind, message, ..Entry::default() });
    }
    Ok(())
}
