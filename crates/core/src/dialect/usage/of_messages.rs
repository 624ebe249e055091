//! Rows that are read from messages: where one record holds many of them, or several records write one again.

use super::{Log, Row, RowKind, State, Usage};
use crate::dialect::builder::TranscriptBuilder;
use crate::json::{Cursor, Scanned};
use crate::transcript::Role;
use std::collections::HashMap;
use std::ops::Range;

/// Reads the rows of the object at the cursor: of a message, a row for each request that it answers, in their order; of what answers
/// a call, its time.
pub type ReadMessage = fn(&mut Cursor<'_>, &mut State, &mut Vec<Row>) -> Scanned;

/// The part of a row that counts a message of one request.
pub const WHOLE: u32 = u32::MAX;
/// The part of a row that counts the last request of a message.
pub const LAST: u32 = WHOLE - 1;

/// Reads the rows of all messages of a builder.
pub fn read(bytes: &[u8], read: ReadMessage, builder: &TranscriptBuilder) -> Log {
    let mut state = State::default();
    let (mut rows, mut of_messages) = (Vec::new(), Vec::with_capacity(builder.messages.len()));
    let ends = ends(builder);
    // Of each object, the rows that no message of it has taken yet.
    let mut open: HashMap<(u64, u32), Range<usize>> = HashMap::new();
    for (i, message) in builder.messages.iter().enumerate() {
        let left = open.entry(place(builder, i)).or_insert_with(|| {
            let at = usize::try_from(message.record)
                .unwrap_or(usize::MAX)
                .saturating_add(message.span.start as usize);
            let (first, mut cursor) = (rows.len(), Cursor::new_at(bytes, at));
            if message.span.is_empty() || read(&mut cursor, &mut state, &mut rows).is_err() {
                rows.truncate(first);
            }
            rows[first..]
                .iter_mut()
                .for_each(|row| row.record = at as u64);
            state.keep_folder(rows[first..].iter().find_map(|row| row.sent.or(row.time)));
            first..rows.len()
        });
        let parts = first_part(builder, i)..=ends[i];
        let is_counted = |row: &Row| row.part == WHOLE || parts.contains(&row.part);
        let is_own = |row: &Row| {
            row.kind != RowKind::Answer || message.role == Role::Assistant && is_counted(row)
        };
        let taken = left.clone().find(|&at| is_own(&rows[at]));
        left.start = taken.map_or(left.start, |at| at + 1);
        of_messages.push(taken.map_or(u32::MAX, |at| at as u32));
    }
    state.into_log(rows, Some(of_messages))
}

/// The place of the object that a message is read from.
fn place(builder: &TranscriptBuilder, message: usize) -> (u64, u32) {
    let message = &builder.messages[message];
    (message.record, message.span.start)
}

/// The place of the first part of a message.
fn first_part(builder: &TranscriptBuilder, message: usize) -> u32 {
    builder
        .blocks_of(message as u32)
        .first()
        .map_or(0, |block| u32::from(block.part))
}

/// For each message the first part of the next one that is read from the same object.
fn ends(builder: &TranscriptBuilder) -> Vec<u32> {
    let mut next = HashMap::new();
    let mut ends: Vec<u32> = (0..builder.messages.len())
        .rev()
        .map(|i| match builder.messages[i].role {
            Role::Assistant => next
                .insert(place(builder, i), first_part(builder, i))
                .unwrap_or(WHOLE),
            _ => WHOLE,
        })
        .collect();
    ends.reverse();
    ends
}

/// The usage of the request whose answer begins with part `part` of the message that is `bytes`.
pub fn usage(bytes: &[u8], read: ReadMessage, part: u32) -> Option<Usage> {
    let mut rows = Vec::new();
    read(&mut Cursor::new(bytes), &mut State::default(), &mut rows).ok()?;
    rows.iter()
        .filter(|row| row.part >= part)
        .find_map(|row| row.usage)
}
