//! Items of the Responses API in a log, each read as a message: texts, reasoning, calls and their outputs.

use crate::dialect::builder::{Entry, EntryKind, TranscriptBuilder};
use crate::dialect::openai_responses::Items;
use crate::json::{Cursor, Id, Scanned};
use crate::transcript::{Role, Span};

/// Reads an item; says whether it is the model's own.
///
/// # Errors
/// The item is malformed JSON.
pub fn item(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<bool> {
    let (first, mut items) = (builder.messages.len() as u32, Items::default());
    items.item(cursor, builder)?;
    items.close(builder);
    (first..builder.messages.len() as u32).for_each(|message| follow(builder, message));
    let made = &builder.messages[first as usize..];
    Ok(made.iter().any(|made| made.role == Role::Assistant))
}

/// Adds a message whose blocks were pushed since index `first`, and its place in the history; returns its index.
pub fn push(builder: &mut TranscriptBuilder, role: Role, span: Span, first: usize) -> u32 {
    let message = builder.message(role, span, first, false);
    follow(builder, message);
    message
}

/// Gives a message its place in the history.
fn follow(builder: &mut TranscriptBuilder, message: u32) {
    builder.entries.push(Entry {
        kind: EntryKind::Following(Id::NONE),
        message,
        ..Entry::default()
    });
}
