//! The branches of a thread.

use super::{off_path::JoinedEntries, steps::Step};
use deadhead_core::internal::{
    dialect::tree::Parents,
    json::{Id, IdMap},
};
use std::collections::HashMap;

/// A thread, and its branches to which calls may return.
#[derive(Default)]
pub struct Thread {
    pub steps: Vec<Step>,
    pub branches: Vec<Branch>,
    pub now: usize,
}
impl Thread {
    /// Turns to the branch from which the way to a call starts: `way` has its entries up to the root, each with the branch that passed it
    /// last, as `owner` says of an entry. A branch that would lose the contexts of later calls, as `is_used` says, stays, and the thread
    /// continues on a copy of it. One to which no later call returns is released.
    pub fn turn(
        &mut self,
        mut way: impl Iterator<Item = (usize, u32)>,
        is_used: impl Fn(u32) -> bool,
        owner: impl Fn(u32) -> usize,
    ) {
        if self.branches.is_empty() {
            self.branches.push(Branch::default());
        }
        let start = way.find(|&(owner, at)| {
            self.branches
                .get(owner)
                .is_some_and(|branch| branch.is_on_path(at))
        });
        let to = start.map_or(self.now, |(owner, _)| owner);
        if to != self.now {
            let left = &self.branches[self.now];
            let entry = |place: &u32| left.trail[*place as usize].0;
            // Entries that later calls need are the first ones of a way.
            let used = left.way.partition_point(|place| is_used(entry(place)));
            let ends = left.way[..used]
                .last()
                .map(entry)
                .is_none_or(|newest| owner(newest) != self.now);
            if ends {
                self.branches[self.now] = Branch::default();
            }
            self.now = to;
            self.steps.push(Step::Branch(to as u32, ends));
        }
        let branch = &self.branches[to];
        let place = start.and_then(|(_, at)| branch.place_of(at));
        let next = place.map_or(0, |place| {
            branch.way.partition_point(|&other| other <= place)
        });
        let left = branch.way.get(next);
        if left.is_some_and(|&place| is_used(branch.trail[place as usize].0)) {
            self.now = self.branches.len();
            self.branches.push(branch.clone());
            self.steps.push(Step::Branch(self.now as u32, false));
        }
    }
}

/// A branch: its path from the root to the current entry, and the context there.
#[derive(Clone, Default)]
pub struct Branch {
    /// The entries from the root on, each with the length of the context after it.
    pub trail: Vec<(u32, u32)>,
    /// The position on the trail of the newest boundary; those before it are in the context only as far as it keeps them.
    pub begin: usize,
    /// The position on the trail of the newest edit: lengths before it are those of the context that it changed.
    pub edited: usize,
    /// For each message that was edited, the one that is sent in its place, or `NONE`.
    pub changes: HashMap<u32, u32>,
    /// The newest compaction that has a summary, and the position of the first entry that it keeps.
    pub compaction: Option<(u32, usize)>,
    pub place: HashMap<u32, u32>,
    /// For each id, the first position of its entries.
    pub ids: IdMap<u32>,
    /// The positions on the trail of the entries that are on the path, not beside it.
    pub way: Vec<u32>,
    /// For each message, its pieces that are, or were, on the path.
    pub said: IdMap<Vec<u32>>,
    /// The entries whose messages are the context.
    pub context: Vec<u32>,
    /// For each call, the number of its results in the context.
    pub answered: IdMap<u32>,
    pub rejoined: JoinedEntries,
    /// For each entry of the trail, the position from which on all up to it belong to one message.
    pub runs: Vec<u32>,
}

impl Branch {
    /// Returns the message that is sent where this one was written, or `NONE`.
    pub fn sent_as(&self, message: u32) -> u32 {
        self.changes.get(&message).copied().unwrap_or(message)
    }

    /// Returns whether a piece of a message is on the path since the last boundary.
    pub fn says(&mut self, message: Id) -> bool {
        while let Some(&piece) = self.said.get(&message).and_then(|pieces| pieces.last()) {
            if self.is_on_path(piece) {
                return self.is_sent(piece);
            }
            self.said.get_mut(&message).and_then(Vec::pop);
        }
        false
    }

    /// Returns whether an entry is on the trail since the last boundary.
    pub fn is_sent(&self, entry: u32) -> bool {
        self.place_of(entry)
            .is_some_and(|place| place as usize >= self.begin)
    }

    /// Returns whether an entry is on the path.
    pub fn is_on_path(&self, entry: u32) -> bool {
        self.place_of(entry)
            .is_some_and(|place| self.way.binary_search(&place).is_ok())
    }

    /// Returns the position of an entry on the trail.
    pub fn place_of(&self, entry: u32) -> Option<u32> {
        self.place.get(&entry).copied().filter(|&place| {
            self.trail
                .get(place as usize)
                .is_some_and(|(e, _)| *e == entry)
        })
    }
}

/// Returns for each entry the number of calls up to the last one of `calls` whose context it leads to.
pub fn last_use(parents: &Parents, calls: &[usize]) -> Vec<u32> {
    let mut last_use = vec![0; parents.len()];
    for (&entry, number) in calls.iter().zip(1..) {
        last_use[entry] = number;
    }
    for (i, &parent) in parents.iter().enumerate().rev() {
        let used = last_use[i];
        if let Some(parent) = last_use.get_mut(parent as usize) {
            *parent = used.max(*parent);
        }
    }
    last_use
}
