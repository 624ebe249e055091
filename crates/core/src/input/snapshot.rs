//! A copy of a file that other processes write to, so that two readings see the same bytes.
//!
//! A log may grow while it is read, and the system does not say whether it was also overwritten:
//! both change its time. So a copy is made, and compared with the file once more if that was
//! written to meanwhile. Bytes that were the same at two moments were one state of the file.

use super::{SPOOL, Source};
use crate::{
    Error, Result,
    read_at::{ReadAt, pieces},
};
use std::io::Write;

impl Source {
    /// Copies the input, so that nobody else can change it; returns `None` if nobody can, or if it
    /// has more than `most` bytes.
    ///
    /// # Errors
    /// Reading fails, or the file changes in a way that is no growth.
    pub fn snapshot(&self, most: u64) -> Result<Option<Source>> {
        let size = self.size();
        if self.is_private() || size > most {
            return Ok(None);
        }
        let copy = if size <= SPOOL as u64 {
            Source::Buffer(self.copied()?)
        } else {
            let mut file = tempfile::tempfile()?;
            for piece in pieces(0, size) {
                file.write_all(&self.read(piece.start, piece.end)?)?;
            }
            Source::of_ours(file, size)
        };
        if self.is_touched()? && !self.begins_with(&copy)? {
            return Err(Error::Changed);
        }
        Ok(Some(copy))
    }

    /// Returns whether the input still begins with the bytes of the copy.
    fn begins_with(&self, copy: &Source) -> Result<bool> {
        for piece in pieces(0, copy.size()) {
            if self.read(piece.start, piece.end)? != copy.read(piece.start, piece.end)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs::OpenOptions,
        io::{Seek, SeekFrom},
    };

    #[test]
    fn fault_10_a_copy_is_one_state_of_the_file() {
        for size in [10usize, SPOOL + 7] {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join("log");
            std::fs::write(&path, vec![b'a'; size]).unwrap();
            let source = Source::open(&path).unwrap();
            assert!(
                source.snapshot(size as u64 - 1).unwrap().is_none(),
                "it is too large"
            );
            let mut file = OpenOptions::new().write(true).open(&path).unwrap();
            // It grows: the copy is of what there was.
            file.seek(SeekFrom::End(0)).unwrap();
            file.write_all(b"more").unwrap();
            let copy = source.snapshot(u64::MAX).unwrap().unwrap();
            assert_eq!(copy.size(), size as u64);
            assert!(source.begins_with(&copy).unwrap());
            assert!(
                copy.snapshot(u64::MAX).unwrap().is_none(),
                "nobody else can change it"
            );
            // It grows and is overwritten: only a comparison shows it.
            file.seek(SeekFrom::Start(size as u64 - 5)).unwrap();
            file.write_all(b"b").unwrap();
            source.unchanged().unwrap();
            assert!(!source.begins_with(&copy).unwrap());
            file.set_len(3).unwrap();
            assert!(matches!(source.snapshot(u64::MAX), Err(Error::Changed)));
        }
    }
}
