//! The parent of each entry, and the leaf of the conversation. Both are known only once the whole
//! log was read, because records may come before their parents.
//!
//! A record that was written twice is one entry, its last copy. Where several records have one id,
//! the nearest record before the child is its parent, else the next one after it.

use crate::{
    dialect::{
        builder::{Entry, EntryKind, NONE, TranscriptBuilder},
        tree::{EntryReleased, order::newest_leaf},
    },
    json::{Id, IdMap},
    transcript::BlockKind,
};
use std::ops::Deref;

/// For every entry the index of its parent, or [`NONE`]. No entry is its own ancestor:
/// [`Parents::acyclic`] is the only constructor.
#[derive(Debug, Default)]
pub struct Parents(Vec<u32>);

impl Parents {
    /// Removes the last link of each cycle: walking up from `leaf`, then from the first entry on,
    /// the link that leads back to the walk. Takes time in proportion to the entries.
    pub fn acyclic(mut parents: Vec<u32>, leaf: u32) -> Parents {
        let mut seen = vec![NONE; parents.len()];
        for start in std::iter::once(leaf)
            .chain(0..parents.len() as u32)
            .filter(|&start| start != NONE)
        {
            let mut at = start;
            while at != NONE && seen[at as usize] == NONE {
                seen[at as usize] = start;
                let parent = &mut parents[at as usize];
                if *parent != NONE && seen[*parent as usize] == start {
                    *parent = NONE;
                }
                at = *parent;
            }
        }
        Parents(parents)
    }

    /// Computes a value for each entry from that of its parent; a root has none.
    pub fn inherit<T>(&self, of: impl Fn(usize, Option<(usize, &T)>) -> T) -> Vec<T> {
        let mut values: Vec<Option<T>> = self.iter().map(|_| None).collect();
        let mut way = Vec::new();
        for start in 0..self.len() as u32 {
            way.extend(self.up(start).take_while(|&at| values[at].is_none()));
            while let Some(at) = way.pop() {
                let parent = self.up(at as u32).nth(1);
                let inherited = parent.and_then(|parent| Some((parent, values[parent].as_ref()?)));
                values[at] = Some(of(at, inherited));
            }
        }
        values.into_iter().flatten().collect()
    }

    /// Returns for each entry whether it is one of `ends`, or one of these comes from it.
    pub fn leads_to(&self, ends: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut leads = vec![false; self.len()];
        for end in ends {
            self.up(end)
                .take_while(|&at| !std::mem::replace(&mut leads[at], true))
                .for_each(drop);
        }
        leads
    }

    /// Returns the entry at `at` and its ancestors, from the child to the root.
    pub fn up(&self, at: u32) -> impl Iterator<Item = usize> + '_ {
        let some = |at: u32| (at != NONE).then_some(at as usize);
        std::iter::successors(some(at), move |&at| some(self[at]))
    }
}

impl Deref for Parents {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

/// The tree of a log's entries.
#[derive(Debug, Default)]
pub struct Tree {
    /// The parent of each entry.
    pub parents: Parents,
    /// The newest entry of the conversation, or [`NONE`].
    pub leaf: u32,
    /// Whether an entry comes before its parent.
    pub out_of_order: bool,
    /// The entries that are copies of later ones, in their order, each with the last copy.
    pub copies: Vec<(u32, u32)>,
    /// The entries whose parent is not in the input, in their order.
    pub orphans: Vec<u32>,
}

impl Tree {
    /// Finds the parents of all entries of a builder.
    ///
    /// # Errors
    /// One of them was released.
    pub fn of(builder: &TranscriptBuilder) -> Result<Tree, EntryReleased> {
        let (entries, released) = (&builder.entries, &builder.released);
        let mut ids = Ids {
            builder,
            last: IdMap::default(),
            several: IdMap::default(),
            copies: Vec::new(),
            filled: false,
        };
        let mut tree = Tree {
            leaf: NONE,
            ..Tree::default()
        };
        let mut parents = Vec::with_capacity(entries.len());
        let (mut is_named, mut has_root) = (false, false);
        for (i, entry) in entries.iter().enumerate() {
            let mut parent = NONE;
            match entry.kind {
                _ if entry.is_note() => {}
                EntryKind::Leaf(to) => match ids.find(i, to) {
                    Some(found) => (tree.leaf, is_named) = (found, true),
                    None if released.has(to) => return Err(EntryReleased),
                    None => {}
                },
                EntryKind::Following(_) => parent = tree.leaf,
                _ if entry.parent.is_none() && entry.id.is_none() => parent = tree.leaf,
                // An entry that is its own parent, or has none, is a root. One of several roots may
                // be a copy.
                _ if entry.parent.is_none() || entry.parent == entry.id => {
                    if std::mem::replace(&mut has_root, true) {
                        ids.fill();
                    }
                }
                _ => match ids.find(i, entry.parent) {
                    Some(found) => parent = found,
                    // Of the remaining entries only the first, and events of a chain, may descend
                    // from a released one.
                    None if i == 0 && released.count > 0 => {}
                    None if released.has(entry.parent) && entry.is_event() => {}
                    None if released.has(entry.parent) => return Err(EntryReleased),
                    None => tree.orphans.push(i as u32),
                },
            }
            parents.push(parent);
            if entry.moves_leaf() {
                (tree.leaf, is_named) = (i as u32, false);
            }
        }
        if released.is_known_by(entries) {
            return Err(EntryReleased);
        }
        tree.copies = ids.copies;
        if !tree.copies.is_empty() {
            // An entry that follows what is before it follows what was before its first copy.
            for &(copy, last) in tree.copies.iter().rev() {
                if matches!(entries[copy as usize].kind, EntryKind::Following(_)) {
                    parents[last as usize] = parents[copy as usize];
                }
            }
            parents
                .iter_mut()
                .for_each(|parent| *parent = tree.last_copy(*parent));
            tree.leaf = tree.last_copy(tree.leaf);
        }
        let is_late = |(&parent, i): (&u32, u32)| parent != NONE && parent > i;
        tree.out_of_order = parents.iter().zip(0..).any(is_late);
        tree.parents = Parents::acyclic(parents, tree.leaf);
        if tree.leaf != NONE && !is_named && (tree.out_of_order || !tree.copies.is_empty()) {
            tree.leaf = newest_leaf(builder, &tree);
        }
        Ok(tree)
    }

