//! Joins items to messages, for logs in which the model's reasoning, text and calls are separate items.
//!
//! The items that are between two of the other side came from one request, and are joined to one message. Results stay
//! messages of their own, so that a cut is recognized by its own line.

use crate::dialect::builder::TranscriptBuilder;
use crate::transcript::{Message, Role, Span};

/// Makes one message of the items of one request. Its record is that of the first; the spans of the rest count from there.
pub fn join(builder: &mut TranscriptBuilder) {
    let count = builder.messages.len();
    let mut joined: Vec<Message> = Vec::with_capacity(count);
    let mut part = 0u16;
    for i in 0..count {
        let next = builder.messages[i];
        let last = joined
            .last_mut()
            .filter(|last| last.role == Role::Assistant && next.role == Role::Assistant);
        let apart = last
            .as_ref()
            .and_then(|last| next.record.checked_sub(last.record))
            .and_then(|d| u32::try_from(d).ok());
        let Some((last, apart)) =
            last.zip(apart.filter(|d| d.checked_add(next.span.end).is_some()))
        else {
            part = builder.blocks[builder.places_of(i)]
                .last()
                .map_or(0, |b| b.part.saturating_add(1));
            joined.push(next);
            continue;
        };
        let moved = |span: Span| Span {
            start: span.start + apart,
            end: span.end + apart,
        };
        last.span.end = next.span.end + apart;
        last.array = true;
        let places = builder.places_of(i);
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
