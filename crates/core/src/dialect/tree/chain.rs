//! Logs in which each event names the one before it: one chain, and all of it counts.
//!
//! An event comes after the one that it names, wherever its line is. Where that is not in the input, as events that are not
//! written down can be named too, it is where its line is.

use crate::dialect::builder::NONE;
use crate::dialect::tree::parents::Tree;

/// The entries in the order of their chain, without copies.
pub fn order(tree: &Tree) -> Vec<usize> {
    let all = 0..tree.parents.len();
    if !tree.out_of_order {
        return all.filter(|&i| !tree.is_copy(i)).collect();
    }
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); tree.parents.len()];
    let mut placed = vec![false; tree.parents.len()];
    let mut order = Vec::with_capacity(tree.parents.len());
    for i in all.filter(|&i| !tree.is_copy(i)) {
        let parent = tree.parents[i];
        if parent != NONE && !placed[parent as usize] {
            waiting[parent as usize].push(i);
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
