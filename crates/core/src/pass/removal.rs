//! Extends the parts that a pass wants to remove by all parts tied to them, and excludes those that
//! would remove a part that must be kept.
//!
//! A part must be kept if it is protected ([`super::protection`]), or if the provider requires it:
//! the user's message at the beginning, an end that is not the assistant's, roles that alternate. A
//! part that would remove such a part with it is kept, and reported with the reason. Only what a
//! removal can break is tested here; `check` has the complete rules of each provider.

use super::{
    dependencies::drops_traced,
    protection::{OF_USER, Protection},
    *,
};
use crate::transcript::{FirstMessage, StartAfterCut, SystemPlacement};

/// The number of rounds in which parts are kept: each round may show more parts that must be kept.
const ROUNDS: usize = 64;

/// Returns the cuts of those parts of `wanted` that can be removed, and the other parts with the
/// reasons why they are kept.
///
/// # Errors
/// The input cannot be read any more.
pub fn remove(
    view: &View<'_>,
    settings: &Settings,
    pass: &'static str,
    mut wanted: BTreeMap<Part, Reason>,
) -> Result<Proposal> {
    let protection = Protection::new(view, settings)?;
    let mut skipped: BTreeMap<Part, String> = BTreeMap::new();
    let mut proposal = note("what it would cut hangs together with what must stay");
    for _ in 0..ROUNDS {
        let all = view.trace(wanted.keys().copied());
        let mut bad: Vec<(Part, &str)> = all
            .keys()
            .filter_map(|&part| Some((part, protection.reason(part)?)))
            .collect();
        // A message that a person selected is removed with all its parts.
        if pass != select::PASS.name {
            for &part in all.keys() {
                if view.user_words(part)?.is_some() {
                    bad.push((part, OF_USER));
                }
            }
        }
        if bad.is_empty() {
            bad = broken_order(view, &all.keys().copied().collect());
        }
        if bad.is_empty() {
            proposal.cuts = drops_traced(view, pass, &all, &wanted);
            proposal.note = None;
            break;
        }
        for (part, why) in bad {
            let mut leave: BTreeSet<Part> = view.close([part]);
            leave.extend(all.get(&part));
            for part in leave {
                if wanted.remove(&part).is_some() {
                    skipped.insert(part, why.to_owned());
                }
            }
        }
    }
    let skip = |(part, why)| view.skip(pass, part, why);
    proposal.skipped = skipped.into_iter().map(skip).collect();
    Ok(proposal)
}

/// Returns the parts of `gone` that the order of messages needs, each with the reason; none if the
/// order is right, or no worse than in the input.
pub fn broken_order(view: &View<'_>, gone: &BTreeSet<Part>) -> Vec<(Part, &'static str)> {
    // The messages that lose all their parts, each with the last of them.
    let mut removed: BTreeMap<u32, Part> = gone.iter().map(|part| (part.0, *part)).collect();
    removed.retain(|&i, _| {
        let mut left = view.parts_left(i as usize);
        left.all(|(index, _)| gone.contains(&(i, index)))
    });
    if removed.is_empty() {
        return Vec::new();
    }
    let role = |i: u32| view.transcript.messages[i as usize].role;
    let left = view.left().map(|i| i as u32);
    let spoken: Vec<u32> = left.filter(|&i| role(i) != Role::System).collect();
    let stay: Vec<usize> = (0..spoken.len())
        .filter(|&n| !removed.contains_key(&spoken[n]))
        .collect();
    let of = |n: &usize| role(spoken[*n]);
    let mut found = Vec::new();
    let mut needs = |i: u32, why| found.extend(removed.get(&i).map(|part| (*part, why)));
    if let Some(&first) = spoken.first()
        && view.rules.opening != FirstMessage::Any
        && role(first) == Role::User
        && stay.first().map(of) != Some(Role::User)
    {
        // The nearest removed message of the user would do as well, but a reader misses the
        // beginning.
        needs(first, "the first message must be the user's");
    }
    if let Some(&last) = spoken.last()
        && !view.rules.is_history
        && role(last) != Role::Assistant
        && stay.last().map(of) == Some(Role::Assistant)
    {
        let why = "without it the transcript would end with the assistant";
        needs(last, why);
    }
    for i in around_system(view) {
        needs(i as u32, "a system message is beside it");
    }
    let calls = |i: u32| {
        let mut calls = view.left_of(i as usize, BlockKind::Call);
        calls.any(|index| !gone.contains(&(i, index)))
    };
    let follows = |a: u32, b: u32| match view.rules.calls_follow_input {
        true => role(a) != Role::Assistant || role(b) != Role::Assistant || !calls(b),
        false => may_follow(view, a as usize, b as usize),
    };
    for pair in stay.windows(2) {
        let between = &spoken[pair[0] + 1..pair[1]];
        if !between.is_empty() && !follows(spoken[pair[0]], spoken[pair[1]]) {
            let why = "without it two messages of one role would follow each other";
            between.iter().for_each(|&i| needs(i, why));
        }
    }
    found
}

