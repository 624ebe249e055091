//! Selects the messages of a Gemini CLI session that the agent would send, and one copy of each result.
//!
//! A record with the id of an earlier one replaces it. `$set` with messages begins again. `$rewindTo` removes a message and all
//! after it, or all messages if it names none that exists. A `$patch` changes the content of messages and the results of calls,
//! removes messages and reorders them. Newer releases write each result twice: with its call, and as a message of the user that
//! contains nothing else. The user's message is the one that is sent, and the other is its twin. Releases until 0.60 send both
//! (gemini-cli#29365), so both are cut alike.

use crate::dialect::EntryReleased;
use crate::dialect::builder::{Entry, EntryKind, NONE, TranscriptBuilder};
use crate::dialect::tree::reduce;
use crate::json::{Id, IdMap, IdSet};
use crate::settings::Scope;
use crate::transcript::{Block, BlockKind, Flags, Message, ResultCopy, ResultCopyKind, Role};
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
    let slots = slots.all;
    let records: HashSet<u64> = slots
        .values()
        .flat_map(Slot::messages)
        .filter(|&m| m != NONE)
        .map(|m| builder.messages[m as usize].record)
        .collect();
    let slots: Vec<Vec<u32>> = slots
        .into_values()
        .map(|slot| slot.into_messages(builder))
        .collect();
    let (order, repeated) = without_twins(builder, &slots);
    repeated
        .into_iter()
        .for_each(|message| twins(builder, message));
    builder
        .result_copies
        .retain(|copy| records.contains(&copy.record));
    reduce(builder, &order);
    Ok(())
}

/// A message of the conversation as its records and the patches of it say.
#[derive(Clone)]
pub struct Slot {
    /// The id of its records.
    pub id: Id,
    /// The message as it was recorded, or [`NONE`] for one that is not sent.
    pub base: u32,
    /// The number of its last blocks that are outside its content.
    outside: usize,
    /// The message that replaced its content, or [`NONE`].
    content: u32,
    /// The results that are with its calls, or [`NONE`] where one was taken back.
    runs: Vec<(Id, u32)>,
    /// The calls of the recorded message and which of the runs is each one's. Made when a run is patched.
    known: Option<IdMap<Option<usize>>>,
    /// Whether it was patched.
    patched: bool,
}

impl Slot {
    /// Its messages, those with content that was replaced among them.
    fn messages(&self) -> impl Iterator<Item = u32> {
        [self.base, self.content]
            .into_iter()
            .chain(self.runs.iter().map(|run| run.1))
    }

    /// Gives the run of a call another result, if the recorded message has that call.
    fn answer(&mut self, call: Id, message: u32, builder: &TranscriptBuilder) {
        if self.base == NONE {
            return;
        }
        let known = self.known.get_or_insert_with(|| {
            let calls = builder.calls_of(builder.blocks_of(self.base), BlockKind::Call);
            let mut known: IdMap<Option<usize>> = calls.map(|call| (call, None)).collect();
            known.extend(
                self.runs
                    .iter()
                    .enumerate()
                    .map(|(i, run)| (run.0, Some(i))),
            );
            known
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

    /// The messages that it comes to. One that was patched is made of several records, and cannot go by itself.
    pub fn into_messages(self, builder: &mut TranscriptBuilder) -> Vec<u32> {
        if self.base == NONE {
            return Vec::new();
        }
        let mut standing = vec![self.base];
        if self.content != NONE {
            builder.messages[self.content as usize].role =
                builder.messages[self.base as usize].role;
            standing = vec![self.content];
            standing.extend(self.rest(builder));
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

    /// Pushes the rest of the recorded message beside its new content: thoughts, and calls that the content does not have. Returns
    /// the index of the pushed message, or `None` if nothing is left.
    fn rest(&self, builder: &mut TranscriptBuilder) -> Option<u32> {
        let call = |block: &Block| builder.link_of(block).call;
        let is_call = |block: &&Block| block.kind == BlockKind::Call;
        let called: IdSet = builder
            .calls_of(builder.blocks_of(self.content), BlockKind::Call)
            .collect();
        let all = builder.blocks_of(self.base);
        let (content, outside) = all.split_at(all.len() - self.outside);
        // A call that was in the content as well is there once, and has a run if that has a result.
        let runs: IdSet = self
            .runs
            .iter()
            .filter(|run| run.1 != NONE)
            .map(|run| run.0)
            .collect();
        let ran = |block: &&Block| is_call(block) && runs.contains(&call(block));
        let rest = outside
            .iter()
            .chain(content.iter().filter(ran))
            .filter(|b| !(is_call(b) && called.contains(&call(b))));
        let rest: Vec<Block> = rest.copied().collect();
        if rest.is_empty() {
            return None;
        }
        let first = builder.blocks.len() as u32;
        builder.blocks.extend(rest);
        let message = Message {
            blocks: first,
            continues: true,
            ..builder.messages[self.base as usize]
        };
        builder.messages.push(message);
        Some(builder.messages.len() as u32 - 1)
    }
}

/// The messages that are left, by their place in the conversation. Where one is removed, the older records of the same id go with it
/// (`REFERENCES` of the format).
#[derive(Default)]
pub struct Slots {
    pub all: BTreeMap<u64, Slot>,
    places: IdMap<u64>,
    next: u64,
    last: u64,
}

impl Slots {
    /// Takes the next entry; returns the first place at which it changes something.
    pub fn take(&mut self, entry: &Entry, builder: &TranscriptBuilder) -> Option<u64> {
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
                self.all
                    .get_mut(&self.last)?
                    .runs
                    .push((call, entry.message));
                Some(self.last)
            }
            EntryKind::Patch => {
                let slot = place
                    .and_then(|place| self.all.get_mut(&place))
                    .filter(|slot| slot.base != NONE)?;
                slot.patched = true;
                slot.content = if entry.message == NONE {
                    slot.content
                } else {
                    entry.message
                };
                place
            }
            EntryKind::Run(call) => {
                let place = self.places.get(&entry.parent).copied()?;
                self.all
                    .get_mut(&place)?
                    .answer(call, entry.message, builder);
                Some(place)
            }
            EntryKind::Removed => {
                let place = self.places.remove(&entry.id)?;
                self.all.remove(&place);
                Some(place)
            }
            EntryKind::Last => {
                let slot = place.and_then(|place| self.all.remove(&place))?;
                self.all.insert(self.next, slot);
                self.places.insert(entry.id, self.next);
                self.next += 1;
                place
            }
            EntryKind::Recorded(outside) => {
                self.last = place.filter(|_| entry.id.is_some()).unwrap_or(self.next);
                self.next = self.next.max(self.last + 1);
                let (base, outside) = (entry.message, outside as usize);
                let slot = Slot {
                    id: entry.id,
                    base,
                    outside,
                    content: NONE,
                    runs: Vec::new(),
                    known: None,
                    patched: false,
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

/// The messages of all slots but the results that the user's next messages hold once more, and apart from them those results.
pub fn without_twins(builder: &TranscriptBuilder, slots: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
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
    for (i, block) in blocks
        .iter()
        .enumerate()
        .filter(|(_, b)| b.kind == BlockKind::Result)
    {
        let link = *builder.link_of(block);
        let (span, string) = match &blocks[i + 1..i + 1 + link.children as usize] {
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
