//! Matches results with calls across the whole input.
//!
//! A provider's rules pair calls and results that are in order. Here a result may come before its call or long after it, in the wrong
//! message, or twice. If both sides have ids, the ids decide, and for an id that is used again the nearest call; otherwise the tool's name
//! and the nearest call without a result. No result is left unmatched while a call that it may answer has none.

use super::RepairContext;
use crate::dialect::shared::reply::WrittenCall;
use crate::json::locate::member;
use crate::json::{Id, IdMap, IdSet};
use crate::transcript::{Block, BlockKind, Flags, Link, Role};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// A call and its result.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) message: usize,
    pub(super) block: u32,
    /// The block of its result.
    pub(super) result: Option<u32>,
    /// Whether the result follows it, with no other call of the id between.
    pub(super) behind: bool,
    /// How much that says.
    worth: Worth,
}

/// How much a result says. Of several results of a call the one that says most is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    #[default]
    None,
    /// The placeholder of a repair.
    Placeholder,
    Empty,
    Error,
    Says,
}

impl Call {
    /// Returns whether the call has no result, or one that says nothing.
    pub(super) fn is_open(&self) -> bool {
        self.worth <= Worth::Empty
    }
}

/// All calls in order, and the results without a call.
#[derive(Debug, Default)]
pub(super) struct Matching {
    pub(super) calls: Vec<Call>,
    /// Results to remove, in order.
    pub(super) surplus: Vec<u32>,
    /// Whether a result lacks an id although its format has ids: it may answer any call, so that no placeholder is added.
    pub(super) nameless: bool,
}

impl Matching {
    fn give(&mut self, call: usize, answer: Answer, behind: bool) {
        let call = &mut self.calls[call];
        self.surplus.extend(call.result.replace(answer.block));
        (call.worth, call.behind) = (answer.worth, behind);
    }
}

/// A result to be matched.
#[derive(Clone, Copy)]
struct Answer {
    block: u32,
    link: Link,
    worth: Worth,
}

impl Answer {
    /// Whether it may be removed where another result answers its call.
    fn is_neutral(&self) -> bool {
        self.worth <= Worth::Empty
    }
}

/// The calls of one id.
#[derive(Default)]
struct CallsOfId {
    calls: Vec<usize>,
    /// The turn of the last call.
    turn: usize,
    /// The calls of that turn before this one have results other than placeholders.
    waiting: usize,
    /// The calls of that turn before this one have a result or a placeholder.
    bare: usize,
    /// All calls before this one, in any turn, have results other than placeholders.
    open: usize,
    /// Digests of the contents of the results that answer these calls, computed when first needed.
    said: Option<IdSet>,
}

