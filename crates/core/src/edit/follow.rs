//! Edits of mirrors: the copies of a cut result elsewhere in the file.

use super::result_copies::{ReplacedSpan, copies_of_cuts, replaced_spans};
use super::{Action, Cut, Segment, View};
use super::{Edit, Edits, Replacement};
use crate::Error;
use crate::json::text;
use crate::transcript::{BlockKind, ResultCopy, ResultCopyKind};
use std::ops::Range;

impl Edits {
    /// Adds the edits of the mirrors of all cut results.
    pub(super) fn follow(&mut self, view: &View<'_>) -> Result<(), Error> {
        let (found, left) = copies_of_cuts(view);
        self.mirrors.left = left;
        for (cut, copy) in found {
            let from = self.list.len();
            self.follow_copy(view, cut, copy)?;
            if self.list.len() > from {
                self.mirrors.cuts += 1;
                self.mirrors.bytes_removed -= self.list[from..]
                    .iter()
                    .map(|edit| self.grown(edit))
                    .sum::<i64>();
            }
        }
        Ok(())
    }

    fn follow_copy(&mut self, view: &View<'_>, cut: &Cut, copy: ResultCopy) -> Result<(), Error> {
        let Range { start: at, end } = copy.span.within(copy.record);
        if let ResultCopyKind::Sent { string } = copy.kind {
            let template = view.transcript.template;
            let block = &view.transcript.blocks[cut.block as usize];
            let (open, close) = match string {
                true => ("\"", "\""),
                false => (template.open_for(block), template.close),
            };
            self.repeat(view, cut, at, end, open, close);
            return Ok(());
        }
        let json = view.texts.read(at, end)?;
        let same = match view.children(cut.block) {
            [one] if one.kind == BlockKind::Text => {
                Some(view.bytes(cut.message as usize, one.span.inside())?)
            }
            _ => None,
        };
        for part in replaced_spans(&json, text_length(&cut.action), same.as_deref()) {
            match part {
                ReplacedSpan::Text(from, to) => {
                    self.repeat(view, cut, at + from as u64, at + to as u64, "\"", "\"")
                }
                ReplacedSpan::List(from, to) => self.push(at + from as u64, at + to as u64, b"[]"),
            }
        }
        Ok(())
    }

    /// Replaces a value elsewhere in the file by the new text of `cut`. Parts of the result's text that are kept are copied.
    fn repeat(
        &mut self,
        view: &View<'_>,
        cut: &Cut,
        start: u64,
        end: u64,
        open: &str,
        close: &str,
    ) {
        let record = view.transcript.messages[cut.message as usize].record;
        // The last byte is copied at the end, so that all edits lie within the value.
        let last = end - 1;
        self.push(start, last, open.as_bytes());
        match &cut.action {
            Action::Trim(segments) => {
                for segment in segments {
                    match segment {
                        Segment::Literal(text) => self.push(last, last, text.as_bytes()),
                        Segment::Source(kept) => {
                            let Range {
                                start: from,
                                end: to,
                            } = kept.within(record);
                            self.list.push(Edit {
                                start: last,
                                end: last,
                                put: Replacement::Copy { from, to },
                            });
                        }
                    }
                }
            }
            Action::Clear(placeholder) => {
                self.push(last, last, text::encoded(placeholder).as_bytes());
            }
            Action::Rewrite(_) | Action::ClearInput(_) | Action::Drop | Action::DropMessage => {}
        }
        self.push(last, end, close.as_bytes());
    }
}

/// Returns the length in bytes of the escaped new text of a cut.
fn text_length(action: &Action) -> usize {
    match action {
        Action::Trim(segments) => segments
            .iter()
            .map(|segment| match segment {
                Segment::Literal(text) => text.len(),
                Segment::Source(kept) => kept.len(),
            })
            .sum(),
        Action::Clear(placeholder) => placeholder.len(),
        Action::Rewrite(_) | Action::ClearInput(_) | Action::Drop | Action::DropMessage => 0,
    }
}
