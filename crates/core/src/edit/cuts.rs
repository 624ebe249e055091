//! The accepted cuts of a view, which a replay carries from one request to the next.

use super::plan::{Cut, REMEMBERED};
use std::collections::HashSet;

/// The accepted cuts of a view.
#[derive(Clone, Debug, Default)]
pub struct Cuts {
    /// Invariant: sorted by message and block, one cut a block, and a cut that removes a message is the only one in it.
    pub(super) list: Vec<Cut>,
    /// Blocks that an earlier run cut.
    pub(super) kept: HashSet<u32>,
    /// Chars that they remove, less those that they add.
    pub(super) removed: i64,
}

impl Cuts {
    /// Returns the cuts, in the order of the transcript.
    pub fn list(&self) -> &[Cut] {
        &self.list
    }

    /// Returns the cuts as those of an earlier run.
    #[must_use]
    pub fn remembered(mut self) -> Cuts {
        self.list.iter_mut().for_each(|cut| cut.pass = REMEMBERED);
        self.kept.extend(self.list.iter().map(|cut| cut.block));
        self
    }

    /// Keeps the cuts of the first `length` messages.
    pub fn truncate(&mut self, length: u32) {
        let left = self.list.partition_point(|cut| cut.message < length);
        for cut in self.list.drain(left..) {
            self.kept.remove(&cut.block);
            self.removed -= removed(&[cut]);
        }
    }

    /// Adds cuts of an earlier run, behind all others.
    pub fn extend(&mut self, cuts: Vec<Cut>) {
        self.removed += removed(&cuts);
        self.kept.extend(cuts.iter().map(|cut| cut.block));
        self.list.extend(cuts);
    }
}

/// Returns the chars that cuts remove, less those that they add.
pub(super) fn removed(cuts: &[Cut]) -> i64 {
    cuts.iter()
        .map(|cut| cut.chars_before.cast_signed() - cut.chars_after.cast_signed())
        .sum()
}
