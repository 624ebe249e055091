//! Parts, messages and records of unknown kinds.
//!
//! Each is noted where it was read, and is removed with its record
//! ([`TranscriptBuilder::rollback`]). When the next record begins, the noted ones are counted by
//! kind; the first of each level is kept with its place.

pub use crate::transcript::Level;
use crate::{
    dialect::{
        builder::TranscriptBuilder,
        shared::unread::{Odd, ids},
    },
    json::Cursor,
    transcript::{Block, BlockKind, UnknownKind, Unread},
};
use std::collections::BTreeMap;

/// The number of kinds that are counted: more would help nobody.
const KINDS: usize = 20;

/// Something that was not understood, in the record that is being read.
#[derive(Debug)]
struct UnknownItem {
    level: Level,
    what: String,
    /// Number of the message.
    message: u32,
    /// Index of the block that it became.
    block: usize,
}

/// All that was not understood.
#[derive(Debug, Default)]
pub struct NotUnderstood {
    /// In the record that is being read.
    found: Vec<UnknownItem>,
    /// The number of things that were not understood in earlier records.
    before: usize,
    /// Each kind in earlier records as a warning, with how many there were.
    kinds: BTreeMap<String, u64>,
    unread: Unread,
    /// Messages in earlier records that were not understood.
    messages: u64,
}

impl NotUnderstood {
    /// Returns the number of things that were not understood.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.before + self.found.len()
    }

    /// Takes back those in the record that is being read which came after the first `n`.
    #[inline]
    pub fn truncate(&mut self, n: usize) {
        self.found.truncate(n.saturating_sub(self.before));
    }

    /// Counts what was found in the record before `line` was begun.
    pub fn finish_record(&mut self, line: u32) {
        self.before += self.found.len();
        for found in self.found.drain(..) {
            let level = found.level;
            if level == Level::Record {
                self.unread.lines.push(line.into());
            }
            let is_message = matches!(level, Level::Parts | Level::Message | Level::Foreign);
            self.messages += u64::from(is_message);
            // Such a message is counted with its parts.
            let outcome = if level == Level::Twice {
                "the last of them counts"
            } else {
                "unknown, passed through"
            };
            let kind = format!("{}: {outcome}", found.what);
            if level != Level::Parts && (self.kinds.len() < KINDS || self.kinds.contains_key(&kind))
            {
                *self.kinds.entry(kind).or_default() += 1;
            }
            let first = UnknownKind {
                line: line.into(),
                message: found.message,
                what: found.what,
            };
            match level {
                Level::Inside => {}
                Level::Place => _ = self.unread.first.entry(Level::Message).or_insert(first),
                level => _ = self.unread.first.entry(level).or_insert(first),
            }
        }
    }

    /// Takes over what was found in the part of the file that follows, which has so many lines and
    /// messages before it.
    pub fn append(&mut self, next: NotUnderstood, lines: u64, messages: u32) {
        let have = &mut self.unread;
        have.ids.extend(next.unread.ids);
        have.lines
            .extend(next.unread.lines.into_iter().map(|line| line + lines));
        self.messages += next.messages;
        for (level, first) in next.unread.first {
            have.first.entry(level).or_insert(UnknownKind {
                line: first.line + lines,
                message: first.message + messages,
                ..first
            });
        }
        for (kind, n) in next.kinds {
            *self.kinds.entry(kind).or_default() += n;
        }
    }
}

impl TranscriptBuilder {
    /// Notes something that was not understood: the block that comes next, or the message that is
    /// being read.
    pub fn not_understood(&mut self, level: Level, what: String) {
        self.not_understood_at(self.blocks.len(), level, what);
    }

    /// Notes that the block at index `block` was not understood.
    pub fn not_understood_at(&mut self, block: usize, level: Level, what: String) {
        let message = self.numbered + 1;
        self.not_understood.found.push(UnknownItem {
            level,
            what,
            message,
            block,
        });
    }

    /// Notes a record or a part whose kind is `name`: it passes through as it is.
    pub fn unknown(&mut self, level: Level, what: &str, name: &str) {
        self.not_understood(level, format!("{what} {}", printable(name)));
    }

