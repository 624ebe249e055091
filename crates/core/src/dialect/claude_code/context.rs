//! The context of a Claude Code session: the path of its tree, with the pieces and results that hang
//! beside it.

use crate::{
    dialect::{
        EntryReleased,
        builder::{Entry, EntryKind, NONE, TranscriptBuilder},
        tree,
        tree::{
            Tree,
            order::{MessageGroups, by_writing},
        },
    },
    json::{Id, IdMap, IdSet},
    settings::Scope,
    transcript::{BlockKind, Role},
};

/// Reduces a builder to the context and marks the pieces of split messages.
pub fn context(builder: &mut TranscriptBuilder, scope: Scope) -> Result<(), EntryReleased> {
    if builder.released.count == 0 {
        make_tree(builder);
    } else if !builder.released.has_parents && is_rootless(&builder.entries) {
        return Err(EntryReleased);
    }
    let tree = tree::grow(builder)?;
    // Each message has a record.
    let has_message = |&i: &usize| builder.entries[i].message != NONE;
    let mut seen = vec![false; builder.messages.len()];
    let mut is_first = |message: u32| !std::mem::replace(&mut seen[message as usize], true);
    let nodes: Vec<usize> = match scope {
        // A message that is sent again is in the file once.
        Scope::File => (0..builder.entries.len())
            .filter(has_message)
            .filter(|&i| is_first(builder.entries[i].message))
            .collect(),
        Scope::Context => {
            let nodes = tree::sent(builder, &tree.path(), &tree)?;
            rejoin(builder, nodes, &tree)
        }
    };
    tree::keep_sent(builder, &nodes);
    let mut last = Id::NONE;
    for (message, node) in builder.messages.iter_mut().zip(nodes) {
        if message.role == Role::Assistant {
            let piece_of = builder.entries[node].piece_of();
            message.continues = piece_of.is_some() && piece_of == last;
            last = piece_of;
        }
    }
    Ok(())
}

/// Adds the pieces that hang beside the path of messages on it, and for each call that nothing on
/// it answers the earliest result. `nodes` are the entries of the context, in order.
fn rejoin(builder: &TranscriptBuilder, nodes: Vec<usize>, tree: &Tree) -> Vec<usize> {
    let entries = &builder.entries;
    let mut chosen = vec![false; entries.len()];
    nodes.iter().for_each(|&i| chosen[i] = true);
    let is_beside = |i: &usize| {
        !chosen[*i] && entries[*i].is_node() && entries[*i].message != NONE && !tree.is_copy(*i)
    };
    let mut beside: Vec<usize> = (0..entries.len()).filter(is_beside).collect();
    if beside.is_empty() {
        return nodes;
    }
    let pieces = MessageGroups::of(builder, &tree.parents);
    let messages: IdSet = nodes
        .iter()
        .map(|&i| entries[i].piece_of())
        .filter(|id| id.is_some())
        .collect();
    beside.retain(|&i| messages.contains(&pieces.message[i]));
    if beside.is_empty() {
        return nodes;
    }
    let key = by_writing(builder, &tree.parents);
    // Parents come before what hangs on them.
    beside.sort_by_cached_key(&key);
    let mut done: IdSet = nodes
        .iter()
        .flat_map(|&i| builder.answered_calls(entries[i].message))
        .collect();
    let mut calls: IdMap<Vec<Id>> = IdMap::default();
    for &i in nodes.iter().chain(&beside) {
        let blocks = builder.blocks_of(entries[i].message);
        let made = builder.calls_of(blocks, BlockKind::Call);
        calls.entry(pieces.message[i]).or_default().extend(made);
    }
    beside.retain(|&i| {
        let (before, mut answered) = (pieces.before[i], builder.answered_calls(entries[i].message));
        let mut made = calls.get(&pieces.message[i]).into_iter().flatten();
        chosen[i] = before != NONE
            && chosen[before as usize]
            && (entries[i].piece_of().is_some()
                || answered.all(|call| !done.contains(&call))
                    && made.any(|call| !done.contains(call)));
        if chosen[i] {
            done.extend(builder.answered_calls(entries[i].message));
        }
        chosen[i]
    });
    let mut by_message: IdMap<Vec<usize>> = IdMap::default();
    for i in beside {
        by_message.entry(pieces.message[i]).or_default().push(i);
    }
    // They come next to the last entries of their message on the path, all of them in their order.
    let is_one = |&a: &usize, &b: &usize| {
        pieces.message[a].is_some() && pieces.message[a] == pieces.message[b]
    };
    let placed = nodes.chunk_by(is_one).rev().map(|run| {
        let mut run = run.to_vec();
        if let Some(beside) = by_message.remove(&pieces.message[run[0]]) {
            run.extend(beside);
            run.sort_by_cached_key(&key);
        }
        run
    });
    let mut placed: Vec<Vec<usize>> = placed.collect();
    placed.reverse();
    placed.concat()
}

/// Makes a tree where the records name none: for a file of a sidechain only, and for records that
/// are all roots. A parent that was written twice is the first of the two.
pub fn make_tree(builder: &mut TranscriptBuilder) {
    let entries = &mut builder.entries;
    let is_main = |e: &Entry| {
        matches!(
            e.kind,
            EntryKind::Node(_) | EntryKind::Following(_) | EntryKind::Compaction(_)
        )
    };
    if !entries.iter().any(is_main) {
        entries
            .iter_mut()
            .filter(|e| e.message != NONE)
            .for_each(|e| e.kind = EntryKind::Node(e.piece_of()));
    }
    if is_rootless(entries) {
        let mut known = IdSet::default();
        for entry in entries.iter_mut().filter(|e| e.is_node()) {
            let again = entry.id.is_some() && !known.insert(entry.id);
            entry.kind = if again {
                EntryKind::Side(entry.piece_of())
            } else {
                EntryKind::Following(entry.piece_of())
            };
        }
    }
}

/// Whether no record of the conversation names its parent.
fn is_rootless(entries: &[Entry]) -> bool {
    entries.iter().all(|e| !e.is_node() || e.parent.is_none())
}
