//! Ends: shortens a result to the head and the tail of its texts, which are read at their two ends.
//!
//! The size of a text is known since its record was read, so that the middle of a large one is not read again. Kept parts are pieces
//! of the input where possible.

use super::new_text::NewResult;
use crate::Error;
use crate::edit::{Action, Reason, Segment, View};
use crate::estimate;
use crate::json::text;
use crate::pass::dependencies::Part;
use crate::pass::malformed::malformed;
use crate::settings::{Estimator, Measure};
use crate::shorten::{Piece, Rule, Template};
use crate::transcript::{Block, BlockKind, Flags, Span, ends_with_note};
use std::borrow::Cow;

/// The text that replaces an image.
const IMAGE_REMOVED: &str = "[image removed during context pruning]";

/// A rule whose new text follows from the size of the old one and its two ends. Sizes are UTF-16 units.
pub struct Ends {
    /// Larger results are shortened.
    over: u64,
    head: u64,
    tail: u64,
    /// Whether the images of a result are replaced, whatever its size.
    prunes_images: bool,
    /// The note by which a text is known that was shortened before; none where records are read with a flag for these.
    text: Option<Template>,
    /// New pieces are the inside of a JSON string.
    pieces: Vec<Piece>,
    /// Units of the new pieces without numbers, and how many numbers there are; none where they are not ASCII.
    new: Option<(u64, u64)>,
}

impl Ends {
    /// The rule as ends; `None` if it asks for more of a text.
    pub fn of(rule: &Rule, prunes_images: bool) -> Option<Ends> {
        let in_chars = [rule.over, rule.head, rule.tail]
            .iter()
            .all(|size| size.unit == Measure::Chars);
        let mut pieces = rule.text.pieces().filter(|_| in_chars)?;
        let (mut units, mut numbers, mut is_ascii) = (0, 0, true);
        for piece in &mut pieces {
            match piece {
                Piece::New(new) => {
                    (units, is_ascii) = (
                        units + new.encode_utf16().count() as u64,
                        is_ascii && new.is_ascii(),
                    );
                    *new = text::encoded(new);
                }
                Piece::Chars => numbers += 1,
                Piece::Head | Piece::Tail => {}
            }
        }
        let is_flagged = match &pieces[..] {
            [.., Piece::New(note), Piece::Chars, Piece::New(end)] => {
                ends_with_note([note, "0", end].concat().as_bytes())
            }
            _ => false,
        };
        let [over, head, tail] = [rule.over, rule.head, rule.tail].map(|size| size.number as u64);
        let text = (!is_flagged).then(|| rule.text.clone());
        Some(Ends {
            over,
            head,
            tail,
            prunes_images,
            text,
            pieces,
            new: is_ascii.then_some((units, numbers)),
        })
    }

    /// Whether a result of `whole` units has a middle to remove.
    fn cuts(&self, whole: u64) -> bool {
        whole > self.over && self.head.saturating_add(self.tail) < whole
    }

    /// Whether a text that was shortened before is known without reading it.
    pub fn is_flagged(&self) -> bool {
        self.text.is_none()
    }

