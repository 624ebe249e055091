//! Histories that are trees: from entries to the messages that the agent would send next.
//!
//! The path runs from the leaf to the root; the last boundary on it (compaction or reset) decides where it begins. What
//! lies before a boundary can be let go while the file is still being read ([`let_go`]), so that memory follows the
//! context and not the file; should a later entry reach back there, [`context`] says so and the file is read once more
//! with all of it kept.

use super::sheet::{Entry, EntryKind, Keep, NONE, Sheet};
use crate::config::settings::Scope;
use crate::json::{Id, IdMap, IdSet};
use crate::transcript::{Block, BlockKind, Link, Message, Role};
use std::collections::HashSet;

/// An entry points at one that was let go.
#[derive(Debug, PartialEq, Eq)]
pub struct Gone;

/// Reduces a sheet to the effective context: messages in the order in which they are sent.
///
/// # Errors
/// An entry that was let go is needed.
pub fn context(sheet: &mut Sheet, scope: Scope) -> Result<(), Gone> {
    let order: Vec<u32> = match scope {
        Scope::File => (0..sheet.messages.len() as u32).collect(),
        Scope::Context => order(&sheet.entries, &sheet.messages, sheet.dropped)?,
    };
    if scope == Scope::Context && !sheet.projections.is_empty() {
        on_branch(sheet)?;
    }
    reduce(sheet, &order);
    Ok(())
}

/// Keeps what earlier prunes wrote down on the way to the leaf, since its last reset.
fn on_branch(sheet: &mut Sheet) -> Result<(), Gone> {
    let nodes = path(&sheet.entries, sheet.dropped)?.nodes;
    let reset = nodes.iter().rposition(|&i| matches!(sheet.entries[i].kind, EntryKind::Reset(_)));
    let branch: HashSet<usize> = nodes[reset.unwrap_or(0)..].iter().copied().collect();
    // What was let go lay on the only way there was.
    sheet.projections.retain(|p| p.entry.map_or(reset.is_none(), |entry| branch.contains(&entry)));
    Ok(())
}

/// Keeps only the messages of `order`, in that order.
pub fn reduce(sheet: &mut Sheet, order: &[u32]) {
    let everything = order.len() == sheet.messages.len() && order.iter().enumerate().all(|(i, &m)| i as u32 == m);
    if !everything {
        pick(sheet, order);
    }
}

/// Indices of the messages of the context, in order.
fn order(entries: &[Entry], messages: &[Message], dropped: u64) -> Result<Vec<u32>, Gone> {
    let nodes = since_boundary(entries, messages, &path(entries, dropped)?.nodes, dropped)?;
    Ok(nodes.into_iter().map(|i| entries[i].message).collect())
}

/// Of a path, the entries with a message that lie in the context, in the order in which they are sent. The summary of an
/// earlier compaction is never sent again, and a reset keeps only what users, assistants and tools said.
///
/// # Errors
/// The boundary keeps from an entry that was let go.
pub fn since_boundary(entries: &[Entry], messages: &[Message], path: &[usize], dropped: u64) -> Result<Vec<usize>, Gone> {
    let has_message = |&i: &usize| entries[i].message != NONE;
    let boundary = path.iter().rposition(|&i| entries[i].is_boundary());
    let Some(at) = boundary else {
        return Ok(path.iter().copied().filter(has_message).collect());
    };
    let summary = path[at];
    let boundary = &entries[path[at]];
    let kept = match boundary.keeps() {
        Keep::Index(index) => {
            let first = index.checked_sub(dropped).ok_or(Gone)? as usize;
            path[..at].iter().position(|&i| i >= first)
        }
        Keep::Id(id) => path[..at].iter().position(|&i| entries[i].id == id),
        Keep::Nothing => None,
    };
    if kept.is_none() && dropped > 0 && boundary.keeps() != Keep::Nothing {
        return Err(Gone);
    }
    let is_reset = matches!(boundary.kind, EntryKind::Reset(_));
    let is_kept = |&i: &usize| match entries[i].kind {
        EntryKind::Compaction(_) => false,
        _ => has_message(&i) && !(is_reset && messages[entries[i].message as usize].role == Role::Other),
    };
    let before = path[kept.unwrap_or(at)..at].iter().copied().filter(is_kept);
    let after = path[at + 1..].iter().copied();
    Ok(std::iter::once(summary).chain(before).chain(after).filter(has_message).collect())
}

/// The way through a tree.
pub struct Path {
    /// Indices of the entries from the root to the leaf.
    pub nodes: Vec<usize>,
    /// For every entry the index of its parent, or [`NONE`].
    pub parents: Vec<u32>,
}

/// Finds the way from the root to the leaf.
///
/// # Errors
/// It leads through an entry that was let go.
pub fn path(entries: &[Entry], dropped: u64) -> Result<Path, Gone> {
    let mut index = Index::default();
    let mut parents: Vec<u32> = Vec::with_capacity(entries.len());
    let mut leaf: Option<usize> = None;
    for (i, entry) in entries.iter().enumerate() {
        let mut parent = NONE;
        match entry.kind {
            EntryKind::Header => {}
            EntryKind::Leaf(to) => {
                if let Some(found) = index.find(entries, i, to) {
                    leaf = Some(found);
                } else if dropped > 0 && to.is_some() {
                    return Err(Gone);
                }
            }
            EntryKind::Following(_) => parent = leaf.map_or(NONE, |l| l as u32),
            _ if entry.parent.is_none() && entry.id.is_none() => parent = leaf.map_or(NONE, |l| l as u32),
            _ if entry.parent.is_none() => {}
            _ => match leaf.filter(|&l| entries[l].id == entry.parent).or_else(|| index.find(entries, i, entry.parent)) {
                Some(found) => parent = found as u32,
                // The first entry that is left after others were let go has its parent among them.
                None if dropped > 0 && i > 0 => return Err(Gone),
                None => {}
            },
        }
        parents.push(parent);
        if !matches!(entry.kind, EntryKind::Header | EntryKind::Leaf(_) | EntryKind::Side(_)) {
            leaf = Some(i);
        }
    }
    let mut path = Vec::new();
    let mut at = leaf.map_or(NONE, |l| l as u32);
    // Parents come before their children, so that the walk ends.
    while at != NONE {
        path.push(at as usize);
        at = parents[at as usize];
    }
    path.reverse();
    Ok(Path { nodes: path, parents })
}

