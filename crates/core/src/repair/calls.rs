//! Moves calls from user messages to the assistant.
//!
//! They are appended to the assistant message before, or to a new one if there is none. Their results stay where they are; `arrange` moves
//! those afterwards.

use super::{Defect, RepairContext};
use crate::transcript::Role;
use std::collections::BTreeMap;

impl RepairContext<'_> {
    /// Moves the calls of these defects.
    pub(super) fn move_calls(&mut self, defects: &[&Defect]) {
        let mut calls: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for defect in defects {
            let Some(block) = defect.block else { continue };
            if self.is_misplaced(defect.message, &self.transcript.blocks[block as usize]) {
                calls.entry(defect.message).or_default().push(block);
            }
        }
        for (i, blocks) in calls {
            let places: Vec<_> = blocks
                .iter()
                .filter_map(|&block| self.element_of(i, block))
                .collect();
            let before = i
                .checked_sub(1)
                .filter(|&j| self.transcript.messages[j].role == Role::Assistant);
            match before {
                _ if places.is_empty() => {}
                Some(j) => self.append_parts(j, &places),
                None => {
                    let parts = self.take_parts(&places);
                    self.insert_message(i, false, self.message("assistant", &parts));
                }
            }
        }
    }
}