    /// Whether the result at `at` is not to be shortened, because it is short or because it was shortened before.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn is_done(&self, view: &View<'_>, at: Part) -> Result<bool, Error> {
        let Some(text) = &self.text else {
            return Ok(is_flagged(view, at));
        };
        let children = view.children(at.1);
        if children
            .iter()
            .map(|child| u64::from(child.chars) + 1)
            .sum::<u64>()
            <= self.over
        {
            return Ok(
                !self.prunes_images || children.iter().all(|child| child.kind != BlockKind::Image)
            );
        }
        Ok(
            may_end_with(view, at, text.end())?
                && text.fits(&super::candidates::text_of(view, at)?),
        )
    }

    /// The least chars that are left of the result at `at`, as far as that is known without reading it, and whether it has as many as
    /// that at most; none where it is not shortened.
    pub fn least(&self, view: &View<'_>, at: Part) -> Option<(u64, bool)> {
        let children = view.children(at.1);
        if children.iter().any(|child| child.kind != BlockKind::Text) {
            return Some((0, false));
        }
        let whole = size(children);
        if !self.cuts(whole) {
            return None;
        }
        let Some((units, numbers)) = self.new else {
            return Some((0, false));
        };
        let new = units + numbers * u64::from(whole.checked_ilog10().unwrap_or(0) + 1);
        let (mut kept, mut split) = (0, 0);
        for size in self.pieces.iter().filter_map(|piece| match piece {
            Piece::Head => Some(self.head),
            Piece::Tail => Some(self.tail),
            _ => None,
        }) {
            (kept, split) = (kept + size, split + u64::from(size > 0));
        }
        // A part of a text can weigh more than all of it only by these estimators, and by as much only.
        let weight = match view.estimator {
            Estimator::CjkV1 | Estimator::CjkV1b => kept.saturating_mul(3),
            Estimator::Utf16 | Estimator::CjkV2 => 0,
        };
        let shrinks = whole >= new + kept
            && view.chars_of_result_before(at.1) >= (new + kept).saturating_add(weight);
        // A cut that would split a pair leaves one unit less.
        Some((new + kept - split, shrinks))
    }

    /// Returns the new text of the result at `at`; `None` where it is short and has no image.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn shortened(&self, view: &View<'_>, at: Part) -> Result<Option<NewResult>, Error> {
        let children = view.children(at.1);
        let whole = size(children);
        let is_short = !self.cuts(whole);
        if is_short && children.iter().all(|child| child.kind != BlockKind::Image) {
            return Ok(None);
        }
        let record = view.transcript.messages[at.0 as usize].record;
        let parts: Vec<Child<'_>> = children
            .iter()
            .map(|child| Child {
                view,
                record,
                child,
                length: length(child),
            })
            .collect();
        let mut text = NewText::default();
        let reason = if is_short {
            head(&parts, u64::MAX, &mut text)?;
            Reason::Shared("images are replaced by a marker".into())
        } else {
            // New text that comes together is one segment.
            let mut new = String::new();
            for piece in &self.pieces {
                match piece {
                    Piece::New(raw) => new.push_str(raw),
                    Piece::Chars => new.push_str(&whole.to_string()),
                    Piece::Head | Piece::Tail => {
                        text.new_text(&mut new, view.estimator);
                        if *piece == Piece::Head {
                            head(&parts, self.head, &mut text)?
                        } else {
                            tail(&parts, self.tail, &mut text)?
                        }
                    }
                }
            }
            text.new_text(&mut new, view.estimator);
            Reason::Larger {
                chars: whole,
                limit: self.over,
            }
        };
        let (chars, blank) = (text.units + text.extra.sum() as u64, !text.has_words);
        let action = Action::Trim(text.segments);
        Ok(Some(NewResult {
            reason: Some(reason),
            ..NewResult::of(action, chars, blank)
        }))
    }
}

/// Whether the last text of a result was read as one that ends with the note of a trim.
pub fn is_flagged(view: &View<'_>, at: Part) -> bool {
    view.children(at.1)
        .last()
        .is_some_and(|child| child.flags.has(Flags::TRIMMED))
}

/// UTF-16 units of a part of a result.
fn length(child: &Block) -> u64 {
    if child.kind == BlockKind::Image {
        IMAGE_REMOVED.len() as u64
    } else {
        u64::from(child.chars)
    }
}

/// UTF-16 units of a result: its texts are joined by newlines.
fn size(children: &[Block]) -> u64 {
    children.iter().map(length).sum::<u64>() + (children.len() as u64).saturating_sub(1)
}

/// Whether the result at `at` ends with `end`, or may end so, read from its end.
///
/// # Errors
/// The input cannot be read any more.
pub fn may_end_with(view: &View<'_>, at: Part, end: &str) -> Result<bool, Error> {
    let units = end.encode_utf16().count();
    let last = view
        .children(at.1)
        .iter()
        .rev()
        .find(|child| child.kind == BlockKind::Text);
    let Some(child) = last.filter(|child| child.chars as usize >= units) else {
        return Ok(true);
    };
    let start = view.transcript.messages[at.0 as usize].record + u64::from(child.span.start) + 1;
    let past = start + child.span.len() as u64 - 2;
    let from = past.saturating_sub(6 * units as u64 + 64).max(start);
    let raw = view.texts.read(from, past)?;
    Ok(text::tail_start(&raw, units, from == start)
        .is_none_or(|(at, _)| text::lossy(&raw[at..]) == end))
}

/// One text of a result.
struct Child<'a> {
    view: &'a View<'a>,
    /// Byte of the input at which its record begins.
    record: u64,
    child: &'a Block,
    /// UTF-16 units.
    length: u64,
}

