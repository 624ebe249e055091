//! Takes back what was read: all since a checkpoint, the blocks of a message, or the messages before
//! a compaction.

use crate::{dialect::builder::TranscriptBuilder, transcript::NoteKind};

/// A checkpoint of a builder, for a rollback.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    messages: usize,
    /// The number of blocks.
    pub blocks: usize,
    links: usize,
    entries: usize,
    markers: usize,
    projections: usize,
    result_copies: usize,
    unlinked_copies: usize,
    namings: usize,
    numbered: u32,
    records: u64,
    /// The number of things that were not understood.
    pub unknown_kinds: usize,
}

impl TranscriptBuilder {
    /// Returns a checkpoint of the builder's current state.
    pub fn mark(&self) -> Mark {
        Mark {
            messages: self.messages.len(),
            blocks: self.blocks.len(),
            links: self.links.len(),
            entries: self.entries.len(),
            markers: self.markers.len(),
            projections: self.projections.len(),
            result_copies: self.result_copies.len(),
            unlinked_copies: self.unlinked_copies.len(),
            namings: self.namings.len(),
            numbered: self.numbered,
            records: self.records,
            unknown_kinds: self.unknown_kinds(),
        }
    }

    /// Takes back all that was read since `mark`.
    pub fn rollback(&mut self, mark: Mark) {
        self.messages.truncate(mark.messages);
        self.keep_blocks(mark.blocks);
        self.links.truncate(mark.links);
        self.inside.clear();
        self.entries.truncate(mark.entries);
        self.markers.truncate(mark.markers);
        self.projections.truncate(mark.projections);
        self.result_copies.truncate(mark.result_copies);
        self.unlinked_copies.truncate(mark.unlinked_copies);
        self.namings.truncate(mark.namings);
        self.numbered = mark.numbered;
        self.records = mark.records;
        self.not_understood.truncate(mark.unknown_kinds);
    }

    /// Takes back the messages and blocks read since `mark`, but not the record.
    pub fn rollback_blocks(&mut self, mark: Mark) {
        let records = self.records;
        self.rollback(mark);
        self.records = records;
    }

    /// Takes back the blocks from index `n` on, and what was noted of them.
    pub fn keep_blocks(&mut self, n: usize) {
        self.blocks.truncate(n);
        let end = self.notes.partition_point(|note| (note.block as usize) < n);
        self.notes.truncate(end);
    }

    /// Removes the messages before the one that the last compaction block is in.
    pub fn begin_at_compaction(&mut self) {
        let Some(at) = self
            .notes
            .iter()
            .rfind(|note| note.kind == NoteKind::Compaction)
            .map(|note| note.block)
        else {
            return;
        };
        let message = self
            .messages
            .partition_point(|message| message.blocks <= at)
            .saturating_sub(1);
        let first = self.messages[message].blocks;
        self.blocks.drain(..first as usize);
        let links = self
            .blocks
            .iter()
            .find(|block| block.is_linked())
            .map_or(self.links.len() as u32, |block| block.extra);
        self.links.drain(..links as usize);
        self.messages.drain(..message);
        for message in &mut self.messages {
            message.blocks -= first;
        }
        self.blocks
            .iter_mut()
            .filter(|block| block.is_linked())
            .for_each(|block| block.extra -= links);
        self.notes.retain(|note| note.block >= first);
        for note in &mut self.notes {
            note.block -= first;
        }
    }
}
