//! Adds missing results to an OpenCode export: the states of tool parts end as the agent writes an
//! interrupted call.
//!
//! Where a state says that the tool has finished, only the missing members are added. The rest of
//! the part stays unchanged.

use crate::{
    dialect::shared::reply::{Inline, InlineCall, NO_RESULT, Replies, Set},
    json::locate::member_value,
};

/// The form of inserted results.
pub const REPLIES: Replies = Replies {
    inline: Some(&Inline {
        answer,
        results: None,
    }),
    ..Replies::COMMON
};

/// Ends the states of the tool parts that are these calls, of the message at `message`.
fn answer(bytes: &[u8], message: usize, calls: &[InlineCall<'_>]) -> Vec<Set> {
    let value = |object: usize, name: &str| member_value(bytes, object, name);
    // The time of its end, or else of its beginning.
    let time = value(message, "info").and_then(|info| value(info.start, "time"));
    let time = time
        .and_then(|time| value(time.start, "completed").or_else(|| value(time.start, "created")));
    let time = time.filter(|time| bytes[time.start].is_ascii_digit());
    let time = time.map(|time| &bytes[time]);
    calls
        .iter()
        .flat_map(|call| break_off(bytes, call.start, time))
        .collect()
}

/// Ends the state of the tool part at `part`, in a message of this time.
fn break_off(bytes: &[u8], part: usize, time: Option<&[u8]>) -> Vec<Set> {
    let value =
        |start: usize, name: &str| member_value(bytes, start, name).map(|value| &bytes[value]);
    let object = |start: usize, name: &str| {
        let start = member_value(bytes, start, name)?.start;
        (bytes[start] == b'{').then_some(start)
    };
    let said = [b"\"", NO_RESULT.as_bytes(), b"\""].concat();
    let ended = |time: &[u8]| [b"{\"start\":", time, b",\"end\":", time, b"}"].concat();
    let Some(state) = object(part, "state") else {
        let time = time.map_or_else(Vec::new, |time| [b",\"time\":", &ended(time)[..]].concat());
        let state = [
            b"{\"status\":\"error\",\"input\":{},\"error\":",
            &said[..],
            &time,
            b"}",
        ]
        .concat();
        return vec![Set::Member(part, "state", state)];
    };
    if value(state, "status") == Some(b"\"completed\"") {
        return vec![Set::Member(state, "output", said)];
    }
    let mut sets = vec![
        Set::Member(state, "status", b"\"error\"".to_vec()),
        Set::Member(state, "error", said),
    ];
    match object(state, "time") {
        Some(own) => {
            if let (Some(start), None) = (value(own, "start"), value(own, "end")) {
                sets.push(Set::Member(own, "end", start.to_vec()));
            }
        }
        None => sets.extend(time.map(|time| Set::Member(state, "time", ended(time)))),
    }
    sets
}
