//! The output, readable before anything is written.

use super::{Edits, apply::Piece};
use crate::read_at::ReadAt;
use std::{io, ops::Range};

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
            growth += e.grown();
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
        let before = self.before(n);
        let at = |byte: u64| byte - before.0 + before.1;
        stays.then(|| at(part.start)..at(part.end))
    }

    /// Returns whether a part of the output contains a replacement, or spans a removal.
    pub fn is_changed(&self, part: Range<u64>) -> bool {
        let n = self.ends.partition_point(|end| *end <= part.start);
        self.edits
            .list
            .get(n)
            .is_some_and(|edit| self.ends[n] - (edit.text.len() as u64) < part.end)
    }

    /// Returns where the edit before the edit `n` ends, in the input and in the output.
    fn before(&self, n: usize) -> (u64, u64) {
        n.checked_sub(1)
            .map_or((0, 0), |last| (self.edits.list[last].end, self.ends[last]))
    }
}

impl ReadAt for Edited<'_> {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize> {
        // From the first edit on whose new text ends after `start`.
        let n = self.ends.partition_point(|end| *end <= start);
        let (from, at) = self.before(n);
        let edits = n..self.edits.list.len();
        let (mut skip, mut filled) = (start - at, 0);
        for piece in self.edits.pieces(edits, from, self.texts.size()) {
            let length = match &piece {
                Piece::Kept(range) => range.end - range.start,
                Piece::New(text) => text.len() as u64,
            };
            let skipped = skip.min(length);
            skip -= skipped;
            let left = usize::try_from(length - skipped).unwrap_or(usize::MAX);
            let place = filled..filled + left.min(buffer.len() - filled);
            filled = place.end;
            let place = &mut buffer[place];
            match piece {
                Piece::Kept(range) => self.texts.fill(range.start + skipped, place)?,
                Piece::New(text) => {
                    place.copy_from_slice(&text[skipped as usize..][..place.len()]);
                }
            }
            if filled == buffer.len() {
                break;
            }
        }
        Ok(filled)
    }
}
