//! A transcript that grows message by message, as the context of a replayed conversation does.

use super::{Message, Transcript, Unread};
use std::collections::HashSet;

impl Transcript {
    /// Returns a transcript of the same input without messages and without metadata about calls.
    #[must_use]
    pub fn without_messages(&self) -> Transcript {
        // A replay takes one such copy, so that the rest is copied with it and let go.
        Transcript {
            messages: Vec::new(),
            items: Vec::new(),
            blocks: Vec::new(),
            notes: Vec::new(),
            request: Default::default(),
            result_copies: Vec::new(),
            model: None,
            provider_name: None,
            api: None,
            service: None,
            last_call: None,
            markers: Vec::new(),
            projections: Vec::new(),
            copies: HashSet::new(),
            missing: None,
            damaged: None,
            torn_before: Vec::new(),
            torn: None,
            table: None,
            unread: Unread::default(),
            warnings: Vec::new(),
            pairs: Default::default(),
            ..self.clone()
        }
    }

    /// Appends message `i` of `from`, a transcript of the same input. `continues`: it continues the
    /// assistant message before it.
    pub fn push(&mut self, from: &Transcript, i: usize, continues: bool) {
        let pairs = self.pairs.take();
        let blocks = self.blocks.len() as u32;
        self.blocks.extend_from_slice(from.blocks_of(i));
        self.messages.push(Message {
            blocks,
            continues,
            ..from.messages[i]
        });
        if let Some(mut pairs) = pairs
            && pairs.grow(self)
        {
            self.pairs = pairs.into();
        }
    }

    /// Replaces the first message by message `i` of `from`; returns whether both have equally many
    /// blocks, without which it does nothing.
    pub fn replace_first(&mut self, from: &Transcript, i: usize) -> bool {
        let new = from.blocks_of(i);
        let is_alike = !self.messages.is_empty() && self.blocks_of(0).len() == new.len();
        if is_alike {
            self.pairs.take();
            self.blocks[..new.len()].copy_from_slice(new);
            self.messages[0] = Message {
                blocks: 0,
                ..from.messages[i]
            };
        }
        is_alike
    }

    /// Keeps the first `length` messages.
    pub fn truncate(&mut self, length: usize) {
        if let Some(first) = self.messages.get(length) {
            self.pairs.take();
            self.blocks.truncate(first.blocks as usize);
            self.messages.truncate(length);
        }
    }
}
