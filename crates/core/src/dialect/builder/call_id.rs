//! Ids of calls.

use crate::json::{Cursor, Id, ScanError};
use crate::transcript::Span;

/// The id of a call, as a call or a result names it. By default there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallId {
    /// The id itself.
    pub hash: Id,
    /// The span of the id in its record, without the quotes.
    pub span: Span,
}

impl CallId {
    /// Reads the string that comes next as an id; of any other value there is none.
    ///
    /// # Errors
    /// The value is malformed JSON.
    pub fn read(cursor: &mut Cursor<'_>, origin: usize) -> Result<CallId, ScanError> {
        cursor.peek();
        let start = cursor.at() + 1 - origin;
        let Some(id) = cursor.bytes_or_skip()? else {
            return Ok(CallId::default());
        };
        let end = cursor.at() - 1 - origin;
        Ok(CallId {
            hash: Id::of(&id),
            span: Span {
                start: start as u32,
                end: end as u32,
            },
        })
    }
}
