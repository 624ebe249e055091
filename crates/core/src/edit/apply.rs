//! Copies the input once, with its edits applied, to a writer, into a buffer, or as slices.

use super::{Edit, Edits, Replacement};
use crate::read_at::ReadAt;
use std::io::{self, IoSlice, Write};
use std::ops::Range;

impl Edits {
    /// Writes the input from `start` to `end` with its edits applied; `keep` writes a range of the input.
    ///
    /// # Errors
    /// Those of `keep` and of `out`.
    pub fn apply<W: Write>(
        &self,
        start: u64,
        end: u64,
        out: &mut W,
        keep: impl FnMut(&mut W, u64, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        self.copy(self.within(start, end, &mut 0), start, end, out, keep)
    }

    /// Like [`Edits::apply`], if the edits in the range are known.
    fn copy<W: Write>(
        &self,
        edits: Range<usize>,
        start: u64,
        end: u64,
        out: &mut W,
        mut keep: impl FnMut(&mut W, u64, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut at = start;
        for edit in &self.list[edits] {
            keep(out, at, edit.start)?;
            match edit.put {
                Replacement::Text { from, to } => {
                    out.write_all(&self.text[from as usize..to as usize])?
                }
                Replacement::Copy { from, to } => keep(out, from, to)?,
            }
            at = edit.end;
        }
        keep(out, at, end)
    }

    /// Returns the input from `start` to `end` with its edits applied.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn render(&self, texts: &dyn ReadAt, start: u64, end: u64) -> io::Result<Vec<u8>> {
        let size = texts.size();
        // Insertions at the end of the input belong to the last byte.
        let last = if end == size { u64::MAX } else { end };
        let edits = self.within(start, last, &mut 0);
        let grown = (end - start).saturating_add_signed(self.growth_of(&edits));
        let mut out = Vec::with_capacity(usize::try_from(grown).unwrap_or(0));
        self.render_edits(texts, edits, start, end, &mut out)?;
        Ok(out)
    }

    /// Like [`Edits::render`], but writes `edits`, those in the range, into a reused buffer. Its content is replaced.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub(crate) fn render_edits(
        &self,
        texts: &dyn ReadAt,
        edits: Range<usize>,
        start: u64,
        end: u64,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        out.clear();
        self.copy(edits, start, end, out, |out, from, to| {
            if from < to {
                out.extend_from_slice(&texts.read(from, to)?);
            }
            Ok(())
        })
    }

    /// Returns the indices of the edits that begin in the bytes from `start` to `end`. The search begins at index `near`, which is then
    /// set to the end of the returned range.
    pub(crate) fn within(&self, start: u64, end: u64, near: &mut usize) -> Range<usize> {
        let begins_before = |i: usize| self.list.get(i).is_some_and(|edit| edit.start < start);
        if begins_before(*near) || near.checked_sub(1).is_some_and(|last| !begins_before(last)) {
            *near = self.list.partition_point(|edit| edit.start < start);
        }
        let first = *near;
        *near += self.list[first..]
            .iter()
            .take_while(|edit| edit.start < end)
            .count();
        first..*near
    }

    /// Returns whether these edits lie between `start` and `end`.
    pub(crate) fn lie_in(&self, edits: &Range<usize>, start: u64, end: u64) -> bool {
        self.list[edits.clone()]
            .iter()
            .all(|edit| edit.start >= start && edit.end <= end)
    }

    /// Returns the output of an input in memory, as slices of the input and of new bytes.
    ///
    /// # Errors
    /// The edits are not those of these bytes.
    pub fn slices<'a>(&'a self, bytes: &'a [u8]) -> io::Result<Vec<IoSlice<'a>>> {
        let mut slices = Vec::with_capacity(2 * self.list.len() + 1);
        let mut at = 0;
        for edit in &self.list {
            let kept = part(bytes, at, edit.start)?;
            let new = match edit.put {
                Replacement::Text { from, to } => &self.text[from as usize..to as usize],
                Replacement::Copy { from, to } => part(bytes, from, to)?,
            };
            slices.extend(
                [kept, new]
                    .into_iter()
                    .filter(|slice| !slice.is_empty())
                    .map(IoSlice::new),
            );
            at = edit.end;
        }
        let kept = part(bytes, at, bytes.len() as u64)?;
        slices.extend((!kept.is_empty()).then(|| IoSlice::new(kept)));
        Ok(slices)
    }

    /// Returns `output` if it exists already, else [`Edits::slices`].
    ///
    /// # Errors
    /// The edits are not those of these bytes.
    pub fn slices_or<'a>(
        &'a self,
        output: Option<&'a [u8]>,
        bytes: &'a [u8],
    ) -> io::Result<Vec<IoSlice<'a>>> {
        output.map_or_else(
            || self.slices(bytes),
            |output| Ok(vec![IoSlice::new(output)]),
        )
    }

    /// Returns each range of the input that is removed, with the number of bytes that replace it.
    pub fn removed(&self) -> impl Iterator<Item = (Range<u64>, u64)> {
        let list = self.list.iter();
        list.map(|edit| (edit.start..edit.end, self.length(edit.put)))
    }

    /// Adds the edits of a part of the input that begins at byte `offset`, behind all others.
    pub(crate) fn append(&mut self, offset: u64, part: &Edits) {
        let texts = self.text.len() as u32;
        self.text.extend_from_slice(&part.text);
        let moved = part.list.iter().map(|edit| Edit {
            start: edit.start + offset,
            end: edit.end + offset,
            put: match edit.put {
                Replacement::Text { from, to } => Replacement::Text {
                    from: from + texts,
                    to: to + texts,
                },
                Replacement::Copy { from, to } => Replacement::Copy {
                    from: from + offset,
                    to: to + offset,
                },
            },
        });
        self.list.extend(moved);
    }

    /// Returns the number of bytes by which the output is longer than the input; negative if it is shorter.
    pub fn growth(&self) -> i64 {
        self.growth_of(&(0..self.list.len()))
    }

    fn growth_of(&self, edits: &Range<usize>) -> i64 {
        self.list[edits.clone()]
            .iter()
            .map(|edit| self.grown(edit))
            .sum()
    }

    /// Returns by how many bytes an edit lengthens the input.
    pub(super) fn grown(&self, edit: &Edit) -> i64 {
        self.length(edit.put).cast_signed() - (edit.end - edit.start).cast_signed()
    }

    /// Returns the number of bytes of a replacement.
    pub(super) fn length(&self, put: Replacement) -> u64 {
        match put {
            Replacement::Text { from, to } => u64::from(to - from),
            Replacement::Copy { from, to } => to - from,
        }
    }
}

/// Returns a range of `bytes`.
fn part(bytes: &[u8], from: u64, to: u64) -> io::Result<&[u8]> {
    let part = bytes.get(from as usize..to as usize);
    part.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}
