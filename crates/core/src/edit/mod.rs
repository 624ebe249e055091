//! Turns cuts into edits: sorted, disjoint byte ranges of the input with their replacements, applied in one forward copy.
//!
//! Only this module handles quotes, commas and line ends. Nothing is changed in place: an edit names the bytes of the input that
//! are removed and the bytes that replace them. The kept parts of a trimmed text stay where they are; the edits remove the bytes
//! between them.

mod answer_cache;
mod apply;
mod changes;
mod cuts;
mod edited;
mod follow;
mod hint;
mod marks;
mod plan;
mod reaches;
mod relink;
pub mod result_copies;
mod view;
mod whole;

pub use answer_cache::{AnswerCache, Question};
pub use changes::{Change, Gap};
pub use cuts::Cuts;
pub use edited::Edited;
pub use hint::{BodyMember, drop_block};
pub use marks::{PartOutcome, added, moves};
pub use plan::{
    Action, Cut, OuterTextCut, Proposal, RECORDED, REMEMBERED, Reason, Rewrite, Segment,
};
pub use reaches::{Reach, Reaches, ToolUse};
pub(crate) use relink::{RecordMoves, id_member, ids, relink};
pub use view::View;

use crate::Error;
use crate::diagnostics::MirrorTotal;
use crate::json::locate::{elements, members};
use crate::json::text;
use crate::transcript::{Block, BlockKind, Flags, Span};
use std::ops::Range;
use std::sync::Arc;
use whole::{WholeRemovals, removals};

/// The edits of one input. Invariant: sorted by start, disjoint.
#[derive(Debug, Default)]
pub struct Edits {
    list: Vec<Edit>,
    text: Vec<u8>,
    first: Option<u64>,
    mirrors: MirrorTotal,
}

/// One replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edit {
    /// First byte of the input that is removed.
    start: u64,
    /// Past the last byte that is removed.
    end: u64,
    /// The replacement of the removed bytes.
    put: Replacement,
}

/// The replacement text of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replacement {
    /// A range of [`Edits::text`].
    Text { from: u32, to: u32 },
    /// A range of the input.
    Copy { from: u64, to: u64 },
}

