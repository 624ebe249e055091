//! Random access to the bytes of an input, or of an output that is not written yet.

use std::{borrow::Cow, io, ops::Range};

/// Bytes that can be read by position, from several threads.
pub trait ReadAt: Sync {
    /// Returns the number of bytes.
    fn size(&self) -> u64;

    /// Reads at `start` until `buffer` is full or the bytes end; returns the number of bytes.
    ///
    /// # Errors
    /// Reading fails.
    fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Returns all bytes if they are in memory.
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }

    /// Returns the bytes from `start` to `end`.
    ///
    /// # Errors
    /// They cannot be read any more.
    fn read(&self, start: u64, end: u64) -> io::Result<Cow<'_, [u8]>> {
        if let Some(bytes) = self.in_memory() {
            return part(bytes, start, end).map(Cow::Borrowed);
        }
        if end > self.size() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes =
            vec![0; usize::try_from(end - start).map_err(|_| io::ErrorKind::OutOfMemory)?];
        self.fill(start, &mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    /// Fills `buffer` with the bytes at `start`.
    ///
    /// # Errors
    /// They cannot be read any more.
    fn fill(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        if self.read_at(start, buffer)? < buffer.len() {
            Err(io::ErrorKind::UnexpectedEof.into())
        } else {
            Ok(())
        }
    }
}

/// Returns the ranges from `start` to `end` in which bytes are read one after the other.
pub fn pieces(start: u64, end: u64) -> impl Iterator<Item = Range<u64>> {
    let starts = (start..end).step_by(PIECE as usize);
    starts.map(move |at| at..end.min(at + PIECE))
}

/// The length of such a range.
const PIECE: u64 = 256 << 10;

impl ReadAt for &[u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(start)
            .ok()
            .and_then(|start| self.get(start..))
            .unwrap_or_default();
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self)
    }
}

fn part(bytes: &[u8], start: u64, end: u64) -> io::Result<&[u8]> {
    bytes
        .get(start as usize..end as usize)
        .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// The number of bytes before the requested index that a window keeps.
const BEFORE: u64 = 256;
/// The number of bytes that a window reads ahead.
const AHEAD: u64 = 16 << 10;

/// A cached part of the bytes, for one thread that reads places near each other.
pub struct Window<'a> {
    source: &'a dyn ReadAt,
    start: u64,
    bytes: Vec<u8>,
}

impl<'a> Window<'a> {
    /// Returns an empty window over `source`.
    pub fn new(source: &'a dyn ReadAt) -> Window<'a> {
        Window {
            source,
            start: 0,
            bytes: Vec::new(),
        }
    }

    /// Returns the number of bytes in the source.
    pub fn size(&self) -> u64 {
        self.source.size()
    }

    /// Returns the bytes from `start` to `end`.
    ///
    /// # Errors
    /// They cannot be read any more.
    pub fn get(&mut self, start: u64, end: u64) -> io::Result<&[u8]> {
        if let Some(bytes) = self.source.in_memory() {
            return part(bytes, start, end);
        }
        let window_end = self.start + self.bytes.len() as u64;
        if start < self.start || end > window_end {
            self.start = start.saturating_sub(BEFORE);
            let until = self
                .source
                .size()
                .min(end.max(start + AHEAD))
                .max(self.start);
            self.bytes.resize(
                usize::try_from(until - self.start).map_err(|_| io::ErrorKind::OutOfMemory)?,
                0,
            );
            let n = self.source.read_at(self.start, &mut self.bytes)?;
            self.bytes.truncate(n);
        }
        part(&self.bytes, start - self.start, end - self.start)
    }

    /// Returns the byte at `at`, if the source is that long.
    ///
    /// # Errors
    /// It cannot be read any more.
    pub fn byte(&mut self, at: u64) -> io::Result<Option<u8>> {
        if at >= self.size() {
            Ok(None)
        } else {
            Ok(self.get(at, at + 1)?.first().copied())
        }
    }
}

/// Counts the lines up to places in an input that are asked for in their order.
pub struct LineCounter<'a> {
    texts: &'a dyn ReadAt,
    at: u64,
    line: u32,
}

impl<'a> LineCounter<'a> {
    /// A counter for `texts`.
    pub fn new(texts: &'a dyn ReadAt) -> LineCounter<'a> {
        LineCounter {
            texts,
            at: u64::MAX,
            line: 0,
        }
    }

    /// Returns the line, from 1, of byte `place`; byte `known` before it is in line `line`.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn line_of(&mut self, place: u64, (known, line): (u64, u32)) -> io::Result<u32> {
        if self.at < known || self.at > place {
            (self.at, self.line) = (known, line);
        }
        for piece in pieces(self.at, place) {
            let bytes = self.texts.read(piece.start, piece.end)?;
            self.line += memchr::memchr_iter(b'\n', &bytes).count() as u32;
        }
        self.at = place;
        Ok(self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A source that is not in memory.
    struct Far(Vec<u8>);

    impl ReadAt for Far {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize> {
            (&self.0[..]).read_at(start, buffer)
        }
    }

    proptest! {
        #[test]
        fn a_window_gives_what_is_there(places in prop::collection::vec((0..300_000u64, 0..80_000u64), 1..20)) {
            let bytes: Vec<u8> = (0..200_000u32).map(|i| (i / 7) as u8).collect();
            let (far, near) = (Far(bytes.clone()), &bytes[..]);
            let (mut window, mut lent) = (Window::new(&far), Window::new(&near));
            for (start, length) in places {
                let want = bytes.get(start as usize..(start + length) as usize);
                prop_assert_eq!(window.get(start, start + length).ok(), want);
                prop_assert_eq!(lent.get(start, start + length).ok(), want);
                let read = far.read(start, start + length).ok();
                prop_assert_eq!(read.as_deref(), want);
                prop_assert_eq!(window.byte(start).ok().flatten(), bytes.get(start as usize).copied());
            }
        }
    }
}
