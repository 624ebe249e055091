//! Claude Code: usage in Anthropic's words, repeated on every line of one message; the agent's own notices are no calls.

use crate::dialect::usage::{Row, RowKind, State, Usage, count, members, name, project, time};
use crate::json::{Cursor, ScanError};

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    let (mut answer, mut own) = (false, false);
    members(cursor, |key, cursor| {
        match key {
            b"type" => answer = cursor.bytes_or_skip()?.as_deref() == Some(b"assistant"),
            b"timestamp" => row.time = time(cursor)?,
            b"cwd" => project(cursor, state)?,
            b"isApiErrorMessage" => own |= cursor.skip()? == crate::json::Kind::True,
            b"message" => members(cursor, |key, cursor| {
                match key {
                    b"model" => row.model = name(cursor, &mut state.names)?,
                    b"usage" => row.usage = Some(usage(cursor)?),
                    _ => return Ok(false),
                }
                Ok(true)
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    own |= row.model == state.names.intern("<synthetic>");
    if answer && !own {
        row.kind = RowKind::Answer;
        row.provider = state.names.intern("anthropic");
    } else {
        row.usage = None;
    }
    Ok(())
}

/// The usage that a message carries.
pub fn of_message(cursor: &mut Cursor<'_>) -> Result<Option<Usage>, ScanError> {
    let mut found = None;
    members(cursor, |key, cursor| {
        let is_usage = key == b"usage";
        if is_usage {
            found = Some(usage(cursor)?);
        }
        Ok(is_usage)
    })?;
    Ok(found)
}

fn usage(cursor: &mut Cursor<'_>) -> Result<Usage, ScanError> {
    let (mut usage, mut written, mut apart) = (Usage::default(), 0, false);
    members(cursor, |key, cursor| {
        match key {
            b"input_tokens" => usage.input = count(cursor)?,
            b"output_tokens" => usage.output = count(cursor)?,
            b"cache_read_input_tokens" => usage.cache_read = count(cursor)?,
            b"cache_creation_input_tokens" => written = count(cursor)?,
            b"cache_creation" => members(cursor, |key, cursor| {
                match key {
                    b"ephemeral_5m_input_tokens" => usage.cache_write5m = count(cursor)?,
                    b"ephemeral_1h_input_tokens" => usage.cache_write1h = count(cursor)?,
                    _ => return Ok(false),
                }
                apart = true;
                Ok(true)
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !apart {
        usage.cache_write5m = written;
    }
    Ok(usage)
}
