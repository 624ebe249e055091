//! Usage in OpenCode exports: `info.tokens`, with cached tokens apart from the input.

use crate::dialect::usage::{Usage, count, counts};
use crate::json::{Cursor, Kind, ScanError};

/// The usage that a message carries.
pub fn of_message(cursor: &mut Cursor<'_>) -> Result<Option<Usage>, ScanError> {
    let mut found = None;
    cursor.each_member(|key, cursor| {
        let is_info = key == b"info";
        if is_info {
            cursor.each_member(|key, cursor| {
                let is_tokens = key == b"tokens" && cursor.kind()? == Kind::Object;
                if is_tokens {
                    let usage = found.insert(Usage::default());
                    cursor.each_member(|key, cursor| {
                        match key {
                            b"input" => usage.input = count(cursor)?,
                            b"output" => usage.output = count(cursor)?,
                            b"cache" => counts(cursor, &mut [(b"read", &mut usage.cache_read), (b"write", &mut usage.cache_write5m)])?,
                            _ => {}
                        }
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(found)
}
