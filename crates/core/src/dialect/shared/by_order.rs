//! Pairs results with calls where ids are missing: Gemini, Mistral, Ollama, Cohere's first API, and
//! OpenAI's old functions.
//!
//! Where both sides have an id, ids pair them. Otherwise the results that follow answer the calls
//! by name and order; a result without a tool name answers by order alone. Such a pair gets an id
//! made from the position of its call, so that checks and passes see pairs only.

use crate::{
    dialect::{EntryReleased, builder::TranscriptBuilder},
    json::{GeneratedId, Id},
    settings::Scope,
    transcript::{BlockKind, Link, Role},
};
use std::collections::{HashMap, VecDeque};

/// All messages count; calls and results are paired.
pub fn context(builder: &mut TranscriptBuilder, _: Scope) -> Result<(), EntryReleased> {
    // The links of the results so far.
    let (mut waiting, mut came) = (Waiting::default(), Vec::<usize>::new());
    for i in 0..builder.messages.len() {
        let mut calls: Vec<usize> = links_of(builder, i, BlockKind::Call).collect();
        let results: Vec<usize> = links_of(builder, i, BlockKind::Result).collect();
        let is = |i: usize, role| builder.messages.get(i).is_some_and(|m| m.role == role);
        if !results.is_empty() && is(i, Role::Assistant) {
            // Results among the calls that they answer are in the wrong place, but answer them all
            // the same.
            waiting.add(builder, std::mem::take(&mut calls));
        }
        came.extend(results);
        // Results that are messages of their own answer together, and neighbours of the model are
        // one turn: the calls of all of them wait.
        let results_continue = is(i, Role::Tool) && is(i + 1, Role::Tool);
        let calls_continue = i > 0 && is(i - 1, Role::Assistant) && is(i, Role::Assistant);
        if !results_continue && !came.is_empty() {
            waiting.answer(builder, std::mem::take(&mut came));
        }
        if !calls.is_empty() {
            if !calls_continue {
                std::mem::take(&mut waiting).close(builder);
            }
            waiting.add(builder, calls);
        }
    }
    waiting.close(builder);
    Ok(())
}

/// The links of the blocks of this kind in message `i`.
fn links_of(
    builder: &TranscriptBuilder,
    i: usize,
    kind: BlockKind,
) -> impl Iterator<Item = usize> + '_ {
    let blocks = builder.blocks_of(i as u32).iter();
    blocks
        .filter(move |block| block.kind == kind)
        .map(|block| block.extra as usize)
}

/// All messages count; a result that names no call answers the one call of the message before it
/// that has no id, as OpenAI's `function_call` has none. Where ids are wanted and several are
/// missing, nothing is guessed.
pub fn functions(builder: &mut TranscriptBuilder, _: Scope) -> Result<(), EntryReleased> {
    if builder.links.iter().all(|link| link.call.is_some()) {
        return Ok(());
    }
    // The links without ids of a message, if it has but one.
    let one = |builder: &TranscriptBuilder, i: usize, kind| {
        let nameless = |link: &usize| builder.links[*link].call.is_none();
        let mut links = links_of(builder, i, kind).filter(nameless);
        links.next().filter(|_| links.next().is_none())
    };
    for i in 1..builder.messages.len() {
        if builder.messages[i].role == Role::Tool
            && let Some(call) = one(builder, i - 1, BlockKind::Call)
            && let Some(result) = one(builder, i, BlockKind::Result)
        {
            pair(builder, call, result);
        }
    }
    Ok(())
}

/// Whether a link's id is in the record.
fn is_named(link: &Link) -> bool {
    link.call.is_some() && !link.id.is_empty()
}

/// Calls that wait for the results to them, so that each result finds the first that fits at once.
#[derive(Default)]
struct Waiting {
    /// The links of calls, and whether they still wait.
    calls: Vec<(usize, bool)>,
    /// Their places by id; and by whether they have one and by their tool, or under 0 for any tool.
    queues: HashMap<(Id, bool, u32), VecDeque<usize>>,
}

impl Waiting {
    fn add(&mut self, builder: &TranscriptBuilder, calls: Vec<usize>) {
        for call in calls {
            let link = builder.links[call];
            let kind = |tool| (Id::NONE, is_named(&link), tool);
            for key in [(link.call, true, 0), kind(link.tool), kind(0)] {
                let queue = self.queues.entry(key).or_default();
                queue.push_back(self.calls.len());
            }
            self.calls.push((call, true));
        }
    }

