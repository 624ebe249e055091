//! Turns cuts into edits: sorted, disjoint byte ranges of the input with their replacements,
//! applied in one forward copy.
//!
//! Only this module handles quotes, commas and line ends. Nothing is changed in place: an edit
//! names the bytes of the input that are removed and the bytes that replace them. The kept parts of
//! a trimmed text stay where they are; the edits remove the bytes between them.

mod answer_cache;
mod apply;
mod changes;
mod cuts;
mod edited;
mod follow;
mod hint;
mod lengths;
mod marks;
mod plan;
mod reaches;
mod relink;
pub mod result_copies;
mod texts;
mod user_words;
mod view;
mod whole;

pub use answer_cache::AnswerCache;
pub use changes::{Change, Gap};
pub use cuts::Cuts;
pub use edited::Edited;
pub use hint::{betas, is_list, member, set_member};
pub use marks::{PartOutcome, added, moves};
pub use plan::{
    Action, Cut, OuterTextCut, Proposal, RECORDED, REMEMBERED, Reason, Rewrite, Segment,
};
pub use reaches::{Reach, Reaches, Savings, ToolUse};
pub use relink::{RecordMoves, id_member, ids, relink, table};
pub use view::View;

use crate::{
    Error, Result,
    diagnostics::CopyTotal,
    json::{
        Kind,
        locate::{elements, members},
        text,
    },
    read_at::{ReadAt, Window},
    transcript::{Block, BlockKind, Flags, Span, Transcript},
};
use std::{borrow::Cow, collections::HashMap, ops::Range};
use whole::{WholeRemovals, removals};

/// The edits of one input. Invariant: sorted by start, disjoint.
#[derive(Debug, Default)]
pub struct Edits {
    list: Vec<Edit>,
    /// All new text.
    text: Vec<u8>,
    first: Option<u64>,
    copies: CopyTotal,
    /// The number of edits that only fill a line up to the length that it had.
    pub fills: usize,
}

/// One replacement.
#[derive(Debug)]
struct Edit {
    /// First byte of the input that is removed.
    start: u64,
    /// Past the last byte that is removed.
    end: u64,
    /// The range of [`Edits::text`] that replaces the removed bytes.
    text: Range<usize>,
}

/// A range of the input and what replaces it.
type Put = (Range<u64>, Vec<u8>);

impl Edits {
    /// The edits of all accepted cuts.
    ///
    /// # Errors
    /// A message cannot go by itself, or the input cannot be read any more.
    pub fn of(view: &View<'_>) -> Result<Edits> {
        let transcript = view.transcript;
        let (mut changes, mut gone) = (Vec::new(), Vec::new());
        if view.is_structural() {
            WholeRemovals {
                changes,
                records: gone,
            } = removals(view)?;
            changes.extend_from_slice(view.changes());
            changes.extend(marks::moved(view)?);
        }
        for cut in view.outside() {
            let record = transcript.request.outside[cut.place as usize].record;
            changes.push(rewritten(view, record, &cut.rewrite)?);
        }
        let mut contents = Vec::new();
        for cut in view.cuts() {
            match &cut.action {
                Action::Trim(segments) => replace(view, cut, segments, &mut contents)?,
                Action::Clear(placeholder) => {
                    let new = Segment::Literal(text::encoded(placeholder));
                    replace(view, cut, &[new], &mut contents)?;
                }
                Action::Rewrite(rewrite) | Action::ClearInput(rewrite) => {
                    let record = transcript.messages[cut.message as usize].record;
                    changes.push(rewritten(view, record, rewrite)?);
                }
                Action::Server(_) | Action::Drop | Action::DropMessage => {}
            }
        }
        if let Some(references) = transcript.references {
            let moves = RecordMoves {
                gone,
                ..RecordMoves::default()
            };
            changes.extend(relink(view.texts, transcript, references, &moves)?);
        }
        let mut starts = changes
            .iter()
            .map(Change::start)
            .chain(contents.iter().map(|(range, _)| range.start));
        // That of the first cut, which may not be the first of the file, as the order of a history
        // may differ from that of its file.
        let first = if view.is_structural() {
            starts.min()
        } else {
            starts.next()
        };
        let copies = follow::follow(view, &mut contents)?;
        let put = |(range, text)| Change::put(range, text);
        changes.extend(contents.into_iter().map(put));
        let edits = if transcript.read_by_bytes {
            lengths::of_changes(view.texts, changes)?
        } else {
            Edits::of_changes(view.texts, &changes)?
        };
        Ok(Edits {
            first,
            copies,
            ..edits
        })
    }

    /// Returns the number of edits.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the byte of the input at which the first cut changes it. Changes of copies do not
    /// count.
    pub fn first(&self) -> Option<u64> {
        self.first
    }

    /// Returns the totals of the copies.
    pub fn copies(&self) -> CopyTotal {
        self.copies
    }

