//! What can be read by position: inputs, and outputs that are not written yet.

use std::borrow::Cow;
use std::io;

/// Gives the bytes of a record on demand; a transcript keeps none.
pub trait Texts {
    /// The bytes from `start` to `end` of the input.
    ///
    /// # Errors
    /// They cannot be read any more.
    fn read(&self, start: u64, end: u64) -> io::Result<Cow<'_, [u8]>>;

    /// Size of the input in bytes.
    fn size(&self) -> u64;
}

impl Texts for &[u8] {
    fn read(&self, start: u64, end: u64) -> io::Result<Cow<'_, [u8]>> {
        self.get(start as usize..end as usize).map(Cow::Borrowed).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn size(&self) -> u64 {
        self.len() as u64
    }
}

/// Bytes that can be read by position: an input, or an output that is not written yet.
pub trait Bytes {
    /// How many there are.
    fn size(&self) -> u64;

    /// Reads at `start` until `buffer` is full or the bytes end; returns how many.
    ///
    /// # Errors
    /// Reading fails.
    fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// All of them, where they lie in memory.
    fn held(&self) -> Option<&[u8]> {
        None
    }
}
