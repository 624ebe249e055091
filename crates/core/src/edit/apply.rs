//! Copies the input once, with its edits applied, to a writer, into a buffer, or as slices.

use super::*;
use std::{
    io,
    io::{IoSlice, Write},
};

impl Edits {
    /// Writes the input from `start` to `end` with its edits applied; `keep` writes a range of the
    /// input.
    ///
    /// # Errors
    /// Those of `keep` and of `out`.
    pub fn apply<W: Write>(
        &self,
        start: u64,
        end: u64,
        out: &mut W,
        mut keep: impl FnMut(&mut W, u64, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        self.pieces(self.within(start, end), start, end)
            .try_for_each(|piece| match piece {
                Piece::Kept(range) => keep(out, range.start, range.end),
                Piece::New(text) => out.write_all(text),
            })
    }

    /// Returns what the input from `start` to `end` becomes by `edits`, those in the range.
    pub fn pieces(
        &self,
        edits: Range<usize>,
        start: u64,
        end: u64,
    ) -> impl Iterator<Item = Piece<'_>> {
        let edits = &self.list[edits];
        let last = edits.last().map_or(start, |edit| edit.end);
        let mut at = start;
        let changed = edits.iter().flat_map(move |edit| {
            let kept = std::mem::replace(&mut at, edit.end)..edit.start;
            [Piece::Kept(kept), Piece::New(self.text_of(edit))]
        });
        changed.chain([Piece::Kept(last..end)])
    }

    fn text_of(&self, edit: &Edit) -> &[u8] {
        &self.text[edit.text.clone()]
    }

    /// Returns the input from `start` to `end` with its edits applied.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn render(&self, texts: &dyn ReadAt, start: u64, end: u64) -> io::Result<Vec<u8>> {
        let size = texts.size();
        // Insertions at the end of the input belong to the last byte.
        let last = if end == size { u64::MAX } else { end };
        self.render_edits(texts, self.within(start, last), start, end)
    }

    /// Like [`Edits::render`], if the edits in the range are known.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn render_edits(
        &self,
        texts: &dyn ReadAt,
        edits: Range<usize>,
        start: u64,
        end: u64,
    ) -> io::Result<Vec<u8>> {
        let grown = (end - start).saturating_add_signed(self.growth_of(&edits));
        let mut out = Vec::with_capacity(usize::try_from(grown).unwrap_or(0));
        for piece in self.pieces(edits, start, end) {
            match piece {
                Piece::New(text) => out.extend_from_slice(text),
                Piece::Kept(range) if range.is_empty() => {}
                Piece::Kept(range) => out.extend_from_slice(&texts.read(range.start, range.end)?),
            }
        }
        Ok(out)
    }

    /// Returns the indices of the edits that begin in the bytes from `start` to `end`.
    pub fn within(&self, start: u64, end: u64) -> Range<usize> {
        let before = |at: u64| self.list.partition_point(|edit| edit.start < at);
        before(start)..before(end)
    }

    /// Returns whether these edits lie between `start` and `end`.
    pub fn lie_in(&self, edits: &Range<usize>, start: u64, end: u64) -> bool {
        self.list[edits.clone()]
            .iter()
            .all(|edit| edit.start >= start && edit.end <= end)
    }

    /// Returns `output` if it exists already, else that of an input in memory, as slices of the
    /// input and of new bytes.
    ///
    /// # Errors
    /// The edits are not those of these bytes.
    pub fn slices<'a>(
        &'a self,
        output: Option<&'a [u8]>,
        bytes: &'a [u8],
    ) -> io::Result<Vec<IoSlice<'a>>> {
        if let Some(output) = output {
            return Ok(vec![IoSlice::new(output)]);
        }
        let all = 0..self.list.len();
        let slices = self.pieces(all, 0, bytes.len() as u64).map(|piece| {
            io::Result::Ok(match piece {
                Piece::Kept(range) => {
                    let kept = bytes.get(range.start as usize..range.end as usize);
                    IoSlice::new(kept.ok_or(io::ErrorKind::UnexpectedEof)?)
                }
                Piece::New(text) => IoSlice::new(text),
            })
        });
        slices
            .filter(|slice| !matches!(slice, Ok(slice) if slice.is_empty()))
            .collect()
    }

    /// Returns each range of the input that is removed, with the number of bytes that replace it.
    pub fn removed(&self) -> impl Iterator<Item = (Range<u64>, u64)> {
        let list = self.list.iter();
        list.map(|edit| (edit.start..edit.end, edit.text.len() as u64))
    }

    /// Adds the edits of a part of the input that begins at byte `offset`, behind all others.
    pub fn append(&mut self, offset: u64, part: &Edits) {
        for edit in &part.list {
            self.push(edit.start + offset, edit.end + offset, part.text_of(edit));
        }
    }

    /// Returns the number of bytes by which the output is longer than the input; negative if it is
    /// shorter.
    pub fn growth(&self) -> i64 {
        self.growth_of(&(0..self.list.len()))
    }

    fn growth_of(&self, edits: &Range<usize>) -> i64 {
        self.list[edits.clone()].iter().map(Edit::grown).sum()
    }
}

impl Edit {
    /// Returns by how many bytes it lengthens the input.
    pub fn grown(&self) -> i64 {
        self.text.len() as i64 - (self.end - self.start).cast_signed()
    }
}

/// A piece of an output.
pub enum Piece<'e> {
    /// A range of the input, which may be empty.
    Kept(Range<u64>),
    /// New text.
    New(&'e [u8]),
}
