//! Moves each result to its place after its call, and adds a result to each call without one.
//!
//! Results follow their calls, in the order of the calls. Those in the right place stay, and the others are inserted between them. A log
//! keeps the order in which its agent wrote it: there only a result before its call is moved.

use super::RepairContext;
use super::insert::{Insertion, InsertionPoint};
use super::matching::{Call, Matching};
use crate::dialect::shared::reply::{InlineCall, Reply, WrittenCall};
use crate::transcript::{BlockKind, Role};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Where a transcript has the results of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultPlacement {
    /// As parts of a user message.
    Part,
    /// As separate messages.
    Message,
    /// As lines of a history.
    Line,
}

impl RepairContext<'_> {
    /// Moves every result to its call, removes those without a call, and answers the calls at `unanswered`.
    pub(super) fn arrange(&mut self, unanswered: &BTreeSet<u32>) {
        let Matching {
            calls,
            surplus,
            nameless,
        } = self.matching();
        let multi_record = |context: &Self, block: u32| {
            context.transcript.messages[context.message_of(block)].multi_record
        };
        let surplus: Vec<u32> = surplus
            .into_iter()
            .filter(|&block| !multi_record(self, block))
            .collect();
        self.removed.extend(surplus);
        let open = |&block: &u32| {
            let id = self.transcript.link_at(block).call;
            !nameless && !self.off_context.answers_call(id, self.raw_id(block))
        };
        // Where results are paired by a copy of their call, another of several equal calls may be the unanswered one.
        let all = calls
            .iter()
            .filter(|call| call.result.is_none())
            .map(|call| call.block);
        let unanswered: BTreeSet<u32> = match self.repeats_calls() && !unanswered.is_empty() {
            true => all.collect(),
            false => unanswered.iter().copied().filter(open).collect(),
        };
        let order: HashMap<u32, usize> = calls
            .iter()
            .enumerate()
            .filter_map(|(i, call)| Some((call.result?, i)))
            .collect();
        let turns = self.turns();
        let mut rest = &calls[..];
        while let Some(first) = rest.first() {
            let placement = self.placement(first);
            // Where results are parts of a message, the calls of a turn are answered together.
            let mut size = 1;
            while let Some(call) = rest.get(size) {
                let together = call.message == first.message
                    || placement == ResultPlacement::Part
                        && turns[call.message] == turns[first.message];
                if !together || self.placement(call) != placement {
                    break;
                }
                size += 1;
            }
            let (group, more) = rest.split_at(size);
            rest = more;
            if multi_record(self, first.block) {
                continue;
            }
            let last = group[group.len() - 1].message;
            let last = (last + 1..turns.len())
                .take_while(|&j| placement == ResultPlacement::Part && turns[j] == turns[last])
                .last()
                .unwrap_or(last);
            self.answer_group(group, last, placement, &order, &unanswered);
        }
    }

    /// Moves the results of `group`, the calls of a turn or of a message, behind message `last`.
    fn answer_group(
        &mut self,
        group: &[Call],
        last: usize,
        placement: ResultPlacement,
        order: &HashMap<u32, usize>,
        unanswered: &BTreeSet<u32>,
    ) {
        let history = self.rules.is_history;
        let own: HashSet<u32> = group
            .iter()
            .filter(|call| call.behind || !history)
            .filter_map(|call| call.result)
            .collect();
        let near = self.near(last, placement, &own);
        let in_order = self.in_order(&near, order);
        let mut spot = self.first_insertion_point(
            last,
            placement,
            near.iter().find(|block| in_order.contains(block)),
        );
        let mut calls: Vec<&Call> = group.iter().collect();
        if self.repeats_calls() {
            // Of equal calls, those without a result come last.
            calls.sort_by_key(|call| call.result.is_none());
        }
        let mut unheld = Vec::new();
        for call in calls {
            match call.result {
                Some(result) if in_order.contains(&result) => {
                    spot = if placement == ResultPlacement::Part {
                        InsertionPoint::Behind(result)
                    } else {
                        InsertionPoint::After(self.message_of(result))
                    };
                }
                Some(result) if self.stays(call, result, placement) => {}
                Some(result) => {
                    let insertion = self.moved(call, result, placement);
                    self.insertions.entry(spot).or_default().push(insertion);
                }
                None if !unanswered.contains(&call.block) => {}
                None if self.inline().is_some() => unheld.push(call),
                None => {
                    let insertion = self.neutral(call, placement);
                    self.insertions.entry(spot).or_default().extend(insertion);
                }
            }
        }
        // Removes what leaves its record before anything is inserted.
        if self.removed.is_empty() {
            unheld
                .chunk_by(|a, b| a.message == b.message)
                .for_each(|calls| self.answer_inline(calls));
        }
    }

    /// Answers calls of a message in its record.
    fn answer_inline(&mut self, calls: &[&Call]) {
        let Some(inline) = self.inline() else { return };
        let of = |call: &&Call| {
            let block = &self.transcript.blocks[call.block as usize];
            let (start, id) = (
                self.place(call.message, block.span).start,
                self.raw_id(call.block),
            );
            InlineCall {
                start,
                call: self.transcript.link(block).call,
                id,
                tool: self.transcript.tool_of(block),
            }
        };
        let written: Vec<InlineCall<'_>> = calls.iter().map(of).collect();
        let sets = (inline.answer)(self.bytes, self.start(calls[0].message), &written);
        sets.into_iter().for_each(|set| self.set(set));
    }

    /// Returns the results of `own` that are where the answers to message `last` belong, in order.
    fn near(&self, last: usize, placement: ResultPlacement, own: &HashSet<u32>) -> Vec<u32> {
        let transcript = self.transcript;
        let behind = |role: Role| {
            (last + 1..transcript.messages.len())
                .take_while(move |&j| transcript.messages[j].role == role)
        };
        let results = |j: usize| {
            let blocks = transcript.numbered_blocks_of(j);
            blocks
                .filter(|(at, b)| b.kind == BlockKind::Result && own.contains(at))
                .map(|(at, _)| at)
        };
        match placement {
            ResultPlacement::Line => Vec::new(),
            ResultPlacement::Message => behind(Role::Tool).flat_map(results).collect(),
            // Results come before any other content of the user.
            ResultPlacement::Part if self.rules.results_first => {
                let mut near = Vec::new();
                for j in behind(Role::User) {
                    let (first, blocks) = (transcript.messages[j].blocks, transcript.blocks_of(j));
                    let mut at = 0;
                    while let Some(block) = blocks.get(at) {
                        if block.kind != BlockKind::Result {
                            return near;
                        }
                        near.extend(Some(first + at as u32).filter(|result| own.contains(result)));
                        at += 1 + transcript.link(block).children as usize;
                    }
                }
                near
            }
            ResultPlacement::Part if self.repeats_calls() => behind(Role::User)
                .take_while(|&j| transcript.is_only_results(j))
                .flat_map(results)
                .collect(),
            // Only results may come before them in their turn.
            ResultPlacement::Part if self.rules.calls_follow_input => {
                let mixed = behind(Role::User).find(|&j| !transcript.is_only_results(j));
                behind(Role::User)
                    .take_while(|&j| mixed.is_none_or(|mixed| j <= mixed))
                    .flat_map(results)
                    .collect()
            }
            ResultPlacement::Part => behind(Role::User).flat_map(results).collect(),
        }
    }

    /// Returns the largest subset of results whose order is that of their calls.
    fn in_order(&self, near: &[u32], order: &HashMap<u32, usize>) -> HashSet<u32> {
        if self.rules.is_history {
            return near.iter().copied().collect();
        }
        // For each length, the result that ends the best sequence; and for each result the one before it in its sequence.
        let (mut ends, mut before): (Vec<u32>, HashMap<u32, u32>) = Default::default();
        for &result in near {
            let length = ends.partition_point(|end| order[end] < order[&result]);
            before.extend(length.checked_sub(1).map(|last| (result, ends[last])));
            ends.truncate(ends.len().max(length));
            match ends.get_mut(length) {
                Some(end) => *end = result,
                None => ends.push(result),
            }
        }
        std::iter::successors(ends.last().copied(), |result| before.get(result).copied()).collect()
    }

    /// Returns where the first answer to message `last` is inserted; `near` is the first answer that is there.
    fn first_insertion_point(
        &mut self,
        last: usize,
        placement: ResultPlacement,
        near: Option<&u32>,
    ) -> InsertionPoint {
        let messages = &self.transcript.messages;
        match (placement, near) {
            (ResultPlacement::Line, _) => {
                let answers = |j: usize| {
                    messages[j].role == Role::Tool
                        || self.transcript.is_only_results(j)
                        || messages[j].continues
                };
                (last + 1..messages.len())
                    .find(|&j| !answers(j))
                    .map_or(InsertionPoint::End, InsertionPoint::Line)
            }
            (ResultPlacement::Message, _) => InsertionPoint::After(last),
            (ResultPlacement::Part, Some(&result)) => InsertionPoint::Before(result),
            (ResultPlacement::Part, None) => match messages.get(last + 1) {
                Some(next) if next.role == Role::User && !self.takes_no_results(last + 1) => {
                    InsertionPoint::First(last + 1)
                }
                _ => InsertionPoint::NewUser(last),
            },
        }
    }

    /// Returns whether user message `i` cannot take results, as its text begins a turn.
    fn takes_no_results(&self, i: usize) -> bool {
        let blocks = self.transcript.blocks_of(i);
        let answers = blocks.iter().any(|b| b.kind == BlockKind::Result);
        !answers && (self.rules.calls_follow_input && !blocks.is_empty() || self.repeats_calls())
    }

    /// Returns whether a result stays although it is not among the answers to its call's message.
    fn stays(&self, call: &Call, result: u32, placement: ResultPlacement) -> bool {
        let message = &self.transcript.messages[self.message_of(result)];
        let behind = self.rules.is_history && call.behind;
        // It is spelled differently from its call, or cannot be moved.
        behind
            || message.multi_record
            || placement != ResultPlacement::Line
                && (placement == ResultPlacement::Message) != (message.role == Role::Tool)
    }

    /// Returns the insertion that moves a result to its call.
    fn moved(&mut self, call: &Call, result: u32, placement: ResultPlacement) -> Insertion {
        let i = self.message_of(result);
        let tool = self.transcript.messages[i].role == Role::Tool;
        let place = if tool {
            self.whole(i)
        } else {
            self.element_of(i, result)
                .unwrap_or_else(|| self.place_of(result))
        };
        let bytes = self.bytes[place].to_vec();
        let reply = if tool {
            Reply::Message(bytes)
        } else {
            Reply::Part(bytes)
        };
        let mut insertion = Insertion {
            reply,
            from: Some(result),
            line: None,
            call: 0,
            seed: Vec::new(),
        };
        if placement == ResultPlacement::Line {
            // A line without other content is moved as a whole.
            let alone = self.transcript.blocks_of(i).len() == 1 + self.children_of(result);
            insertion.line = if alone {
                self.container(i).gaps().map(|(line, ..)| line)
            } else {
                None
            };
            self.seed(&mut insertion, call);
        }
        insertion
    }

    /// Returns the neutral result for a call.
    fn neutral(&mut self, call: &Call, placement: ResultPlacement) -> Option<Insertion> {
        let place = self.place_of(call.block);
        let id = self.raw_id(call.block);
        let tool = self
            .transcript
            .tool_of(&self.transcript.blocks[call.block as usize]);
        let reply = WrittenCall::new(&self.bytes[place], id, tool)
            .reply(&self.dialect.replies, &self.rules)?;
        let mut insertion = Insertion {
            reply,
            from: None,
            line: None,
            call: 0,
            seed: Vec::new(),
        };
        if placement == ResultPlacement::Line {
            self.seed(&mut insertion, call);
        }
        Some(insertion)
    }

    /// Sets the bytes from which the envelope of a new line is made.
    fn seed(&mut self, insertion: &mut Insertion, call: &Call) {
        insertion.seed = self.raw_id(call.block).to_vec();
        insertion.call = self
            .record_around(call.message, self.place_of(call.block).start)
            .map_or(self.start(call.message), |record| record.start);
    }

    fn placement(&mut self, call: &Call) -> ResultPlacement {
        let place = self.place_of(call.block);
        let lines = self.rules.is_history;
        let in_runs = self.inline().is_some_and(|inline| inline.results.is_some());
        if lines && (in_runs || self.record_around(call.message, place.start).is_some()) {
            return ResultPlacement::Line;
        }
        if self.is_part(place) {
            ResultPlacement::Part
        } else {
            ResultPlacement::Message
        }
    }

    fn children_of(&self, result: u32) -> usize {
        self.transcript.link_at(result).children as usize
    }
}
