//! Wrappers around bodies, as batch files have them, one a line: an object in which one member is the body.
//!
//! `{"custom_id","method","url","body"}` (OpenAI, Together, Mistral), `{"custom_id","params"}` (Anthropic) and `{"request"}`
//! (Vertex, Gemini). The body is read where it stands, in the one walk over the whole record: spans count from its first
//! byte, and what is around it is skipped, so that no cut can reach it.

use super::Detected;
use super::sheet::Sheet;
use crate::json::{Cursor, Kind, ScanError};

/// Members that hold the body.
const MEMBERS: [&str; 3] = ["body", "params", "request"];

/// The member of that name in which a body may stand.
pub fn member(name: &str) -> Option<&'static str> {
    MEMBERS.into_iter().find(|member| *member == name)
}

/// Reads the body at the cursor, or the one in the wrapper there, as a record of `line`.
///
/// # Errors
/// The record is malformed JSON.
pub fn read(cursor: &mut Cursor<'_>, found: Detected, line: u64, sheet: &mut Sheet) -> Result<(), ScanError> {
    // Spans count from the value on, not from white space or a mark before it.
    cursor.peek();
    let Some(within) = found.within else {
        sheet.begin(cursor.at() as u64, line);
        return (found.format.read)(cursor, sheet);
    };
    let before = sheet.mark();
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if *key == *within.as_bytes() && cursor.kind()? == Kind::Object {
            // Of two members of one name the last counts.
            sheet.rollback(before);
            sheet.begin(cursor.at() as u64, line);
            (found.format.read)(cursor, sheet)?;
        } else {
            cursor.skip()?;
        }
    }
    Ok(())
}
