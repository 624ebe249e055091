//! Ids of calls, and the hash by which ids are compared.

use crate::json::{Cursor, ScanError};
use crate::transcript::Span;

/// The id of a call, as a call or a result names it. By default there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallId {
    /// Its hash; 0 for none.
    pub hash: u64,
    /// Where it stands in its record, without the quotes.
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
        let Some(id) = cursor.bytes_or_skip()? else { return Ok(CallId::default()) };
        let end = cursor.at() - 1 - origin;
        Ok(CallId { hash: id_hash(&id), span: Span { start: start as u32, end: end as u32 } })
    }
}

/// The hash by which ids are compared: 64 bits of FNV-1a, mixed; never 0. Ids are not kept, as a log has one per line.
pub fn id_hash(id: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for chunk in id.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
        hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    hash ^= hash >> 32 ^ id.len() as u64;
    hash | 1
}
