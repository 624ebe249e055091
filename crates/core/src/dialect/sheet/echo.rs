//! Records that repeat what a result says and do not name its call: they are known by the text.

use crate::dialect::sheet::Sheet;
use crate::json::{Id, IdMap};
use crate::transcript::{Mirror, MirrorKind, Span};
use std::collections::VecDeque;

/// What a result says, or what repeats it, by a confidence of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// What is compared of the text.
    pub confidence: Id,
    /// The id of the result's call; none for what repeats it.
    pub call: Id,
    /// Byte of the input at which its record begins.
    pub record: u64,
    /// What repeats the text, in its record.
    pub span: Span,
    /// Index of its entry; none once that was let go.
    pub entry: Option<u32>,
}

impl Sheet {
    /// Notes what the result of `call` says in the record that is being read, or with no call that `span` of it repeats what
    /// some result says; `raw` is the text as it is written.
    pub fn echo(&mut self, raw: &[u8], call: Id, span: Span) {
        // Its length, both ends and the middle tell a text from those that were printed about the same time.
        let (length, middle) = (raw.len(), raw.len() / 2);
        let piece = |from: usize| &raw[from.min(length)..(from + 64).min(length)];
        let parts = [&length.to_le_bytes()[..], piece(0), piece(middle), piece(length.saturating_sub(64))];
        self.echoes.push(Echo { confidence: Id::of_all(parts), call, record: self.record, span, entry: Some(self.entries.len() as u32) });
    }

    /// Makes mirrors of what repeats a result: of the next one that says the same, in the order in which `place` puts the
    /// entries.
    pub fn hear(&mut self, place: impl Fn(u32) -> u32) {
        let mut waiting: IdMap<VecDeque<Echo>> = IdMap::default();
        let mut echoes = std::mem::take(&mut self.echoes);
        echoes.sort_by_key(|echo| echo.entry.map(&place));
        for echo in echoes {
            if echo.call.is_none() {
                waiting.entry(echo.confidence).or_default().push_back(echo);
            } else if let Some(Echo { record, span, .. }) = waiting.get_mut(&echo.confidence).and_then(VecDeque::pop_front) {
                self.mirrors.push(Mirror { call: echo.call, record, span, kind: MirrorKind::Shown });
            }
        }
    }
}
