//! The input, output and sizes of a run.

use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of this program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Tool {
    /// `deadhead`.
    pub name: &'static str,
    /// Of the package.
    pub version: &'static str,
}

impl Default for Tool {
    fn default() -> Tool {
        Tool {
            name: "deadhead",
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The input of a run.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Input {
    /// As named on the command line, `-` for stdin; a body of a pipe has its line after a colon.
    pub path: String,
    /// Name of the format.
    pub format: String,
    /// Size, after decompression.
    pub bytes: u64,
    /// Lines or messages read, in the context or not.
    pub records: u64,
}

/// The output of a run.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Output {
    /// The destination of the output: a path, `-` for stdout, null for a dry run.
    pub path: Option<String>,
    /// The path that the output would have, in a dry run with an output folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<String>,
    /// Size, before compression.
    pub bytes: u64,
}

/// Size of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Size {
    /// Messages.
    pub messages: u64,
    /// Chars as the estimator counts them.
    pub chars: u64,
    /// Tokens, by [`Report::tokens_source`](crate::outcome::Report::tokens_source).
    pub tokens: u64,
    /// Share of the window.
    #[schemars(range(min = 0))]
    pub ratio: f64,
}

/// The first place at which the output differs from the input.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FirstChange {
    /// Message, from 1; 0 for what is outside the messages.
    pub message: u32,
    /// Byte of the input at which the first cut changes it. A mirror may change before that: no request holds it.
    pub byte: u64,
}

/// The effects of the passes under the composition cap, as in the header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Prune {
    /// Turns that turn-drop took away.
    pub turns_removed: u64,
    /// Retrieved chunks that rag-rerank kept, of those it looked at.
    pub rag_kept: u64,
    /// Retrieved chunks that it dropped.
    pub rag_dropped: u64,
    /// Messages that came in.
    pub messages_before: u64,
    /// Messages that are left.
    pub messages_after: u64,
    /// The header, name and value.
    pub header: String,
}
