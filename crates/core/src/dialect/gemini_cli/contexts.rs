//! The context of each request of a Gemini CLI session, for a replay.
//!
//! The message of an answer is written again with the results of its calls, and `$set` writes all messages again: an id that was
//! there before is no request of its own.

use crate::dialect::builder::{EntryKind, NONE, TranscriptBuilder};
use crate::dialect::gemini_cli::replay::{Slots, without_twins};
use crate::dialect::tree::contexts::Contexts;
use crate::json::IdSet;
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
        let is_record = matches!(entry.kind, EntryKind::Recorded(_));
        let is_answer = is_record
            && is_of_model(builder, entry.message)
            && (entry.id.is_none() || answers.insert(entry.id));
        if is_answer {
            conversation.lead(builder);
        }
        conversation.compacted |= matches!(entry.kind, EntryKind::Reset(_));
        let Some(place) = conversation.slots.take(entry, builder) else {
            continue;
        };
        let (ways, contexts) = (&mut conversation.ways, &mut conversation.contexts);
        if is_answer {
            ways.push((place, contexts.length()));
            contexts.answer(entry.id, entry.message);
            conversation.changed = place + 1;
        } else if is_record && ways.last().is_some_and(|(newest, _)| *newest == place) {
            contexts.write_again(entry.message);
        } else {
            conversation.changed = conversation.changed.min(place);
        }
    }
    conversation.contexts.finish(builder);
}

/// Whether a message, if it is one, is the model's.
fn is_of_model(builder: &TranscriptBuilder, message: u32) -> bool {
    let message = builder.messages.get(message as usize);
    message.is_some_and(|message| message.role == Role::Assistant)
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
    /// Makes the context of the next request.
    fn lead(&mut self, builder: &mut TranscriptBuilder) {
        if self.contexts.is_full() {
            let newest = self.ways.last().map(|(place, _)| place + 1);
            self.changed = newest.unwrap_or(self.changed);
        }
        let (mut from, mut begin) = (self.changed, self.contexts.length());
        while let Some((place, before)) = self.ways.pop() {
            (from, begin) = (from.min(place), before);
            let base = self.slots.all.get(&place).map_or(NONE, |slot| slot.base);
            // What follows an answer says which of its results are sent.
            if place < self.changed && is_of_model(builder, base) {
                break;
            }
        }
        let slots = self.slots.all.range(from..);
        let messages = slots.clone().map(|(_, slot)| slot.messages(builder));
        let messages: Vec<Vec<u32>> = messages.collect();
        let (_, repeated) = without_twins(builder, &messages);
        let (repeated, mut sent) = (HashSet::<u32>::from_iter(repeated), Vec::new());
        for ((place, slot), messages) in slots.zip(messages) {
            self.ways.push((*place, begin + sent.len()));
            let messages = messages.into_iter().map(|message| (slot.id, message));
            sent.extend(messages.filter(|(_, message)| !repeated.contains(message)));
        }
        self.contexts.lead(builder, begin, &sent, self.compacted);
        (self.changed, self.compacted) = (u64::MAX, false);
    }
}
