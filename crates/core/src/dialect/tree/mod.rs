//! Logs that are trees: from entries to the messages that the agent would send next.
//!
//! The tree is known once the whole log was read (`parents`), because records may come before their
//! parents. The path runs from the leaf (`leaf`) to the root; the last boundary on it (compaction
//! or reset) decides where it begins. Entries before a boundary can be released while the file is
//! still being read (`release`), so that memory is in proportion to the context and not to the
//! file. If a later entry refers to a released one, [`context`] returns an error, and the file is
//! read again with all entries kept.

pub mod contexts;
mod kept;
mod missing;
pub mod order;
mod parents;
mod release;
pub mod taken_back;

pub use missing::name_missing;
pub use parents::{Parents, Tree};
pub use release::{ReleasedEntries, release_entries};

use crate::{
    dialect::builder::{Entry, EntryKind, Keep, NONE, Projection, TranscriptBuilder},
    settings::Scope,
    transcript::{Block, Link, Message, Note, NoteKind, Role},
};
use missing::note_missing;
use std::collections::HashMap;

/// An entry points at a released one.
#[derive(Debug, PartialEq, Eq)]
pub struct EntryReleased;

/// Reduces a builder to the effective context: messages in the order in which they are sent.
///
/// # Errors
/// An entry that was let go is needed.
pub fn context(builder: &mut TranscriptBuilder, scope: Scope) -> Result<(), EntryReleased> {
    let tree = grow(builder)?;
    if scope == Scope::Context {
        let nodes = sent(builder, &tree.path(), &tree)?;
        keep_sent(builder, &nodes);
    }
    Ok(())
}

/// Notes what the path to the leaf holds and which copies are not sent, and returns the entries of
/// the context in the order in which they are sent.
///
/// # Errors
/// An entry that was let go is needed.
pub fn sent(
    builder: &mut TranscriptBuilder,
    path: &[usize],
    tree: &Tree,
) -> Result<Vec<usize>, EntryReleased> {
    on_path(builder, path, tree);
    let record = |&(copy, _): &(u32, u32)| {
        let message = builder.entries[copy as usize].message;
        Some(builder.messages.get(message as usize)?.record)
    };
    builder.copies = tree.copies.iter().filter_map(record).collect();
    let dropped = builder.released.count;
    let mut nodes = since_boundary(&builder.entries, &builder.messages, path, dropped)?;
    taken_back::edit(builder, path, &mut nodes);
    let entries = &builder.entries;
    let Some(at) = path.iter().rposition(|&i| entries[i].is_boundary()) else {
        return Ok(nodes);
    };
    let boundary = entries[path[at]];
    builder.boundary = Some(boundary.line).filter(|line| *line > 0);
    if boundary.keeps() == Keep::Prompts {
        let before = &path[..begun(entries, &path[..at])];
        for message in before.iter().filter_map(|&i| entries[i].said()) {
            let message = &mut builder.messages[message as usize];
            (message.quoted, message.not_removable) = (true, true);
        }
    }
    Ok(nodes)
}

/// Returns the place on the path to a boundary at which its compaction began.
fn begun(entries: &[Entry], before: &[usize]) -> usize {
    let begins = |&i: &usize| entries[i].kind == EntryKind::Begun;
    before.iter().rposition(begins).unwrap_or(before.len())
}

/// Keeps only the messages of these entries, in that order.
pub fn keep_sent(builder: &mut TranscriptBuilder, nodes: &[usize]) {
    let message = |&node: &usize| builder.entries[node].message;
    let order: Vec<u32> = nodes.iter().map(message).collect();
    reduce(builder, &order);
}

/// Returns the tree of all entries of a builder, and notes what is out of order or missing.
///
/// # Errors
/// An entry that was let go is needed.
pub fn grow(builder: &mut TranscriptBuilder) -> Result<Tree, EntryReleased> {
    kept::send_again(builder)?;
    let tree = Tree::of(builder)?;
    builder.out_of_order = tree.out_of_order;
    note_missing(builder, &tree);
    Ok(tree)
}

