//! The longest line of a pipe or a device.
//!
//! A line is in memory until it is complete, and a device such as /dev/zero never ends one. A file
//! has a size, so its lines may be longer.

use crate::json::rfind;
use std::io::{self, Read};

/// A line of a pipe or a device with this many bytes is considered endless.
pub const LINE: usize = 256 << 20;

/// A reader of a pipe or a device that fails if a line is too long.
#[derive(Debug)]
pub struct LimitedLines<R> {
    from: R,
    line: Length,
}

impl<R: Read> LimitedLines<R> {
    /// Reads `from`, from its beginning on.
    pub fn new(from: R) -> LimitedLines<R> {
        LimitedLines {
            from,
            line: Length::default(),
        }
    }
}

impl<R: Read> Read for LimitedLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(buffer)?;
        self.line.add(&buffer[..n]);
        self.line.check()?;
        Ok(n)
    }
}

/// The length in bytes of the incomplete line.
#[derive(Debug, Default)]
pub struct Length {
    bytes: usize,
    ended: bool,
}

impl Length {
    /// Counts further bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        match rfind(b'\n', bytes) {
            Some(i) => (self.bytes, self.ended) = (bytes.len() - i - 1, true),
            None => self.bytes = self.bytes.saturating_add(bytes.len()),
        }
    }

    /// Returns whether no line has ended yet.
    pub fn is_first(&self) -> bool {
        !self.ended
    }

    /// Refuses a line that is too long.
    ///
    /// # Errors
    /// It is.
    pub fn check(&self) -> io::Result<()> {
        check(self.bytes)
    }
}

/// Refuses a line of `length` bytes that has not ended, if that is too long.
///
/// # Errors
/// It is.
pub fn check(length: usize) -> io::Result<()> {
    if length < LINE {
        return Ok(());
    }
    let text = format!(
        "a line of {} MiB has no end yet, the most that a pipe or a device may have; save it to a file first",
        LINE >> 20
    );
    Err(io::Error::new(io::ErrorKind::InvalidData, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_no_end_is_refused() {
        let error = LimitedLines::new(io::repeat(0))
            .read_to_end(&mut Vec::new())
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("a line of 256 MiB has no end yet"),
            "{error}"
        );
        let mut line = Length::default();
        for _ in 0..3 {
            line.add(&vec![b'x'; LINE / 2 - 1]);
            line.check().unwrap();
            line.add(b"x\nx");
        }
        line.add(&vec![b'x'; LINE - 1]);
        assert!(line.check().is_err());
    }
}
