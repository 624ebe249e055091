//! Gives the later of two calls with the same id a new id, and its result, too.

use super::{Defect, RepairContext};
use crate::json::{Id, IdSet};
use std::collections::HashSet;

impl RepairContext<'_> {
    /// Renames the calls of these defects with their results.
    pub(super) fn rename(&mut self, defects: &[&Defect]) {
        let wanted: HashSet<u32> = defects.iter().filter_map(|d| d.block).collect();
        if wanted.is_empty() {
            return;
        }
        let mut known: IdSet = self.transcript.links.iter().map(|link| link.call).collect();
        let mut numbers = crate::json::IdMap::<u32>::default();
        let matching = self.matching();
        for call in matching
            .calls
            .into_iter()
            .filter(|call| wanted.contains(&call.block))
        {
            let link = self.transcript.link_at(call.block);
            let (place, raw) = (self.id_place(call.block), self.raw_id(call.block));
            // A result elsewhere may belong to either call.
            if place.is_empty() || self.off_context.answers_call(link.call, raw) {
                continue;
            }
            let number = numbers.entry(link.call).or_insert(1);
            let new = loop {
                *number += 1;
                let new = [raw, b"_", number.to_string().as_bytes()].concat();
                if known.insert(Id::of(&new)) {
                    break new;
                }
            };
            // A result without an id belongs to its call by position.
            let other = call.result.map(|result| self.id_place(result));
            let other = other.filter(|other| !other.is_empty());
            let places: Vec<_> = other.into_iter().chain([place]).collect();
            self.rename_all(&places, new);
        }
        // A result of this id without a call would answer the first one.
        let again = |block: &u32| numbers.contains_key(&self.transcript.link_at(*block).call);
        let surplus = matching.surplus.into_iter().filter(again);
        self.removed.extend(surplus);
    }
}
