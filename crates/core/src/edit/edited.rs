//! The output, readable before anything is written.

use super::{Edits, Replacement};
use crate::read_at::ReadAt;
use std::io;
use std::ops::Range;

/// An input with edits applied.
pub struct Edited<'a> {
    edits: &'a Edits,
    texts: &'a dyn ReadAt,
    size: u64,
    /// For each edit, the end of its new text in the output.
    ends: Vec<u64>,
}

impl<'a> Edited<'a> {
    /// Creates the output: the input in `texts` with `edits` applied.
    pub fn new(edits: &'a Edits, texts: &'a dyn ReadAt) -> Edited<'a> {
        let mut growth = 0;
        let end = |e: &super::Edit| {
            growth += edits.grown(e);
            e.end.saturating_add_signed(growth)
        };
        let ends = edits.list.iter().map(end).collect();
        Edited {
            edits,
            texts,
            size: texts.size().saturating_add_signed(edits.growth()),
            ends,
        }
    }

    /// Returns the range in the output of a part of the input; `None` if an edit changes the part.
    pub fn place(&self, part: Range<u64>) -> Option<Range<u64>> {
        let n = self
            .edits
            .list
            .partition_point(|edit| edit.end <= part.start);
        let stays = self
            .edits
            .list
            .get(n)
            .is_none_or(|next| next.start >= part.end);
        let before = n
            .checked_sub(1)
            .map_or((0, 0), |last| (self.edits.list[last].end, self.ends[last]));
        let at = |byte: u64| byte - before.0 + before.1;
        stays.then(|| at(part.start)..at(part.end))
    }

    /// Returns whether a part of the output contains a replacement, or spans a removal.
    pub fn is_changed(&self, part: Range<u64>) -> bool {
        let n = self.ends.partition_point(|end| *end <= part.start);
        self.edits
            .list
            .get(n)
            .is_some_and(|edit| self.ends[n] - self.edits.length(edit.put) < part.end)
    }

    /// Copies a range of the input to `buffer`.
    fn keep(&self, from: u64, to: u64, buffer: &mut [u8], filled: &mut usize) -> io::Result<()> {
        let want = (buffer.len() - *filled).min(usize::try_from(to - from).unwrap_or(usize::MAX));
        exact(self.texts, from, &mut buffer[*filled..*filled + want])?;
        *filled += want;
        Ok(())
    }
}

impl ReadAt for Edited<'_> {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let list = &self.edits.list;
        // The first edit whose new text ends after `start`.
        let mut n = self.ends.partition_point(|end| *end <= start);
        let mut at = match n.checked_sub(1) {
            Some(last) => list[last].end + (start - self.ends[last]),
            None => start,
        };
        let mut filled = 0;
        while filled < buffer.len() {
            let Some(edit) = list.get(n) else {
                if at < self.texts.size() {
                    self.keep(at, self.texts.size(), buffer, &mut filled)?;
                }
                break;
            };
            let mut skip = 0;
            if at < edit.start {
                let had = filled;
                self.keep(at, edit.start, buffer, &mut filled)?;
                at += (filled - had) as u64;
                if at < edit.start {
                    break;
                }
            } else if filled == 0 {
                // `start` may be within the new text.
                skip = (at - edit.start) as usize;
            }
            let length = (self.edits.length(edit.put) as usize).saturating_sub(skip);
            let want = length.min(buffer.len() - filled);
            let place = &mut buffer[filled..filled + want];
            match edit.put {
                Replacement::Text { from, .. } => {
                    let from = from as usize + skip;
                    place.copy_from_slice(
                        self.edits.text.get(from..from + want).unwrap_or_default(),
                    );
                }
                Replacement::Copy { from, .. } => exact(self.texts, from + skip as u64, place)?,
            }
            filled += want;
            if want < length {
                break;
            }
            at = edit.end;
            n += 1;
        }
        Ok(filled)
    }
}

/// Fills `buffer` with the bytes at `start`.
fn exact(texts: &dyn ReadAt, start: u64, buffer: &mut [u8]) -> io::Result<()> {
    if texts.read_at(start, buffer)? < buffer.len() {
        Err(io::ErrorKind::UnexpectedEof.into())
    } else {
        Ok(())
    }
}
