//! The place of the arguments in a call, in the spellings of all providers and agents.

use crate::json::{
    Kind,
    locate::{self, Member},
};
use std::ops::Range;

/// Members that hold the arguments.
const HOLDERS: [&[u8]; 6] = [
    b"input",
    b"arguments",
    b"args",
    b"parameters",
    b"operation",
    b"action",
];
/// Members that are the call, one step in.
const CALLS: [&[u8]; 6] = [
    b"function",
    b"custom",
    b"functionCall",
    b"function_call",
    b"toolUse",
    b"state",
];

/// Returns the kind (object or string) and the byte range of the arguments in a call whose value is
/// `call`; `None` if it has none.
pub fn place(call: &[u8]) -> Option<(Kind, Range<usize>)> {
    let mut at = 0;
    for _ in 0..2 {
        let members = locate::members(call, at)?;
        let is_holder = |member: &&Member<'_>| {
            HOLDERS.contains(&&*member.name) && matches!(member.kind, Kind::Object | Kind::String)
        };
        if let Some(holder) = members.iter().find(is_holder) {
            return Some((holder.kind, holder.value.clone()));
        }
        at = members
            .iter()
            .rfind(|member| CALLS.contains(&&*member.name) && member.kind == Kind::Object)?
            .value
            .start;
    }
    None
}
