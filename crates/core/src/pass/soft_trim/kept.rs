//! The head and tail that a trim keeps, as pieces of the input where possible.

use crate::edit::{Segment, View};
use crate::estimate;
use crate::json::text;
use crate::pass::malformed::malformed;
use crate::transcript::{Block, BlockKind, Span};
use std::borrow::Cow;

/// The text that replaces an image.
pub(super) const IMAGE_REMOVED: &str = "[image removed during context pruning]";

/// One text of a result.
pub(super) struct Part<'a> {
    pub view: &'a View<'a>,
    /// Byte of the input at which its record begins.
    pub record: u64,
    pub child: &'a Block,
    /// UTF-16 units.
    pub length: u64,
}

/// Text under construction, with its length and what its characters weigh beyond that.
#[derive(Default)]
pub(super) struct NewText {
    pub segments: Vec<Segment>,
    /// UTF-16 units.
    pub units: u64,
    pub extra: estimate::Extra,
}

impl NewText {
    /// Adds `escaped`, of `units` UTF-16 units, as it is.
    pub fn literal(&mut self, escaped: &str, units: u64) {
        self.segments.push(Segment::Literal(escaped.to_owned()));
        self.units += units;
    }

    /// Adds `plain`, which is escaped here.
    pub fn escaped(&mut self, plain: &str) {
        let mut raw = Vec::new();
        text::encode(plain, &mut raw);
        self.literal(&String::from_utf8_lossy(&raw), plain.encode_utf16().count() as u64);
    }

    /// Takes over the whole of `part`. A malformed text is printed anew, and numbers may come out longer than they were counted.
    fn whole(&mut self, part: &Part<'_>) -> Result<(), crate::Error> {
        let raw = part.bytes(0, part.size())?;
        let units = if part.child.kind == BlockKind::Malformed { text::units(&raw, 0) as u64 } else { part.length };
        self.raw(part, &raw, 0, units);
        Ok(())
    }

    /// Takes over `raw`, of `units` UTF-16 units, which is at `offset` of the part's text.
    fn raw(&mut self, part: &Part<'_>, raw: &[u8], offset: usize, units: u64) {
        self.units += units;
        self.extra.add(raw, part.view.estimator);
        if raw.is_empty() {
            return;
        }
        let segment = match part.child.kind {
            BlockKind::Text => {
                let start = part.child.span.start + 1 + offset as u32;
                Segment::Source(Span { start, end: start + raw.len() as u32 })
            }
            _ => Segment::Literal(String::from_utf8_lossy(raw).into_owned()),
        };
        self.segments.push(segment);
    }
}

impl Part<'_> {
    /// The raw text from byte `from` to `to` of it.
    fn bytes(&self, from: usize, to: usize) -> Result<Cow<'_, [u8]>, crate::Error> {
        let start = self.record + u64::from(self.child.span.start);
        match self.child.kind {
            BlockKind::Text => Ok(self.view.texts.read(start + 1 + from as u64, start + 1 + to as u64)?),
            BlockKind::Image => Ok(Cow::Borrowed(IMAGE_REMOVED.as_bytes())),
            _ => Ok(Cow::Owned(malformed(&self.view.texts.read(start, start + self.child.span.len() as u64)?))),
        }
    }

    /// Bytes of the raw text; a literal's are read whole.
    fn size(&self) -> usize {
        if self.child.kind == BlockKind::Text { self.child.span.len() - 2 } else { usize::MAX }
    }
}

/// The first `limit` units of the joined texts.
pub(super) fn head(parts: &[Part<'_>], limit: u64, text: &mut NewText) -> Result<(), crate::Error> {
    let mut left = limit;
    for (i, part) in parts.iter().enumerate() {
        if i > 0 && left > 0 {
            text.literal("\\n", 1);
            left -= 1;
        }
        if left == 0 {
            break;
        }
        if part.length <= left {
            text.whole(part)?;
            left -= part.length;
            continue;
        }
        // A unit takes at most six bytes, so that the rest of a long text need not be read.
        let wanted = usize::try_from(left.saturating_mul(6).saturating_add(12)).unwrap_or(usize::MAX);
        let bytes = part.bytes(0, part.size().min(wanted))?;
        let (end, units) = text::head_end(&bytes, left as usize);
        text.raw(part, &bytes[..end], 0, units as u64);
        left = 0;
    }
    Ok(())
}

/// The last `limit` units of the joined texts.
pub(super) fn tail(parts: &[Part<'_>], limit: u64, text: &mut NewText) -> Result<(), crate::Error> {
    // From the end: the part in which the tail begins, and how much of it, or the newline before it.
    let (mut left, mut first, mut within) = (limit, parts.len(), None);
    while left > 0 && first > 0 {
        first -= 1;
        if parts[first].length >= left {
            within = Some(left);
            break;
        }
        left -= parts[first].length;
        if first > 0 {
            left -= 1;
            if left == 0 {
                text.literal("\\n", 1);
            }
        }
    }
    for (i, part) in parts.iter().enumerate().skip(first) {
        if i > first {
            text.literal("\\n", 1);
        }
        match within.filter(|&left| i == first && left < part.length) {
            None => text.whole(part)?,
            Some(left) => last_units(part, left as usize, text)?,
        }
    }
    Ok(())
}

/// The last `left` units of one part, read from near its end where that is enough to tell where they begin.
fn last_units(part: &Part<'_>, left: usize, text: &mut NewText) -> Result<(), crate::Error> {
    let size = part.size();
    let near = if size == usize::MAX { 0 } else { size.saturating_sub(left.saturating_mul(6).saturating_add(8192)) };
    for from in [near, 0] {
        let bytes = part.bytes(from, size)?;
        if let Some((at, units)) = text::tail_start(&bytes, left, from == 0) {
            text.raw(part, &bytes[at..], from + at, units as u64);
            break;
        }
    }
    Ok(())
}
