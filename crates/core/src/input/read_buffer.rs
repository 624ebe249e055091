//! Memory for inputs: a vector for a small input, huge pages for a large one.
//!
//! Bytes of a large body are used once or twice each, and the system provides memory in pages of 4 KiB, zeroed, with one fault
//! each: for 20 MB that takes longer than reading them. Above some megabytes, pages of 2 MiB are requested where the system has
//! them (Linux); without them this is ordinary memory.

use super::linux::wish_for_huge_pages;
use memmap2::{MmapMut, MmapOptions};
use std::ops::{Deref, DerefMut};

/// A buffer of at least this many bytes asks for huge pages.
const LARGE: usize = 4 << 20;
/// The size of a huge page.
const PAGE: usize = 2 << 20;

/// A buffer, zeroed until it is written.
#[derive(Debug)]
pub struct ReadBuffer(Memory);

#[derive(Debug)]
enum Memory {
    Vector(Vec<u8>),
    Pages(MmapMut),
}

impl ReadBuffer {
    /// Allocates at least `size` bytes, without touching them.
    pub fn new(size: usize) -> ReadBuffer {
        ReadBuffer(pages(size).map_or_else(|| Memory::Vector(vec![0; size]), Memory::Pages))
    }

    /// Grows to at least `size` bytes and keeps the first `kept`.
    pub fn grow(&mut self, size: usize, kept: usize) {
        if size <= self.len() {
            return;
        }
        let mut wider = ReadBuffer::new(size);
        wider[..kept].copy_from_slice(&self[..kept]);
        *self = wider;
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
    wish_for_huge_pages(&pages);
    Some(pages)
}

impl Default for ReadBuffer {
    fn default() -> ReadBuffer {
        ReadBuffer(Memory::Vector(Vec::new()))
    }
}

impl From<Vec<u8>> for ReadBuffer {
    fn from(bytes: Vec<u8>) -> ReadBuffer {
        ReadBuffer(Memory::Vector(bytes))
    }
}

impl Deref for ReadBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Memory::Vector(bytes) => bytes,
            Memory::Pages(pages) => pages,
        }
    }
}

impl DerefMut for ReadBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Memory::Vector(bytes) => bytes,
            Memory::Pages(pages) => pages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_bytes_remain() {
        let mut buffer = ReadBuffer::default();
        for (size, kept) in [
            (10, 0),
            (1000, 10),
            (LARGE - 1, 1000),
            (LARGE + 1, LARGE - 1),
            (3 * LARGE, LARGE + 1),
        ] {
            buffer.grow(size, kept);
            assert!(buffer.len() >= size);
            assert!((0..kept).all(|i| buffer[i] == i as u8), "{size}");
            assert!(buffer[kept..].iter().all(|b| *b == 0), "{size}");
            (0..size).for_each(|i| buffer[i] = i as u8);
        }
    }
}