    /// Pairs results with calls; those that none of them answers still wait, as a late one may.
    fn answer(&mut self, builder: &mut TranscriptBuilder, mut results: Vec<usize>) {
        results.retain(|&result| {
            let id = builder.links[result].call;
            id.is_none() || !self.gives(builder, result, &[(id, true, 0)])
        });
        for result in results {
            let link = builder.links[result];
            // Two ids that differ are no pair.
            let kinds = [false, true].map(|named| (Id::NONE, named, link.tool));
            let kinds = if is_named(&link) { &kinds[..1] } else { &kinds };
            if !self.gives(builder, result, kinds) && !is_named(&link) {
                builder.links[result].call = made(result);
            }
        }
    }

    /// Gives a result the first call under these keys; returns whether there is one.
    fn gives(
        &mut self,
        builder: &mut TranscriptBuilder,
        result: usize,
        keys: &[(Id, bool, u32)],
    ) -> bool {
        let first = keys.iter().filter_map(|key| {
            let queue = self.queues.get_mut(key)?;
            while !self.calls[*queue.front()?].1 {
                queue.pop_front();
            }
            queue.front().copied()
        });
        let Some(at) = first.min() else { return false };
        self.calls[at].1 = false;
        pair(builder, self.calls[at].0, result);
        true
    }

    /// Gives calls without an answer an id of their own if they have none.
    fn close(self, builder: &mut TranscriptBuilder) {
        for (call, _) in self.calls.into_iter().filter(|(_, waits)| *waits) {
            if !is_named(&builder.links[call]) {
                builder.links[call].call = made(call);
            }
        }
    }
}

/// Gives a call and its result one id.
fn pair(builder: &mut TranscriptBuilder, call: usize, result: usize) {
    let named = [call, result]
        .into_iter()
        .find(|&i| is_named(&builder.links[i]));
    let id = named.map_or_else(|| made(call), |i| builder.links[i].call);
    builder.links[call].call = id;
    builder.links[result].call = id;
}

/// An id for the link of this index.
fn made(link: usize) -> Id {
    Id::generated(GeneratedId::Link, link as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{settings::Estimator, transcript::Span};
    use proptest::prelude::*;

    /// Pairs each result by a search over all calls that wait: the oracle.
    fn one_by_one(builder: &mut TranscriptBuilder, calls: &mut Vec<usize>, results: Vec<usize>) {
        let mut open = Vec::new();
        for result in results {
            let id = builder.links[result].call;
            let same = |&call: &usize| id.is_some() && builder.links[call].call == id;
            match calls.iter().position(same) {
                Some(at) => pair(builder, calls.remove(at), result),
                None => open.push(result),
            }
        }
        for result in open {
            let one = builder.links[result];
            let fits = |&call: &usize| {
                let other = builder.links[call];
                (one.tool == 0 || other.tool == one.tool) && !(is_named(&other) && is_named(&one))
            };
            match calls.iter().position(fits) {
                Some(at) => pair(builder, calls.remove(at), result),
                None if is_named(&one) => {}
                None => builder.links[result].call = made(result),
            }
        }
    }

    proptest! {
        #[test]
        fn a_result_takes_the_first_call_that_fits(
            links in prop::collection::vec((0..4u8, 0..3u32, any::<bool>()), 8..28),
            ends in prop::collection::vec(0..28usize, 3),
        ) {
            let builder = || {
                let mut builder = TranscriptBuilder::new(Estimator::Utf16);
                let link = |&(id, tool, named): &(u8, u32, bool)| Link {
                    call: if id == 0 { Id::NONE } else { Id::of(&[id]) },
                    id: Span { start: 0, end: u32::from(named) },
                    tool,
                    children: 0,
                    content: Span::default(),
                };
                builder.links = links.iter().map(link).collect();
                builder
            };
            // Calls, results, further calls and further results.
            let mut ends: Vec<usize> = ends.into_iter().map(|end| end.min(links.len())).collect();
            ends.sort_unstable();
            let parts = [0..ends[0], ends[0]..ends[1], ends[1]..ends[2], ends[2]..links.len()];
            let (mut found, mut waiting) = (builder(), Waiting::default());
            let (mut wanted, mut calls) = (builder(), Vec::new());
            for both in parts.chunks(2) {
                waiting.add(&found, both[0].clone().collect());
                waiting.answer(&mut found, both[1].clone().collect());
                calls.extend(both[0].clone());
                one_by_one(&mut wanted, &mut calls, both[1].clone().collect());
            }
            let left = waiting.calls.iter().filter(|(_, waits)| *waits).map(|(call, _)| *call);
            prop_assert_eq!(left.collect::<Vec<_>>(), calls);
            let ids = |builder: &TranscriptBuilder| -> Vec<Id> {
                builder.links.iter().map(|link| link.call).collect()
            };
            prop_assert_eq!(ids(&found), ids(&wanted));
        }
    }
}
