//! A cache for the ids of lines: most lines name the line before them, whose id is not hashed a second time.

use crate::dialect::builder::TranscriptBuilder;
use crate::json::{Cursor, Id, Scanned};

/// The id of the line that was read last.
#[derive(Debug, Default)]
pub struct LastLineId {
    text: Vec<u8>,
    id: Id,
}

impl TranscriptBuilder {
    /// Reads the string that comes next as the id of its line; of any other value, and of an empty string, there is none.
    ///
    /// # Errors
    /// The value is malformed JSON.
    pub fn own_id(&mut self, cursor: &mut Cursor<'_>) -> Scanned<Id> {
        let Some(text) = cursor.bytes_or_skip()?.filter(|text| !text.is_empty()) else {
            return Ok(Id::NONE);
        };
        self.recent.id = Id::of(&text);
        self.recent.text.clear();
        self.recent.text.extend_from_slice(&text);
        Ok(self.recent.id)
    }

    /// Reads the string that comes next as the id of another line; of any other value, and of an empty string, there is none.
    ///
    /// # Errors
    /// The value is malformed JSON.
    pub fn other_id(&self, cursor: &mut Cursor<'_>) -> Scanned<Id> {
        let text = cursor.bytes_or_skip()?.filter(|text| !text.is_empty());
        Ok(text.map_or(Id::NONE, |text| {
            if *text == *self.recent.text {
                self.recent.id
            } else {
                Id::of(&text)
            }
        }))
    }
}
