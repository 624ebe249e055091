//! Usage in Claude Code's logs: Anthropic's members, repeated on every line of one message. The agent's own notices are not calls.

use crate::dialect::usage::{Row, RowKind, State, Usage, count, counts, name, project, time};
use crate::json::{Cursor, Kind, ScanError};

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    let (mut answer, mut own) = (false, false);
    cursor.each_member(|key, cursor| {
        match key {
            b"type" => answer = cursor.bytes_or_skip()?.as_deref() == Some(b"assistant"),
            b"timestamp" => row.time = time(cursor)?,
            b"cwd" => project(cursor, state)?,
            b"isApiErrorMessage" => own |= cursor.skip()? == crate::json::Kind::True,
            b"message" => cursor.each_member(|key, cursor| {
                match key {
                    b"model" => row.model = name(cursor, &mut state.names)?,
                    b"usage" => row.usage = Some(usage(cursor, Some(&mut row.summaries))?.0),
                    _ => {}
                }
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    own |= row.model == state.names.intern("<synthetic>");
    if answer && !own {
        row.kind = RowKind::Answer;
        row.provider = state.names.intern("anthropic");
    } else {
        (row.usage, row.summaries) = (None, Usage::default());
    }
    Ok(())
}

/// The usage that a message carries.
pub fn of_message(cursor: &mut Cursor<'_>) -> Result<Option<Usage>, ScanError> {
    let mut found = None;
    cursor.member(b"usage", |cursor| {
        found = Some(usage(cursor, None)?.0);
        Ok(())
    })?;
    Ok(found)
}

/// Reads a usage, and says whether it is that of a compaction. `summaries` takes the compactions among its iterations, which the
/// counts beside them leave out.
fn usage(
    cursor: &mut Cursor<'_>,
    mut summaries: Option<&mut Usage>,
) -> Result<(Usage, bool), ScanError> {
    let (mut found, mut written, mut is_compaction) = (Usage::default(), 0, false);
    cursor.each_member(|key, cursor| {
        match key {
            b"input_tokens" => found.input = count(cursor)?,
            b"output_tokens" => found.output = count(cursor)?,
            b"cache_read_input_tokens" => found.cache_read = count(cursor)?,
            b"cache_creation_input_tokens" => written = count(cursor)?,
            b"cache_creation" => counts(
                cursor,
                &mut [
                    (b"ephemeral_5m_input_tokens", &mut found.cache_write5m),
                    (b"ephemeral_1h_input_tokens", &mut found.cache_write1h),
                ],
            )?,
            b"type" => is_compaction = cursor.bytes_or_skip()?.as_deref() == Some(b"compaction"),
            b"iterations" if cursor.kind()? == Kind::Array => {
                let Some(sum) = summaries.as_deref_mut() else {
                    return Ok(());
                };
                *sum = Usage::default();
                cursor.each_element(|_, cursor| {
                    let (counts, is_summary) = usage(cursor, None)?;
                    if is_summary {
                        *sum += counts;
                    }
                    Ok(())
                })?;
            }
            _ => {}
        }
        Ok(())
    })?;
    found.states_lifetime = found.writes() > 0;
    // What no lifetime is stated of is counted all the same.
    found.cache_write5m = found
        .cache_write5m
        .saturating_add(written.saturating_sub(found.writes()));
    Ok((found, is_compaction))
}
