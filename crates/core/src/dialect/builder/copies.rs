//! Records that repeat a result without naming its call. They are recognized by their text.

use crate::{
    dialect::builder::TranscriptBuilder,
    json::{Id, IdMap},
    transcript::{ResultCopy, ResultCopyKind, Span},
};
use std::collections::VecDeque;

/// The text of a result, or of a record that repeats one, by its fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnlinkedCopy {
    /// The fingerprint by which texts are compared; none if the order decides what repeats what.
    pub fingerprint: Id,
    /// The id of the result's call; none for what repeats it.
    pub call: Id,
    /// Byte of the input at which its record begins.
    pub record: u64,
    /// The span in its record of the text that repeats a result.
    pub span: Span,
    /// Index of its entry; none once that was let go.
    pub entry: Option<u32>,
}

impl TranscriptBuilder {
    /// Notes the text of a result in the record that is being read: of the result of `call` or,
    /// without a call, that `span` repeats some result. `raw` is the text as it is written.
    pub fn note_copy(&mut self, raw: &[u8], call: Id, span: Span) {
        // Its length, both ends and the middle tell a text from those that were printed about the
        // same time.
        let (length, middle) = (raw.len(), raw.len() / 2);
        let piece = |from: usize| &raw[from.min(length)..(from + 64).min(length)];
        let parts = [
            &length.to_le_bytes()[..],
            piece(0),
            piece(middle),
            piece(length.saturating_sub(64)),
        ];
        self.note_part(Id::of_all(parts), call, span);
    }

    /// Notes that `span` of the record that is being read repeats a part of the result that comes
    /// next.
    pub fn note_before_result(&mut self, span: Span) {
        self.note_part(Id::NONE, Id::NONE, span);
    }

    /// Notes that the result of `call` is read.
    pub fn note_next(&mut self, call: Id) {
        self.note_part(Id::NONE, call, Span::default());
    }

    fn note_part(&mut self, fingerprint: Id, call: Id, span: Span) {
        self.unlinked_copies.push(UnlinkedCopy {
            fingerprint,
            call,
            record: self.record,
            span,
            entry: Some(self.entries.len() as u32),
        });
    }

    /// Notes each text that repeats a result as a copy of the next result with that text, in the
    /// order in which `place` puts the entries; a text that repeats a part of the next result is a
    /// copy of that one.
    pub fn link_copies(&mut self, place: impl Fn(u32) -> u32) {
        let mut waiting: IdMap<VecDeque<UnlinkedCopy>> = IdMap::default();
        let mut unlinked_copies = std::mem::take(&mut self.unlinked_copies);
        unlinked_copies.sort_by_key(|copy| copy.entry.map(&place));
        for copy in unlinked_copies {
            let same = waiting.entry(copy.fingerprint).or_default();
            let found = if copy.call.is_none() {
                same.push_back(copy);
                0
            } else if copy.fingerprint.is_none() {
                same.len()
            } else {
                same.len().min(1)
            };
            let made = same.drain(..found).map(|shown| ResultCopy {
                call: copy.call,
                record: shown.record,
                span: shown.span,
                kind: ResultCopyKind::DisplayOnly,
            });
            self.result_copies.extend(made);
        }
    }
}
