//! Gives a result whose id fits no call before it the id of the call that it answers by its place,
//! and the later of two calls with the same id a new id, and its result, too.
//!
//! Gateways truncate and renumber ids. A result in the place of the answer to an open call belongs
//! to that call: behind it, before the model's next answer. Of several such calls it is the one
//! whose id begins with that of the result, or the other way round; else, where there are as many
//! results as calls, the one at its place among them; else the only one of its tool. Otherwise
//! nothing shows which call it answers, and a wrong answer is worse than none. A result is never
//! bound to a call behind it or of another tool, and a copy of one answers nothing.

use super::{matching::InOrder, respell::respelled, *};
use std::collections::VecDeque;

/// The number of bytes that two ids must share as evidence.
const PREFIX: usize = 8;
/// Calls that are looked at for a result, so that a repair takes linear time.
pub const NEAR: usize = 64;

/// What a step of the model leaves: its calls that wait, and results that answer no call before
/// them.
type Step = (VecDeque<u32>, Vec<u32>);

impl RepairContext<'_> {
    /// Renames the results that can be bound.
    pub fn bind(&mut self, found: &[&Defect]) {
        if found.is_empty() || self.transcript.calls_elsewhere || self.repeats_calls() {
            return;
        }
        let (steps, mut waiting, copies) = self.steps();
        // Backwards, as a result whose call is behind it is free where that has another one.
        for (mut calls, mut results) in steps.into_iter().rev() {
            results.retain(
                |&at| match waiting.get_mut(&self.transcript.link_at(at).call) {
                    Some((first, waiting)) if *first < at || *waiting > 0 => {
                        *waiting = waiting.saturating_sub(1);
                        false
                    }
                    _ => true,
                },
            );
            let is_copy = |at: &&u32| copies.contains(*at);
            let distinct = results.len() - results.iter().filter(is_copy).count();
            // Fewer results than calls answer the last messages.
            let mut number = calls.len();
            if let Some(&last) = calls.get(number.saturating_sub(distinct)) {
                let begin = self.transcript.begin_of(self.message_of(last));
                let last = self.transcript.messages[begin].blocks;
                let first = calls.partition_point(|call| *call < last);
                number -= first;
                calls.rotate_left(first);
            }
            for &at in &results {
                let is_copy = copies.contains(&at);
                if is_copy {
                    self.removed.insert(at);
                    if number != results.len() {
                        continue;
                    }
                }
                let tool = self.transcript.link_at(at).tool;
                let raw = self.raw_id(at);
                let fits = |&call: &u32| {
                    let other = self.transcript.link_at(call).tool;
                    call < at && (other == tool || other == 0 || tool == 0)
                };
                let alike = |call: &u32| {
                    let id = self.raw_id(*call);
                    fits(call)
                        && id.len().min(raw.len()) >= PREFIX
                        && (id.starts_with(raw) || raw.starts_with(id))
                };
                let mut near = calls.iter().take(NEAR);
                let found = near.clone().position(alike);
                // In order, where there are as many results as calls; or the only result of a tool
                // to its only call.
                let is_same = |other: &&u32| self.transcript.link_at(**other).tool == tool;
                let is_only = || {
                    near.clone().filter(|call| fits(call)).count() == 1
                        && results.iter().take(NEAR).filter(is_same).count() == 1
                };
                let is_decided = number == distinct || number == results.len() || is_only();
                let found = found.or_else(|| near.position(fits).filter(|_| is_decided));
                let Some(call) = found
                    .and_then(|found| calls.remove(found))
                    .filter(|_| !is_copy)
                else {
                    continue;
                };
                if let Some((_, waiting)) = waiting.get_mut(&self.transcript.link_at(call).call) {
                    *waiting = waiting.saturating_sub(1);
                }
                let mut ends = [call, at];
                ends.sort_by_key(|end| self.raw_id(*end).is_empty());
                let [from, to] = ends;
                self.rename_all(&[self.id_place(to)], self.raw_id(from).to_vec());
            }
        }
    }

    /// Returns the steps of the model in order; for each id, its first call and the number of those
    /// that wait; and results that repeat another.
    fn steps(&self) -> (Vec<Step>, IdMap<(u32, usize)>, HashSet<u32>) {
        let transcript = self.transcript;
        let InOrder { found, left, .. } = self.matched_in_order();
        let unanswered = found.calls.iter().filter(|call| call.result.is_none());
        let mut open: HashSet<u32> = unanswered.map(|call| call.block).collect();
        open.extend(left.iter().map(|answer| answer.block));
        // A copy of a result shows how many there were.
        open.extend(&found.surplus);
        let turns = self.turns();
        let mut steps = vec![Step::default()];
        let mut waiting: IdMap<(u32, usize)> = IdMap::default();
        for (i, message) in transcript.messages.iter().enumerate() {
            let begins =
                turns[i] == i && i > 0 && transcript.is_answer(i) && !transcript.is_answer(i - 1);
            if begins && !transcript.blocks_of(i).is_empty() {
                steps.push(Step::default());
            }
            let step = steps.len() - 1;
            let blocks = transcript.numbered_blocks_of(i);
            for (at, block) in blocks.filter(|(_, block)| block.is_linked()) {
                let link = transcript.link(block);
                let nameless = link.call == Id::of(b"");
                let is_open = (nameless || open.contains(&at) && !link.id.is_empty())
                    && !message.multi_record;
                if block.kind == BlockKind::Call {
                    let waits = is_open && !self.is_answered_elsewhere(at);
                    if !nameless {
                        waiting.entry(link.call).or_insert((at, 0)).1 += usize::from(waits);
                    }
                    steps[step].0.extend(waits.then_some(at));
                } else if is_open && !self.off_context.calls(link.call, self.raw_id(at)) {
                    steps[step].1.push(at);
                }
            }
        }
        (steps, waiting, found.surplus.into_iter().collect())
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