    /// The entry itself, or the last copy of its record.
    fn last_copy(&self, entry: u32) -> u32 {
        self.copies
            .binary_search_by_key(&entry, |(copy, _)| *copy)
            .map_or(entry, |at| self.copies[at].1)
    }

    /// Returns the path from the root to the leaf.
    pub fn path(&self) -> Vec<usize> {
        let mut path: Vec<usize> = self.parents.up(self.leaf).collect();
        path.reverse();
        path
    }

    /// Whether an entry is a copy of a later one.
    pub fn is_copy(&self, entry: usize) -> bool {
        self.last_copy(entry as u32) != entry as u32
    }
}

/// Entries by their ids, filled only once a parent is not the entry before.
struct Ids<'a> {
    builder: &'a TranscriptBuilder,
    last: IdMap<u32>,
    /// For ids that represent several records, all of them, in their order.
    several: IdMap<Vec<u32>>,
    /// Copies, in their order, and what each is a copy of.
    copies: Vec<(u32, u32)>,
    filled: bool,
}

impl Ids<'_> {
    /// Returns the entry of this id that an entry at `at` means.
    fn find(&mut self, at: usize, id: Id) -> Option<u32> {
        if id.is_none() {
            return None;
        }
        if let Some(before) = self.builder.entries[..at].last()
            && before.id == id
            && !before.is_note()
        {
            return Some(at as u32 - 1);
        }
        self.fill();
        let &last = self.last.get(&id)?;
        let Some(all) = self.several.get(&id) else {
            return Some(last);
        };
        let next = all.partition_point(|&i| (i as usize) < at);
        all[..next].last().or(all.get(next)).copied()
    }

    fn fill(&mut self) {
        if std::mem::replace(&mut self.filled, true) {
            return;
        }
        let entries = &self.builder.entries;
        self.last.reserve(entries.len());
        let named = |(_, e): &(u32, &Entry)| e.id.is_some() && !e.is_note();
        for (i, entry) in (0..).zip(entries).filter(named) {
            if let Some(before) = self.last.insert(entry.id, i) {
                self.several
                    .entry(entry.id)
                    .or_insert_with(|| vec![before])
                    .push(i);
            }
        }
        // An id whose records differ does not name one of them alone.
        let (builder, copies) = (self.builder, &mut self.copies);
        self.several.retain(|_, all| {
            let Some((&last, others)) = all.split_last() else {
                return false;
            };
            let same = others.iter().all(|&other| is_copy(builder, last, other));
            copies.extend(others.iter().filter(|_| same).map(|&other| (other, last)));
            !same
        });
        copies.sort_unstable();
    }
}

/// Whether `other` is the same record as `last`, which has its id, apart from cuts in the last one.
fn is_copy(builder: &TranscriptBuilder, last: u32, other: u32) -> bool {
    let (last, other) = (
        &builder.entries[last as usize],
        &builder.entries[other as usize],
    );
    let about = |entry: &Entry| (entry.parent, entry.kind, entry.time, entry.message == NONE);
    if about(last) != about(other) {
        return false;
    }
    if last.message == NONE {
        return true;
    }
    let role = |entry: &Entry| builder.messages[entry.message as usize].role;
    let calls = |entry: &Entry| -> Vec<Id> {
        let blocks = builder.blocks_of(entry.message).iter();
        let linked = blocks.filter(|block| block.is_linked());
        linked.map(|block| builder.link_of(block).call).collect()
    };
    let thinks = |entry: &Entry| {
        let mut blocks = builder.blocks_of(entry.message).iter();
        blocks.any(|block| block.kind == BlockKind::Thinking)
    };
    let mut others = calls(other).into_iter();
    let speaks_alone = others.len() == 0;
    role(last) == role(other)
        && calls(last)
            .iter()
            .all(|call| others.any(|other| other == *call))
        && (!speaks_alone || last.size == other.size || thinks(other) && !thinks(last))
}
