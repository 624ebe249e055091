//! Pairs of calls and results: E01, E02, E03, E05 and E06.

use super::{Finder, table};
use crate::json::{Id, IdMap};
use crate::transcript::{BlockKind, IdScope, NoteKind, Results, Role, Span, Transcript};

/// A call found so far.
struct Call {
    message: usize,
    block: u32,
    group: usize,
    answered: bool,
}

/// Finds calls without results, results without calls, and pairs in the wrong place or with the wrong name.
///
/// A provider reads in order: the newest call of an id is the one that is answered, and a second answer is one too many. The pairs of the
/// transcript, which say what is removed together, give that answer to an earlier call.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let mut calls: IdMap<Call> =
        IdMap::with_capacity_and_hasher(transcript.links.len() / 2, Default::default());
    // In a log the other half may be a part of an unknown kind.
    let history = rules.is_history;
    let may_be_new = |id: &Id| history && transcript.unread.ids.contains(id);
    // `said` is the last message before the current one that is not a result.
    let (mut group, mut said, mut role) = (0, 0, None);
    for (i, message) in transcript.messages.iter().enumerate() {
        if let Some(before) = role.replace(message.role) {
            group += usize::from(before != message.role);
            said = if before == Role::Tool { said } else { i - 1 };
        }
        for (index, block) in transcript
            .numbered_blocks_of(i)
            .filter(|(_, b)| b.is_linked())
        {
            let (id, tool) = (transcript.link(block).call, transcript.tool_of(block));
            let about = subject(transcript, index);
            if id.is_none() {
                continue;
            }
            if block.kind == BlockKind::Call {
                let call = Call {
                    message: i,
                    block: index,
                    group,
                    answered: false,
                };
                if let Some(earlier) = calls.insert(id, call) {
                    let twice = match rules.unique {
                        IdScope::Message => {
                            transcript.begin_of(earlier.message) == transcript.begin_of(i)
                        }
                        IdScope::Turn => earlier.group == group,
                        IdScope::Conversation => true,
                    };
                    if twice {
                        let detail = format!("the id of a call of {tool:?} was used before");
                        finder.report("E06", index, detail).about(about);
                    }
                    if !earlier.answered
                        && !may_be_new(&id)
                        && !misplaced(finder, earlier.message, true)
                    {
                        unanswered(finder, earlier.block);
                    }
                }
                continue;
            }
            let Some(call) = calls.get_mut(&id) else {
                if !transcript.calls_elsewhere && !may_be_new(&id) {
                    finder
                        .report("E02", index, "a result answers no call")
                        .about(about);
                }
                continue;
            };
            let found = if std::mem::replace(&mut call.answered, true) {
                Some(("E05", format!("a call of {tool:?} has a second result")))
            } else if !misplaced(finder, call.message, true)
                && !misplaced(finder, i, false)
                && !is_adjacent(transcript, rules.results, call, i, group, said)
            {
                let detail = format!("the result of {tool:?} does not follow its call directly");
                Some(("E03", detail))
            } else {
                None
            };
            if let Some((code, detail)) = found {
                finder.report(code, index, detail).about(about);
            }
        }
    }
    let open = calls
        .into_iter()
        .filter(|(id, call)| !call.answered && !may_be_new(id));
    let open: Vec<Call> = open.map(|(_, call)| call).collect();
    unanswered_at_the_end(finder, open);
}

/// E01 for calls to which no result came. In a history the calls of the last step may still be running, and those of an interrupted
/// message never ran.
fn unanswered_at_the_end(finder: &mut Finder<'_>, open: Vec<Call>) {
    let (transcript, history) = (finder.transcript, finder.rules.is_history);
    let answers =
        |i: usize| transcript.messages[i].role == Role::Tool || transcript.is_only_results(i);
    let last_step = (0..transcript.messages.len())
        .rev()
        .find(|&i| !answers(i))
        .map_or(0, |i| transcript.begin_of(i));
    for call in open {
        let excused =
            history && (call.message >= last_step || transcript.messages[call.message].broken_off);
        if !excused && !misplaced(finder, call.message, true) {
            unanswered(finder, call.block);
        }
    }
}

/// Returns the id that the defects of a call or a result name; none if the id is only a position, as positions change.
fn subject(transcript: &Transcript, block: u32) -> Id {
    let link = transcript.link_at(block);
    if link.id == Span::default() {
        Id::NONE
    } else {
        link.call
    }
}

/// E01 for the call at index `block`. Only a screenshot answers some.
fn unanswered(finder: &mut Finder<'_>, block: u32) {
    let transcript = finder.transcript;
    if !finder.rules.calls_answered {
        return;
    }
    let screen = finder.facts_of(block).any(|fact| fact == NoteKind::Screen);
    let tool = transcript.tool_of(&transcript.blocks[block as usize]);
    let defect = finder.report("E01", block, format!("a call of {tool:?} has no result"));
    defect.about(subject(transcript, block));
    if screen {
        defect.by_hand(table::SCREEN);
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
        Results::NextMessage => {
            (call.message + 1..i).all(|j| transcript.messages[j].role == Role::Assistant)
        }
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
