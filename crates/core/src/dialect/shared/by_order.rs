//! Pairs results with calls where ids are missing: Gemini, Mistral, Ollama, Cohere's first interface, and OpenAI's old functions.
//!
//! Where both sides have an id, ids pair them. Otherwise the results that follow answer the calls by name and order; a result
//! without a tool name answers by order alone. Such a pair gets an id made from the position of its call, so that checks and passes
//! see pairs only.

use crate::dialect::EntryReleased;
use crate::dialect::builder::TranscriptBuilder;
use crate::json::{GeneratedId, Id};
use crate::settings::Scope;
use crate::transcript::{BlockKind, Link, Role};

/// All messages count; calls and results are paired.
pub fn context(builder: &mut TranscriptBuilder, _: Scope) -> Result<(), EntryReleased> {
    // Links of calls that wait for the results to them, and of results that came.
    let (mut waiting, mut came): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for i in 0..builder.messages.len() {
        let mut calls: Vec<usize> = links_of(builder, i, BlockKind::Call).collect();
        let results: Vec<usize> = links_of(builder, i, BlockKind::Result).collect();
        let is = |i: usize, role| builder.messages.get(i).is_some_and(|m| m.role == role);
        if !results.is_empty() && is(i, Role::Assistant) {
            // Results among the calls that they answer are in the wrong place, but answer them all the same.
            waiting.append(&mut calls);
        }
        came.extend(results);
        // Results that are messages of their own answer together, and neighbours of the model are one turn: the calls of all of them wait.
        let results_continue = is(i, Role::Tool) && is(i + 1, Role::Tool);
        let calls_continue = i > 0 && is(i - 1, Role::Assistant) && is(i, Role::Assistant);
        if !results_continue && !came.is_empty() {
            waiting = answer(builder, waiting, &std::mem::take(&mut came));
        }
        if !calls.is_empty() {
            if !calls_continue {
                pair_calls(builder, &std::mem::take(&mut waiting));
            }
            waiting.extend(calls);
        }
    }
    pair_calls(builder, &waiting);
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

/// All messages count; a result that names no call answers the one call of the message before it that has no id, as OpenAI's
/// `function_call` has none. Where ids are wanted and several are missing, nothing is guessed.
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

/// Whether a link's id is in the record; else it only says what it looks like.
fn is_named(link: &Link) -> bool {
    link.call.is_some() && !link.id.is_empty()
}

/// Pairs `results` with the calls before them; returns the calls that none of them answers, as a late one may.
fn answer(builder: &mut TranscriptBuilder, mut calls: Vec<usize>, results: &[usize]) -> Vec<usize> {
    let mut open: Vec<usize> = Vec::new();
    for &result in results {
        let id = builder.links[result].call;
        match calls
            .iter()
            .position(|&call| id.is_some() && builder.links[call].call == id)
        {
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
    calls
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

/// Gives calls that nothing answers an id of their own where they have none.
fn pair_calls(builder: &mut TranscriptBuilder, calls: &[usize]) {
    for &call in calls {
        if !is_named(&builder.links[call]) {
            builder.links[call].call = made(call);
        }
    }
}

/// An id for the link of this index.
fn made(link: usize) -> Id {
    Id::generated(GeneratedId::Link, link as u64)
}
