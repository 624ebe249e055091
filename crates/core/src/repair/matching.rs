//! Matches results with calls across the whole input.
//!
//! A provider's rules pair calls and results that are in order. Here a result may come before its
//! call or long after it, in the wrong message, or twice. If both sides have ids, the ids decide,
//! and for an id that is used again the nearest call; otherwise the tool's name and the nearest
//! call without a result. No result is left unmatched while a call that it may answer has none.

use super::{bind::NEAR, *};
use crate::{
    dialect::shared::reply::WrittenCall,
    settings::Settings,
    transcript::{Flags, Link},
};
use serde_json::Value;
use std::{cmp::Reverse, sync::LazyLock};

/// A call and its result.
pub struct Call {
    pub message: usize,
    pub block: u32,
    /// The block of its result.
    pub result: Option<u32>,
    /// Whether the result follows it, with no other call of the id between.
    pub behind: bool,
    /// How much that says.
    worth: Worth,
}

/// How much a result says. Of several results of a call the one that says most is kept.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
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
    pub fn is_open(&self) -> bool {
        self.worth <= Worth::Empty
    }
}

/// All calls in order, and the results without a call.
#[derive(Default)]
pub struct Matching {
    pub calls: Vec<Call>,
    /// Results to remove, in order.
    pub surplus: Vec<u32>,
    /// Whether a result lacks an id although its format has ids: it may answer any call, so that no
    /// placeholder is added.
    pub nameless: bool,
}

impl Matching {
    fn give(&mut self, call: usize, answer: Answer, behind: bool) {
        let call = &mut self.calls[call];
        self.surplus.extend(call.result.replace(answer.block));
        call.worth = answer.worth;
        call.behind = behind;
    }
}

/// A result to be matched.
#[derive(Clone, Copy)]
pub struct Answer {
    pub block: u32,
    link: Link,
    worth: Worth,
}

impl Answer {
    /// Whether it may be removed where another result answers its call.
    fn is_neutral(&self) -> bool {
        self.worth <= Worth::Empty
    }
}

/// Calls and results that were matched in order, and what decides about the rest.
#[derive(Default)]
pub struct InOrder {
    pub found: Matching,
    by_id: IdMap<CallsOfId>,
    /// The ids and the tools of calls in messages that cannot contain calls.
    misplaced: IdSet,
    misplaced_tools: HashSet<u32>,
    /// Whether a call lacks an id although its format has ids.
    nameless_call: bool,
    /// The ids that results name.
    named_results: IdSet,
    /// The results without a call.
    pub left: Vec<Answer>,
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
}

