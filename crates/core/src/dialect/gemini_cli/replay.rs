//! Selects the messages of a Gemini CLI session that the agent would send, and one copy of each
//! result.
//!
//! A record with the id of an earlier one replaces it. `$set` with messages begins again.
//! `$rewindTo` removes a message and all after it, or all messages if it names none that exists. A
//! `$patch` changes the content of messages and the results of calls, removes messages and reorders
//! them. Newer releases write each result twice: with its call, and as a message of the user that
//! contains nothing else. The user's message is the one that is sent, and the other is its twin.
//! Releases until 0.60 send both (gemini-cli#29365), so both are cut alike.

use crate::{
    dialect::{
        EntryReleased,
        builder::{Entry, EntryKind, NONE, TranscriptBuilder},
        tree::{contexts::Contexts, reduce},
    },
    json::{Id, IdMap, IdSet},
    settings::Scope,
    transcript::{Block, BlockKind, Flags, Message, ResultCopy, ResultCopyKind, Role},
};
use std::collections::{BTreeMap, HashSet};

/// Reduces a builder to the effective context.
///
/// # Errors
/// None: what was let go lies before a `$set` that began anew.
pub fn context(builder: &mut TranscriptBuilder, scope: Scope) -> Result<(), EntryReleased> {
    if scope == Scope::File {
        return Ok(());
    }
    let mut slots = Slots::default();
    for entry in &builder.entries {
        slots.take(entry, builder);
    }
    let slots = slots.all.values();
    let recorded = slots.clone().flat_map(Slot::recorded);
    let messages = recorded.filter_map(|message| builder.messages.get(message as usize));
    let records: HashSet<u64> = messages.map(|message| message.record).collect();
    let messages: Vec<Vec<u32>> = slots.map(|slot| slot.messages(builder)).collect();
    let (order, repeated) = without_twins(builder, &messages);
    for message in repeated {
        twins(builder, message);
    }
    builder
        .result_copies
        .retain(|copy| records.contains(&copy.record));
    reduce(builder, &order);
    Ok(())
}

/// A message of the conversation, as its records and patches leave it.
#[derive(Default)]
struct Slot {
    /// The id of its records.
    id: Id,
    /// The message as it was recorded, or [`NONE`] for one that is not sent.
    base: u32,
    /// The number of its last blocks that are outside its content.
    outside: usize,
    /// The message that replaced its content.
    content: Option<u32>,
    /// The results that are with its calls, or [`NONE`] where one was taken back.
    runs: Vec<(Id, u32)>,
    /// The calls of the recorded message, each with its run. Made when a run is patched.
    known: Option<IdMap<Option<usize>>>,
    /// Whether it was patched.
    patched: bool,
}

impl Slot {
    /// Its messages, those with content that was replaced among them, or [`NONE`].
    fn recorded(&self) -> impl Iterator<Item = u32> {
        let runs = self.runs.iter().map(|run| run.1);
        [self.base].into_iter().chain(self.content).chain(runs)
    }

    /// Gives the run of a call another result, if the recorded message has that call.
    fn answer(&mut self, call: Id, message: u32, builder: &TranscriptBuilder) {
        if self.base == NONE {
            return;
        }
        let known = self.known.get_or_insert_with(|| {
            let calls = builder.calls_of(builder.blocks_of(self.base), BlockKind::Call);
            let runs = self.runs.iter().zip(0..);
            calls
                .map(|call| (call, None))
                .chain(runs.map(|(run, i)| (run.0, Some(i))))
                .collect()
        });
        match known.get_mut(&call) {
            Some(Some(run)) => self.runs[*run].1 = message,
            Some(none) => {
                *none = Some(self.runs.len());
                self.runs.push((call, message));
            }
            None => {}
        }
    }

    /// The messages that it becomes. A patched message is made of several records, and cannot be
    /// removed alone.
    fn messages(&self, builder: &mut TranscriptBuilder) -> Vec<u32> {
        if self.base == NONE {
            return Vec::new();
        }
        let mut standing = vec![self.content.unwrap_or(self.base)];
        if let Some(content) = self.content {
            let role = builder.messages[self.base as usize].role;
            builder.messages[content as usize].role = role;
            standing.extend(self.rest(content, builder));
        }
        standing.extend(self.runs.iter().map(|run| run.1).filter(|&m| m != NONE));
        if self.patched {
            for &message in &standing {
                let made = &mut builder.messages[message as usize];
                (made.not_removable, made.multi_record) = (true, true);
            }
        }
        standing
    }

