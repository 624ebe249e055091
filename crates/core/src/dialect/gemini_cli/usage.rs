//! Usage in Gemini CLI sessions: `tokens` beside the content; the input includes cached tokens.

use crate::dialect::usage::{Usage, counts};
use crate::json::{Cursor, Kind, ScanError};

/// The usage that a message carries.
pub fn of_message(cursor: &mut Cursor<'_>) -> Result<Option<Usage>, ScanError> {
    let mut found = None;
    cursor.each_member(|key, cursor| {
        let is_tokens = key == b"tokens" && cursor.kind()? == Kind::Object;
        if is_tokens {
            let usage = found.insert(Usage::default());
            counts(cursor, &mut [(b"input", &mut usage.input), (b"cached", &mut usage.cache_read), (b"output", &mut usage.output)])?;
            usage.input = usage.input.saturating_sub(usage.cache_read);
        }
        Ok(())
    })?;
    Ok(found)
}
