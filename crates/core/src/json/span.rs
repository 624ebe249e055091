//! Places in a record.

use std::ops::Range;

/// A byte range of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Past the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns whether the length is 0.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the range in the input of a span of the record at `record`.
    pub fn within(self, record: u64) -> Range<u64> {
        record + u64::from(self.start)..record + u64::from(self.end)
    }

    /// Returns what is between the quotes of a string.
    pub fn inside(self) -> Span {
        Span {
            start: self.start + 1,
            end: self.end.saturating_sub(1).max(self.start + 1),
        }
    }

    /// Returns its first bytes, `most` at the most.
    pub fn head(self, most: u32) -> Span {
        Span {
            end: self.end.min(self.start.saturating_add(most)),
            ..self
        }
    }

    /// Returns the span's bytes in `record`.
    pub fn of(self, record: &[u8]) -> &[u8] {
        &record[self.start as usize..self.end as usize]
    }
}
