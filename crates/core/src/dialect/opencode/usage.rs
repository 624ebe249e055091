//! Usage in OpenCode exports (`Session.getUsage` and the `finish-step` of its `session/processor.ts`).
//!
//! A `step-finish` part counts the step before it, and `info.tokens` the last step. Cached tokens are not part of `input`, and OpenCode
//! charges `reasoning` like `output`, which it does not include.

use crate::dialect::usage::{
    LAST, Row, RowKind, State, Usage, count, counts, name, number, project, time,
};
use crate::json::{Cursor, Kind, ScanError};

pub fn rows(
    cursor: &mut Cursor<'_>,
    state: &mut State,
    rows: &mut Vec<Row>,
) -> Result<(), ScanError> {
    let (mut info, mut steps) = (
        Row {
            part: LAST,
            ..Row::default()
        },
        Vec::new(),
    );
    let mut begun = 0;
    cursor.each_member(|key, cursor| {
        match key {
            b"info" => members(cursor, state, &mut info)?,
            b"parts" if cursor.kind()? == Kind::Array => begun = parts(cursor, &mut steps)?,
            // A part of its own is a tool with what it came to.
            b"state" => cursor.member(b"time", |cursor| times_of(cursor, &mut info))?,
            _ => {}
        }
        Ok(())
    })?;
    if steps.is_empty() {
        // Of several steps the last is counted here, and nobody knows when it was sent.
        info.sent = info.sent.filter(|_| begun < 2);
        info.kind = if info.usage.is_some() {
            RowKind::Answer
        } else {
            RowKind::Other
        };
        rows.push(info);
        return Ok(());
    }
    let last = steps.len() - 1;
    rows.extend(steps.into_iter().enumerate().map(|(i, step)| Row {
        kind: RowKind::Answer,
        model: info.model,
        provider: info.provider,
        sent: info.sent.filter(|_| i == 0),
        time: info.time.filter(|_| i == last),
        ..step
    }));
    Ok(())
}

fn members(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Result<(), ScanError> {
    cursor.each_member(|key, cursor| {
        match key {
            b"modelID" => row.model = name(cursor, &mut state.names)?,
            b"providerID" => row.provider = name(cursor, &mut state.names)?,
            b"tokens" => row.usage = tokens(cursor)?,
            b"cost" => row.usd = cost(cursor)?,
            b"time" => times_of(cursor, row)?,
            b"path" => cursor.member(b"cwd", |cursor| project(cursor, state))?,
            _ => {}
        }
        Ok(())
    })
}

/// Reads the counts of the steps among `parts`; returns how many steps began.
fn parts(cursor: &mut Cursor<'_>, steps: &mut Vec<Row>) -> Result<u32, ScanError> {
    let mut begun = 0;
    cursor.each_element(|part, cursor| {
        let (mut row, mut kind) = (
            Row {
                part: part as u32,
                ..Row::default()
            },
            Vec::new(),
        );
        cursor.each_member(|key, cursor| {
            match key {
                b"type" => kind = cursor.bytes_or_skip()?.unwrap_or_default().into_owned(),
                b"tokens" => row.usage = tokens(cursor)?,
                b"cost" => row.usd = cost(cursor)?,
                _ => {}
            }
            Ok(())
        })?;
        begun += u32::from(kind == b"step-start");
        steps.extend((kind == b"step-finish" && row.usage.is_some()).then_some(row));
        Ok(())
    })?;
    Ok(begun)
}

fn times_of(cursor: &mut Cursor<'_>, row: &mut Row) -> Result<(), ScanError> {
    cursor.each_member(|key, cursor| {
        match key {
            b"created" => row.sent = time(cursor)?,
            b"completed" | b"end" => row.time = time(cursor)?,
            _ => {}
        }
        Ok(())
    })
}

fn tokens(cursor: &mut Cursor<'_>) -> Result<Option<Usage>, ScanError> {
    let (mut usage, mut reasoning) = (Usage::default(), 0);
    cursor.each_member(|key, cursor| {
        match key {
            b"input" => usage.input = count(cursor)?,
            b"output" => usage.output = count(cursor)?,
            b"reasoning" => reasoning = count(cursor)?,
            b"cache" => counts(
                cursor,
                &mut [
                    (b"read", &mut usage.cache_read),
                    (b"write", &mut usage.cache_write5m),
                ],
            )?,
            _ => {}
        }
        Ok(())
    })?;
    usage.output = usage.output.saturating_add(reasoning);
    Ok(Some(usage).filter(|usage| usage.prompt() > 0))
}

/// Reads the cost of a request in dollars. A subscription records 0, which is no price.
fn cost(cursor: &mut Cursor<'_>) -> Result<Option<f64>, ScanError> {
    Ok(number(cursor)?.filter(|usd| *usd > 0.0))
}
