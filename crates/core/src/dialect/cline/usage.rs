//! Usage in the session files of Cline's newer releases: `metrics` beside the content (`calculateUsageCostFromPricing` of its SDK).
//!
//! `inputTokens` includes what was read from the cache and what was written to it. The `metrics.tokens` of histories from before have one
//! number for both (`cached`), from which no price follows, and are not read.

use crate::dialect::usage::{Row, RowKind, State, Usage, WHOLE, count, number, time};
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
    let (mut model, mut provider) = (None, None);
    cursor.each_member(|key, cursor| {
        match key {
            b"ts" => row.time = time(cursor)?,
            b"modelInfo" => cursor.each_member(|key, cursor| {
                match key {
                    b"id" | b"modelId" => model = cursor.string_or_skip()?,
                    b"provider" | b"providerId" => provider = cursor.string_or_skip()?,
                    _ => {}
                }
                Ok(())
            })?,
            b"metrics" if cursor.kind()? == Kind::Object => metrics(cursor, &mut row)?,
            _ => {}
        }
        Ok(())
    })?;
    row.provider = super::maker(model.as_deref(), provider.as_deref())
        .map_or(0, |name| state.names.intern(name));
    row.model = model.map_or(0, |name| state.names.intern(&name));
    row.kind = if row.usage.is_some() {
        RowKind::Answer
    } else {
        RowKind::Other
    };
    rows.push(row);
    Ok(())
}

fn metrics(cursor: &mut Cursor<'_>, row: &mut Row) -> Result<(), ScanError> {
    let mut usage = Usage::default();
    cursor.each_member(|key, cursor| {
        match key {
            b"inputTokens" => usage.input = count(cursor)?,
            b"outputTokens" => usage.output = count(cursor)?,
            b"cacheReadTokens" => usage.cache_read = count(cursor)?,
            b"cacheWriteTokens" => usage.cache_write5m = count(cursor)?,
            b"cost" => row.usd = number(cursor)?.filter(|usd| *usd > 0.0),
            _ => {}
        }
        Ok(())
    })?;
    usage.input = usage
        .input
        .saturating_sub(usage.cache_read)
        .saturating_sub(usage.cache_write5m);
    row.usage = Some(usage).filter(|usage| usage.prompt() > 0);
    Ok(())
}
