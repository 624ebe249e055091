//! The order in which the records of a log were written, independent of their order in the file.
//!
//! A record comes after its parent; of two records that do not descend from each other the earlier
//! one comes first. Where times are equal or missing, the pieces of a message come before the
//! results of its calls, and these before what follows them.

use crate::{
    dialect::{
        builder::{Entry, EntryKind, NONE, TranscriptBuilder},
        tree::{
            parents::{Parents, Tree},
            pick,
        },
    },
    json::{Id, IdMap},
    transcript::BlockKind,
};

/// For every entry its sort key: the newest time on the path to it, and its distance from the root.
#[derive(Debug)]
pub struct Order(Vec<(u64, u64)>);

/// The distance of a result from its parent, and of an entry from a parent that is a result: more
/// than a message has pieces.
const FAR: u64 = 1 << 20;

impl Order {
    /// The order of entries; `is_result` says whether a message holds results.
    pub fn of(entries: &[Entry], parents: &Parents, is_result: impl Fn(u32) -> bool) -> Order {
        let results: Vec<bool> = entries
            .iter()
            .map(|entry| entry.said().is_some_and(&is_result))
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

/// The leaf of a log in which records are out of order, or written twice, and where no control
/// names it. A record that comes from the last one of the conversation may be before it in the
/// file: then the newest record that comes from it is the leaf. Where the last record of the file
/// does not belong to the conversation and records are out of order, the position in the file is no
/// evidence, and the newest record of all is the leaf.
pub fn newest_leaf(builder: &TranscriptBuilder, tree: &Tree) -> u32 {
    let (entries, parents) = (&builder.entries, &tree.parents);
    let is_side = |entry: &Entry| matches!(entry.kind, EntryKind::Side(_));
    let ends = |entry: &Entry| entry.line == 0 || u64::from(entry.line) == builder.lines;
    let is_last =
        !entries[tree.leaf as usize..].iter().any(is_side) && entries.last().is_none_or(ends);
    let is_said = |i: &u32| entries[*i as usize].moves_leaf() && !tree.is_copy(*i as usize);
    let said = || (0..entries.len() as u32).filter(is_said);
    let inner = parents.leads_to(said().map(|i| parents[i as usize]));
    let is_below = |at: usize, parent: Option<(usize, &bool)>| {
        at as u32 == tree.leaf || parent.is_some_and(|(_, is_below)| *is_below)
    };
    let (below, order) = (
        parents.inherit(is_below),
        Order::of(entries, parents, |_| false),
    );
    let is_tip = |i: &usize| !inner[*i] && (tree.out_of_order && !is_last || below[*i]);
    let tips = said().map(|i| i as usize).filter(is_tip);
    let newest = tips.max_by_key(|&i| (entries[i].time, order.key(i), i));
    newest.map_or(tree.leaf, |i| i as u32)
}

/// The entries of a log in which each event names the one before it, in the order of that chain,
/// without copies. An event comes after the one that it names, wherever its record is. If that
/// event is not in the input, because it was never written, the event stays where its record is.
pub fn chain(tree: &Tree) -> Vec<usize> {
    let count = tree.parents.len();
    let (mut order, mut placed) = (Vec::with_capacity(count), vec![false; count]);
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); count];
    for i in (0..count).filter(|&i| !tree.is_copy(i)) {
        if let Some(parent) = tree.parents.up(i as u32).nth(1)
            && !placed[parent]
        {
            waiting[parent].push(i);
            continue;
        }
        let mut next = vec![i];
        while let Some(at) = next.pop() {
            placed[at] = true;
            order.push(at);
            next.extend(std::mem::take(&mut waiting[at]).into_iter().rev());
        }
    }
    order
}

/// The entries in the order in which they were written, without copies.
pub fn written(builder: &TranscriptBuilder, tree: &Tree) -> Vec<usize> {
    let all = 0..builder.entries.len();
    let mut entries: Vec<usize> = all.filter(|&i| !tree.is_copy(i)).collect();
    let key = by_writing(builder, &tree.parents);
    if tree.out_of_order {
        entries.sort_by_cached_key(key);
    } else if builder.entries.iter().any(|entry| entry.parent.is_some()) {
        // If each record follows its parent, the file decides between records of one time.
        entries.sort_by_cached_key(|entry| key(entry).0.0);
    }
    // Otherwise only the file shows which record comes from which.
    entries
}

