//! Usage in Copilot CLI sessions: an answer has its model and output tokens, but not its input tokens.

use crate::dialect::usage::{Row, RowKind, State, count, name, project, time};
use crate::json::{Cursor, Kind, ScanError};

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    let (mut kind, mut data) = (Vec::new(), None);
    cursor.each_member(|key, cursor| {
        match key {
            b"timestamp" => row.time = time(cursor)?,
            b"type" => kind = cursor.bytes_or_skip()?.unwrap_or_default().into_owned(),
            b"data" if cursor.kind()? == Kind::Object => {
                data = Some(cursor.at());
                return Ok(());
            }
            _ => {}
        }
        Ok(())
    })?;
    let end = cursor.at();
    if let Some(at) = data {
        cursor.go_to(at);
        match &*kind {
            b"assistant.message" => {
                cursor.each_member(|key, cursor| {
                    match key {
                        b"model" => state.model = name(cursor, &mut state.names)?,
                        b"outputTokens" => row.output = count(cursor)?,
                        _ => {}
                    }
                    Ok(())
                })?;
                row.kind = RowKind::Answer;
            }
            b"session.model_change" => cursor.each_member(|key, cursor| {
                let new = key == b"newModel";
                if new {
                    state.model = name(cursor, &mut state.names)?;
                }
                Ok(())
            })?,
            b"session.compaction_complete" => cursor.each_member(|key, cursor| {
                let summary = key == b"summaryContent";
                if summary {
                    row.hidden = crate::dialect::usage::units(cursor)?;
                }
                Ok(())
            })?,
            b"session.start" => cursor.each_member(|key, cursor| {
                let context = key == b"context";
                if context {
                    cursor.each_member(|key, cursor| {
                        let cwd = key == b"cwd";
                        if cwd {
                            project(cursor, state)?;
                        }
                        Ok(())
                    })?;
                }
                Ok(())
            })?,
            _ => {}
        }
    }
    cursor.go_to(end);
    row.model = state.model;
    row.provider = state.names.intern("github-copilot");
    Ok(())
}
