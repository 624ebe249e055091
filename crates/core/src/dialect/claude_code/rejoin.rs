//! Entries beside the path of a Claude Code log that are sent nevertheless.
//!
//! When a message makes several calls, the path leads through one of the results only. The other results of its calls, and
//! pieces of the message, are taken in again, next to those of the message that lie on the path.

use crate::dialect::builder::{NONE, TranscriptBuilder};
use crate::dialect::tree::Tree;
use crate::dialect::tree::order::{MessageGroups, by_writing};
use crate::json::{IdMap, IdSet};

/// Takes in what hangs beside the path: pieces of a message whose other pieces lie on it, and results of calls that nothing on
/// it answers, the earliest of each call. `nodes` are the entries of the context, in order.
pub fn rejoin(builder: &TranscriptBuilder, nodes: Vec<usize>, tree: &Tree) -> Vec<usize> {
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
    beside.retain(|&i| {
        let (before, mut answered) = (pieces.before[i], builder.answered_calls(entries[i].message));
        chosen[i] = before != NONE
            && chosen[before as usize]
            && (entries[i].piece_of().is_some() || answered.all(|call| !done.contains(&call)));
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
