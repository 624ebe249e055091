//! Finds the leaf of the conversation in a log.
//!
//! The last line of the conversation decides. Where lines are out of order, a line that comes from it may be before it in the file:
//! then the newest line that comes from it is the leaf. Where the last line of the file does not belong to the conversation and
//! lines are out of order, the position in the file is no evidence, and the newest line of all is the leaf.

use crate::dialect::builder::{Entry, NONE};
use crate::dialect::tree::order::Order;
use crate::dialect::tree::parents::Tree;

/// The leaf according to the lines read so far.
pub struct LeafCandidate {
    /// The entry, or [`NONE`].
    pub leaf: u32,
    /// Whether the line that says so is the last one.
    pub is_certain: bool,
    /// Whether it names the leaf, rather than being it.
    named: bool,
}

impl Default for LeafCandidate {
    fn default() -> LeafCandidate {
        LeafCandidate {
            leaf: NONE,
            is_certain: true,
            named: false,
        }
    }
}

impl LeafCandidate {
    /// The leaf is this entry, which a control names or which comes last.
    pub fn moves(&mut self, leaf: u32, named: bool) {
        *self = LeafCandidate {
            leaf,
            is_certain: true,
            named,
        };
    }

    /// The leaf of a log in which lines are out of order, or written twice.
    pub fn decided(&self, entries: &[Entry], tree: &Tree) -> u32 {
        if self.leaf == NONE || self.named {
            return self.leaf;
        }
        let everywhere = tree.out_of_order && !self.is_certain;
        let (inner, below) = (inner(entries, tree), below(tree, self.leaf));
        let order = Order::of(entries, &tree.parents, |_| false);
        let is_tip = |i: &usize| {
            entries[*i].moves_leaf() && !inner[*i] && !tree.is_copy(*i) && (everywhere || below[*i])
        };
        let newest = (0..entries.len())
            .filter(is_tip)
            .max_by_key(|&i| (entries[i].time, order.key(i), i));
        newest.map_or(self.leaf, |i| i as u32)
    }
}

/// Whether something of the conversation comes from each entry.
fn inner(entries: &[Entry], tree: &Tree) -> Vec<bool> {
    let mut inner = vec![false; entries.len()];
    for i in (0..entries.len()).filter(|&i| entries[i].moves_leaf() && !tree.is_copy(i)) {
        for at in tree.parents.up(i as u32).skip(1) {
            // What this one comes from is asked in its own turn.
            if std::mem::replace(&mut inner[at], true) || entries[at].moves_leaf() {
                break;
            }
        }
    }
    inner
}

/// Whether each entry is `top` or comes from it.
fn below(tree: &Tree, top: u32) -> Vec<bool> {
    let is_below = |at: usize, parent: Option<(usize, &bool)>| {
        at as u32 == top || parent.is_some_and(|(_, is_below)| *is_below)
    };
    tree.parents.inherit(is_below)
}
