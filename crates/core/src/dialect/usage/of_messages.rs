//! Rows that are read from messages: for formats in which a record holds many messages, or several
//! records repeat one.

use super::{Log, Row, RowKind, Seen, State, members::TABLES};
use crate::{
    dialect::{Dialect, builder::TranscriptBuilder},
    json::Cursor,
    transcript::{Message, Role},
};
use std::{collections::HashMap, ops::Range};

/// The part of a row that counts a message of one request.
pub const WHOLE: u32 = u32::MAX;
/// The part of a row that counts the last request of a message.
pub const LAST: u32 = WHOLE - 1;

/// Reads the rows of all messages of a builder, which `make` makes.
pub fn read(
    bytes: &[u8],
    format: &Dialect,
    make: fn(Seen, &mut State, &mut Vec<Row>),
    builder: &TranscriptBuilder,
) -> Log {
    let mut state = State::default();
    let (mut rows, mut of_messages) = (Vec::new(), Vec::with_capacity(builder.messages.len()));
    let ends = ends(builder);
    // For each object, the rows that no message of it has taken yet.
    let mut open: HashMap<u64, Range<usize>> = HashMap::new();
    for (i, message) in builder.messages.iter().enumerate() {
        let record = object(message);
        let left = open.entry(record).or_insert_with(|| {
            let (first, mut cursor) = (rows.len(), Cursor::new_at(bytes, record as usize));
            if !message.span.is_empty()
                && let Some(table) = TABLES.get(format.name)
                && let Ok(seen) = Seen::of(&mut cursor, table, &mut state)
            {
                make(seen, &mut state, &mut rows);
            }
            let made = &mut rows[first..];
            made.iter_mut().for_each(|row| row.record = record);
            state.keep_folder(made.iter().find_map(|row| row.sent.or(row.time)));
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
    state.into_log(rows, of_messages)
}

/// The byte of the input at which the object begins that a message is read from.
fn object(message: &Message) -> u64 {
    message.record + u64::from(message.span.start)
}

/// The place of the first part of a message.
fn first_part(builder: &TranscriptBuilder, message: usize) -> u32 {
    let first = builder.blocks_of(message as u32).first();
    first.map_or(0, |block| u32::from(block.part))
}

/// For each message the first part of the next one that is read from the same object.
fn ends(builder: &TranscriptBuilder) -> Vec<u32> {
    let (mut next, mut ends) = (HashMap::new(), vec![WHOLE; builder.messages.len()]);
    for (i, message) in builder.messages.iter().enumerate().rev() {
        if message.role == Role::Assistant {
            let later = next.insert(object(message), first_part(builder, i));
            ends[i] = later.unwrap_or(WHOLE);
        }
    }
    ends
}
