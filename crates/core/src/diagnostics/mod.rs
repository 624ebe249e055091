//! Rows of the report, as plain data. Every layer may produce them; they depend on nothing else.

mod rows;

pub use rows::{CopyTotal, CutRow, DefectRow, Integrity, PassTotal, Skip, Warning};

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
    /// Byte of the input at which the first cut changes it. A copy of a result may change before
    /// that: no request holds it.
    pub byte: u64,
}

/// The effects of the passes under the composition cap, as in the header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Prune {
    /// Turns that turn-drop took away.
    pub turns_removed: u64,
    /// Retrieved chunks that rag-rerank looked at and kept.
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

/// Whether soft-trim and hard-clear ran.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Decision {
    /// The mode that was in force: `off`, `cache-ttl`, `adaptive`, `aggressive`, `break-even`.
    #[schemars(extend("enum" = ["off", "cache-ttl", "adaptive", "aggressive", "break-even"]))]
    pub mode: String,
    /// Whether the passes were allowed to run.
    pub ran: bool,
    /// The reason, one line.
    pub why: String,
    /// Time of the last call, RFC 3339, where known.
    #[schemars(extend("format" = "date-time"))]
    pub last_call: Option<String>,
    /// `flag`, `state`, `marker` or `assistant`.
    #[schemars(extend("enum" = ["flag", "state", "marker", "assistant", null]))]
    pub last_call_source: Option<String>,
    /// The ttl in milliseconds.
    pub ttl_ms: u64,
    /// The time taken as now, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub now: String,
    /// Age of the last call in milliseconds, where known.
    pub idle_ms: Option<i64>,
    /// Whether the clock alone may still change the decision.
    #[serde(skip)]
    pub is_timed: bool,
    /// Names of passes, and the reason why they cut nothing, if nothing was cut. `why` ends with
    /// them.
    #[serde(skip)]
    pub notes: Vec<(String, String)>,
}

/// The context window and where its size comes from.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ContextWindow {
    /// Tokens.
    pub tokens: u64,
    /// `flag`, `registry`, `models.providers`, `agents.defaults.contextTokens` or `default`.
    #[schemars(extend("enum" = ["flag", "registry", "models.providers", "agents.defaults.contextTokens", "default"]))]
    pub source: String,
}

/// A workload and its quality gate.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WorkloadState {
    /// Its name.
    pub name: String,
    /// The stack that was named.
    pub stack: Option<String>,
    /// `active`, or `retired`: then everything passes through.
    #[schemars(extend("enum" = ["active", "retired"]))]
    pub state: &'static str,
}

impl WorkloadState {
    /// The state of the workload of this name, and of this stack where one was named.
    pub fn new(name: &str, stack: Option<&str>, state: &'static str) -> WorkloadState {
        WorkloadState {
            name: name.to_owned(),
            stack: stack.map(str::to_owned),
            state,
        }
    }
}

/// A session in the state file.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Session {
    /// Its name.
    pub name: String,
    /// The source of the name: `flag`, `history`, `metadata.user_id`, `prompt_cache_key` or
    /// `content`.
    #[schemars(extend("enum" = ["flag", "history", "metadata.user_id", "prompt_cache_key", "content"]))]
    pub source: &'static str,
    /// Cuts of earlier runs that were made again.
    pub kept: u64,
    /// Cuts that are new.
    pub added: u64,
    /// Cuts of earlier runs whose text has changed: they are forgotten.
    pub dropped: u64,
}

/// The length of the prefix that an output shares with the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PrefixStable {
    /// Bytes of the output, up to the end of a message; of a history's messages, those alone.
    pub bytes: u64,
    /// Messages.
    pub messages: u64,
}

/// Tokens and dollars of the prompt behind the first change. All is zero where nothing changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CacheCost {
    /// Tokens (chars / 4) that the next request would write into the cache without the cuts.
    pub write_tokens_before: u64,
    /// Tokens that it writes with them.
    pub write_tokens_after: u64,
    /// The cost in dollars of writing and reading the part behind the first change without the
    /// cuts; null without a price.
    #[schemars(range(min = 0))]
    pub usd_before: Option<f64>,
    /// The cost in dollars of writing that part with the cuts; null without a price.
    #[schemars(range(min = 0))]
    pub usd_after: Option<f64>,
    /// The source of the prices; null without a price.
    pub price_source: Option<String>,
    /// The number of the message that received a further cache mark, so that the prompt up to there
    /// is read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marked: Option<u32>,
    /// The input of the next request as a whole; only where the log counted its calls, their time
    /// is known, and something is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_request: Option<NextRequest>,
}

/// The input cost of the next request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NextRequest {
    /// In dollars without the cuts of this run.
    #[schemars(range(min = 0))]
    pub usd_before: f64,
    /// With them.
    #[schemars(range(min = 0))]
    pub usd_after: f64,
    /// Tokens that are written to the cache because of the cuts.
    pub cached_again: u64,
}

/// The answer that the server would have given.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AppliedEdits {
    /// The edits that changed something, in their order.
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

/// A list of chunks that rag-rerank ranked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reranked {
    /// Message, from 1, as in the input; 0 where it is outside the messages.
    pub message: u32,
    /// Part of the message, from 0.
    pub part: u32,
    /// Index of the block in the transcript, if it is in one.
    #[serde(skip)]
    pub block: Option<u32>,
    /// The layout of the chunks.
    pub layout: String,
    /// Chunks that stay.
    pub kept: u64,
    /// Chunks that go.
    pub dropped: u64,
    /// Every chunk, in the order of the input.
    pub chunks: Vec<ChunkRow>,
}

/// One chunk and its score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChunkRow {
    /// Its place in the input's list, from 1.
    #[schemars(range(min = 1))]
    pub from: u32,
    /// Its place in the output's list, from 1; null where it is removed.
    #[schemars(range(min = 1))]
    pub to: Option<u32>,
    /// The number that it carries.
    pub number: Option<u32>,
    /// Its id, source, address or title.
    pub name: Option<String>,
    /// Its score from 0 to 1, the best chunk of the list having 1: what the threshold is compared
    /// with.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// The cosine of chunk and question behind the score.
    #[schemars(range(min = 0, max = 1))]
    pub cosine: f64,
    /// UTF-16 units.
    pub chars: u64,
    /// Whether an assistant's message cites it, so that it stays.
    pub cited: bool,
}

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
