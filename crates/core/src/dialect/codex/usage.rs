//! Usage in Codex rollouts: the model is named once a turn, and `token_count` events count the request before them.

use crate::dialect::usage::{Row, RowKind, State, Usage, counts, name, project, time};
use crate::json::{Cursor, Kind, ScanError};

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    let (mut kind, mut payload) = (Vec::new(), None);
    cursor.each_member(|key, cursor| {
        match key {
            b"timestamp" => row.time = time(cursor)?,
            b"type" => kind = cursor.bytes_or_skip()?.unwrap_or_default().into_owned(),
            b"payload" if cursor.kind()? == Kind::Object => payload = Some(cursor.at()),
            _ => {}
        }
        Ok(())
    })?;
    if let Some(at) = payload {
        cursor.read_at(at, |cursor| match &*kind {
            b"session_meta" | b"turn_context" => context(cursor, state),
            b"event_msg" => event(cursor, state, row),
            _ => Ok(()),
        })?;
    }
    (row.model, row.provider) = (state.model, state.provider);
    if matches!(&*kind, b"response_item" | b"") {
        row.kind = RowKind::Answer;
    } else if row.kind != RowKind::Count {
        row.time = row.time.filter(|_| &*kind == b"compacted");
    }
    Ok(())
}

fn context(cursor: &mut Cursor<'_>, state: &mut State) -> Result<(), ScanError> {
    cursor.each_member(|key, cursor| {
        match key {
            b"model" => state.model = name(cursor, &mut state.names)?,
            b"model_provider" => state.provider = name(cursor, &mut state.names)?,
            b"cwd" => project(cursor, state)?,
            _ => {}
        }
        Ok(())
    })
}

fn event(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    let (mut is_count, mut total, mut last) = (false, None, None);
    cursor.each_member(|key, cursor| {
        match key {
            b"type" => is_count = cursor.bytes_or_skip()?.as_deref() == Some(b"token_count"),
            b"info" => cursor.each_member(|key, cursor| {
                match key {
                    b"total_token_usage" => total = Some(usage(cursor)?.1),
                    b"last_token_usage" => last = Some(usage(cursor)?.0),
                    _ => {}
                }
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    // A count is repeated when only the limits of the account have changed.
    if let Some(usage) = last.filter(|_| is_count && (total.is_none() || total != state.counted)) {
        (row.kind, row.usage) = (RowKind::Count, Some(usage));
        state.counted = total;
    }
    Ok(())
}

/// The usage, and its total.
fn usage(cursor: &mut Cursor<'_>) -> Result<(Usage, u64), ScanError> {
    let (mut usage, mut total) = (Usage::default(), 0);
    counts(
        cursor,
        &mut [
            (b"input_tokens", &mut usage.input),
            (b"cached_input_tokens", &mut usage.cache_read),
            (b"output_tokens", &mut usage.output),
            (b"total_tokens", &mut total),
        ],
    )?;
    // The input includes what was cached.
    usage.input = usage.input.saturating_sub(usage.cache_read);
    Ok((usage, total))
}
