//! Edits that a body asked its server for and that were applied here.

use schemars::JsonSchema;
use serde::Serialize;

/// The answer that the server would have given.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AppliedEdits {
    /// Those that changed something, in their order.
    pub applied_edits: Vec<AppliedEdit>,
}

/// One edit.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AppliedEdit {
    /// Its type, as the body has it.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Calls whose results were cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleared_tool_uses: Option<u64>,
    /// Answers whose reasoning was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleared_thinking_turns: Option<u64>,
    /// Tokens that this freed.
    pub cleared_input_tokens: u64,
    /// The step that did it.
    #[serde(skip)]
    pub pass: &'static str,
}

impl AppliedEdit {
    /// An edit of this type that cleared so many uses or turns.
    pub fn new(kind: &'static str, pass: &'static str, number: u64, tokens: u64) -> AppliedEdit {
        let thinking = pass == "clear_thinking";
        let (uses, turns) = if thinking {
            (None, Some(number))
        } else {
            (Some(number), None)
        };
        AppliedEdit {
            kind,
            cleared_tool_uses: uses,
            cleared_thinking_turns: turns,
            cleared_input_tokens: tokens,
            pass,
        }
    }
}
