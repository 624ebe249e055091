//! Items of the Responses API in a log, each read as a message: texts, reasoning, calls and their outputs.
//!
//! The items that are between two of the other side came from one request, and are joined to one message. Results stay
//! messages of their own, so that a cut is recognized by its own line.

use crate::dialect::builder::{Entry, TranscriptBuilder};
use crate::dialect::openai_responses::Items;
use crate::json::{Cursor, Scanned};
use crate::transcript::{Message, Role, Span};

/// Reads an item; says whether it is the model's own.
///
/// # Errors
/// The item is malformed JSON.
pub fn item(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<bool> {
    let (first, mut items) = (builder.messages.len(), Items::default());
    items.item(cursor, builder)?;
    items.close(builder);
    (first..builder.messages.len()).for_each(|message| follow(builder, message as u32));
    let made = &builder.messages[first..];
    Ok(made.iter().any(|made| made.role == Role::Assistant))
}

/// Gives a message its place in the history.
pub fn follow(builder: &mut TranscriptBuilder, message: u32) {
    builder.entries.push(Entry {
        message,
        ..Entry::default()
    });
}

/// Makes one message of the items of one request. Its record is that of the first; the spans of the rest count from there.
pub fn join(builder: &mut TranscriptBuilder) {
    let mut joined: Vec<Message> = Vec::with_capacity(builder.messages.len());
    let mut part = 0u16;
    for i in 0..builder.messages.len() {
        let (next, places) = (builder.messages[i], builder.places_of(i));
        let is_model = |message: &&mut Message| message.role == Role::Assistant;
        let last = joined.last_mut().filter(is_model);
        let apart = |last: &Message| {
            let apart = u32::try_from(next.record.checked_sub(last.record)?).ok()?;
            apart.checked_add(next.span.end).map(|_| apart)
        };
        let Some((last, apart)) = last
            .filter(|_| next.role == Role::Assistant)
            .and_then(|last| apart(last).map(|apart| (last, apart)))
        else {
            let end = builder.blocks[places].last();
            part = end.map_or(0, |block| block.part.saturating_add(1));
            joined.push(next);
            continue;
        };
        let moved = |span: Span| Span {
            start: span.start + apart,
            end: span.end + apart,
        };
        (last.span.end, last.array) = (next.span.end + apart, true);
        for block in &mut builder.blocks[places] {
            (block.span, block.part) = (moved(block.span), part);
            part = part.saturating_add(1);
            if block.is_linked() {
                let link = &mut builder.links[block.extra as usize];
                link.id = moved(link.id);
            }
        }
    }
    builder.messages = joined;
}
