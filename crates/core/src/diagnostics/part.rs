//! The rows of `--list`: the parts of an input.

use serde::Serialize;

/// One part, or a message that has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PartRow {
    /// The selector that names it.
    pub select: String,
    /// Message, from 1.
    pub message: u32,
    /// Part, from 0; null for a message that is removed as one.
    pub part: Option<u32>,
    /// Line of the input, from 1.
    pub line: u32,
    /// The role of the speaker: `system`, `user`, `assistant`, `tool` or `other`.
    pub role: &'static str,
    /// `text`, `thinking`, `image`, `call`, `result`, `other` or `message`.
    pub kind: &'static str,
    /// Tool of a call or a result; empty where unknown.
    pub tool: String,
    /// Id of the call, for `tool:ID`, where the input has one.
    pub call_id: Option<String>,
    /// The resource that the call reads or writes, for `resource:PATH`; null where there is none.
    pub resource: Option<String>,
    /// Chars as the estimator counts them.
    pub chars: u64,
    /// Chars / 4.
    pub tokens: u64,
    /// Turns of the user since: 0 from the newest on.
    pub age: u32,
    /// Why it stays whatever is selected, unless it is forced.
    pub stays: Option<String>,
    /// The beginning of the part, on one line.
    pub text: String,
}
