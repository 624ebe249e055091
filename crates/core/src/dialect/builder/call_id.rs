//! Ids of calls and of lines.

use crate::json::{Cursor, Id, Scanned};
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
    pub fn read(cursor: &mut Cursor<'_>) -> Scanned<CallId> {
        let from = cursor.next_at();
        Ok(cursor
            .bytes_or_skip()?
            .map_or_else(CallId::default, |id| CallId {
                hash: Id::of(&id),
                span: cursor.span_from(from).inside(),
            }))
    }
}

/// Reads the string that comes next as an id; of any other value, and of an empty string, there is none.
///
/// # Errors
/// The value is malformed JSON.
pub fn id_or_none(cursor: &mut Cursor<'_>) -> Scanned<Id> {
    let id = cursor.bytes_or_skip()?.filter(|id| !id.is_empty());
    Ok(id.map_or(Id::NONE, |id| Id::of(&id)))
}