impl RepairContext<'_> {
    /// Matches calls with the results after them that have their ids.
    pub fn matched_in_order(&self) -> InOrder {
        let mut all = InOrder::default();
        let ids = |kind: BlockKind, named: bool| -> IdSet {
            self.linked()
                .filter(|(.., block)| block.kind == kind)
                .map(|(.., block)| self.transcript.link(block))
                .filter(|link| link.id.is_empty() != named)
                .map(|link| link.call)
                .collect()
        };
        let named = ids(BlockKind::Call, true);
        all.named_results = ids(BlockKind::Result, true);
        // If a record contains a call with its result, they belong together, even if another call
        // has the same id.
        let one = self.inline().is_some_and(|inline| inline.results.is_none());
        // Otherwise, if some have an id, the others should, except a call and a result without ids
        // that answer each other.
        let bare = ids(BlockKind::Call, false);
        let bare_results = ids(BlockKind::Result, false);
        all.nameless_call = !one && !named.is_empty() && !bare.is_subset(&bare_results);
        all.found.nameless =
            !one && !all.named_results.is_empty() && !bare_results.is_subset(&bare);
        let turns = self.turns();
        let empty = Id::of(b"");
        let copies = self.copies();
        let mut records: HashMap<Range<usize>, usize> = HashMap::new();
        for (message, block, linked) in self.linked() {
            let mut link = self.transcript.link(linked);
            let result = linked.kind == BlockKind::Result;
            if self.repeats_calls() {
                // A result that contains its call belongs to an equal one anywhere.
                let repeated = self.repeated(block, result);
                link.call = Id::of_all([&link.tool.to_le_bytes()[..], repeated]);
            }
            if link.call.is_none() || link.call == empty {
                all.found.nameless |= result;
                all.nameless_call |= !result;
                continue;
            }
            let place = self.place(message, linked.span);
            let its_call = records.get(&place).copied();
            if result && its_call.is_none() && copies.contains(&block) {
                all.found.surplus.push(block);
            } else if result {
                let worth = self.worth(block);
                let answer = Answer { block, link, worth };
                // The nearest turn that makes a call of this id; in it the first one that waits.
                // One that names no id may have been read as the result of a call that another
                // names.
                let guessed = link.id.is_empty() && all.named_results.contains(&link.call);
                let waiting = || {
                    all.by_id
                        .get_mut(&link.call)
                        .filter(|_| !guessed)
                        .and_then(|same| same.next(&all.found, answer.worth))
                };
                match its_call.or_else(waiting) {
                    Some(call) => all.found.give(call, answer, true),
                    None => all.left.push(answer),
                }
            } else if self.is_misplaced(block) {
                all.misplaced_tools.insert(link.tool);
                all.misplaced.insert(link.call);
            } else {
                // A call without an id may have been paired with a result that has one.
                if !link.id.is_empty() || !named.contains(&link.call) {
                    all.by_id
                        .entry(link.call)
                        .or_default()
                        .add(all.found.calls.len(), turns[message]);
                }
                records.extend(one.then_some((place, all.found.calls.len())));
                all.found.calls.push(Call {
                    message,
                    block,
                    result: None,
                    behind: false,
                    worth: Worth::None,
                });
            }
        }
        all
    }

    /// Matches all calls and results.
    pub fn matching(&self) -> Matching {
        let InOrder {
            mut found,
            mut by_id,
            misplaced,
            misplaced_tools,
            nameless_call,
            named_results,
            mut left,
        } = self.matched_in_order();
        left.retain(|&answer| {
            let link = answer.link;
            let other = nameless_call || misplaced.contains(&link.call);
            link.id.is_empty() && named_results.contains(&link.call)
                || !Self::by_id(&mut found, &mut by_id, answer, other)
        });
        let left = self.by_name(&mut found, left);
        // A result that contains its call is never missing a call, unless it is a copy of another
        // result.
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

    /// Returns how much a result says. A call whose result names no id never waits for another one.
    fn worth(&self, result: u32) -> Worth {
        let content = self.content_at(result);
        let says =
            serde_json::from_slice(content).map_or(!content.is_empty(), |value| says(&value));
        match self.transcript.block(result).flags {
            _ if self.is_neutral(result) => Worth::Placeholder,
            _ if !says && !self.transcript.link_at(result).id.is_empty() => Worth::Empty,
            flags if !says || flags.has(Flags::ERROR) => Worth::Error,
            _ => Worth::Says,
        }
    }

    /// Matches a remaining result with an unanswered call of its id, anywhere. Returns whether it
    /// is settled: with `other`, it may still answer another call.
    fn by_id(
        found: &mut Matching,
        by_id: &mut IdMap<CallsOfId>,
        answer: Answer,
        other: bool,
    ) -> bool {
        let Some(same) = by_id.get_mut(&answer.link.call) else {
            return false;
        };
        match first(&same.calls, &mut same.open, |c| found.calls[c].is_open()) {
            _ if answer.is_neutral() => found.surplus.push(answer.block),
            Some(call) => found.give(call, answer, false),
            None if other => return false,
            None => found.surplus.push(answer.block),
        }
        true
    }

    /// Matches results with the nearest unanswered calls of their tool, if one side has no id;
    /// returns those that remain.
    fn by_name(&self, found: &mut Matching, answers: Vec<Answer>) -> Vec<Answer> {
        // A result that does not name its tool may answer any call.
        let mut waiting: HashMap<Kind, BTreeSet<usize>> = HashMap::new();
        let kinds = |block: u32| {
            let link = self.transcript.link_at(block);
            [link.tool, 0].map(|tool| (!link.id.is_empty(), tool))
        };
        let messages: Vec<usize> = found.calls.iter().map(|call| call.message).collect();
        if answers.iter().any(|answer| !answer.is_neutral()) {
            for (i, call) in found
                .calls
                .iter()
                .enumerate()
                .filter(|(_, call)| call.is_open())
            {
                for kind in kinds(call.block) {
                    waiting.entry(kind).or_default().insert(i);
                }
            }
        }
        // Returns whether no call that `near` finds takes the result.
        let mut is_left = |answer: &Answer, near: &Near<'_>| {
            let behind = found
                .calls
                .partition_point(|call| call.block < answer.block);
            let named = !answer.link.id.is_empty();
            let called: &[bool] = if named { &[false] } else { &[false, true] };
            let calls = called
                .iter()
                .filter_map(|called| near(waiting.get(&(*called, answer.link.tool))?, behind));
            // The nearest call, before or after.
            let Some(call) = calls
                .max_by_key(|call| Reverse(call.abs_diff(behind)))
                .filter(|_| !answer.is_neutral())
            else {
                return true;
            };
            for kind in kinds(found.calls[call].block) {
                if let Some(calls) = waiting.get_mut(&kind) {
                    calls.remove(&call);
                }
            }
            found.give(call, *answer, false);
            false
        };
        // Backwards, so that consecutive results answer consecutive calls.
        let mut left = answers;
        left.reverse();
        if self.repeats_calls() {
            // A result directly after calls takes precedence over one that contains another call.
            left.retain(|answer| {
                let own = self.message_of(answer.block);
                is_left(answer, &|calls, behind| {
                    let call = *calls.range(..behind).next_back()?;
                    let mut between = messages[call] + 1..own;
                    between
                        .all(|j| self.transcript.is_only_results(j))
                        .then_some(call)
                })
            });
        }
        left.retain(|answer| {
            is_left(answer, &|calls, behind| {
                calls.range(..behind).next_back().copied()
            })
        });
        left.reverse();
        left.retain(|answer| {
            is_left(answer, &|calls, behind| {
                calls.range(behind..).next().copied()
            })
        });
        left.retain(|answer| !self.replaces(found, *answer));
        left
    }

    /// Gives a result without an id to one of the calls of the message before it: the one whose
    /// result says least, if this result says more. Neither may have an id.
    fn replaces(&self, found: &mut Matching, answer: Answer) -> bool {
        let link = answer.link;
        let before = found
            .calls
            .partition_point(|call| call.block < answer.block);
        let calls = found.calls[..before].iter().enumerate().rev().take(NEAR);
        let message = calls.clone().next().map(|(_, call)| call.message);
        let least = calls
            .take_while(|(_, call)| Some(call.message) == message)
            .filter(|(_, call)| {
                let other = self.transcript.link_at(call.block);
                let fits = other.tool == link.tool || link.tool == 0;
                fits && other.id.is_empty() && link.id.is_empty()
            })
            .min_by_key(|(_, call)| call.worth);
        let call = least.filter(|(_, call)| call.worth < answer.worth);
        let call = call.map(|(call, _)| call);
        call.map(|call| found.give(call, answer, true)).is_some()
    }

    /// Returns the parameters of a call in Cohere's version 1, which its result repeats.
    fn repeated(&self, block: u32, result: bool) -> &[u8] {
        let call = match self.place_of(block).start {
            at if result => self.value_of(at, "call").map(|call| call.start),
            at => Some(at),
        };
        call.and_then(|at| self.value_of(at, "parameters"))
            .map_or(&[], |parameters| &self.bytes[parameters])
    }

    /// Returns the id of a call or a result as it is spelled.
    pub fn raw_id(&self, block: u32) -> &[u8] {
        &self.bytes[self.id_place(block)]
    }

    /// Returns the range in the input of the id of a call or a result.
    pub fn id_place(&self, block: u32) -> Range<usize> {
        self.place(self.message_of(block), self.transcript.link_at(block).id)
    }

    /// Returns the content of a result.
    pub fn content_at(&self, result: u32) -> &[u8] {
        let content = self.transcript.link_at(result).content;
        &self.bytes[self.place(self.message_of(result), content)]
    }

    /// Returns whether a call is in a message that cannot contain calls: it is not answered there.
    pub fn is_misplaced(&self, call: u32) -> bool {
        let user = self.transcript.message_with(call).role == Role::User;
        user && !self.rules.is_history && self.is_part(call)
    }

    /// Returns whether a call is a part of a content.
    pub fn is_part(&self, call: u32) -> bool {
        WrittenCall::new(&self.bytes[self.place_of(call)], b"", "").is_part()
    }

    /// Returns, for each message, the first message of its turn.
    pub fn turns(&self) -> Vec<usize> {
        let messages = &self.transcript.messages;
        let mut turns = Vec::with_capacity(messages.len());
        for (i, message) in messages.iter().enumerate() {
            turns.push(match i.checked_sub(1) {
                _ if !self.rules.merges => self.transcript.begin_of(i),
                // Consecutive messages of one role are one turn for the server.
                Some(before) if messages[before].role == message.role => turns[before],
                _ => i,
            });
        }
        turns
    }
}

