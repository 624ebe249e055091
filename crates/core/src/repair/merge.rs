//! Merges consecutive messages of one role, which some providers refuse.

use super::{Defect, RepairContext};
use crate::json::locate::members;
use crate::transcript::Role;
use std::collections::{BTreeMap, BTreeSet};

impl RepairContext<'_> {
    /// Adds a first message of the user, and merges the messages of the other defects with the message of the same role before them.
    pub(super) fn merge(&mut self, defects: &[&Defect]) {
        let roles = |i: usize| self.transcript.messages[i].role;
        let of = |code: &str| -> BTreeSet<usize> {
            let found = defects.iter().filter(|defect| defect.row.code == code);
            found.map(|defect| defect.message).collect()
        };
        let (first, later) = (of("E10"), of("E11"));
        first.into_iter().for_each(|i| self.begin(i));
        if !self.rules.alternates {
            return;
        }
        let mut joined: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut base = 0;
        for i in (0..self.transcript.messages.len()).filter(|&i| roles(i) != Role::System) {
            if later.contains(&i) && roles(i) == roles(base) && self.only_speaks(i) {
                joined.entry(base).or_default().push(i)
            } else {
                base = i
            }
        }
        for (base, more) in joined {
            if self.content(base).is_none() {
                continue;
            }
            let mut parts = Vec::new();
            for i in more {
                if let Some(content) = self.content(i) {
                    parts.extend(
                        content
                            .elements
                            .clone()
                            .unwrap_or_else(|| vec![content.value.clone()]),
                    );
                }
                self.drop_message(i);
            }
            self.append_parts(base, &parts);
        }
    }

    /// Returns whether a message has no members beside its content that merging would lose.
    fn only_speaks(&self, i: usize) -> bool {
        let known = |name: &[u8]| name == b"role" || name == self.content_name().as_bytes();
        members(self.bytes, self.start(i))
            .is_some_and(|members| members.iter().all(|m| known(&m.name)))
    }
}
