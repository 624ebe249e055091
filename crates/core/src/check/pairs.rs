//! Pairs of calls and results: E01, E02, E03, E05, E06 and E07, and for tools of a server E20 and
//! E21.

use super::*;
use crate::{
    json::IdMap,
    transcript::{IdScope, Results, Span},
};

/// A call without a result so far.
struct Call {
    message: usize,
    block: u32,
    group: usize,
}

/// The calls of an id found so far.
#[derive(Default)]
struct Calls {
    /// Message and turn of the newest.
    newest: Option<(usize, usize)>,
    /// Those without a result: the newest, and those that share its id against the rules (E06),
    /// which a repair renames.
    open: Vec<Call>,
}

/// Finds calls without results, results without calls, and pairs in the wrong place or with the
/// wrong name.
///
/// A provider reads in order: the newest call of an id is the one that is answered, and a second
/// answer is one too many. The pairs of the transcript, which say what is removed together, give
/// that answer to an earlier call.
pub fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    if rules.unpaired {
        return;
    }
    let mut calls: IdMap<Calls> =
        IdMap::with_capacity_and_hasher(transcript.links.len() / 2, Default::default());
    // In a log, a part of an unknown kind may be the other half.
    let history = rules.is_history;
    let may_be_new = |id: &Id| history && transcript.unread.ids.contains(id);
    // What may not be between a call and its result.
    let separates = |i: usize| match (rules.results, transcript.messages[i].role) {
        (Results::NextResults, role) => role != Role::Assistant && !transcript.is_only_results(i),
        (Results::Run, role) => role != Role::Tool && !transcript.is_only_results(i),
        (_, role) => role != Role::Tool,
    };
    // `last` is the newest message before the current one that separates.
    let (mut group, mut last) = (0, 0);
    for (i, message) in transcript.messages.iter().enumerate() {
        if let Some(before) = i.checked_sub(1) {
            group += usize::from(transcript.messages[before].role != message.role);
            last = if separates(before) { before } else { last };
        }
        for (index, block) in transcript
            .numbered_blocks_of(i)
            .filter(|(_, b)| b.is_linked())
        {
            let id = transcript.link(block).call;
            let tool = transcript.tool_of(block);
            let about = subject(transcript, index);
            if id.is_none() {
                continue;
            }
            if block.kind == BlockKind::Call {
                let known = calls.entry(id).or_default();
                if let Some((message, turn)) = known.newest.replace((i, group)) {
                    let twice = match rules.unique {
                        IdScope::Message => transcript.begin_of(message) == transcript.begin_of(i),
                        IdScope::Turn => turn == group,
                        IdScope::Conversation => true,
                    };
                    if twice {
                        finder.report("E06", index).with(&[&tool]).about = about;
                    }
                    // An empty id is not renamed.
                    if !twice || transcript.link(block).id.is_empty() {
                        let open = known.open.drain(..).filter(|_| !may_be_new(&id));
                        open.for_each(|call| unanswered(finder, &call));
                    }
                }
                known.open.push(Call {
                    message: i,
                    block: index,
                    group,
                });
                continue;
            }
            let Some(known) = calls.get_mut(&id) else {
                if !transcript.calls_elsewhere && !may_be_new(&id) {
                    finder.report("E02", index).about = about;
                }
                continue;
            };
            let fault = match known.open.pop() {
                None if rules.answers_again => continue,
                None => "E05",
                Some(call)
                    if misplaced(finder, call.message, Role::User)
                        || misplaced(finder, i, Role::Assistant)
                        || is_adjacent(rules.results, &call, group, last) =>
                {
                    continue;
                }
                Some(_) => "E03",
            };
            finder.report(fault, index).with(&[&tool]).about = about;
        }
    }
    calls.retain(|id, _| !may_be_new(id));
    unanswered_at_the_end(finder, calls.into_values().flat_map(|known| known.open));
}

/// E01 for calls to which no result came. In a history the calls of the last step may still be
/// running, and those of an interrupted message never ran.
fn unanswered_at_the_end(finder: &mut Finder<'_>, open: impl Iterator<Item = Call>) {
    let transcript = finder.transcript;
    let history = finder.rules.is_history;
    let answers =
        |i: usize| transcript.messages[i].role == Role::Tool || transcript.is_only_results(i);
    let last_step = (0..transcript.messages.len())
        .rev()
        .find(|&i| !answers(i))
        .map_or(0, |i| transcript.begin_of(i));
    for call in open {
        let excused =
            history && (call.message >= last_step || transcript.messages[call.message].broken_off);
        if !excused {
            unanswered(finder, &call);
        }
    }
}

/// Returns the id that the defects of a call or a result name; none if the id is only a position,
/// as positions change.
fn subject(transcript: &Transcript, block: u32) -> Id {
    let link = transcript.link_at(block);
    if link.id == Span::default() {
        Id::NONE
    } else {
        link.call
    }
}

/// E01 for a call. Some calls take only a screenshot as their answer.
fn unanswered(finder: &mut Finder<'_>, &Call { message, block, .. }: &Call) {
    let transcript = finder.transcript;
    if misplaced(finder, message, Role::User) {
        return;
    }
    let is_screen = finder.has(block, NoteKind::Screen);
    let fault = if is_screen { "E01 screen" } else { "E01" };
    let tool = transcript.tool_of(transcript.block(block));
    finder.report(fault, block).with(&[&tool]).about = subject(transcript, block);
}

