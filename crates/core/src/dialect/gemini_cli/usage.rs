//! Usage in Gemini CLI sessions: `tokens` beside the content (`recordMessageTokens` of its `chatRecordingService.ts`).
//!
//! They are the provider's counts: `input` includes what was read from the cache, but not what its own tools added to the prompt
//! (`tool`); `output` does not include the thoughts, which cost as much. A message without counts is no request of its own: the agent
//! made it, or it belongs to the answer before.

use crate::dialect::usage::{Row, RowKind, State, Usage, WHOLE, counts, name, time};
use crate::json::{Cursor, Kind, ScanError};

pub fn rows(
    cursor: &mut Cursor<'_>,
    state: &mut State,
    rows: &mut Vec<Row>,
) -> Result<(), ScanError> {
    let mut row = Row {
        part: WHOLE,
        ..Row::default()
    };
    cursor.each_member(|key, cursor| {
        match key {
            b"timestamp" => row.time = time(cursor)?,
            b"model" => row.model = name(cursor, &mut state.names)?,
            b"tokens" if cursor.kind()? == Kind::Object => row.usage = Some(tokens(cursor)?),
            _ => {}
        }
        Ok(())
    })?;
    row.usage = row.usage.filter(|usage| usage.prompt() > 0);
    row.provider = state.names.intern("google");
    row.kind = if row.usage.is_some() {
        RowKind::Answer
    } else {
        RowKind::Other
    };
    rows.push(row);
    Ok(())
}

fn tokens(cursor: &mut Cursor<'_>) -> Result<Usage, ScanError> {
    let (mut usage, mut thoughts, mut tools) = (Usage::default(), 0, 0);
    counts(
        cursor,
        &mut [
            (b"input", &mut usage.input),
            (b"cached", &mut usage.cache_read),
            (b"tool", &mut tools),
            (b"output", &mut usage.output),
            (b"thoughts", &mut thoughts),
        ],
    )?;
    usage.input = usage
        .input
        .saturating_sub(usage.cache_read)
        .saturating_add(tools);
    usage.output = usage.output.saturating_add(thoughts);
    Ok(usage)
}
