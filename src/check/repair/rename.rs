//! Ids that were used before: a new one for the later call, and for the result that answers it.

use super::{Bench, Defect};
use crate::json::{Id, IdMap, IdSet};
use crate::transcript::BlockKind;
use std::collections::HashSet;

impl Bench<'_> {
    /// Renames the calls of these defects: of several calls in a row the second result is the second call's.
    pub(super) fn rename(&mut self, defects: &[&Defect]) {
        let wanted: HashSet<u32> = defects.iter().filter_map(|d| d.block).collect();
        let ids: IdSet = wanted.iter().map(|&b| self.transcript.link(&self.transcript.blocks[b as usize]).call).collect();
        let mut known = IdSet::default();
        let mut by_id: IdMap<Vec<(usize, u32)>> = IdMap::default();
        let mut order = Vec::new();
        for (message, index, block) in self.linked() {
            let id = self.transcript.link(&block).call;
            known.insert(id);
            if ids.contains(&id) {
                by_id.entry(id).or_insert_with(|| {
                    order.push(id);
                    Vec::new()
                });
                by_id.entry(id).or_default().push((message, index));
            }
        }
        for same in order.iter().filter_map(|id| by_id.get(id)) {
            // The calls since the last result, each with its new id if it gets one.
            let mut batch: Vec<Option<Vec<u8>>> = Vec::new();
            let (mut answered, mut number) = (0, 2u32);
            for &(message, index) in same {
                let block = &self.transcript.blocks[index as usize];
                let place = self.place(message, self.transcript.link(block).id);
                if block.kind == BlockKind::Result {
                    // One that names no id is its call's by the place where it stands.
                    if let Some(Some(id)) = batch.get(answered).cloned().filter(|_| !place.is_empty()) {
                        self.put(place, id);
                    }
                    answered += 1;
                    continue;
                }
                if answered > 0 {
                    (batch, answered) = (Vec::new(), 0);
                }
                let renamed = wanted.contains(&index).then(|| {
                    loop {
                        let new = [&self.bytes[place.clone()], b"_", number.to_string().as_bytes()].concat();
                        number += 1;
                        if known.insert(Id::of(&new)) {
                            break new;
                        }
                    }
                });
                if let Some(id) = &renamed {
                    self.put(place, id.clone());
                }
                batch.push(renamed);
            }
        }
    }
}