/// Ids to indices, filled only once a parent is not the entry before.
#[derive(Default)]
struct Index {
    known: IdMap<usize>,
    filled: usize,
}

impl Index {
    /// The newest entry before `end` with this id.
    fn find(&mut self, entries: &[Entry], end: usize, id: Id) -> Option<usize> {
        for (i, entry) in entries.iter().enumerate().take(end).skip(self.filled) {
            if entry.id.is_some() && entry.kind != EntryKind::Header {
                self.known.insert(entry.id, i);
            }
        }
        self.filled = self.filled.max(end);
        self.known.get(&id).copied()
    }
}

/// Keeps only the messages of `order`.
fn pick(sheet: &mut Sheet, order: &[u32]) {
    let (mut messages, mut blocks, mut links) = (Vec::<Message>::with_capacity(order.len()), Vec::<Block>::new(), Vec::<Link>::new());
    for &i in order {
        let i = i as usize;
        let from = sheet.messages[i].blocks as usize;
        let to = sheet.messages.get(i + 1).map_or(sheet.blocks.len(), |m| m.blocks as usize);
        messages.push(Message { blocks: blocks.len() as u32, ..sheet.messages[i] });
        for block in &sheet.blocks[from..to] {
            let mut block = *block;
            if block.is_linked() {
                links.push(sheet.links[block.extra as usize]);
                block.extra = links.len() as u32 - 1;
            }
            blocks.push(block);
        }
    }
    (sheet.messages, sheet.blocks, sheet.links) = (messages, blocks, links);
}

/// Lets go of what lies before the last compaction's first kept entry, where the way there is a straight line, or before a
/// boundary that keeps nothing, where all that follows comes from it: the context cannot reach it unless a branch goes
/// back. Worth its copy only when much goes.
pub fn let_go(sheet: &mut Sheet) {
    let entries = &sheet.entries;
    let boundary = |e: &Entry| matches!(e.kind, EntryKind::Compaction(_) | EntryKind::Reset(Keep::Nothing));
    let Some(at) = entries.iter().rposition(boundary) else { return };
    let first = match entries[at].kind {
        EntryKind::Compaction(Keep::Id(id)) => entries[..at].iter().rposition(|e| e.id == id),
        EntryKind::Compaction(Keep::Index(index)) => index.checked_sub(sheet.dropped).map(|i| i as usize).filter(|&i| i < at),
        // Nothing that was before is kept: the boundary is the first.
        _ => Some(at),
    };
    let Some(first) = first else { return };
    if first < entries.len() / 2 || first < 2048 {
        return;
    }
    let straight = || {
        entries[first..].windows(2).all(|pair| match pair[1].kind {
            EntryKind::Node(_) | EntryKind::Compaction(_) => {
                pair[1].parent == pair[0].id && pair[0].id.is_some() || pair[1].parent.is_none() && pair[1].id.is_none()
            }
            EntryKind::Following(_) => true,
            _ => false,
        })
    };
    if !(if first == at { descend(&entries[first..]) } else { straight() }) {
        return;
    }
    let Some(message) = entries[first..].iter().map(|e| e.message).find(|&m| m != NONE) else { return };
    let message = message as usize;
    if sheet.messages[message].role == Role::Other {
        return;
    }
    forget_mirrors(sheet, message);
    let order: Vec<u32> = (message as u32..sheet.messages.len() as u32).collect();
    pick(sheet, &order);
    sheet.entries.drain(..first);
    sheet.dropped += first as u64;
    for projection in &mut sheet.projections {
        projection.entry = projection.entry.and_then(|entry| entry.checked_sub(first));
    }
    for entry in &mut sheet.entries {
        if entry.message != NONE {
            entry.message -= message as u32;
        }
    }
}

/// Takes out the mirrors of the results before `message` whose calls have none after it.
fn forget_mirrors(sheet: &mut Sheet, message: usize) {
    if sheet.mirrors.is_empty() {
        return;
    }
    let first = sheet.messages[message].blocks as usize;
    let calls = |blocks: &[Block]| -> IdSet {
        blocks.iter().filter(|b| b.kind == BlockKind::Result).map(|b| sheet.links[b.extra as usize].call).collect()
    };
    let (gone, kept) = (calls(&sheet.blocks[..first]), calls(&sheet.blocks[first..]));
    sheet.mirrors.retain(|mirror| kept.contains(&mirror.call) || !gone.contains(&mirror.call));
}

/// Whether all of `entries` come from the first of them, so that no way from a leaf passes it by.
fn descend(entries: &[Entry]) -> bool {
    let Some((first, rest)) = entries.split_first() else { return false };
    let mut known = IdSet::from_iter([first.id]);
    rest.iter().all(|e| {
        let follows = matches!(e.kind, EntryKind::Following(_)) || e.parent.is_none() && e.id.is_none();
        let comes = follows || e.parent.is_some() && known.contains(&e.parent);
        known.insert(e.id);
        comes && !matches!(e.kind, EntryKind::Header | EntryKind::Leaf(_) | EntryKind::Reset(_))
    })
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
