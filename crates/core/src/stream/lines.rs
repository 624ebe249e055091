//! Reads lines of a file or a pipe, as they arrive, into one reused buffer.

use super::*;
use crate::input::line_limit;
use std::{io::Read, ops::Range};

/// The size of a read: as much as a pipe may hold, and no more than the processor's cache.
pub const CHUNK: usize = 1 << 20;
/// The most bytes of a file that are read at once while a line has no end.
const AHEAD: u64 = 64 << 20;

/// The lines of a file or a pipe, as they arrive.
#[derive(Default)]
pub struct Lines {
    file: Option<File>,
    bytes: ReadBuffer,
    /// The line that was returned last.
    line: Range<usize>,
    /// The first byte of the lines that were not returned yet.
    start: usize,
    /// The line that begins at `start` has no newline before this byte.
    searched: usize,
    ended: bool,
    /// The number of bytes of the file that were not read yet, not counting what is appended
    /// meanwhile; `None` for a pipe.
    left: Option<u64>,
    /// Whether the rest of a file is probably one line.
    one_line: bool,
}

impl Lines {
    /// Reads lines of a pipe, of which `bytes` were read already; those before `start` are
    /// answered.
    pub fn new(file: File, bytes: ReadBuffer, start: usize) -> Lines {
        Lines {
            file: Some(file),
            bytes,
            line: start..start,
            start,
            searched: start,
            ..Lines::default()
        }
    }

    /// Reads lines of the first `size` bytes of a file. `one_line`: all of it is probably one line.
    pub fn of_file(file: File, size: u64, one_line: bool) -> Lines {
        Lines {
            left: Some(size),
            one_line,
            ..Lines::new(file, ReadBuffer::default(), 0)
        }
    }

    /// Reads lines of a buffer.
    pub fn in_memory(bytes: ReadBuffer) -> Lines {
        Lines {
            bytes,
            ended: true,
            ..Lines::default()
        }
    }

    /// Moves to the next line; returns false at the end of the input.
    pub fn next(&mut self) -> Result<bool> {
        loop {
            if let Some(end) = self.find() {
                self.line = self.start..end;
                (self.start, self.searched) = (end, end);
                return Ok(true);
            }
            if self.ended {
                self.line = self.start..self.bytes.len();
                self.start = self.line.end;
                return Ok(!self.line.is_empty());
            }
            self.read_more()?;
        }
    }

    /// Returns the line that [`Lines::next`] moved to, with its line end.
    pub fn line(&self) -> &[u8] {
        &self.bytes[self.line.clone()]
    }

    /// Returns whether a complete line was read already.
    pub fn is_waiting(&mut self) -> bool {
        self.find().is_some()
    }

    /// Returns the end of the next line if it was read. No byte is searched more than twice.
    fn find(&mut self) -> Option<usize> {
        let newline = find(b'\n', &self.bytes[self.searched..]);
        if newline.is_none() {
            self.searched = self.bytes.len();
        }
        newline.map(|i| self.searched + i + 1)
    }

    fn read_more(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let begun = self.bytes.len() - self.start;
        if self.left.is_none() {
            line_limit::check(begun)?;
        }
        if self.left == Some(0) {
            self.ended = true;
            return Ok(());
        }
        // Reuses the space of returned lines, and moves an incomplete line only if necessary.
        let free = self.bytes.room() - self.bytes.len();
        if self.start > 0 && (begun == 0 || free < CHUNK / 2) {
            self.bytes.remove(self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.one_line |= begun >= CHUNK;
        let left = self.left.map_or(usize::MAX, |left| {
            usize::try_from(left).unwrap_or(usize::MAX)
        });
        let wanted = match self.left {
            Some(1..=AHEAD) if self.one_line => left,
            _ => left.min(CHUNK / 2),
        };
        let filled = self.bytes.len();
        if self.bytes.room() - filled < wanted {
            // Doubles the buffer, so that a long line is seldom moved.
            self.bytes
                .grow(filled + wanted.max(left.min(filled.max(CHUNK))));
        }
        // Reads no more than the cache holds, so that the search for a newline finds it there.
        let space = left.min(self.bytes.room() - filled).min(CHUNK);
        let n = self.bytes.read(space, |space| file.read(space))?;
        if n == 0 && self.left.is_some() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left = self.left.map(|left| left - n as u64);
        self.ended = n == 0;
        Ok(())
    }
}