    /// Pushes the rest of the recorded message beside its new content: thoughts, and calls that the
    /// content does not have. Returns the index of the pushed message, or `None` if nothing is
    /// left.
    fn rest(&self, content: u32, builder: &mut TranscriptBuilder) -> Option<u32> {
        let makes = |block: &Block, calls: &IdSet| {
            block.kind == BlockKind::Call && calls.contains(&builder.link_of(block).call)
        };
        let called = builder.blocks_of(content);
        let called: IdSet = builder.calls_of(called, BlockKind::Call).collect();
        // A call that is in the content as well counts once, and has a run if the run has a result.
        let ran = self.runs.iter().filter(|run| run.1 != NONE);
        let ran: IdSet = ran.map(|run| run.0).collect();
        let all = builder.blocks_of(self.base);
        let (replaced, outside) = all.split_at(all.len() - self.outside);
        let replaced = replaced.iter().filter(|block| makes(block, &ran));
        let rest = outside.iter().chain(replaced);
        let rest: Vec<Block> = rest
            .filter(|block| !makes(block, &called))
            .copied()
            .collect();
        if rest.is_empty() {
            return None;
        }
        let message = Message {
            blocks: builder.blocks.len() as u32,
            continues: true,
            ..builder.messages[self.base as usize]
        };
        builder.blocks.extend(rest);
        builder.messages.push(message);
        Some(builder.messages.len() as u32 - 1)
    }
}

/// The messages that are left, by their place in the conversation. Where one is removed, the older
/// records of the same id go with it (`references` of the format).
#[derive(Default)]
struct Slots {
    all: BTreeMap<u64, Slot>,
    places: IdMap<u64>,
    next: u64,
    last: u64,
}

impl Slots {
    /// Takes the next entry; returns the first place at which it changes something.
    fn take(&mut self, entry: &Entry, builder: &TranscriptBuilder) -> Option<u64> {
        let place = self.places.get(&entry.id).copied();
        match entry.kind {
            EntryKind::Reset(_) => {
                self.all.clear();
                self.places.clear();
                Some(0)
            }
            EntryKind::Leaf(to) => {
                let from = self.places.get(&to).copied().unwrap_or(0);
                for slot in self.all.split_off(&from).into_values() {
                    self.places.remove(&slot.id);
                }
                Some(from)
            }
            EntryKind::Answer(call) => {
                let slot = self.all.get_mut(&self.last)?;
                slot.runs.push((call, entry.message));
                Some(self.last)
            }
            EntryKind::Patch => {
                let slot = self.all.get_mut(&place?);
                let slot = slot.filter(|slot| slot.base != NONE)?;
                slot.patched = true;
                slot.content = entry.said().or(slot.content);
                place
            }
            EntryKind::Run(call) => {
                let place = *self.places.get(&entry.parent)?;
                let slot = self.all.get_mut(&place)?;
                slot.answer(call, entry.message, builder);
                Some(place)
            }
            EntryKind::Removed => {
                let place = self.places.remove(&entry.id)?;
                self.all.remove(&place);
                Some(place)
            }
            EntryKind::Last => {
                let slot = self.all.remove(&place?)?;
                self.all.insert(self.next, slot);
                self.places.insert(entry.id, self.next);
                self.next += 1;
                place
            }
            EntryKind::Recorded(outside) => {
                self.last = place.filter(|_| entry.id.is_some()).unwrap_or(self.next);
                self.next = self.next.max(self.last + 1);
                let slot = Slot {
                    id: entry.id,
                    base: entry.message,
                    outside: outside as usize,
                    ..Slot::default()
                };
                self.all.insert(self.last, slot);
                self.places.insert(entry.id, self.last);
                Some(self.last)
            }
            // The entries of trees.
            _ => None,
        }
    }
}

/// Makes a tree of the records, with the context of each request of the session. The message of an
/// answer is written again with the results of its calls, and `$set` writes all messages again: a
/// known id is not a new request.
pub fn make_tree(builder: &mut TranscriptBuilder) {
    let entries = std::mem::take(&mut builder.entries);
    let mut conversation = Conversation {
        slots: Slots::default(),
        contexts: Contexts::new(builder),
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

/// The messages of all slots but the results that the user's next messages hold once more, and
/// apart from them those results.
fn without_twins(builder: &TranscriptBuilder, slots: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
    let (mut order, mut repeated) = (Vec::new(), Vec::new());
    let mut recorded = IdSet::default();
    for slot in slots.iter().rev() {
        for &message in slot.iter().rev() {
            let role = builder.messages[message as usize].role;
            let mut results = builder.answered_calls(message).peekable();
            if role == Role::User {
                recorded.extend(results);
            } else if role == Role::Tool
                && results.peek().is_some()
                && results.all(|call| recorded.contains(&call))
            {
                repeated.push(message);
                continue;
            }
            order.push(message);
        }
        if slot
            .first()
            .is_some_and(|&m| builder.messages[m as usize].role == Role::Assistant)
        {
            recorded.clear();
        }
    }
    order.reverse();
    (order, repeated)
}

/// Notes the contents of the results of `message` as twins.
fn twins(builder: &mut TranscriptBuilder, message: u32) {
    let record = builder.messages[message as usize].record;
    let blocks = builder.blocks_of(message);
    let mut found = Vec::new();
    for (block, next) in blocks.iter().zip(1..) {
        if block.kind != BlockKind::Result {
            continue;
        }
        let link = *builder.link_of(block);
        let (span, string) = match &blocks[next..next + link.children as usize] {
            [one] if one.kind == BlockKind::Text => (one.span, true),
            _ => (link.content, block.flags.has(Flags::STRING)),
        };
        if !span.is_empty() {
            found.push(ResultCopy {
                call: link.call,
                record,
                span,
                kind: ResultCopyKind::Sent { string },
            });
        }
    }
    builder.result_copies.extend(found);
}
