//! Wrappers around bodies, as batch files have them, one a line: an object in which one member is
//! the body.
//!
//! `{"custom_id","method","url","body"}` (OpenAI, Together, Mistral), `{"custom_id","params"}`
//! (Anthropic), `{"request"}` (Vertex, Gemini), `{"recordId","modelInput"}` (Bedrock) and
//! `{"generateContentRequest"}` (Gemini's count of tokens). Anthropic takes a whole batch as one
//! document, too: a list of such objects under `requests`. The body is read where it is, in the one
//! walk over the whole record: spans count from its first byte, and what is around it is skipped,
//! so that no cut can reach it.

use crate::{
    dialect::{Detected, builder::TranscriptBuilder, shared::unread::UnreadReply},
    json::{Cursor, Kind, ScanError, Scanned},
};
use std::ops::Range;

/// Members that hold the body.
const MEMBERS: &str = "body params request modelInput generateContentRequest";

/// The member that holds the list of a batch.
pub const LIST: &str = "requests";

/// The member of that name in which a body may be.
pub fn member(name: &str) -> Option<&'static str> {
    MEMBERS.split(' ').find(|member| *member == name)
}

/// Reads the body at the cursor, or the one in the wrapper there, as a record of `line`.
///
/// # Errors
/// The record is malformed JSON.
pub fn read(
    cursor: &mut Cursor<'_>,
    found: Detected,
    line: u64,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    let Some(within) = found.within else {
        builder.begin(cursor.begin_record() as u64, line);
        return (found.format.read)(cursor, builder);
    };
    let (before, mut answered) = (builder.mark(), UnreadReply::default());
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if *key == *within.as_bytes() && cursor.kind()? == Kind::Object {
            // Of two members of one name the last counts.
            builder.rollback(before);
            builder.request.outside.clear();
            builder.begin(cursor.begin_record() as u64, line);
            (found.format.read)(cursor, builder)?;
        } else {
            answered.look_into(cursor, &key)?;
        }
    }
    answered.note(builder);
    Ok(())
}

/// Returns the byte ranges of the elements of a batch.
///
/// # Errors
/// It is malformed JSON.
pub fn requests(bytes: &[u8]) -> Scanned<Vec<Range<usize>>> {
    let mut cursor = Cursor::document(bytes);
    let mut found = Vec::new();
    cursor.member(LIST.as_bytes(), |cursor| {
        // Of two members of one name the last counts.
        if cursor.kind()? == Kind::Array {
            found = cursor.element_ranges()?;
        }
        Ok(())
    })?;
    if cursor.at_end() {
        Ok(found)
    } else {
        Err(ScanError {
            at: cursor.at(),
            expected: "the end of the batch",
            open: false,
        })
    }
}
