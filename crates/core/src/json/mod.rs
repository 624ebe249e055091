//! Reads JSON as spans: finds where values begin and end, without copying, decoding or changing
//! bytes.
//!
//! [`Cursor`] walks a document member by member and checks every byte it passes against RFC 8259,
//! also those that nobody asked for. Strings are the bulk of a transcript, so their ends are found
//! by the kernels of `vector`, which also count their length; `text` decodes, encodes and cuts
//! single strings when a pass needs them. There is no recursion on depth and no I/O here. Bytes
//! that are not UTF-8 are let through inside strings: the caller keeps them as they are.

mod cursor;
mod decoded;
mod elements;
mod id;
pub mod locate;
mod scalar;
mod scan_error;
mod span;
pub mod stringify;
pub mod text;
#[allow(unsafe_code)]
mod vector;

pub use cursor::{Cursor, Kind, Members, Text};
pub use decoded::Decoded;
pub use id::{GeneratedId, Id, IdHasher, IdMap, IdSet};
pub use memchr::{memchr as find, memrchr as rfind};
pub use scan_error::{ScanError, Scanned};
pub use span::Span;
pub use vector::{Measure, StringError, measure};

/// Returns the length of the byte order mark at the beginning of an input, or 0.
pub fn bom(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    }
}
