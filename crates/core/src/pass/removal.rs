//! Extends the parts that a pass wants to remove by all parts tied to them, and excludes those that would remove a part that must
//! be kept.
//!
//! A part must be kept if it is protected ([`super::protection`]), or if the provider requires it: the user's message at the
//! beginning, an end that is not the assistant's, roles that alternate. A part that would remove such a part with it is kept, and
//! reported with the reason.

use super::dependencies::{Dependencies, Part, drops_traced};
use super::protection::Protection;
use super::sequence::{around_system, may_follow};
use crate::edit::{Proposal, Reason, View};
use crate::transcript::{BlockKind, FirstMessage, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Rounds of leaving parts, each of which may show more that must be left.
const ROUNDS: usize = 64;

/// Returns the cuts of those parts of `wanted` that can be removed, and the other parts with the reasons why they are kept.
pub fn remove(
    view: &View<'_>,
    pass: &'static str,
    dependencies: &Dependencies<'_>,
    protection: &Protection<'_>,
    wanted: BTreeMap<Part, Reason>,
) -> Proposal {
    let mut wanted = wanted;
    let mut skipped: BTreeMap<Part, String> = BTreeMap::new();
    let rows = |skipped: BTreeMap<Part, String>| {
        skipped
            .into_iter()
            .map(|(part, why)| view.skip(pass, part, why))
            .collect()
    };
    for _ in 0..ROUNDS {
        let all = dependencies.trace(wanted.keys().copied());
        let bad = must_stay(view, dependencies, protection, &all);
        if bad.is_empty() {
            let cuts = drops_traced(view, pass, &all, &wanted);
            return Proposal {
                cuts,
                skipped: rows(skipped),
                ..Proposal::default()
            };
        }
        for (part, why) in bad {
            let mut leave: BTreeSet<Part> = dependencies.close([part]);
            leave.extend(all.get(&part));
            for part in leave {
                if wanted.remove(&part).is_some() {
                    skipped.insert(part, why.clone());
                }
            }
        }
    }
    let note = "what it would cut hangs together with what must stay".to_owned();
    Proposal {
        skipped: rows(skipped),
        note: Some(note),
        ..Proposal::default()
    }
}

/// The parts of `all` that must stay, each with why.
fn must_stay(
    view: &View<'_>,
    dependencies: &Dependencies<'_>,
    protection: &Protection<'_>,
    all: &BTreeMap<Part, Part>,
) -> Vec<(Part, String)> {
    let pinned: Vec<_> = all
        .keys()
        .filter_map(|&part| Some((part, protection.reason(part)?.to_owned())))
        .collect();
    if !pinned.is_empty() {
        return pinned;
    }
    broken_order(view, dependencies, &all.keys().copied().collect())
}

/// The parts of `gone` that a provider would miss for the order of messages, each with why: nothing where all is well, or
/// no worse than it came.
pub fn broken_order(
    view: &View<'_>,
    dependencies: &Dependencies<'_>,
    gone: &BTreeSet<Part>,
) -> Vec<(Part, String)> {
    let transcript = view.transcript;
    let messages = &transcript.messages;
    // Of each message that loses parts, how many it loses, and the last of them.
    let mut losses: BTreeMap<u32, (usize, Part)> = BTreeMap::new();
    for &part in gone {
        let entry = losses.entry(part.0).or_insert((0, part));
        *entry = (
            entry.0 + usize::from(!view.is_block_gone(part.0 as usize, part.1)),
            part,
        );
    }
    let spoken: Vec<u32> = (0..messages.len() as u32)
        .filter(|&i| messages[i as usize].role != Role::System && !view.is_gone(i as usize))
        .collect();
    let removed_by = |i: u32| {
        let parts = || {
            view.parts(i as usize)
                .filter(|(index, _)| !view.is_block_gone(i as usize, *index))
                .count()
        };
        losses
            .get(&i)
            .filter(|(n, _)| *n == parts())
            .map(|(_, part)| *part)
    };
    let removed: BTreeMap<u32, Part> = losses
        .keys()
        .filter_map(|&i| Some((i, removed_by(i)?)))
        .collect();
    if removed.is_empty() {
        return Vec::new();
    }
    let role = |i: u32| messages[i as usize].role;
    let stay: Vec<usize> = (0..spoken.len())
        .filter(|&n| !removed.contains_key(&spoken[n]))
        .collect();
    let mut found = Vec::new();
    let (first, last) = (stay.first().copied(), stay.last().copied());
    let first_is_user = view.rules.opening != FirstMessage::Any;
    if first_is_user
        && spoken.first().is_some_and(|&i| role(i) == Role::User)
        && first.is_none_or(|n| role(spoken[n]) != Role::User)
    {
        // The nearest of the user's that is removed would do as well, but it is the beginning that a reader misses.
        found.extend(
            removed
                .get(&spoken[0])
                .map(|part| (*part, "the first message must be the user's".to_owned())),
        );
    }
    let ends_well = spoken.last().is_some_and(|&i| role(i) != Role::Assistant);
    if !view.rules.is_history
        && ends_well
        && last.is_some_and(|n| role(spoken[n]) == Role::Assistant)
    {
        found.extend(spoken.last().and_then(|i| removed.get(i)).map(|part| {
            (
                *part,
                "without it the transcript would end with the assistant".to_owned(),
            )
        }));
    }
    let why = "a system message is beside it";
    found.extend(
        around_system(view)
            .into_iter()
            .filter_map(|i| Some((*removed.get(&(i as u32))?, why.to_owned()))),
    );
    let calls = |i: u32| {
        let lost = |index| gone.contains(&(i, index)) || view.is_block_gone(i as usize, index);
        view.parts(i as usize)
            .any(|(index, b)| b.kind == BlockKind::Call && !lost(index))
    };
    let follows = |a: u32, b: u32| match view.rules.calls_follow_input {
        true => role(a) != Role::Assistant || role(b) != Role::Assistant || !calls(b),
        false => may_follow(view, dependencies, a as usize, b as usize),
    };
    for pair in stay
        .windows(2)
        .filter(|pair| pair[1] > pair[0] + 1 && !follows(spoken[pair[0]], spoken[pair[1]]))
    {
        let between = (pair[0] + 1..pair[1]).filter_map(|n| removed.get(&spoken[n]));
        found.extend(between.map(|part| {
            (
                *part,
                "without it two messages of one role would follow each other".to_owned(),
            )
        }));
    }
    found
}
