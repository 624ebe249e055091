//! Ends: shortens a result to the head and the tail of its texts, which are read at their two ends.
//! A result that the next step clears in any case need not be shortened first, and so not be read.
//!
//! The size of a text is known since its record was read, so that the middle of a large one is not
//! read again. Kept parts are pieces of the input where possible.

use super::*;
use crate::{
    estimate,
    pass::malformed::malformed,
    settings::Estimator,
    shorten::{Field, Rule},
    transcript::Block,
};
use std::{borrow::Cow, ops::Range, sync::Arc};

/// The text that replaces an image.
const IMAGE_REMOVED: &str = "[image removed during context pruning]";

/// A rule whose new text follows from the size of the old one and its two ends. Sizes are UTF-16
/// units.
pub struct Ends {
    /// Larger results are shortened.
    over: u64,
    head: u64,
    tail: u64,
    /// The pieces of the new text. New ones are the inside of a JSON string.
    pieces: Vec<Field>,
}

impl Ends {
    /// The rule as ends; `None` if it needs more of a text than its ends.
    pub fn of(rule: &Rule) -> Option<Ends> {
        let mut sizes = [rule.over, rule.head, rule.tail].into_iter();
        if sizes.any(|size| size.unit != Measure::Chars) {
            return None;
        }
        let mut pieces = rule.text.fields.clone();
        for piece in &mut pieces {
            match piece {
                Field::Literal(new) => *new = text::encoded(new),
                Field::Value("chars" | "head" | "tail") => {}
                Field::Value(_) => return None,
            }
        }
        let [over, head, tail] = [rule.over, rule.head, rule.tail].map(|size| size.number as u64);
        Some(Ends {
            over,
            head,
            tail,
            pieces,
        })
    }

    /// Whether a result of `whole` units has a middle to remove.
    fn cuts(&self, whole: u64) -> bool {
        whole > self.over && self.head.saturating_add(self.tail) < whole
    }

    /// The least chars that soft-trim leaves of the result at `at`, as far as that is known without
    /// reading it, and whether it has as many as that at most; none where it is not shortened. Its
    /// note is ASCII, and has both ends once.
    pub fn least(&self, view: &View<'_>, at: Part) -> Option<(u64, bool)> {
        let children = view.children(at.1);
        if children.iter().any(|child| child.kind != BlockKind::Text) {
            return Some((0, false));
        }
        let whole = size(children);
        if !self.cuts(whole) {
            return None;
        }
        let kept = self.head + self.tail;
        let units = |piece: &Field| match piece {
            Field::Literal(raw) => text::units(raw.as_bytes(), 0),
            Field::Value("chars") => whole.to_string().len(),
            Field::Value(_) => 0,
        };
        let all = kept + self.pieces.iter().map(units).sum::<usize>() as u64;
        // Only by these estimators can a part of a text weigh more than the whole, and only by this
        // much.
        let weight = match view.estimator {
            Estimator::CjkV1 | Estimator::CjkV1b => kept.saturating_mul(3),
            Estimator::Utf16 | Estimator::CjkV2 => 0,
        };
        let shrinks =
            whole >= all && view.chars_of_result_before(at.1) >= all.saturating_add(weight);
        // A cut that would split a surrogate pair leaves one unit less.
        Some((all - self.head.min(1) - self.tail.min(1), shrinks))
    }

    /// Returns the new text of the result at `at`; `None` where it is short and has no image.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn shortened(&self, view: &View<'_>, at: Part) -> Result<Option<NewResult>> {
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
            text.units_of(&parts, 0..u64::MAX)?;
            "images are replaced by a marker".into()
        } else {
            // New text that comes together is one segment.
            let mut new = String::new();
            for piece in &self.pieces {
                let kept = match piece {
                    Field::Literal(raw) => {
                        new.push_str(raw);
                        continue;
                    }
                    Field::Value("head") => 0..self.head,
                    Field::Value("tail") => whole.saturating_sub(self.tail)..whole,
                    Field::Value(_) => {
                        new.push_str(&whole.to_string());
                        continue;
                    }
                };
                text.new_text(&mut new, view.estimator);
                text.units_of(&parts, kept)?;
            }
            text.new_text(&mut new, view.estimator);
            format!("{whole} chars, more than maxChars {}", self.over).into()
        };
        let (chars, blank) = (text.units + text.extra.sum() as u64, !text.has_words);
        let action = Action::Trim(text.segments);
        Ok(Some(NewResult {
            reason: Some(reason),
            ..NewResult::of(action, chars, blank)
        }))
    }
}

