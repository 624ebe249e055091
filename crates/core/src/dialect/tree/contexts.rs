//! Makes a tree of a log whose records name no parents, from the context that each of its requests
//! had.
//!
//! The path to a request is its context. It follows the path to the request before as far as both
//! are the same.

use crate::{
    dialect::builder::{Entry, EntryKind, Keep, NONE, TranscriptBuilder},
    json::{GeneratedId, Id},
    transcript::Block,
};

/// The number of comparisons for a message, on average: an agent that changes the beginning
/// repeatedly gets a new path each time.
const MOST: usize = 16;

/// The tree under construction.
#[derive(Debug)]
pub struct Contexts {
    entries: Vec<Entry>,
    /// The entries of the newest context, in order.
    path: Vec<u32>,
    /// The newest boundary: the path to all later entries begins there.
    boundary: Id,
    /// Messages that may still be compared or added again.
    left: usize,
}

impl Contexts {
    /// A tree without entries, for the messages of a builder.
    pub fn new(builder: &TranscriptBuilder) -> Contexts {
        Contexts {
            entries: Vec::new(),
            path: Vec::new(),
            boundary: Id::NONE,
            left: builder
                .messages
                .len()
                .saturating_mul(MOST)
                .saturating_add(4096),
        }
    }

    /// Messages of the newest context.
    pub fn length(&self) -> usize {
        self.path.len()
    }

    /// Whether no context can begin anew any more: messages are only added to the newest one.
    pub fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Makes the newest context: the first `from` messages stay, and `messages` follow, each with
    /// the id of its answer. If nothing stays, `compacted` says that a summary replaced it.
    pub fn lead(
        &mut self,
        builder: &TranscriptBuilder,
        from: usize,
        messages: &[(Id, u32)],
        compacted: bool,
    ) {
        let from = from.min(self.path.len());
        let is_known = |(&entry, (id, message)): (&u32, &(Id, u32))| {
            let entry = &self.entries[entry as usize];
            entry.piece_of() == *id && is_same(builder, entry.message, *message)
        };
        let same = from
            + self.path[from..]
                .iter()
                .zip(messages)
                .take_while(|pair| is_known(*pair))
                .count();
        let new = &messages[same - from..];
        if same < self.path.len() {
            if new.len() > self.left {
                self.left = 0;
                return;
            }
            if compacted && same == 0 {
                let at = self.push(Entry {
                    kind: EntryKind::Reset(Keep::Nothing),
                    ..Entry::default()
                });
                self.boundary = self.entries[at].id;
            }
            self.path.truncate(same);
        }
        new.iter()
            .for_each(|&(id, message)| self.answer(id, message));
        self.left = self.left.saturating_sub(messages.len());
    }

    /// Adds a message behind the newest context, with the id of its answer: the first message of an
    /// id is the request.
    pub fn answer(&mut self, id: Id, message: u32) {
        self.push(Entry {
            message,
            kind: EntryKind::Node(id),
            ..Entry::default()
        });
    }

    /// Gives the newest answer another message: its record was written again.
    pub fn write_again(&mut self, message: u32) {
        if let Some(last) = self.path.last() {
            self.entries[*last as usize].message = message;
        }
    }

    /// Puts the tree in place of the builder's entries.
    pub fn finish(self, builder: &mut TranscriptBuilder) {
        builder.entries = self.entries;
    }

    /// Adds an entry behind the newest one on the path; returns its index.
    fn push(&mut self, entry: Entry) -> usize {
        let at = self.entries.len();
        let parent = self
            .path
            .last()
            .map_or(self.boundary, |&last| self.entries[last as usize].id);
        self.entries.push(Entry {
            id: Id::generated(GeneratedId::Place, at as u64 + 1),
            parent,
            ..entry
        });
        self.path.push(at as u32);
        at
    }
}

/// Makes a tree of a log of one conversation: each message follows the one before.
pub fn chain(builder: &mut TranscriptBuilder) {
    let mut contexts = Contexts::new(builder);
    (0..builder.messages.len() as u32).for_each(|message| contexts.answer(Id::NONE, message));
    contexts.finish(builder);
}

/// Whether two messages say the same, as far as their blocks show it.
fn is_same(builder: &TranscriptBuilder, one: u32, other: u32) -> bool {
    let role = |message: u32| builder.messages[message as usize].role;
    let call = |block: &Block| block.is_linked().then(|| builder.link_of(block).call);
    let alike = |(a, b): (&Block, &Block)| (a.kind, a.chars, call(a)) == (b.kind, b.chars, call(b));
    let (blocks, others) = (builder.blocks_of(one), builder.blocks_of(other));
    one == other
        || one != NONE
            && other != NONE
            && role(one) == role(other)
            && blocks.len() == others.len()
            && blocks.iter().zip(others).all(alike)
}
