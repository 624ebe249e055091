//! Pairs of calls and results: E01, E02, E03, E05 and E06.

use super::Finder;
use crate::json::{Id, IdMap};
use crate::transcript::{BlockKind, IdScope, Results, Role, Span, Transcript};

/// A call found so far.
struct Call {
    message: usize,
    block: u32,
    group: usize,
    answered: bool,
    /// The id that its defects name; none if the id is only a position, as positions change.
    about: Id,
}

/// Finds calls without results, results without calls, and pairs in the wrong place or with the wrong name.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let mut calls: IdMap<Call> =
        IdMap::with_capacity_and_hasher(transcript.links.len() / 2, Default::default());
    let mut group = 0;
    // In a log the other half may be a part of an unknown kind.
    let history = rules.is_history;
    let may_be_new = |id: &Id| history && transcript.unread.ids.contains(id);
    // The last message before the current one that is not a result.
    let mut said = 0;
    for (i, message) in transcript.messages.iter().enumerate() {
        if i > 0 && message.role != transcript.messages[i - 1].role {
            group += 1;
        }
        if i > 0 && transcript.messages[i - 1].role != Role::Tool {
            said = i - 1;
        }
        for (index, block) in transcript
            .numbered_blocks_of(i)
            .filter(|(_, b)| b.is_linked())
        {
            let link = transcript.link(block);
            let id = link.call;
            let about = if link.id == Span::default() {
                Id::NONE
            } else {
                id
            };
            let tool = transcript.tool_of(block);
            if id.is_none() {
                continue;
            }
            if block.kind == BlockKind::Call {
                let earlier = calls.insert(
                    id,
                    Call {
                        message: i,
                        block: index,
                        group,
                        answered: false,
                        about,
                    },
                );
                if let Some(earlier) = earlier {
                    let together = transcript.begin_of(earlier.message) == transcript.begin_of(i);
                    let twice = match rules.unique {
                        IdScope::Message => together,
                        IdScope::Turn => earlier.group == group,
                        IdScope::Conversation => true,
                    };
                    if twice {
                        finder.report(
                            "E06",
                            i,
                            Some(index),
                            about,
                            format!("the id of a call of {tool:?} was used before"),
                        );
                    }
                    if !earlier.answered
                        && !may_be_new(&id)
                        && !misplaced(finder, earlier.message, true)
                    {
                        finder.report(
                            "E01",
                            earlier.message,
                            Some(earlier.block),
                            earlier.about,
                            format!("a call of {tool:?} has no result"),
                        );
                    }
                }
                continue;
            }
            match calls.get_mut(&id) {
                None if transcript.calls_elsewhere || may_be_new(&id) => {}
                None => finder.report("E02", i, Some(index), about, "a result answers no call"),
                Some(call) if call.answered => {
                    finder.report(
                        "E05",
                        i,
                        Some(index),
                        about,
                        format!("a call of {tool:?} has a second result"),
                    );
                }
                Some(call) => {
                    call.answered = true;
                    let misplaced =
                        misplaced(finder, call.message, true) || misplaced(finder, i, false);
                    if !misplaced && !is_adjacent(transcript, rules.results, call, i, group, said) {
                        finder.report(
                            "E03",
                            i,
                            Some(index),
                            about,
                            format!("the result of {tool:?} does not follow its call directly"),
                        );
                    }
                }
            }
        }
    }
    // In a history the calls of the last step may still be running, and those of an interrupted message never ran.
    let answers =
        |i: usize| transcript.messages[i].role == Role::Tool || transcript.is_only_results(i);
    let last_step = (0..transcript.messages.len())
        .rev()
        .find(|&i| !answers(i))
        .map_or(0, |i| transcript.begin_of(i));
    let excused = |call: &Call| {
        misplaced(finder, call.message, true)
            || history
                && (call.message >= last_step || transcript.messages[call.message].broken_off)
    };
    let is_open = |(id, call): &(&Id, &Call)| !call.answered && !excused(call) && !may_be_new(id);
    let mut open: Vec<&Call> = calls.iter().filter(is_open).map(|(_, call)| call).collect();
    open.sort_by_key(|call| call.block);
    for call in open {
        let tool = transcript.tool_of(&transcript.blocks[call.block as usize]);
        finder.report(
            "E01",
            call.message,
            Some(call.block),
            call.about,
            format!("a call of {tool:?} has no result"),
        );
    }
}

/// Returns whether message `i` cannot contain calls (or results). This is reported, rather than the missing other half.
fn misplaced(finder: &Finder<'_>, i: usize, calls: bool) -> bool {
    let role = finder.transcript.messages[i].role;
    finder.rules.roles_checked && role == if calls { Role::User } else { Role::Assistant }
}

/// Returns whether a result in message `i` is where the provider expects the answer to `call`; `said` is the last message before it that is
/// not a result.
fn is_adjacent(
    transcript: &Transcript,
    results: Results,
    call: &Call,
    i: usize,
    group: usize,
    said: usize,
) -> bool {
    let next = group == call.group + 1;
    match results {
        Results::Anywhere => true,
        // The server merges messages of one role; the answer must be in the next of these turns.
        Results::NextTurn => next,
        Results::NextResults => {
            let between =
                (call.message + 1..i).filter(|&j| transcript.messages[j].role != Role::Assistant);
            next && between.into_iter().all(|j| transcript.is_only_results(j))
        }
        Results::Directly => said <= call.message,
        Results::Run => (call.message + 1..i)
            .all(|j| transcript.messages[j].role == Role::Tool || transcript.is_only_results(j)),
        Results::Either => next || said <= call.message,
    }
}
