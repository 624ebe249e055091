//! Usage in Copilot CLI sessions: an answer has its model and output tokens, but not its input tokens.

use crate::dialect::usage::{Row, RowKind, State, count, members, name, project, time};
use crate::json::{Cursor, Kind, ScanError};

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    let (mut kind, mut data) = (Vec::new(), None);
    members(cursor, |key, cursor| {
        match key {
            b"timestamp" => row.time = time(cursor)?,
            b"type" => kind = cursor.bytes_or_skip()?.unwrap_or_default().into_owned(),
            b"data" if cursor.kind()? == Kind::Object => {
                data = Some(cursor.at());
                return Ok(false);
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let end = cursor.at();
    if let Some(at) = data {
        cursor.go_to(at);
        match &*kind {
            b"assistant.message" => {
                members(cursor, |key, cursor| {
                    match key {
                        b"model" => state.model = name(cursor, &mut state.names)?,
                        b"outputTokens" => row.output = count(cursor)?,
                        _ => return Ok(false),
                    }
                    Ok(true)
                })?;
                row.kind = RowKind::Answer;
            }
            b"session.model_change" => members(cursor, |key, cursor| {
                let new = key == b"newModel";
                if new {
                    state.model = name(cursor, &mut state.names)?;
                }
                Ok(new)
            })?,
            b"session.compaction_complete" => members(cursor, |key, cursor| {
                let summary = key == b"summaryContent";
                if summary {
                    row.hidden = crate::dialect::usage::units(cursor)?;
                }
                Ok(summary)
            })?,
            b"session.start" => members(cursor, |key, cursor| {
                let context = key == b"context";
                if context {
                    members(cursor, |key, cursor| {
                        let cwd = key == b"cwd";
                        if cwd {
                            project(cursor, state)?;
                        }
                        Ok(cwd)
                    })?;
                }
                Ok(context)
            })?,
            _ => {}
        }
    }
    cursor.go_to(end);
    row.model = state.model;
    row.provider = state.names.intern("github-copilot");
    Ok(())
}
