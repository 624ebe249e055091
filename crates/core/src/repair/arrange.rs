//! Moves each result to its place after its call, and adds a result to each call without one.
//!
//! Results follow their calls, in the order of the calls. Those in the right place stay, and the
//! others are inserted between them. A log keeps the order in which its agent wrote it: there only
//! a result before its call is moved.

use super::{
    matching::{Call, Matching},
    *,
};
use crate::dialect::shared::reply::{InlineCall, Reply, WrittenCall};

/// Where a transcript has the results of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResultPlacement {
    /// As parts of a user message.
    Part,
    /// As separate messages.
    Message,
    /// As lines of a history.
    Line,
}

impl RepairContext<'_> {
    /// Moves every result to its call, removes those without a call, and answers the calls of these
    /// defects.
    pub fn arrange(&mut self, found: &[&Defect]) {
        let unanswered: BTreeSet<u32> = found.iter().filter_map(|defect| defect.block).collect();
        let Matching {
            calls,
            surplus,
            nameless,
        } = self.matching();
        let transcript = self.transcript;
        let multi_record = |block| transcript.message_with(block).multi_record;
        self.removed
            .extend(surplus.into_iter().filter(|block| !multi_record(*block)));
        let open = |&block: &u32| !nameless && !self.is_answered_elsewhere(block);
        // Where results are paired by a copy of their call, another of several equal calls may be
        // the unanswered one.
        let all = calls.iter().filter(|call| call.result.is_none());
        let unanswered: BTreeSet<u32> = if self.repeats_calls() && !unanswered.is_empty() {
            all.map(|call| call.block).collect()
        } else {
            unanswered.into_iter().filter(open).collect()
        };
        let order: HashMap<u32, usize> = calls
            .iter()
            .map(|call| call.result)
            .zip(0..)
            .filter_map(|(result, i)| Some((result?, i)))
            .collect();
        let turns = self.turns();
        let placements: HashMap<u32, ResultPlacement> = calls
            .iter()
            .map(|call| (call.block, self.placement(call)))
            .collect();
        // Where results are parts of a message, the calls of a turn are answered together.
        for group in calls
            .chunk_by(|a, b| {
                let at = placements[&a.block];
                let other = placements[&b.block];
                let in_turn = at == ResultPlacement::Part && turns[a.message] == turns[b.message];
                at == other && (a.message == b.message || in_turn)
            })
            .filter(|group| !multi_record(group[0].block))
        {
            let placement = placements[&group[0].block];
            let last = group[group.len() - 1].message;
            // Messages after calls without a result come after the new answers.
            let apart = self.rules.calls_last && group.iter().all(|call| call.result.is_none());
            let ends = placement == ResultPlacement::Part && !apart;
            let last = (last + 1..turns.len())
                .take_while(|&j| ends && turns[j] == turns[last])
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
                    spot = match placement {
                        ResultPlacement::Part => InsertionPoint::Behind(result),
                        _ => InsertionPoint::After(self.message_of(result)),
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
                    let insertion = self.neutral(call);
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
            let block = self.transcript.block(call.block);
            InlineCall {
                start: self.place_of(call.block).start,
                call: self.transcript.link(block).call,
                id: self.raw_id(call.block),
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
        let rules = &self.rules;
        let role = match placement {
            ResultPlacement::Message => Role::Tool,
            _ => Role::User,
        };
        let count = transcript.messages.len();
        let behind = (last + 1..count).take_while(|&j| transcript.messages[j].role == role);
        let mixed = || behind.clone().find(|&j| !transcript.is_only_results(j));
        let first = rules.results_first && placement == ResultPlacement::Part;
        let end = match placement {
            ResultPlacement::Line => 0,
            ResultPlacement::Message => count,
            ResultPlacement::Part if first => count,
            ResultPlacement::Part if self.repeats_calls() => mixed().unwrap_or(count),
            // Only results may come before them in their turn.
            ResultPlacement::Part if rules.calls_follow_input => mixed().map_or(count, |j| j + 1),
            ResultPlacement::Part => count,
        };
        let parts = behind.clone().filter(|j| *j < end);
        // Results come before any other content of the user.
        parts
            .flat_map(|j| transcript.parts(j))
            .take_while(|(_, block)| !first || block.kind == BlockKind::Result)
            .filter_map(|(at, _)| own.contains(&at).then_some(at))
            .collect()
    }

    /// Returns the largest subset of results whose order is that of their calls.
    fn in_order(&self, near: &[u32], order: &HashMap<u32, usize>) -> HashSet<u32> {
        if self.rules.is_history {
            return near.iter().copied().collect();
        }
        // For each length, the result that ends the best sequence; and for each result the one
        // before it in its sequence.
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

    /// Returns where the first answer to message `last` is inserted; `near` is the first answer
    /// that is there.
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
        let is_empty = self.transcript.blocks_of(i).is_empty();
        !self.transcript.has(i, BlockKind::Result)
            && (self.rules.calls_follow_input && !is_empty || self.repeats_calls())
    }

    /// Returns whether a result stays although it is not among the answers to its call's message.
    fn stays(&self, call: &Call, result: u32, placement: ResultPlacement) -> bool {
        let message = &self.transcript.message_with(result);
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
        let reply = if self.transcript.messages[i].role == Role::Tool {
            Reply::Message(self.bytes[self.whole(i)].to_vec())
        } else {
            let part = self
                .element_of(result)
                .unwrap_or_else(|| self.place_of(result));
            Reply::Part(self.bytes[part].to_vec())
        };
        // A line without other content is moved as a whole.
        let alone = self.transcript.parts(i).nth(1).is_none();
        let container = match placement {
            ResultPlacement::Line if alone => self.container(i),
            _ => None,
        };
        Insertion {
            from: Some(result),
            line: container.map(|container| container.place),
            ..self.insertion(call, reply)
        }
    }

    /// Returns the neutral result for a call.
    fn neutral(&mut self, call: &Call) -> Option<Insertion> {
        let block = self.transcript.block(call.block);
        let written = &self.bytes[self.place_of(call.block)];
        let id = self.raw_id(call.block);
        let reply = WrittenCall::new(written, id, self.transcript.tool_of(block))
            .reply(&self.dialect.replies, &self.rules)?;
        Some(self.insertion(call, reply))
    }

    /// Returns the insertion of an answer to a call. The envelope of a new line is made from the
    /// call's record and id.
    fn insertion(&mut self, call: &Call, reply: Reply) -> Insertion {
        let record = self.record_around(call.message, self.place_of(call.block).start);
        Insertion {
            reply,
            from: None,
            line: None,
            call: record.map_or(self.start(call.message), |record| record.start),
            seed: self.raw_id(call.block).to_vec(),
        }
    }

    fn placement(&mut self, call: &Call) -> ResultPlacement {
        let start = self.place_of(call.block).start;
        let in_runs = self.inline().is_some_and(|inline| inline.results.is_some());
        let is_line = in_runs || self.record_around(call.message, start).is_some();
        if self.rules.is_history && is_line {
            return ResultPlacement::Line;
        }
        if self.is_part(call.block) {
            ResultPlacement::Part
        } else {
            ResultPlacement::Message
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript::PARTS;

    /// A body of calls in one message, and of results to them in the order of `key`.
    fn body(calls: usize, key: fn(usize) -> usize) -> Vec<u8> {
        let call = |i| format!(r#"{{"type":"tool_use","id":"t{i}","name":"f","input":{{}}}}"#);
        let result =
            |i| format!(r#"{{"type":"tool_result","tool_use_id":"t{i}","content":"{i}"}}"#);
        let mut order: Vec<usize> = (0..calls).collect();
        order.sort_by_key(|i| key(*i));
        let list = |parts: Vec<String>| parts.join(",");
        let calls = list((0..calls).map(call).collect());
        let results = list(order.into_iter().map(result).collect());
        format!(
            r#"{{"model":"claude-x","max_tokens":1,"tools":[{{"name":"f","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":"go"}},{{"role":"assistant","content":[{calls}]}},{{"role":"user","content":[{results},{{"type":"tool_result","tool_use_id":"none","content":"x"}}]}}]}}"#
        )
        .into_bytes()
    }

    /// The parts that are looked at while results are put into the order of their calls grow with
    /// the body.
    #[test]
    fn moved_results_take_work_in_proportion() {
        for key in [|i: usize| usize::MAX - i, |i: usize| i * 7919 % 8192] {
            let found = [200, 800].map(|calls| {
                PARTS.set(0);
                let body = body(calls, key);
                let repaired = crate::repair(&body).unwrap();
                let found = &repaired.report.integrity;
                assert!(
                    !found.before.is_empty() && found.after.is_empty(),
                    "{found:?}"
                );
                PARTS.get() as f64
            });
            let exponent = (found[1] / found[0]).log(4.0);
            assert!(exponent < 1.1, "{exponent:.2}: {found:?}");
        }
    }
}
