//! The context of each request of a Gemini CLI session, for a replay.
//!
//! The message of an answer is written again with the results of its calls, and `$set` writes all messages again: an id that was
//! there before is no request of its own.

use crate::dialect::builder::{EntryKind, NONE, TranscriptBuilder};
use crate::dialect::gemini_cli::replay::{Slot, Slots, without_twins};
use crate::dialect::tree::contexts::Contexts;
use crate::json::{Id, IdSet};
use crate::transcript::Role;
use std::collections::HashSet;

/// Makes a tree of the records.
pub fn make_tree(builder: &mut TranscriptBuilder) {
    let entries = std::mem::take(&mut builder.entries);
    let mut conversation = Conversation {
        slots: Slots::default(),
        contexts: Contexts::new(builder.messages.len()),
        ways: Vec::new(),
        changed: 0,
        compacted: false,
    };
    let mut answers = IdSet::default();
    for entry in &entries {
        let is_answer = matches!(entry.kind, EntryKind::Recorded(_))
            && entry.message != NONE
            && builder.messages[entry.message as usize].role == Role::Assistant
            && (entry.id.is_none() || answers.insert(entry.id));
        if is_answer {
            conversation.lead(builder);
        }
        conversation.compacted |= matches!(entry.kind, EntryKind::Reset(_));
        let place = conversation.slots.take(entry, builder);
        match place {
            Some(place) if is_answer => {
                conversation
                    .ways
                    .push((place, conversation.contexts.length()));
                conversation.contexts.answer(entry.id, entry.message);
                conversation.changed = place + 1;
            }
            Some(place)
                if matches!(entry.kind, EntryKind::Recorded(_))
                    && conversation.is_newest_answer(place) =>
            {
                conversation.contexts.write_again(entry.message);
            }
            Some(place) => conversation.changed = conversation.changed.min(place),
            None => {}
        }
    }
    conversation.contexts.finish(builder);
}

struct Conversation {
    slots: Slots,
    contexts: Contexts,
    /// The places of the newest context, each with the length of the context before it.
    ways: Vec<(u64, usize)>,
    /// The first place that has changed since.
    changed: u64,
    /// Whether all messages were written again since.
    compacted: bool,
}

impl Conversation {
    /// Whether the answer at this place is the newest one.
    fn is_newest_answer(&self, place: u64) -> bool {
        self.ways.last().is_some_and(|(last, _)| *last == place)
    }

    /// Makes the context of the next request.
    fn lead(&mut self, builder: &mut TranscriptBuilder) {
        if self.contexts.is_full() {
            self.changed = self
                .ways
                .last()
                .map_or(self.changed, |(place, _)| place + 1);
        }
        let (mut from, mut length) = (self.changed, self.contexts.length());
        while let Some((place, before)) = self.ways.pop() {
            (from, length) = (from.min(place), before);
            let base = self.slots.all.get(&place).map_or(NONE, |slot| slot.base);
            // What follows an answer says which of its results are sent.
            if place < self.changed
                && base != NONE
                && builder.messages[base as usize].role == Role::Assistant
            {
                break;
            }
        }
        let (slots, messages): (Vec<(u64, Id)>, Vec<Slot>) = self
            .slots
            .all
            .range(from..)
            .map(|(place, slot)| ((*place, slot.id), slot.clone()))
            .unzip();
        let messages: Vec<Vec<u32>> = messages
            .into_iter()
            .map(|slot| slot.into_messages(builder))
            .collect();
        let repeated: HashSet<u32> = without_twins(builder, &messages).1.into_iter().collect();
        let (begin, mut sent) = (length, Vec::new());
        for ((place, id), messages) in slots.into_iter().zip(messages) {
            self.ways.push((place, begin + sent.len()));
            sent.extend(
                messages
                    .into_iter()
                    .filter(|message| !repeated.contains(message))
                    .map(|message| (id, message)),
            );
        }
        self.contexts.lead(builder, begin, &sent, self.compacted);
        (self.changed, self.compacted) = (u64::MAX, false);
    }
}