    /// Adds an edit behind all others.
    fn push(&mut self, start: u64, end: u64, text: &[u8]) {
        // All cuts that clear share one placeholder.
        let known = self.list.last().map(|last| last.text.clone());
        let text = known
            .filter(|known| self.text[known.clone()] == *text)
            .unwrap_or_else(|| {
                let from = self.text.len();
                self.text.extend_from_slice(text);
                from..self.text.len()
            });
        self.list.push(Edit { start, end, text });
    }
}

/// Replaces the content of a result by a text made of `segments`. If the content has one text, the
/// text is replaced within its block, whose other members stay unless they describe the old text. A
/// string stays a string; any other content gets the format's own shape.
fn replace(
    view: &View<'_>,
    cut: &Cut,
    segments: &[Segment],
    contents: &mut Vec<Put>,
) -> Result<()> {
    let block = view.transcript.block(cut.block);
    let content = view.transcript.link(block).content;
    let record = view.transcript.messages[cut.message as usize].record;
    let template = view.transcript.template;
    let (span, open, close) = match view.children(cut.block) {
        // Only the text after a head is replaced.
        [one] if is_behind_a_head(one, content) => (content, "", ""),
        [one] if one.kind == BlockKind::Text && !says_more(view, record, content, one.span)? => {
            (one.span, "\"", "\"")
        }
        _ if block.flags.has(Flags::STRING) => (content, "\"", "\""),
        _ => (content, template.open_for(block), template.close),
    };
    let Range { start: mut at, end } = span.within(record);
    // Nothing, and a quote by a quote, is left as it is.
    let mut put = |range: Range<u64>, text: Vec<u8>| {
        let is_same = match range.end - range.start {
            0 => text.is_empty(),
            1 => text == b"\"",
            _ => false,
        };
        if !is_same {
            contents.push((range, text));
        }
    };
    let mut pending = open.as_bytes().to_vec();
    for segment in segments {
        match segment {
            Segment::Source(kept) if kept.within(record).start >= at => {
                let kept = kept.within(record);
                put(at..kept.start, std::mem::take(&mut pending));
                at = kept.end;
            }
            // New text, or what stands before what was kept.
            _ => pending.extend_from_slice(&segment.bytes(view, record)?),
        }
    }
    pending.extend_from_slice(close.as_bytes());
    put(at..end, pending);
    Ok(())
}

/// Returns the range of the record that a new content of the result at `block` replaces; and
/// whether it begins within a string.
pub fn region(view: &View<'_>, block: u32) -> (Span, bool) {
    let content = view.transcript.link_at(block).content;
    match view.children(block) {
        // With the quote behind it, since an edit may be at its end.
        [one] if is_behind_a_head(one, content) => {
            let end = content.end + 1;
            (Span { end, ..content }, true)
        }
        [one] if one.kind == BlockKind::Text && !view.transcript.template.anew => (one.span, false),
        _ => (content, false),
    }
}

/// Returns whether the content of a result is the end of a text, whose beginning is not part of it.
fn is_behind_a_head(one: &Block, content: Span) -> bool {
    one.kind == BlockKind::Text && content.start > one.span.start
}

/// The length of a content with one text and no other member, without that text.
const PLAIN: usize = r#"[{"type":"text","text":}]"#.len();

/// Returns whether the only text block of a result has other members that describe the text, such
/// as `textSignature`, so that the block must be replaced as a whole.
fn says_more(view: &View<'_>, record: u64, content: Span, text: Span) -> Result<bool> {
    if !view.transcript.template.anew
        || content.len() == PLAIN + text.len()
        || content.len() <= text.len()
    {
        return Ok(false);
    }
    let read = |start: u32, end: u32| {
        let range = Span { start, end }.within(record);
        view.texts.read(range.start, range.end)
    };
    let around = [
        &read(content.start, text.start)?[..],
        br#""""#,
        &read(text.end, content.end)?,
    ]
    .concat();
    let object = elements(&around, 0)
        .ok_or(Error::Changed)?
        .into_iter()
        .find(|element| around[element.start] == b'{');
    let Some(object) = object else {
        return Ok(false);
    };
    let members = members(&around, object.start).ok_or(Error::Changed)?;
    Ok(members
        .iter()
        .any(|member| !matches!(&*member.name, b"type" | b"text")))
}

/// Converts a rewrite of the record at `record` to a change.
fn rewritten(view: &View<'_>, record: u64, rewrite: &Rewrite) -> Result<Change> {
    let mut text = Vec::new();
    for segment in &rewrite.segments {
        text.extend_from_slice(&segment.bytes(view, record)?);
    }
    Ok(Change::put(rewrite.span.within(record), text))
}

impl Segment {
    /// Returns its bytes, of the record at `record` or new ones.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn bytes<'t>(&'t self, view: &View<'t>, record: u64) -> Result<Cow<'t, [u8]>> {
        match self {
            Segment::Literal(text) => Ok(Cow::Borrowed(text.as_bytes())),
            Segment::Source(span) => {
                let range = span.within(record);
                Ok(view.texts.read(range.start, range.end)?)
            }
        }
    }
}