/// Notes what the path to the leaf holds, in its order: the model in force, and what earlier prunes
/// recorded since the last reset.
fn on_path(builder: &mut TranscriptBuilder, path: &[usize], tree: &Tree) {
    let order = tree
        .out_of_order
        .then(|| order::Order::of(&builder.entries, &tree.parents, |_| false));
    builder.name_by_path(path, order.as_ref());
    if tree.out_of_order {
        builder.markers.sort_by_key(|marker| marker.time);
    }
    if builder.projections.is_empty() {
        return;
    }
    let reset = path
        .iter()
        .rposition(|&i| matches!(builder.entries[i].kind, EntryKind::Reset(_)));
    let since = path.iter().zip(1..).skip(reset.unwrap_or(0));
    let places: HashMap<&usize, u32> = since.collect();
    let place = |p: &Projection| p.entry.map(|entry| places.get(&entry).copied());
    // The released entries were on the path.
    builder
        .projections
        .retain(|p| place(p).map_or(reset.is_none(), |place| place.is_some()));
    builder.projections.sort_by_key(place);
}

/// Keeps only the messages of `order`, in that order.
pub fn reduce(builder: &mut TranscriptBuilder, order: &[u32]) {
    let everything = order.len() == builder.messages.len()
        && order.iter().enumerate().all(|(i, &m)| i as u32 == m);
    if !everything {
        pick(builder, order);
    }
}

/// Returns the entries of a path with a message in the context, in the order in which they are
/// sent; prompts that a summary repeats follow it. The summary of an earlier compaction is never
/// sent again, and a reset keeps only what users, assistants and tools said.
///
/// # Errors
/// The boundary keeps from an entry that was let go.
pub fn since_boundary(
    entries: &[Entry],
    messages: &[Message],
    path: &[usize],
    dropped: u64,
) -> Result<Vec<usize>, EntryReleased> {
    let has_message = |&i: &usize| entries[i].message != NONE;
    let Some(at) = path.iter().rposition(|&i| entries[i].is_boundary()) else {
        if dropped > 0 && path.first() == Some(&0) {
            return Err(EntryReleased);
        }
        return Ok(path.iter().copied().filter(has_message).collect());
    };
    let (before, boundary) = (&path[..at], &entries[path[at]]);
    let kept = match boundary.keeps() {
        Keep::Index(index) => {
            let first = index.checked_sub(dropped).ok_or(EntryReleased)? as usize;
            before.iter().position(|&i| i >= first)
        }
        Keep::Id(id) => before.iter().position(|&i| entries[i].id == id),
        Keep::Prompts => Some(begun(entries, before)),
        Keep::Nothing => Some(at),
    };
    if kept.is_none() && dropped > 0 {
        return Err(EntryReleased);
    }
    let is_reset = matches!(boundary.kind, EntryKind::Reset(_));
    let is_kept = |&&i: &&usize| {
        let message = messages.get(entries[i].message as usize);
        let is_other = message.is_some_and(|message| message.role == Role::Other);
        !(matches!(entries[i].kind, EntryKind::Compaction(_)) || is_reset && is_other)
    };
    let (earlier, kept) = before.split_at(kept.unwrap_or(at));
    let is_prompt = |&&i: &&usize| {
        let message = messages.get(entries[i].message as usize);
        boundary.keeps() == Keep::Prompts && message.is_some_and(|m| m.role == Role::User)
    };
    let sent = path[at..=at]
        .iter()
        .chain(earlier.iter().filter(is_prompt))
        .chain(kept.iter().filter(is_kept))
        .chain(&path[at + 1..])
        .copied();
    Ok(sent.filter(has_message).collect())
}

/// Keeps only the messages of `order`.
pub fn pick(builder: &mut TranscriptBuilder, order: &[u32]) {
    let mut messages: Vec<Message> = Vec::with_capacity(order.len());
    let (mut blocks, mut links) = (Vec::<Block>::new(), Vec::<Link>::new());
    let mut notes: HashMap<u32, Vec<NoteKind>> = HashMap::new();
    for note in std::mem::take(&mut builder.notes) {
        notes.entry(note.block).or_default().push(note.kind);
    }
    for i in order.iter().map(|&i| i as usize) {
        messages.push(Message {
            blocks: blocks.len() as u32,
            ..builder.messages[i]
        });
        for old in builder.places_of(i) {
            let mut block = builder.blocks[old];
            let kinds = notes.get(&(old as u32)).into_iter().flatten();
            builder.notes.extend(kinds.map(|&kind| Note {
                block: blocks.len() as u32,
                kind,
            }));
            if block.is_linked() {
                links.push(builder.links[block.extra as usize]);
                block.extra = links.len() as u32 - 1;
            }
            blocks.push(block);
        }
    }
    (builder.messages, builder.blocks, builder.links) = (messages, blocks, links);
}

#[cfg(test)]
mod tests;