    /// Notes the ids that a part of an unknown kind names: `json` is the part.
    #[cold]
    pub fn not_understood_ids(&mut self, json: &[u8]) {
        // It was read before, so it is not malformed JSON.
        let _ = ids(&mut Cursor::new(json), &mut self.not_understood.unread.ids);
    }

    /// Returns the number of things that were not understood so far.
    #[inline]
    pub fn unknown_kinds(&self) -> usize {
        self.not_understood.len()
    }

    /// Marks what was not understood after the first `n` things as part of a result's content.
    #[inline]
    pub fn not_understood_inside(&mut self, n: usize) {
        if self.not_understood.found.is_empty() {
            return;
        }
        let from = n.saturating_sub(self.not_understood.before);
        self.not_understood.found[from..]
            .iter_mut()
            .for_each(|found| found.level = Level::Inside);
    }

    /// Whether the blocks since index `first` say nothing: there is none, or an empty text alone.
    #[inline]
    pub fn is_empty_since(&self, first: usize) -> bool {
        matches!(
            &self.blocks[first..],
            [] | [Block {
                kind: BlockKind::Text,
                chars: 0,
                ..
            }]
        )
    }

    /// Judges the message whose blocks were pushed since index `first`, before it is added to the
    /// builder ([`TranscriptBuilder::verdict`]).
    pub fn judge(&mut self, first: usize, n: usize, said: Option<Odd>) {
        if let Some((level, what)) = self.verdict(first, n, said) {
            self.unread(level, what);
        }
    }

    /// Returns the first thing that was not understood of a message, with its level, or `None` if
    /// the message is understood. The message has the blocks from index `first` on; `n` is the
    /// number of things not understood before it. It is understood if it has a known part or is
    /// empty. `said` is another member in which it may have text.
    pub fn verdict(&self, first: usize, n: usize, said: Option<Odd>) -> Option<Odd> {
        let from = n.saturating_sub(self.not_understood.before);
        let found = &self.not_understood.found[from..];
        let is_known = |at: usize| {
            !found
                .iter()
                .any(|f| f.level == Level::Part && f.block == at)
        };
        let (mut at, mut known) = (first, false);
        while let Some(block) = self.blocks.get(at) {
            known |= is_known(at) && (block.kind != BlockKind::Text || block.chars > 0);
            at += 1 + self.inside_of(block);
        }
        let part = found
            .iter()
            .find(|f| f.level == Level::Part)
            .map(|f| f.what.clone());
        match (said, part) {
            _ if known => None,
            (_, Some(what)) => Some((Level::Parts, what)),
            (said, None) => said,
        }
    }

    /// Marks the things from `n` to `end` that were not understood as parts of the message that
    /// comes next.
    pub fn not_understood_next(&mut self, n: usize, end: usize) {
        let [from, to] = [n, end].map(|n| n.saturating_sub(self.not_understood.before));
        let message = self.numbered + 1;
        self.not_understood.found[from..to]
            .iter_mut()
            .for_each(|found| found.message = message);
    }

    /// Notes that the message that is being read was not understood.
    pub fn unread(&mut self, level: Level, what: String) {
        self.not_understood(level, what);
        self.unread = true;
    }

    /// Each kind that was not understood as a warning with how many there were, and what that means
    /// for the whole.
    pub fn all_not_understood(&mut self) -> (BTreeMap<String, u64>, Unread) {
        self.not_understood.finish_record(self.line);
        let mut unread = std::mem::take(&mut self.not_understood.unread);
        unread.messages = self.numbered.into();
        unread.understood = unread.messages.saturating_sub(self.not_understood.messages);
        (std::mem::take(&mut self.not_understood.kinds), unread)
    }
}

/// A name as it may be shown: short, and on one line.
pub fn printable(name: impl AsRef<[u8]>) -> String {
    let name = String::from_utf8_lossy(name.as_ref());
    let shown = |c: char| {
        if c.is_control() {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    name.chars().take(40).map(shown).collect()
}
