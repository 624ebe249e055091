//! Memory for inputs: a vector for a small input, huge pages for a large one.
//!
//! Bytes of a large body are used once or twice each, and the system provides memory in pages of 4
//! KiB, zeroed, with one fault each: for 20 MB that takes longer than reading them. Above some
//! megabytes, pages of 2 MiB are requested where the system has them (Linux); without them this is
//! ordinary memory.

use memmap2::{MmapMut, MmapOptions};
use std::{io, ops::Deref};

/// A buffer of at least this many bytes asks for huge pages.
const LARGE: usize = 4 << 20;
/// The size of a huge page.
const PAGE: usize = 2 << 20;

/// The bytes read so far of an input, with space for more.
#[derive(Debug, Default)]
pub struct ReadBuffer {
    memory: Memory,
    filled: usize,
}

#[derive(Debug)]
enum Memory {
    Vector(Vec<u8>),
    Pages(MmapMut),
}

impl ReadBuffer {
    /// Returns how many bytes it has room for.
    pub fn room(&self) -> usize {
        self.memory.bytes().len()
    }

    /// Makes room for at least `size` bytes, without touching new memory.
    pub fn grow(&mut self, size: usize) {
        if size > self.room() {
            let mut wider =
                pages(size).map_or_else(|| Memory::Vector(vec![0; size]), Memory::Pages);
            wider.bytes_mut()[..self.filled].copy_from_slice(self);
            self.memory = wider;
        }
    }

    /// Appends what `read` reads into the free bytes, of which it gets `most`; returns how many
    /// that are. A read that a signal interrupts is repeated.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn read(
        &mut self,
        most: usize,
        mut read: impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        self.grow(self.filled + most);
        let space = &mut self.memory.bytes_mut()[self.filled..self.filled + most];
        loop {
            match read(space) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read.inspect(|n| self.filled += n),
            }
        }
    }

    /// Removes the first `n` bytes.
    pub fn remove(&mut self, n: usize) {
        self.memory.bytes_mut().copy_within(n..self.filled, 0);
        self.filled -= n;
    }
}

impl Memory {
    fn bytes(&self) -> &[u8] {
        match self {
            Memory::Vector(bytes) => bytes,
            Memory::Pages(pages) => pages,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Memory::Vector(bytes) => bytes,
            Memory::Pages(pages) => pages,
        }
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::Vector(Vec::new())
    }
}

/// Maps huge pages if `size` is large enough for them to pay and the system supports mapping.
fn pages(size: usize) -> Option<MmapMut> {
    if size < LARGE {
        return None;
    }
    // Rounds up to huge pages, as the end of one costs less than the small pages of an odd size.
    let pages = MmapOptions::new()
        .len(size.checked_next_multiple_of(PAGE)?)
        .map_anon()
        .ok()?;
    // If there are none, the pages stay small.
    #[cfg(all(target_os = "linux", not(portable)))]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

impl From<Vec<u8>> for ReadBuffer {
    fn from(bytes: Vec<u8>) -> ReadBuffer {
        ReadBuffer {
            filled: bytes.len(),
            memory: Memory::Vector(bytes),
        }
    }
}

impl Deref for ReadBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory.bytes()[..self.filled]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_remains() {
        let mut buffer = ReadBuffer::default();
        for size in [10, 1000, LARGE - 1, LARGE + 1, 3 * LARGE] {
            let had = buffer.len();
            let n = buffer.read(size - had, |space| {
                assert!(space.iter().all(|b| *b == 0), "{size}");
                (had..).zip(&mut *space).for_each(|(i, b)| *b = i as u8);
                Ok(space.len())
            });
            assert_eq!((n.unwrap(), buffer.len()), (size - had, size));
            assert!(buffer.room() >= size && (0..size).all(|i| buffer[i] == i as u8));
        }
        buffer.remove(3 * LARGE - 2);
        assert_eq!(*buffer, [254, 255]);
    }
}
