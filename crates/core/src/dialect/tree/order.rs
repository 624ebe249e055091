//! The order in which the lines of a log were written, independent of their order in the file.
//!
//! A line comes after its parent; of two lines that do not descend from each other the earlier one comes first. Where times are
//! equal or missing, the pieces of a message come before the results of its calls, and these before what follows them.

use crate::dialect::builder::{Entry, EntryKind, NONE, TranscriptBuilder};
use crate::dialect::tree::parents::{Parents, Tree};
use crate::dialect::tree::pick;
use crate::json::IdMap;
use crate::transcript::BlockKind;

/// For every entry, what puts it in its place: the newest time on the way to it, and its distance from the root.
#[derive(Debug)]
pub struct Order(Vec<(u64, u64)>);

/// The distance of a result from its parent, and of an entry from a parent that is a result: more than a message has pieces.
const FAR: u64 = 1 << 20;

impl Order {
    /// The order of entries; `is_result` says whether a message holds results.
    pub fn of(entries: &[Entry], parents: &Parents, is_result: impl Fn(u32) -> bool) -> Order {
        let results: Vec<bool> = entries
            .iter()
            .map(|e| e.message != NONE && is_result(e.message))
            .collect();
        Order(parents.inherit(|i, parent: Option<(usize, &(u64, u64))>| {
            let (before, level) = parent.map_or((0, 1), |(parent, (time, level))| {
                let is_far = results[i] || results[parent];
                (*time, level + if is_far { FAR } else { 1 })
            });
            // A head comes first, whenever it says that it was written.
            let is_head = entries[i].kind == EntryKind::Header;
            (before.max(if is_head { 0 } else { entries[i].time }), level)
        }))
    }

    /// Returns the sort key of an entry: its time, then its distance from the root.
    pub fn key(&self, entry: usize) -> (u64, u64) {
        self.0[entry]
    }
}

/// The entries in the order in which they were written, without copies.
pub fn written(builder: &TranscriptBuilder, tree: &Tree) -> Vec<usize> {
    let order = Order::of(&builder.entries, &tree.parents, |message| {
        is_result(builder, message)
    });
    let mut entries: Vec<usize> = (0..builder.entries.len())
        .filter(|&i| !tree.is_copy(i))
        .collect();
    if !tree.out_of_order && builder.entries.iter().all(|entry| entry.parent.is_none()) {
        // Nothing but the file says what comes from what.
        return entries;
    }
    match tree.out_of_order {
        true => {
            let calls = CallOrder::of(builder);
            entries.sort_by_cached_key(|&i| (order.key(i), calls.of_entry(builder, i)));
        }
        // Where each line has its parent before it, the file says what came first at one time.
        false => entries.sort_by_key(|&i| order.key(i).0),
    }
    entries
}

/// Puts the entries of a builder, and their messages, in this order; others go. Messages that no entry has come last.
pub fn arrange(builder: &mut TranscriptBuilder, order: &[usize]) {
    // Of a message that several entries have, the first one counts.
    let mut is_placed = vec![false; builder.messages.len()];
    let mut first = |message: u32| {
        message != NONE && !std::mem::replace(&mut is_placed[message as usize], true)
    };
    let mut messages: Vec<u32> = order
        .iter()
        .map(|&i| builder.entries[i].message)
        .filter(|&m| first(m))
        .collect();
    builder
        .entries
        .iter()
        .filter(|e| e.message != NONE)
        .for_each(|e| is_placed[e.message as usize] = true);
    messages.extend(
        (0..)
            .zip(is_placed)
            .filter(|(_, is_placed)| !is_placed)
            .map(|(m, _)| m),
    );
    let (moved, places) = (
        places(&messages, builder.messages.len()),
        places(order, builder.entries.len()),
    );
    pick(builder, &messages);
    let message = |old: u32| moved.get(old as usize).copied().unwrap_or(NONE);
    builder.entries = order
        .iter()
        .map(|&i| Entry {
            message: message(builder.entries[i].message),
            ..builder.entries[i]
        })
        .collect();
    builder.namings.iter_mut().for_each(|naming| {
        naming.entry = places.get(naming.entry as usize).copied().unwrap_or(NONE)
    });
    builder.namings.sort_by_key(|naming| naming.entry);
}

/// For each of so many things its place in `order`, or [`NONE`].
pub fn places<T: Copy + TryInto<usize>>(order: &[T], count: usize) -> Vec<u32> {
    let mut places = vec![NONE; count];
    for (old, place) in order.iter().zip(0..) {
        if let Some(known) = (*old)
            .try_into()
            .ok()
            .and_then(|old: usize| places.get_mut(old))
        {
            *known = place;
        }
    }
    places
}

/// Whether a message holds results.
pub fn is_result(builder: &TranscriptBuilder, message: u32) -> bool {
    builder
        .blocks_of(message)
        .iter()
        .any(|block| block.kind == BlockKind::Result)
}

/// The order of calls in their messages, by which results are sorted that have no other order.
#[derive(Debug)]
pub struct CallOrder {
    /// For each call its place among the blocks of its message.
    places: IdMap<u32>,
}

impl CallOrder {
    /// Of the calls of a builder.
    pub fn of(builder: &TranscriptBuilder) -> CallOrder {
        let mut places = IdMap::default();
        for message in 0..builder.messages.len() as u32 {
            let calls = builder.blocks_of(message).iter().zip(1..);
            for (block, place) in calls.filter(|(b, _)| b.kind == BlockKind::Call) {
                places.entry(builder.link_of(block).call).or_insert(place);
            }
        }
        CallOrder { places }
    }

    /// The place of the call that an entry answers first; 0 where it answers none.
    pub fn of_entry(&self, builder: &TranscriptBuilder, entry: usize) -> u32 {
        let message = builder.entries[entry].message;
        let call = (message != NONE)
            .then(|| builder.answered_calls(message).next())
            .flatten();
        call.and_then(|call| self.places.get(&call))
            .copied()
            .unwrap_or(0)
    }
}