/// Puts the entries of a builder, and their messages, in this order; others go. Messages that no
/// entry has come last.
pub fn arrange(builder: &mut TranscriptBuilder, order: &[usize]) {
    // Of a message that several entries have, the first one counts.
    let mut is_placed = vec![false; builder.messages.len()];
    let mut is_first = |&message: &u32| {
        message != NONE && !std::mem::replace(&mut is_placed[message as usize], true)
    };
    let message = |&i: &usize| builder.entries[i].message;
    let mut messages: Vec<u32> = order.iter().map(message).filter(&mut is_first).collect();
    // Those of entries that go do not come last.
    builder.entries.iter().for_each(|entry| {
        is_first(&entry.message);
    });
    let all = 0..builder.messages.len() as u32;
    messages.extend(all.filter(|&message| !is_placed[message as usize]));
    let moved = places(&messages, builder.messages.len());
    let places = places(order, builder.entries.len());
    let place = |places: &[u32], old: u32| places.get(old as usize).copied().unwrap_or(NONE);
    pick(builder, &messages);
    let moved = |&i: &usize| Entry {
        message: place(&moved, builder.entries[i].message),
        ..builder.entries[i]
    };
    builder.entries = order.iter().map(moved).collect();
    for naming in &mut builder.namings {
        naming.entry = place(&places, naming.entry);
    }
    builder.namings.sort_by_key(|naming| naming.entry);
}

/// Returns for each of `count` things its place in `order`, or [`NONE`].
pub fn places<T: Copy + TryInto<usize>>(order: &[T], count: usize) -> Vec<u32> {
    let mut places = vec![NONE; count];
    for (&old, place) in order.iter().zip(0..) {
        if let Some(known) = old
            .try_into()
            .ok()
            .and_then(|old: usize| places.get_mut(old))
        {
            *known = place;
        }
    }
    places
}

/// Returns the key by which entries are sorted as they were written: that of their [`Order`], then
/// the place in its message of the call that they answer first.
pub fn by_writing<'a>(
    builder: &'a TranscriptBuilder,
    parents: &Parents,
) -> impl Fn(&usize) -> ((u64, u64), u32) + use<'a> {
    let is_result = |message| builder.answered_calls(message).next().is_some();
    let order = Order::of(&builder.entries, parents, is_result);
    let mut places: IdMap<u32> = IdMap::default();
    for message in 0..builder.messages.len() as u32 {
        let calls = builder.blocks_of(message).iter().zip(1..);
        for (block, place) in calls.filter(|(b, _)| b.kind == BlockKind::Call) {
            places.entry(builder.link_of(block).call).or_insert(place);
        }
    }
    move |&entry| {
        let message = builder.entries[entry].said();
        let call = message.and_then(|message| builder.answered_calls(message).next());
        let place = call.and_then(|call| places.get(&call));
        (order.key(entry), place.copied().unwrap_or(0))
    }
}

/// The messages that entries belong to, where a log splits them over records: the pieces of a
/// message, and the results of its calls.
#[derive(Debug)]
pub struct MessageGroups {
    /// For each entry the nearest one with a message on the path to the root, or [`NONE`]: notices
    /// may be between.
    pub before: Vec<u32>,
    /// For each entry the provider's id of the message.
    pub message: Vec<Id>,
}

impl MessageGroups {
    /// Of the entries of a builder, whose parents these are.
    pub fn of(builder: &TranscriptBuilder, parents: &Parents) -> MessageGroups {
        let entries = &builder.entries;
        let before = parents.inherit(|_, parent| match parent {
            Some((parent, _)) if entries[parent].message != NONE => parent as u32,
            Some((_, before)) => *before,
            None => NONE,
        });
        let message = |(entry, &before): (&Entry, &u32)| {
            let own = entry.piece_of();
            let answers = entry.message != NONE
                && own.is_none()
                && builder.answered_calls(entry.message).next().is_some();
            let before = entries.get(before as usize).filter(|_| answers);
            before.map_or(own, Entry::piece_of)
        };
        let message = entries.iter().zip(&before).map(message).collect();
        MessageGroups { before, message }
    }
}
