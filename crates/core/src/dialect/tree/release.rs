//! Releases entries that the context of a log can no longer reach while the log is still being
//! read, so that memory is in proportion to the context and not to the file.
//!
//! Entries before the first one that the last compaction keeps are released, and entries before a
//! boundary that keeps nothing. Records come in any order: only the end of the file shows that no
//! kept entry descends from a released one, and no released one from a kept one. So the ids of
//! released entries are kept, eight bytes each, and the parents that were missing; if one of these
//! ids occurs again, the file is read again with all entries kept
//! ([`EntryReleased`](crate::dialect::tree::EntryReleased)).

use crate::{
    dialect::{
        builder::{Entry, EntryKind, Keep, NONE, TranscriptBuilder},
        tree::{
            missing::{Orphan, first_line, is_rooted, leads_to_message},
            parents::Tree,
            pick,
        },
    },
    json::{Id, IdHasher, IdSet},
    transcript::{BlockKind, Role},
};
use std::{collections::HashSet, hash::BuildHasherDefault};

/// The released entries.
#[derive(Debug, Default)]
pub struct ReleasedEntries {
    /// The number of released entries.
    pub count: u64,
    /// Those whose parents were not met.
    pub orphans: Vec<Orphan>,
    /// Whether one of them begins a conversation.
    pub rooted: bool,
    /// The first line among them that leads to a message.
    pub first_line: Option<u32>,
    /// Whether an entry among them named its parent.
    pub has_parents: bool,
    /// Their ids, shortened.
    ids: HashSet<u64, BuildHasherDefault<IdHasher>>,
}

impl ReleasedEntries {
    /// Whether an entry of this id may have been released.
    pub fn has(&self, id: Id) -> bool {
        id.is_some() && self.ids.contains(&id.short())
    }

    /// Whether one of `entries` has the id of a released one, or is the parent of one.
    pub fn is_known_by(&self, entries: &[Entry]) -> bool {
        let wanted: IdSet = self
            .orphans
            .iter()
            .map(|orphan| orphan.entry.parent)
            .collect();
        self.count > 0
            && entries
                .iter()
                .any(|entry| self.has(entry.id) || entry.id.is_some() && wanted.contains(&entry.id))
    }
}

/// Releases the entries before the first one that the last boundary keeps, if no other entry
/// descends from them. The copy pays only when much is removed.
pub fn release_entries(builder: &mut TranscriptBuilder) {
    let Some(first) = first_kept(builder) else {
        return;
    };
    let Ok(tree) = Tree::of(builder) else { return };
    let entries = &builder.entries;
    // No released entry may descend from a kept one. Of the kept ones only the first, and events of
    // a chain, may descend from a released one.
    let crosses = |i: usize| match tree.parents[i] {
        NONE => false,
        parent if i < first => parent as usize >= first,
        parent => (parent as usize) < first && i > first && !entries[i].is_event(),
    };
    let is_again = |&(copy, last): &(u32, u32)| (copy as usize) < first && last as usize >= first;
    if !entries[first].moves_leaf()
        || tree.copies.iter().any(is_again)
        || (0..entries.len()).any(crosses)
    {
        return;
    }
    let message = entries[first..].iter().find_map(Entry::said);
    let is_sent = |&message: &u32| builder.messages[message as usize].role != Role::Other;
    let Some(message) = message.filter(is_sent) else {
        return;
    };
    forget_copies(builder, message as usize);
    let order: Vec<u32> = (message..builder.messages.len() as u32).collect();
    pick(builder, &order);
    forget_entries(builder, &tree, first);
    for entry in builder.entries.iter_mut().filter(|e| e.message != NONE) {
        entry.message -= message;
    }
}

/// The first entry that the last boundary keeps, if what is before it is worth the copy of the
/// rest.
fn first_kept(builder: &TranscriptBuilder) -> Option<usize> {
    let entries = &builder.entries;
    use EntryKind::{Compaction, Reset};
    let boundary = |e: &Entry| matches!(e.kind, Compaction(_) | Reset(Keep::Nothing));
    let from = (entries.len() / 2).max(2048);
    let at = from + entries.get(from..)?.iter().rposition(boundary)?;
    let first = match entries[at].kind {
        Compaction(Keep::Id(id)) => entries[..at].iter().rposition(|e| e.id == id)?,
        Compaction(Keep::Index(index)) => index.checked_sub(builder.released.count)? as usize,
        // Entries that are sent again may be anywhere.
        Compaction(Keep::Prompts) => return None,
        _ if entries.get(at + 1).is_some_and(Entry::is_again) => return None,
        // Nothing from before is kept: the boundary is the first.
        _ => return Some(at),
    };
    (from..at).contains(&first).then_some(first)
}

/// Takes out the entries before index `first`, and keeps what must be known of them.
fn forget_entries(builder: &mut TranscriptBuilder, tree: &Tree, first: usize) {
    let lead = leads_to_message(&builder.entries, tree);
    let (entries, released) = (&builder.entries, &mut builder.released);
    let line = first_line(&entries[..=first], &lead);
    released.first_line = released.first_line.or(line);
    let orphans = tree.orphans.iter().filter(|&&i| i as usize <= first);
    let orphan = |&i: &u32| Orphan::of(entries, &lead, i);
    released.orphans.extend(orphans.map(orphan));
    released.rooted |= is_rooted(&entries[..first], &lead);
    if !builder.projections.is_empty() {
        let way: HashSet<usize> = tree.parents.up(first as u32).collect();
        builder.projections.retain(|p| {
            p.entry
                .is_none_or(|entry| entry >= first || way.contains(&entry))
        });
    }
    for projection in &mut builder.projections {
        projection.entry = projection.entry.and_then(|entry| entry.checked_sub(first));
    }
    for echo in &mut builder.unlinked_copies {
        echo.entry = echo.entry.and_then(|entry| entry.checked_sub(first as u32));
    }
    builder.namings.retain_mut(|naming| {
        let place = naming.entry.checked_sub(first as u32);
        naming.entry = place.unwrap_or_default();
        place.is_some()
    });
    for entry in builder.entries.drain(..first) {
        released.has_parents |= entry.is_node() && entry.parent.is_some();
        released
            .ids
            .extend(entry.id.is_some().then(|| entry.id.short()));
    }
    released.count += first as u64;
}

/// Takes out the copies of the results before `message` whose calls have none after it.
fn forget_copies(builder: &mut TranscriptBuilder, message: usize) {
    if builder.result_copies.is_empty() {
        return;
    }
    let first = builder.messages[message].blocks as usize;
    let (gone, kept) = builder.blocks.split_at(first);
    let [gone, kept] = [gone, kept].map(|blocks| {
        builder
            .calls_of(blocks, BlockKind::Result)
            .collect::<IdSet>()
    });
    builder
        .result_copies
        .retain(|copy| kept.contains(&copy.call) || !gone.contains(&copy.call));
}