impl RepairContext<'_> {
    /// Matches all calls and results.
    pub(super) fn matching(&self) -> Matching {
        let mut found = Matching::default();
        let mut by_id: IdMap<CallsOfId> = IdMap::default();
        let (mut misplaced, mut misplaced_tools) = (IdSet::default(), HashSet::new());
        let mut nameless_call = false;
        let mut left: Vec<Answer> = Vec::new();
        let links = |kind: BlockKind| {
            self.linked()
                .filter(move |(.., b)| b.kind == kind)
                .map(|(.., b)| self.transcript.link(&b))
        };
        let named = |kind| {
            links(kind)
                .filter(|link| !link.id.is_empty())
                .map(|link| link.call)
                .collect::<IdSet>()
        };
        let (named, named_results) = (named(BlockKind::Call), named(BlockKind::Result));
        // If a record contains a call with its result, they belong together, even if another call has the same id.
        let one = self.inline().is_some_and(|inline| inline.results.is_none());
        // Otherwise, if some have an id, the others should, except a call and a result without ids that answer each other.
        let bare = |kind| {
            links(kind)
                .filter(|link| link.id.is_empty())
                .map(|link| link.call)
                .collect::<IdSet>()
        };
        let (bare, bare_results) = (bare(BlockKind::Call), bare(BlockKind::Result));
        nameless_call |= !one && !named.is_empty() && !bare.is_subset(&bare_results);
        found.nameless |= !one && !named_results.is_empty() && !bare_results.is_subset(&bare);
        let (turns, empty, copies) = (self.turns(), Id::of(b""), self.copies());
        let mut records: HashMap<Range<usize>, usize> = HashMap::new();
        for (message, block, linked) in self.linked() {
            let mut link = self.transcript.link(&linked);
            if self.repeats_calls() {
                // A result that contains its call belongs to an equal one anywhere.
                let repeated = self.repeated(message, block, linked.kind == BlockKind::Result);
                link.call = Id::of_all([&link.tool.to_le_bytes()[..], repeated]);
            }
            if link.call.is_none() || link.call == empty {
                found.nameless |= linked.kind == BlockKind::Result;
                nameless_call |= linked.kind == BlockKind::Call;
                continue;
            }
            let its_call = records.get(&self.place(message, linked.span)).copied();
            if linked.kind == BlockKind::Result && its_call.is_none() && copies.contains(&block) {
                found.surplus.push(block);
            } else if linked.kind == BlockKind::Result {
                let answer = Answer {
                    block,
                    link,
                    worth: self.worth(message, block, link),
                };
                // The nearest turn that makes a call of this id; in it the first one that waits. One that names no id may have been
                // read as the result of a call that another names.
                let guessed = link.id.is_empty() && named_results.contains(&link.call);
                let waiting = || {
                    by_id
                        .get_mut(&link.call)
                        .filter(|_| !guessed)
                        .and_then(|same| same.next(&found, answer.worth))
                };
                match its_call.or_else(waiting) {
                    Some(call) => found.give(call, answer, true),
                    None => left.push(answer),
                }
            } else if self.is_misplaced(message, &linked) {
                misplaced_tools.insert(link.tool);
                misplaced.insert(link.call);
            } else {
                // A call without an id may have been paired with a result that has one.
                if !link.id.is_empty() || !named.contains(&link.call) {
                    by_id
                        .entry(link.call)
                        .or_default()
                        .add(found.calls.len(), turns[message]);
                }
                records.extend(one.then(|| (self.place(message, linked.span), found.calls.len())));
                found.calls.push(Call {
                    message,
                    block,
                    result: None,
                    behind: false,
                    worth: Worth::None,
                });
            }
        }
        left.retain(|&answer| {
            if answer.link.id.is_empty() && named_results.contains(&answer.link.call) {
                return true;
            }
            let other = nameless_call || misplaced.contains(&answer.link.call);
            !self.by_id(&mut found, &mut by_id, answer, other)
        });
        let left = self.by_name(&mut found, left);
        // A result that contains its call is never missing a call, unless it is a copy of another result.
        let said = |block: u32| {
            self.repeats_calls()
                .then(|| Id::of_value(&self.bytes[self.place_of(block)]))
        };
        let known: HashSet<Option<Id>> = found
            .calls
            .iter()
            .filter_map(|call| call.result)
            .map(said)
            .collect();
        let nameless = found.nameless;
        let stays = |answer: &Answer| {
            if said(answer.block).is_some_and(|said| known.contains(&Some(said))) {
                return false;
            }
            let id = answer.link.call;
            // It may answer a call without an id, or one in the wrong message.
            let anyone = answer.link.id.is_empty()
                && (nameless || misplaced_tools.contains(&answer.link.tool));
            (nameless_call || anyone) && !answer.is_neutral()
                || misplaced.contains(&id)
                || !by_id.contains_key(&id)
                    && (self.transcript.calls_elsewhere
                        || self.off_context.calls(id, self.raw_id(answer.block)))
        };
        found.surplus.extend(
            left.iter()
                .filter(|answer| !stays(answer))
                .map(|answer| answer.block),
        );
        found.surplus.sort_unstable();
        found
    }

    /// Returns how much a result says. One that names no id is never empty.
    fn worth(&self, message: usize, block: u32, link: Link) -> Worth {
        let says_nothing = || {
            let content = &self.bytes[self.place(message, link.content)];
            matches!(content, b"" | b"\"\"" | b"null" | b"[]")
                || link.children > 0
                    && self
                        .transcript
                        .inside(block)
                        .iter()
                        .all(|b| b.kind == BlockKind::Text && b.chars == 0)
        };
        match self.transcript.blocks[block as usize].flags {
            _ if self.is_neutral(message, block, link.children) => Worth::Placeholder,
            _ if !link.id.is_empty() && says_nothing() => Worth::Empty,
            flags if flags.has(Flags::ERROR) => Worth::Error,
            _ => Worth::Says,
        }
    }

    /// Matches a remaining result with an unanswered call of its id, anywhere. Returns whether it is settled: with `other`, a result that
    /// differs from the others of its id may still answer another call.
    fn by_id(
        &self,
        found: &mut Matching,
        by_id: &mut IdMap<CallsOfId>,
        answer: Answer,
        other: bool,
    ) -> bool {
        let Some(same) = by_id.get_mut(&answer.link.call) else {
            return false;
        };
        let text = self.content_of(answer.block);
        let said = same.said.get_or_insert_with(|| {
            let results = same.calls.iter().filter_map(|&c| found.calls[c].result);
            results.map(|result| self.content_of(result)).collect()
        });
        while same
            .calls
            .get(same.open)
            .is_some_and(|&c| !found.calls[c].is_open())
        {
            same.open += 1;
        }
        match same.calls.get(same.open) {
            _ if answer.is_neutral() || !said.insert(text) => found.surplus.push(answer.block),
            Some(&call) => found.give(call, answer, false),
            None if other => return false,
            None => found.surplus.push(answer.block),
        }
        true
    }

    /// Matches results with the nearest unanswered calls of their tool, if one side has no id; returns those that remain.
    fn by_name(&self, found: &mut Matching, answers: Vec<Answer>) -> Vec<Answer> {
        let mut waiting: HashMap<Kind, BTreeSet<usize>> = HashMap::new();
        let messages: Vec<usize> = found.calls.iter().map(|call| call.message).collect();
        if answers.iter().any(|answer| !answer.is_neutral()) {
            for (i, call) in found
                .calls
                .iter()
                .enumerate()
                .filter(|(_, call)| call.is_open())
            {
                let link = self.transcript.link_at(call.block);
                // A result that does not name its tool may answer any call.
                for tool in [link.tool, 0] {
                    waiting
                        .entry((!link.id.is_empty(), tool))
                        .or_default()
                        .insert(i);
                }
            }
        }
        let mut take = |answer: &Answer,
                        near: &dyn Fn(&BTreeSet<usize>, usize) -> Option<usize>|
         -> Option<usize> {
            let behind = found
                .calls
                .partition_point(|call| call.block < answer.block);
            let named = !answer.link.id.is_empty();
            let kinds = [false, true]
                .into_iter()
                .filter(|called| !(*called && named))
                .map(|called| (called, answer.link.tool));
            let call = kinds
                .filter_map(|kind| near(waiting.get(&kind)?, behind))
                .max_by_key(|call| {
                    // The nearest call, before or after.
                    std::cmp::Reverse(call.abs_diff(behind))
                })?;
            let link = self.transcript.link_at(found.calls[call].block);
            for tool in [link.tool, 0] {
                if let Some(calls) = waiting.get_mut(&(!link.id.is_empty(), tool)) {
                    calls.remove(&call);
                }
            }
            found.give(call, *answer, false);
            Some(call)
        };
        // Backwards, so that consecutive results answer consecutive calls.
        let mut early: Vec<Answer> = answers;
        early.reverse();
        if self.repeats_calls() {
            // A result directly after calls takes precedence over one that contains another call.
            early.retain(|answer| {
                let own = self.message_of(answer.block);
                let directly = |call: &usize| {
                    (messages[*call] + 1..own).all(|j| self.transcript.is_only_results(j))
                };
                let near = |calls: &BTreeSet<usize>, behind: usize| {
                    calls.range(..behind).next_back().copied().filter(directly)
                };
                answer.is_neutral() || take(answer, &near).is_none()
            });
        }
        early.retain(|answer| {
            answer.is_neutral()
                || take(answer, &|calls, behind| {
                    calls.range(..behind).next_back().copied()
                })
                .is_none()
        });
        early.reverse();
        early.retain(|answer| {
            answer.is_neutral()
                || take(answer, &|calls, behind| {
                    calls.range(behind..).next().copied()
                })
                .is_none()
        });
        early
    }

    /// Returns the parameters of a call in Cohere's version 1, which its result repeats.
    fn repeated(&self, message: usize, block: u32, result: bool) -> &[u8] {
        let place = self
            .place(message, self.transcript.blocks[block as usize].span)
            .start;
        let call = if result {
            member(self.bytes, place, "call").map(|m| m.value.start)
        } else {
            Some(place)
        };
        call.and_then(|at| member(self.bytes, at, "parameters"))
            .map_or(&[], |m| &self.bytes[m.value])
    }

    /// Returns the id of a call or a result as it is spelled.
    pub(super) fn raw_id(&self, block: u32) -> &[u8] {
        &self.bytes[self.place(self.message_of(block), self.transcript.link_at(block).id)]
    }

    /// Returns the digest of the content of the result at index `block`.
    pub(super) fn content_of(&self, block: u32) -> Id {
        let link = self.transcript.link_at(block);
        Id::of_value(&self.bytes[self.place(self.message_of(block), link.content)])
    }

    /// Returns whether a call is in a message that cannot contain calls: it is not answered there.
    pub(super) fn is_misplaced(&self, message: usize, call: &Block) -> bool {
        let user = self.transcript.messages[message].role == Role::User;
        user && !self.rules.is_history && self.is_part(self.place(message, call.span))
    }

    /// Returns whether the call at `place` is a part of a content.
    pub(super) fn is_part(&self, place: Range<usize>) -> bool {
        WrittenCall::new(&self.bytes[place], b"", "").is_part()
    }

    /// Returns, for each message, the first message of its turn.
    pub(super) fn turns(&self) -> Vec<usize> {
        let messages = &self.transcript.messages;
        // Consecutive messages of one role are one turn for the server.
        let (mut turns, mut spoke): (Vec<usize>, Option<usize>) =
            (Vec::with_capacity(messages.len()), None);
        for (i, message) in messages.iter().enumerate() {
            let before = match self.rules.merges {
                true => i
                    .checked_sub(1)
                    .filter(|&j| messages[j].role == message.role),
                false => spoke.filter(|_| message.continues),
            };
            turns.push(before.map_or(i, |j| turns[j]));
            if message.role == Role::Assistant {
                spoke = Some(i);
            }
        }
        turns
    }
}

/// Whether a call has an id, and its tool.
type Kind = (bool, u32);

impl CallsOfId {
    fn add(&mut self, call: usize, turn: usize) {
        if self.calls.is_empty() || turn != self.turn {
            (self.turn, self.waiting, self.bare) = (turn, self.calls.len(), self.calls.len());
        }
        self.calls.push(call);
    }

    /// Returns the first call of the last turn whose result says nothing, else its last call if this result says more; for a result that
    /// says nothing, the first call without any.
    fn next(&mut self, found: &Matching, worth: Worth) -> Option<usize> {
        if worth <= Worth::Empty {
            while self
                .calls
                .get(self.bare)
                .is_some_and(|&c| found.calls[c].result.is_some())
            {
                self.bare += 1;
            }
            return self.calls.get(self.bare).copied();
        }
        while self
            .calls
            .get(self.waiting)
            .is_some_and(|&c| !found.calls[c].is_open())
        {
            self.waiting += 1;
        }
        let last = || self.calls.last().filter(|&&c| found.calls[c].worth < worth);
        self.calls.get(self.waiting).or_else(last).copied()
    }
}
