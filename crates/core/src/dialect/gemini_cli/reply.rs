//! Adds missing results to a Gemini CLI session, in the records of the tool runs.
//!
//! Each is written as the agent writes an interrupted call. Where a record says that the tool has
//! finished, only the missing members are added. The rest of the record stays unchanged.

use crate::{
    dialect::shared::{
        envelope::Envelope,
        reply::{Inline, InlineCall, Replies, Set, array, function_response},
    },
    json::{
        Cursor, Id, IdMap,
        locate::{elements, member_value},
        text,
    },
};
use std::ops::Range;

/// The form of inserted results.
pub const REPLIES: Replies = Replies {
    line: Some(&Envelope {
        known_by: "type",
        members: r#"id=id:id timestamp=time type="user" content=parts"#,
    }),
    inline: Some(&Inline {
        answer,
        results: Some("result"),
    }),
    ..Replies::COMMON
};

/// Gives calls of the message at `message` their results: in the record of the tool's run, or in
/// one that comes where the call is in the model's content alone.
fn answer(bytes: &[u8], message: usize, calls: &[InlineCall<'_>]) -> Vec<Set> {
    let value = |object: usize, name: &str| member_value(bytes, object, name);
    let list = value(message, "toolCalls");
    let runs = list
        .and_then(|list| elements(bytes, list.start))
        .unwrap_or_default();
    let by_id: IdMap<usize> = runs
        .iter()
        .filter_map(|run| Some((id_of(bytes, value(run.start, "id")?)?, run.start)))
        .collect();
    let (mut sets, mut broken) = (Vec::new(), Vec::new());
    for call in calls {
        let own = runs
            .binary_search_by_key(&call.start, |run| run.start)
            .is_ok()
            .then_some(call.start);
        match own.or_else(|| by_id.get(&call.call).copied()) {
            Some(run) => finish(bytes, run, call, &mut sets),
            None => broken.push(broken_run(bytes, call, value(message, "timestamp"))),
        }
    }
    match runs.last() {
        Some(last) => sets.extend(broken.into_iter().map(|run| Set::Behind(last.end, run))),
        None if broken.is_empty() => {}
        None => {
            let runs = array(&broken.join(&b","[..]));
            sets.push(Set::Member(message, "toolCalls", runs));
        }
    }
    sets
}

/// Gives the run at `run` its result.
fn finish(bytes: &[u8], run: usize, call: &InlineCall<'_>, sets: &mut Vec<Set>) {
    let value = |name: &str| member_value(bytes, run, name);
    let status = value("status").map(|status| &bytes[status]);
    let key = match status {
        Some(b"\"success\"") => "output",
        _ => "error",
    };
    let part = function_response(key, call);
    let result = value("result");
    let parts = result
        .clone()
        .and_then(|result| elements(bytes, result.start));
    sets.push(match (parts.unwrap_or_default().first(), result) {
        (Some(first), _) => Set::Before(first.start, part),
        (None, Some(result)) if bytes[result.start] == b'{' => {
            let parts = [&part[..], b",", &bytes[result.clone()]].concat();
            Set::Value(result, array(&parts))
        }
        _ => Set::Member(run, "result", array(&part)),
    });
    // Such calls have not ended.
    if let Some(
        b"\"validating\"" | b"\"scheduled\"" | b"\"executing\"" | b"\"awaiting_approval\"",
    ) = status
    {
        sets.push(Set::Member(run, "status", b"\"cancelled\"".to_vec()));
    }
}

/// The record of a run that was broken off, of a call that is a part of a message of this time.
fn broken_run(bytes: &[u8], call: &InlineCall<'_>, time: Option<Range<usize>>) -> Vec<u8> {
    let asked = ["functionCall", "function_call"]
        .iter()
        .find_map(|key| member_value(bytes, call.start, key));
    let args = asked.and_then(|asked| member_value(bytes, asked.start, "args"));
    let mut name = Vec::new();
    text::encode(call.tool, &mut name);
    [
        &b"{\"id\":\""[..],
        call.id,
        b"\",\"name\":\"",
        &name,
        b"\",\"args\":",
        args.map_or(b"{}", |args| &bytes[args]),
        b",\"result\":[",
        &function_response("error", call),
        b"],\"status\":\"cancelled\",\"timestamp\":",
        time.map_or(b"null", |time| &bytes[time]),
        b"}",
    ]
    .concat()
}

/// The id that a string is, if it is one.
fn id_of(bytes: &[u8], place: Range<usize>) -> Option<Id> {
    let id = Cursor::new_at(bytes, place.start).bytes_or_skip().ok()??;
    Some(Id::of(&id))
}
