//! Usage in OpenClaw's and pi's sessions: an assistant message has its usage, cost and time.

use crate::dialect::usage::{
    Row, RowKind, State, Usage, count, name, number, project, time, units,
};
use crate::json::{Cursor, Kind, ScanError};

/// Chars that the agent puts around a summary.
const AROUND_SUMMARY: u32 = 120;

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    let (mut summary, mut content, mut bare) = (0, 0, false);
    let (mut sent, mut kind) = (None, Vec::new());
    cursor.each_member(|key, cursor| {
        match key {
            b"type" => kind = cursor.bytes_or_skip()?.unwrap_or_default().into_owned(),
            b"timestamp" => sent = time(cursor)?,
            b"cwd" => project(cursor, state)?,
            b"summary" => summary = units(cursor)?.saturating_add(AROUND_SUMMARY),
            b"message" => message(cursor, state, row)?,
            b"role" => {
                bare = true;
                role(cursor, row)?;
            }
            b"content" => content = units(cursor)?,
            b"usage" => usage(cursor, row)?,
            b"model" => row.model = name(cursor, &mut state.names)?,
            b"provider" => row.provider = name(cursor, &mut state.names)?,
            _ => {}
        }
        Ok(())
    })?;
    row.time = sent;
    match &*kind {
        b"compaction" | b"branch_summary" => row.hidden = summary,
        b"custom_message" => row.hidden = content,
        _ if bare => row.sent = sent,
        _ => {}
    }
    Ok(())
}

fn message(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    let (mut other, mut spoken) = (0u32, false);
    cursor.each_member(|key, cursor| {
        match key {
            b"role" => spoken = role(cursor, row)?,
            b"timestamp" => row.sent = time(cursor)?,
            b"usage" => usage(cursor, row)?,
            b"model" => row.model = name(cursor, &mut state.names)?,
            b"provider" => row.provider = name(cursor, &mut state.names)?,
            b"command" | b"output" | b"summary" if cursor.kind()? == Kind::String => {
                other = other.saturating_add(units(cursor)?)
            }
            _ => {}
        }
        Ok(())
    })?;
    if !spoken {
        row.hidden = other;
    }
    Ok(())
}

/// Whether the role is one whose blocks are counted one by one.
fn role(cursor: &mut Cursor<'_>, row: &mut Row) -> Result<bool, ScanError> {
    let role = cursor.bytes_or_skip()?.unwrap_or_default();
    if &*role == b"assistant" {
        row.kind = RowKind::Answer;
    }
    Ok(matches!(&*role, b"user" | b"assistant" | b"toolResult"))
}

/// The usage that a message carries.
pub fn of_message(cursor: &mut Cursor<'_>) -> Result<Option<Usage>, ScanError> {
    let mut row = Row::default();
    cursor.member(b"usage", |cursor| usage(cursor, &mut row))?;
    Ok(row.usage)
}

fn usage(cursor: &mut Cursor<'_>, row: &mut Row) -> Result<(), ScanError> {
    let mut usage = Usage::default();
    cursor.each_member(|key, cursor| {
        match key {
            b"input" => usage.input = count(cursor)?,
            b"output" => usage.output = count(cursor)?,
            b"cacheRead" => usage.cache_read = count(cursor)?,
            b"cacheWrite" => usage.cache_write5m = count(cursor)?,
            b"cost" => cursor.member(b"total", |cursor| {
                row.usd = number(cursor)?;
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    row.usage = Some(usage);
    Ok(())
}