/// The texts that pruning leaves in the place of results.
static NOTES: LazyLock<Vec<String>> = LazyLock::new(|| Settings::default().notes());

/// Returns whether there is a text with words, a number or `true` in a value. Codex notes beside an
/// output whether the call succeeded.
fn says(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty() && !NOTES.contains(text),
        Value::Array(all) => all.iter().any(says),
        Value::Object(all) => all
            .iter()
            .any(|(name, value)| name != "type" && name != "success" && says(value)),
        _ => true,
    }
}

/// Whether a call has an id, and its tool.
type Kind = (bool, u32);
/// Finds one of these calls for a result, before which the number of calls is the second argument.
type Near<'a> = dyn Fn(&BTreeSet<usize>, usize) -> Option<usize> + 'a;

impl CallsOfId {
    fn add(&mut self, call: usize, turn: usize) {
        if self.calls.is_empty() || turn != self.turn {
            self.turn = turn;
            self.waiting = self.calls.len();
            self.bare = self.calls.len();
        }
        self.calls.push(call);
    }

    /// Returns the first call of the last turn whose result says nothing, else its last call if
    /// this result says more; for a result that says nothing, the first call without any.
    fn next(&mut self, found: &Matching, worth: Worth) -> Option<usize> {
        if worth <= Worth::Empty {
            let bare = |call: usize| found.calls[call].result.is_none();
            return first(&self.calls, &mut self.bare, bare);
        }
        let last = self.calls.last().copied();
        first(&self.calls, &mut self.waiting, |c| found.calls[c].is_open())
            .or(last.filter(|last| found.calls[*last].worth < worth))
    }
}

/// Returns the first call from `from` on that is `free`. None before it becomes free again, so that
/// `from` moves there.
fn first(calls: &[usize], from: &mut usize, free: impl Fn(usize) -> bool) -> Option<usize> {
    *from += calls
        .get(*from..)
        .unwrap_or_default()
        .iter()
        .take_while(|call| !free(**call))
        .count();
    calls.get(*from).copied()
}
