//! Extends the parts that a pass wants to remove by all parts tied to them, and excludes those that would remove a part that must
//! be kept.
//!
//! A part must be kept if it is protected ([`super::protection`]), or if the provider requires it: the user's message at the
//! beginning, an end that is not the assistant's, roles that alternate. A part that would remove such a part with it is kept, and
//! reported with the reason.

use super::dependencies::{Dependencies, Part, drops_traced};
use super::note;
use super::protection::Protection;
use super::sequence::{around_system, may_follow};
use crate::Error;
use crate::edit::{Proposal, Reason, View};
use crate::settings::Settings;
use crate::transcript::{BlockKind, FirstMessage, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Rounds of leaving parts, each of which may show more that must be left.
const ROUNDS: usize = 64;

/// Returns the cuts of those parts of `wanted` that can be removed, and the other parts with the reasons why they are kept.
///
/// # Errors
/// The input cannot be read any more.
pub fn remove(
    view: &View<'_>,
    settings: &Settings,
    pass: &'static str,
    dependencies: &Dependencies<'_>,
    mut wanted: BTreeMap<Part, Reason>,
) -> Result<Proposal, Error> {
    let protection = Protection::new(view, dependencies, settings)?;
    let mut skipped: BTreeMap<Part, String> = BTreeMap::new();
    let mut proposal = note("what it would cut hangs together with what must stay");
    for _ in 0..ROUNDS {
        let all = dependencies.trace(wanted.keys().copied());
        let mut bad: Vec<(Part, String)> = all
            .keys()
            .filter_map(|&part| Some((part, protection.reason(part)?.to_owned())))
            .collect();
        if bad.is_empty() {
            bad = broken_order(view, dependencies, &all.keys().copied().collect());
        }
        if bad.is_empty() {
            proposal.cuts = drops_traced(view, pass, &all, &wanted);
            proposal.note = None;
            break;
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
    let skip = |(part, why)| view.skip(pass, part, why);
    proposal.skipped = skipped.into_iter().map(skip).collect();
    Ok(proposal)
}

/// The parts of `gone` that a provider would miss for the order of messages, each with why: nothing where all is well, or
/// no worse than it came.
pub fn broken_order(
    view: &View<'_>,
    dependencies: &Dependencies<'_>,
    gone: &BTreeSet<Part>,
) -> Vec<(Part, String)> {
    let messages = &view.transcript.messages;
    // Of each message that loses parts, how many it loses, and the last of them.
    let mut losses: BTreeMap<u32, (usize, Part)> = BTreeMap::new();
    for &part in gone {
        let (lost, last) = losses.entry(part.0).or_insert((0, part));
        *lost += usize::from(!view.is_part_gone(part));
        *last = part;
    }
    let spoken: Vec<u32> = view
        .left()
        .filter(|&i| messages[i].role != Role::System)
        .map(|i| i as u32)
        .collect();
    let removed: BTreeMap<u32, Part> = losses
        .into_iter()
        .filter(|(i, (lost, _))| *lost == view.parts_left(*i as usize).count())
        .map(|(i, (_, last))| (i, last))
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
        view.parts_left(i as usize)
            .any(|(index, b)| b.kind == BlockKind::Call && !gone.contains(&(i, index)))
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