/// The replacement of a result.
#[derive(Clone)]
pub struct NewResult {
    /// The cut.
    pub action: Action,
    /// Chars that it leaves, as the estimator counts them.
    pub chars: u64,
    /// Whether it says nothing.
    pub blank: bool,
    /// The reason, if it differs from result to result.
    pub reason: Option<Reason>,
}

impl NewResult {
    /// The cut `action`, which leaves `chars`.
    pub fn of(action: Action, chars: u64, blank: bool) -> NewResult {
        NewResult {
            action,
            chars,
            blank,
            reason: None,
        }
    }

    /// The cut that leaves only `text`.
    pub fn clear(view: &View<'_>, text: &str) -> NewResult {
        let chars = view.chars_of_text(text);
        NewResult::of(Action::Clear(Arc::from(text)), chars, is_blank(text))
    }
}

/// Whether a text says nothing.
pub fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
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
    /// Moves `new` here, the inside of a JSON string.
    fn new_text(&mut self, new: &mut String, estimator: Estimator) {
        if !new.is_empty() {
            self.extra.add(new.as_bytes(), estimator);
            self.has_words = self.has_words || !text::is_blank(new.as_bytes());
            self.units += text::units(new.as_bytes(), 0) as u64;
            self.segments.push(Segment::Literal(std::mem::take(new)));
        }
    }

    /// Takes over the units of `range` of the joined texts.
    fn units_of(&mut self, parts: &[Child<'_>], range: Range<u64>) -> Result<()> {
        // The first unit of the part.
        let mut at = 0;
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                if range.contains(&at) {
                    self.segments.push(Segment::Literal("\\n".to_owned()));
                    self.units += 1;
                }
                at += 1;
            }
            let end = at + part.length;
            let (from, to) = (range.start.max(at), range.end.min(end));
            if (from, to) == (at, end) {
                self.whole(part)?;
            } else if from < to && from == at {
                self.first_units(part, (to - from) as usize)?;
            } else if from < to {
                self.last_units(part, (to - from) as usize)?;
            }
            at = end;
        }
        Ok(())
    }

    /// Takes over the whole of `part`. A malformed text is printed anew, and numbers may come out
    /// longer than they were counted.
    fn whole(&mut self, part: &Child<'_>) -> Result<()> {
        let raw = part.bytes(0, part.size())?;
        let units = if part.child.kind == BlockKind::Malformed {
            text::units(&raw, 0) as u64
        } else {
            part.length
        };
        self.raw(part, &raw, 0, units);
        Ok(())
    }

    /// Takes over the first units of `part`. A unit takes at most six bytes, so that the rest of a
    /// long text need not be read.
    fn first_units(&mut self, part: &Child<'_>, units: usize) -> Result<()> {
        let wanted = units.saturating_mul(6).saturating_add(12);
        let bytes = part.bytes(0, part.size().min(wanted))?;
        let (end, units) = text::head_end(&bytes, units);
        self.raw(part, &bytes[..end], 0, units as u64);
        Ok(())
    }

    /// Takes over the last units of `part`, read from near its end where that is enough to tell
    /// where they begin.
    fn last_units(&mut self, part: &Child<'_>, units: usize) -> Result<()> {
        let size = part.size();
        let near = match size {
            usize::MAX => 0,
            size => size.saturating_sub(units.saturating_mul(6).saturating_add(8192)),
        };
        for from in [near, 0] {
            let bytes = part.bytes(from, size)?;
            if let Some((at, units)) = text::tail_start(&bytes, units, from == 0) {
                self.raw(part, &bytes[at..], from + at, units as u64);
                break;
            }
        }
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
    fn bytes(&self, from: usize, to: usize) -> Result<Cow<'_, [u8]>> {
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