/// Text under construction, with its length and what its characters weigh beyond that.
#[derive(Default)]
struct NewText {
    segments: Vec<Segment>,
    /// UTF-16 units.
    units: u64,
    extra: estimate::Extra,
    /// Whether there is more than white space.
    has_words: bool,
}

impl NewText {
    /// Adds `escaped`, of `units` UTF-16 units, as it is.
    fn literal(&mut self, escaped: &str, units: u64) {
        self.segments.push(Segment::Literal(escaped.to_owned()));
        self.units += units;
    }

    /// Moves `new` here, the inside of a JSON string.
    fn new_text(&mut self, new: &mut String, estimator: Estimator) {
        if !new.is_empty() {
            self.extra.add(new.as_bytes(), estimator);
            self.has_words = self.has_words || !text::is_blank(new.as_bytes());
            self.units += text::units(new.as_bytes(), 0) as u64;
            self.segments.push(Segment::Literal(std::mem::take(new)));
        }
    }

    /// Takes over the whole of `part`. A malformed text is printed anew, and numbers may come out longer than they were counted.
    fn whole(&mut self, part: &Child<'_>) -> Result<(), Error> {
        let raw = part.bytes(0, part.size())?;
        let units = if part.child.kind == BlockKind::Malformed {
            text::units(&raw, 0) as u64
        } else {
            part.length
        };
        self.raw(part, &raw, 0, units);
        Ok(())
    }

    /// Takes over `raw`, of `units` UTF-16 units, which is at `offset` of the part's text.
    fn raw(&mut self, part: &Child<'_>, raw: &[u8], offset: usize, units: u64) {
        self.units += units;
        self.extra.add(raw, part.view.estimator);
        self.has_words = self.has_words || !text::is_blank(raw);
        if raw.is_empty() {
            return;
        }
        let segment = match part.child.kind {
            BlockKind::Text => {
                let start = part.child.span.start + 1 + offset as u32;
                Segment::Source(Span {
                    start,
                    end: start + raw.len() as u32,
                })
            }
            _ => Segment::Literal(String::from_utf8_lossy(raw).into_owned()),
        };
        self.segments.push(segment);
    }
}

impl Child<'_> {
    /// The raw text from byte `from` to `to` of it.
    fn bytes(&self, from: usize, to: usize) -> Result<Cow<'_, [u8]>, Error> {
        let start = self.record + u64::from(self.child.span.start);
        match self.child.kind {
            BlockKind::Text => Ok(self
                .view
                .texts
                .read(start + 1 + from as u64, start + 1 + to as u64)?),
            BlockKind::Image => Ok(Cow::Borrowed(IMAGE_REMOVED.as_bytes())),
            _ => Ok(Cow::Owned(malformed(
                &self
                    .view
                    .texts
                    .read(start, start + self.child.span.len() as u64)?,
            ))),
        }
    }

    /// Bytes of the raw text; a literal's are read whole.
    fn size(&self) -> usize {
        if self.child.kind == BlockKind::Text {
            self.child.span.len() - 2
        } else {
            usize::MAX
        }
    }
}

/// The first `limit` units of the joined texts.
fn head(parts: &[Child<'_>], limit: u64, text: &mut NewText) -> Result<(), Error> {
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
        let wanted =
            usize::try_from(left.saturating_mul(6).saturating_add(12)).unwrap_or(usize::MAX);
        let bytes = part.bytes(0, part.size().min(wanted))?;
        let (end, units) = text::head_end(&bytes, left as usize);
        text.raw(part, &bytes[..end], 0, units as u64);
        left = 0;
    }
    Ok(())
}

/// The last `limit` units of the joined texts.
fn tail(parts: &[Child<'_>], limit: u64, text: &mut NewText) -> Result<(), Error> {
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
fn last_units(part: &Child<'_>, left: usize, text: &mut NewText) -> Result<(), Error> {
    let size = part.size();
    let near = if size == usize::MAX {
        0
    } else {
        size.saturating_sub(left.saturating_mul(6).saturating_add(8192))
    };
    for from in [near, 0] {
        let bytes = part.bytes(from, size)?;
        if let Some((at, units)) = text::tail_start(&bytes, left, from == 0) {
            text.raw(part, &bytes[at..], from + at, units as u64);
            break;
        }
    }
    Ok(())
}
