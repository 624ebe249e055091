//! Usage in OpenCode exports: `info.tokens`, with cached tokens apart from the input.

use crate::dialect::usage::{Usage, count, counts, members};
use crate::json::{Cursor, Kind, ScanError};

/// The usage that a message carries.
pub fn of_message(cursor: &mut Cursor<'_>) -> Result<Option<Usage>, ScanError> {
    let mut found = None;
    members(cursor, |key, cursor| {
        let is_info = key == b"info";
        if is_info {
            members(cursor, |key, cursor| {
                let is_tokens = key == b"tokens" && cursor.kind()? == Kind::Object;
                if is_tokens {
                    let usage = found.insert(Usage::default());
                    members(cursor, |key, cursor| {
                        match key {
                            b"input" => usage.input = count(cursor)?,
                            b"output" => usage.output = count(cursor)?,
                            b"cache" => counts(cursor, &mut [(b"read", &mut usage.cache_read), (b"write", &mut usage.cache_write5m)])?,
                            _ => return Ok(false),
                        }
                        Ok(true)
                    })?;
                }
                Ok(is_tokens)
            })?;
        }
        Ok(is_info)
    })?;
    Ok(found)
}