/// Whether a conversation may begin with message `i`.
pub fn may_begin(view: &View<'_>, i: usize) -> bool {
    let message = &view.transcript.messages[i];
    let own = message.role == Role::User && !view.holds(i, BlockKind::Result);
    match view.rules.start {
        StartAfterCut::User => own,
        StartAfterCut::UserOrAgent => own || message.role == Role::Other,
        StartAfterCut::NotResult => message.role != Role::Tool,
    }
}

/// Whether message `b` may be directly behind message `a`, where something else was between them.
pub fn may_follow(view: &View<'_>, a: usize, b: usize) -> bool {
    let messages = &view.transcript.messages;
    let (before, after) = (messages[a].role, messages[b].role);
    // A result behind the step of others would count as one of theirs.
    if !view.rules.pairs_by_id
        && view.holds(b, BlockKind::Result)
        && (view.holds(a, BlockKind::Call) || view.holds(a, BlockKind::Result))
        && !of_one_step(view, a, b)
    {
        return false;
    }
    let bridged = view.rules.results_are_answered && before == Role::Tool;
    if bridged && after == Role::User && !view.holds(b, BlockKind::Result) {
        return false;
    }
    if view.rules.alternates {
        return before != after || after == Role::Tool;
    }
    !view.rules.calls_follow_input
        || after != Role::Assistant
        || before != Role::Assistant
        || !view.holds(b, BlockKind::Call)
}

/// Returns the neighbours of system messages that stay, where the provider requires the system
/// message between them.
pub fn around_system(view: &View<'_>) -> Vec<usize> {
    let placement = view.rules.system;
    if !matches!(
        placement,
        SystemPlacement::NotAfterAnswer | SystemPlacement::BeforeAnswer
    ) {
        return Vec::new();
    }
    let is_system = |i: usize| view.transcript.messages[i].role == Role::System;
    let (mut found, mut before, mut is_behind) = (Vec::new(), None, false);
    for i in view.left() {
        if is_system(i) {
            // The opening of a conversation comes before all other messages.
            found.extend(before);
            is_behind = before.is_some() && placement == SystemPlacement::BeforeAnswer;
            continue;
        }
        found.extend(Some(i).filter(|_| std::mem::take(&mut is_behind)));
        before = Some(i);
    }
    found.dedup();
    found
}

/// Whether `a` holds a call that `b` answers, or another answer to the calls of the same message.
fn of_one_step(view: &View<'_>, a: usize, b: usize) -> bool {
    let calls = |i: usize| {
        view.parts_left(i)
            .flat_map(|(index, _)| view.paired_with(index))
            .map(|&block| view.message_of(block))
    };
    calls(b).any(|call| call == a || calls(a).any(|other| other == call))
}