impl Edits {
    /// The edits of all accepted cuts.
    ///
    /// # Errors
    /// A message cannot go by itself, or the input cannot be read any more.
    pub fn of(view: &View<'_>) -> Result<Edits, Error> {
        let mut edits = Edits::default();
        let mut cleared = None;
        if !view.is_structural() {
            view.cuts()
                .try_for_each(|cut| edits.add(view, cut, &mut cleared))?;
            edits.first = edits.list.first().map(|e| e.start);
            edits.follow(view)?;
            // The order of a history may differ from that of its file. The sort keeps the order of two edits at one place.
            edits.list.sort_by_key(|e| e.start);
            debug_assert!(
                edits
                    .list
                    .windows(2)
                    .all(|pair| pair[0].end <= pair[1].start),
                "edits are disjoint"
            );
            return Ok(edits);
        }
        let WholeRemovals {
            mut changes,
            records,
        } = removals(view)?;
        changes.extend(view.changes().cloned());
        changes.extend(marks::moved(view)?);
        for cut in view.outside() {
            changes.push(rewritten(
                view,
                view.transcript.request.outside[cut.place as usize].record,
                &cut.rewrite,
            )?);
        }
        for cut in view.cuts() {
            match &cut.action {
                Action::Rewrite(rewrite) | Action::ClearInput(rewrite) => {
                    changes.push(rewritten(
                        view,
                        view.transcript.messages[cut.message as usize].record,
                        rewrite,
                    )?);
                }
                _ => edits.add(view, cut, &mut cleared)?,
            }
        }
        if let Some(references) = view.transcript.references {
            changes.extend(relink(
                view.texts,
                view.transcript,
                references,
                &RecordMoves {
                    gone: records,
                    ..RecordMoves::default()
                },
            )?);
        }
        let first = changes
            .iter()
            .map(Change::start)
            .chain(edits.list.iter().map(|e| e.start))
            .min();
        edits.follow(view)?;
        for edit in &edits.list {
            let text = match edit.put {
                Replacement::Text { from, to } => edits.text[from as usize..to as usize].to_vec(),
                Replacement::Copy { from, to } => view.texts.read(from, to)?.into_owned(),
            };
            changes.push(Change::put(edit.start..edit.end, text));
        }
        Ok(Edits {
            first,
            mirrors: edits.mirrors,
            ..Edits::of_changes(view.texts, &changes)?
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

    /// Returns the byte of the input at which the first cut changes it. Changes of mirrors do not count.
    pub fn first(&self) -> Option<u64> {
        self.first
    }

    /// Returns the totals of the mirrors.
    pub fn mirrors(&self) -> MirrorTotal {
        self.mirrors
    }

    fn push(&mut self, start: u64, end: u64, text: &[u8]) {
        if start == end && text.is_empty() {
            return;
        }
        let from = self.text.len() as u32;
        // All cuts that clear share one placeholder.
        let (from, to) = match self.list.last().map(|last| last.put) {
            Some(Replacement::Text { from: f, to: t })
                if &self.text[f as usize..t as usize] == text =>
            {
                (f, t)
            }
            _ => {
                self.text.extend_from_slice(text);
                (from, self.text.len() as u32)
            }
        };
        self.list.push(Edit {
            start,
            end,
            put: Replacement::Text { from, to },
        });
    }

    /// Adds the edits of a cut. `cleared` is the placeholder of the last cut that clears: mostly there is only one.
    fn add(
        &mut self,
        view: &View<'_>,
        cut: &Cut,
        cleared: &mut Option<(Arc<str>, [Segment; 1])>,
    ) -> Result<(), Error> {
        match &cut.action {
            Action::Trim(segments) => self.replace(view, cut, segments),
            Action::Clear(placeholder) => {
                let (_, segments) = match cleared {
                    Some(known) if Arc::ptr_eq(&known.0, placeholder) => known,
                    other => other.insert((
                        placeholder.clone(),
                        [Segment::Literal(text::encoded(placeholder))],
                    )),
                };
                self.replace(view, cut, segments)
            }
            Action::Rewrite(_) | Action::ClearInput(_) | Action::Drop | Action::DropMessage => {
                Ok(())
            }
        }
    }

    /// Replaces the content of a result by a text made of `segments`. If the content has one text, the text is replaced within its block,
    /// whose other members stay unless they describe the old text. A string stays a string; any other content gets the format's own shape.
    fn replace(&mut self, view: &View<'_>, cut: &Cut, segments: &[Segment]) -> Result<(), Error> {
        let block = &view.transcript.blocks[cut.block as usize];
        let content = view.transcript.link(block).content;
        let record = view.transcript.messages[cut.message as usize].record;
        let template = view.transcript.template;
        let opened = template.open_for(block);
        let (span, open, close) = match view.children(cut.block) {
            // Only the text after a head is replaced.
            [one] if is_behind_a_head(one, content) => (content, "", ""),
            [one]
                if one.kind == BlockKind::Text && !says_more(view, record, content, one.span)? =>
            {
                (one.span, "\"", "\"")
            }
            _ if block.flags.has(Flags::STRING) => (content, "\"", "\""),
            _ => (content, opened, template.close),
        };
        let Range { start: mut at, end } = span.within(record);
        let literals = segments.iter().map(|segment| match segment {
            Segment::Literal(text) => text.len(),
            Segment::Source(_) => 0,
        });
        let mut pending = Vec::with_capacity(open.len() + literals.sum::<usize>() + close.len());
        pending.extend_from_slice(open.as_bytes());
        for segment in segments {
            match segment {
                Segment::Literal(text) => pending.extend_from_slice(text.as_bytes()),
                Segment::Source(kept) => {
                    let kept = kept.within(record);
                    self.push_changed(at, kept.start, &pending);
                    pending.clear();
                    at = kept.end;
                }
            }
        }
        pending.extend_from_slice(close.as_bytes());
        self.push_changed(at, end, &pending);
        Ok(())
    }

    /// Adds an edit, unless it replaces a quote by a quote.
    fn push_changed(&mut self, start: u64, end: u64, text: &[u8]) {
        if end - start == 1 && text == b"\"" {
            return;
        }
        self.push(start, end, text);
    }
}

/// Returns whether the content of a result is the end of a text, whose beginning is not part of it.
pub fn is_behind_a_head(one: &Block, content: Span) -> bool {
    one.kind == BlockKind::Text && content.start > one.span.start
}

/// The length of a content with one text and no other member, without that text.
const PLAIN: usize = r#"[{"type":"text","text":}]"#.len();

/// Returns whether the only text block of a result has other members that describe the text, such as `textSignature`, so that the block
/// must be replaced as a whole.
fn says_more(view: &View<'_>, record: u64, content: Span, text: Span) -> Result<bool, Error> {
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
fn rewritten(view: &View<'_>, record: u64, rewrite: &Rewrite) -> Result<Change, Error> {
    let mut text = Vec::new();
    for segment in &rewrite.segments {
        match segment {
            Segment::Literal(literal) => text.extend_from_slice(literal.as_bytes()),
            Segment::Source(span) => {
                let range = span.within(record);
                text.extend_from_slice(&view.texts.read(range.start, range.end)?);
            }
        }
    }
    Ok(Change::put(rewrite.span.within(record), text))
}