/// Returns whether message `i` is one of `role`, which cannot contain calls, or results. This is
/// reported, rather than the missing other half.
fn misplaced(finder: &Finder<'_>, i: usize, role: Role) -> bool {
    finder.rules.roles_checked && finder.transcript.messages[i].role == role
}

/// Returns whether a result in a group of messages is where the provider expects the answer to
/// `call`; `last` is the newest message before it that separates them.
fn is_adjacent(results: Results, call: &Call, group: usize, last: usize) -> bool {
    let next = group == call.group + 1;
    let directly = last <= call.message;
    match results {
        Results::Anywhere => true,
        // The server merges messages of one role; the answer must be in the next of these turns.
        Results::NextTurn => next,
        Results::NextResults => next && directly,
        Results::Directly | Results::Run => directly,
        Results::Either => next || directly,
    }
}

/// E07: a turn with calls must be followed by a turn with as many results.
///
/// Gemini, Bedrock and Mistral count before they compare ids; Mistral's results are separate
/// messages. A turn without any results is left to E01, one without any calls to E02.
pub fn counts(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if !finder.rules.results_counted {
        return;
    }
    let count = |turn: &Range<usize>, kind| {
        turn.clone()
            .flat_map(|i| transcript.blocks_of(i))
            .filter(|b| b.kind == kind)
            .count()
    };
    let turns: Vec<_> = finder.turns().collect();
    for pair in turns
        .windows(2)
        .filter(|pair| transcript.messages[pair[0].start].role == Role::Assistant)
    {
        let calls = count(&pair[0], BlockKind::Call);
        let results = count(&pair[1], BlockKind::Result);
        if calls > 0 && results > 0 && calls != results {
            finder
                .report("E07", pair[1].start)
                .with(&[&calls, &results]);
        }
    }
}

/// E20 and E21: finds calls and results of server tools without the other half, and calls whose
/// caller is missing. A server tool that waits for a client's result answers in a later message of
/// the same turn; one of the last turn may still be running. A program may be stored on the server.
pub fn of_servers(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    let pairs = rules.server_pairs && !rules.programs;
    if finder.facts.is_empty() || !pairs && (!rules.programs || transcript.calls_elsewhere) {
        return;
    }
    let caller = if pairs { "E21" } else { "E21 program" };
    let mut notes = finder.facts.iter().peekable();
    let mut made = IdSet::default();
    let mut open = IdMap::<u32>::default();
    for (i, message) in transcript.messages.iter().enumerate() {
        let own = || {
            transcript
                .parts(i)
                .any(|(_, b)| b.kind != BlockKind::Result)
        };
        if pairs && !open.is_empty() && message.role == Role::User && own() {
            for (id, block) in open.drain() {
                finder.report("E20 call", block).about = id;
            }
        }
        let end = message.blocks + transcript.blocks_of(i).len() as u32;
        while let Some(note) = notes.next_if(|note| note.block < end) {
            match note.kind {
                NoteKind::ServerCall(id) => {
                    made.insert(id);
                    open.insert(id, note.block);
                }
                NoteKind::ServerResult(id) if pairs && open.remove(&id).is_none() => {
                    finder.report("E20", note.block).about = id;
                }
                NoteKind::Caller(id) if !made.contains(&id) => {
                    finder.report(caller, note.block).about = id;
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::codes;

    #[test]
    fn calls_and_results_are_counted() {
        let body = |results: &str| {
            format!(
                r#"{{"contents":[{{"parts":[{{"text":"x"}}]}},{{"role":"model","parts":[{{"functionCall":{{"name":"f"}}}},{{"functionCall":{{"name":"f"}}}}]}},{{"role":"user","parts":[{results}]}}]}}"#
            )
        };
        let one = r#"{"functionResponse":{"name":"f","response":{}}}"#;
        assert_eq!(codes("gemini", &body(&format!("{one},{one}"))), [""; 0]);
        assert_eq!(codes("gemini", &body(one)), ["E01", "E07"]);
        assert_eq!(
            codes("gemini", &body(&format!("{one},{one},{one}"))),
            ["E02", "E07"]
        );
        assert_eq!(
            codes("gemini", &body(r#"{"text":"never mind"}"#)),
            ["E01", "E01"]
        );
    }

    #[test]
    fn mistral_counts_a_run_of_results() {
        let call = r#"{"id":"null","function":{"name":"f","arguments":{}}}"#;
        let body = |results: &str| {
            format!(
                r#"{{"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","tool_calls":[{call},{call}]}}{results}]}}"#
            )
        };
        let one = r#",{"role":"tool","name":"f","content":"x"}"#;
        assert_eq!(codes("mistral", &body(&one.repeat(2))), [""; 0]);
        assert_eq!(codes("mistral", &body(one)), ["E01", "E07"]);
        assert_eq!(codes("mistral", &body(&one.repeat(3))), ["E07", "E02"]);
        assert_eq!(
            codes("ollama", &body(one).replace(r#""id":"null","#, "")),
            ["E01"]
        );
    }
}
