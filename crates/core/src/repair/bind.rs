//! Gives a result whose id fits no call the id of the call that it answers by its place, and the later of two calls with the same id a new
//! id, and its result, too.
//!
//! Gateways truncate and renumber ids. A result in the place of the answer to an open call belongs to that call. Of several such calls it
//! is the one whose id begins with that of the result, or the other way round; else the first. A result is never bound to a call behind it or of another tool.

use super::{respell::respelled, *};
use crate::transcript::Link;
use std::collections::VecDeque;

/// Fewer bytes that two ids have in common are no evidence.
const PREFIX: usize = 8;
/// Calls that are looked at for a result, so that a repair takes linear time.
const NEAR: usize = 64;

impl RepairContext<'_> {
    /// Renames the results that can be bound.
    pub fn bind(&mut self, found: &[&Defect]) {
        if found.is_empty() || self.transcript.calls_elsewhere || self.repeats_calls() {
            return;
        }
        let called = self.transcript.ids(BlockKind::Call);
        let answered = self.transcript.ids(BlockKind::Result);
        let turns = self.turns();
        let mut open: VecDeque<(u32, Link)> = VecDeque::new();
        let mut bound = Vec::new();
        for (i, message) in self.transcript.messages.iter().enumerate() {
            let follows = i > 0
                && (turns[i] == turns[i - 1]
                    || message.role == Role::Tool
                    || self.transcript.is_only_results(i));
            let is_empty = self.transcript.blocks_of(i).is_empty();
            if message.role == Role::Assistant && !follows && !is_empty {
                open.clear();
            }
            for (at, block) in self
                .transcript
                .numbered_blocks_of(i)
                .filter(|(_, block)| block.is_linked())
            {
                let link = self.transcript.link(block);
                let raw = self.raw_id(at);
                if link.id.is_empty() || message.multi_record {
                } else if block.kind == BlockKind::Call {
                    if !answered.contains(&link.call) && !self.is_answered_elsewhere(at) {
                        open.push_back((at, link));
                    }
                } else if !called.contains(&link.call) && !self.off_context.calls(link.call, raw) {
                    let fits = |(_, call): &(u32, Link)| {
                        call.tool == link.tool || call.tool == 0 || link.tool == 0
                    };
                    let alike = |call: &(u32, Link)| {
                        let id = self.raw_id(call.0);
                        fits(call)
                            && id.len().min(raw.len()) >= PREFIX
                            && (id.starts_with(raw) || raw.starts_with(id))
                    };
                    let mut near = open.iter().take(NEAR);
                    bound.extend(
                        near.clone()
                            .position(alike)
                            .or_else(|| near.position(fits))
                            .and_then(|call| Some((open.remove(call)?.0, at))),
                    );
                }
            }
            if message.role == Role::User && !self.transcript.is_only_results(i) {
                open.clear();
            }
        }
        for (call, result) in bound {
            self.rename_all(&[self.id_place(result)], self.raw_id(call).to_vec());
        }
    }

    /// Renames the calls of these defects with their results.
    pub fn rename(&mut self, defects: &[&Defect]) {
        let wanted: HashSet<u32> = defects.iter().filter_map(|d| d.block).collect();
        if wanted.is_empty() {
            return;
        }
        let mut known: IdSet = self.transcript.links.iter().map(|link| link.call).collect();
        let mut numbers = IdMap::<u32>::default();
        let matching = self.matching();
        for call in matching
            .calls
            .into_iter()
            .filter(|call| wanted.contains(&call.block))
        {
            let link = self.transcript.link_at(call.block);
            let place = self.id_place(call.block);
            let raw = self.raw_id(call.block);
            // A result elsewhere may belong to either call.
            if place.is_empty() || self.is_answered_elsewhere(call.block) {
                continue;
            }
            let number = numbers.entry(link.call).or_insert(1);
            let syntax = &self.rules.call_id;
            let new = loop {
                *number += 1;
                let mut new = [raw, b"_", number.to_string().as_bytes()].concat();
                if syntax.fault_of_raw(raw).is_none() && syntax.fault_of_raw(&new).is_some() {
                    new = respelled(syntax, &text::lossy(&new)).into_bytes();
                }
                if known.insert(Id::of(&new)) {
                    break new;
                }
            };
            // A result without an id belongs to its call by position.
            let other = call.result.map(|result| self.id_place(result));
            let places: Vec<_> = other
                .filter(|other| !other.is_empty())
                .into_iter()
                .chain([place])
                .collect();
            self.rename_all(&places, new);
        }
        // A result of this id without a call would answer the first one.
        let surplus = matching
            .surplus
            .into_iter()
            .filter(|block| numbers.contains_key(&self.transcript.link_at(*block).call));
        self.removed.extend(surplus);
    }
}
