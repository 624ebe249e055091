//! Usage in Copilot CLI sessions: an answer has its model and output tokens, but not its input tokens.

use crate::dialect::usage::{Row, RowKind, State, count, name, project, time, units};
use crate::json::{Cursor, Kind, ScanError};

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    let (mut kind, mut data) = (Vec::new(), None);
    cursor.each_member(|key, cursor| {
        match key {
            b"timestamp" => row.time = time(cursor)?,
            b"type" => kind = cursor.bytes_or_skip()?.unwrap_or_default().into_owned(),
            b"data" if cursor.kind()? == Kind::Object => data = Some(cursor.at()),
            _ => {}
        }
        Ok(())
    })?;
    if let Some(at) = data {
        cursor.read_at(at, |cursor| event_data(&kind, cursor, state, row))?;
    }
    row.model = state.model;
    row.provider = state.names.intern("github-copilot");
    Ok(())
}

fn event_data(
    kind: &[u8],
    cursor: &mut Cursor<'_>,
    state: &mut State,
    row: &mut Row,
) -> Result<(), ScanError> {
    match kind {
        b"assistant.message" => {
            row.kind = RowKind::Answer;
            cursor.each_member(|key, cursor| {
                match key {
                    b"model" => state.model = name(cursor, &mut state.names)?,
                    b"outputTokens" => row.output = count(cursor)?,
                    _ => {}
                }
                Ok(())
            })
        }
        b"session.model_change" => cursor.member(b"newModel", |cursor| {
            state.model = name(cursor, &mut state.names)?;
            Ok(())
        }),
        b"session.compaction_complete" => cursor.member(b"summaryContent", |cursor| {
            row.hidden = units(cursor)?;
            Ok(())
        }),
        b"session.start" => cursor.member(b"context", |cursor| {
            cursor.member(b"cwd", |cursor| project(cursor, state))
        }),
        _ => Ok(()),
    }
}
