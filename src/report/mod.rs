//! The account of a run: one struct for every renderer, serialised as schema 1.
//!
//! Numbers add up: the chars that the cuts removed are `before` minus `after`. Chars are UTF-16 units as the estimator
//! weighs them, an image counting 8,000; tokens are those that the log recorded, else chars / 4; bytes are bytes of the file.

mod chart;
mod columns;
mod figures;
mod headline;
mod html;
mod hypertext;
mod json;
mod jsonl;
mod markdown;
mod markup;
mod page;
mod renderer;
pub mod replay;
mod retrieved;
mod rewriting;
mod rows;
#[cfg(test)]
mod samples;
mod tally;
mod text;
mod totals;

pub use columns::escape;
pub(crate) use columns::shorten;
pub use renderer::{Renderer, ReportFormat};
pub use retrieved::{ChunkRow, Reranked};
pub use rewriting::CacheCost;
pub use rows::{CutRow, DefectRow, Integrity, MirrorTotal, PassTotal, Skip, Warning};
pub use totals::{Actions, Sum, Totals};

use crate::compose::Composition;
use serde::Serialize;

/// What one input came to. Several inputs give several reports and one [`Totals`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Version of this schema: 1.
    pub schema: u32,
    /// The program.
    pub tool: Tool,
    /// What was read.
    pub input: Input,
    /// What was written, or would have been.
    pub output: Output,
    /// Whether the clocked passes ran, and why.
    pub decision: Decision,
    /// The context window that ratios refer to.
    pub window: Window,
    /// Model the request will run on, where known.
    pub model: Option<String>,
    /// Provider of that model, where known.
    pub provider: Option<String>,
    /// Sizes of the effective context as it came.
    pub before: Size,
    /// Sizes as it left.
    pub after: Size,
    /// Where the tokens of both sizes come from: `recorded` in the log, or `chars`, four a token.
    pub tokens_source: &'static str,
    /// One row per pass that was on.
    pub passes: Vec<PassTotal>,
    /// Every cut, in the order of the input.
    pub cuts: Vec<CutRow>,
    /// What a pass looked at and left, with the reason.
    pub skipped: Vec<Skip>,
    /// Lists of retrieved chunks that were ranked, with every chunk's score.
    pub reranked: Vec<Reranked>,
    /// The workload that the state file keeps a gate for; null without one.
    pub workload: Option<WorkloadState>,
    /// The session in the state file, and what was remembered of it; null without one.
    pub session: Option<Session>,
    /// How much of the beginning is byte for byte that of the session's last output; null where there is none.
    pub prefix_stable: Option<PrefixStable>,
    /// What turn-drop and rag-rerank did.
    pub prune: Prune,
    /// Which other mechanics of the caller must rest.
    pub composition: Composition,
    /// Copies of the results cut that are not of the context: they save bytes, no tokens.
    pub mirrors: MirrorTotal,
    /// First change, after which nothing of a cached prefix holds.
    pub first_change: Option<FirstChange>,
    /// Defects of pairing and order, in the input and in the output.
    pub integrity: Integrity,
    /// What the cuts mean to the provider's cache.
    pub cache: CacheCost,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// The parts of the input, where a list of them was asked for; it is printed by itself.
    #[serde(skip)]
    pub parts: Vec<crate::listing::PartRow>,
}

/// Name and version of this program.
#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    /// `deadhead`.
    pub name: &'static str,
    /// Of the package.
    pub version: &'static str,
}

/// The input of a run.
#[derive(Clone, Debug, Default, Serialize)]
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
#[derive(Clone, Debug, Default, Serialize)]
pub struct Output {
    /// Where it went: a path, `-` for stdout, null for a dry run.
    pub path: Option<String>,
    /// Size, before compression.
    pub bytes: u64,
}

/// Whether soft-trim and hard-clear ran.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// The mode that was in force: `off`, `cache-ttl`, `adaptive`, `aggressive`.
    pub mode: String,
    /// Whether the passes were let run.
    pub ran: bool,
    /// The reason, one line.
    pub why: String,
    /// Time of the last call, RFC 3339, where known.
    pub last_call: Option<String>,
    /// `flag`, `state`, `marker` or `assistant`.
    pub last_call_source: Option<String>,
    /// The ttl in milliseconds.
    pub ttl_ms: u64,
    /// The time taken as now, RFC 3339.
    pub now: String,
    /// Age of the last call in milliseconds, where known.
    pub idle_ms: Option<i64>,
}

/// The context window and where its size comes from.
#[derive(Clone, Debug, Serialize)]
pub struct Window {
    /// Tokens.
    pub tokens: u64,
    /// `flag`, `registry`, `models.providers`, `agents.defaults.contextTokens` or `default`.
    pub source: String,
}

/// Size of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Size {
    /// Messages.
    pub messages: u64,
    /// Chars as the estimator counts them.
    pub chars: u64,
    /// Tokens, by [`Report::tokens_source`].
    pub tokens: u64,
    /// Share of the window, by chars: four a token.
    pub ratio: f64,
}

/// A workload and its quality gate.
#[derive(Clone, Debug, Serialize)]
pub struct WorkloadState {
    /// Its name.
    pub name: String,
    /// The stack that was named.
    pub stack: Option<String>,
    /// `active`, or `retired`: then everything passes through.
    pub state: &'static str,
}

/// A session in the state file.
#[derive(Clone, Debug, Serialize)]
pub struct Session {
    /// Its name.
    pub name: String,
    /// Where the name is from: `flag`, `history`, `metadata.user_id`, `prompt_cache_key` or `content`.
    pub source: &'static str,
    /// Cuts of earlier runs that were made again.
    pub kept: u64,
    /// Cuts that are new.
    pub added: u64,
    /// Cuts of earlier runs whose text has changed: they are forgotten.
    pub dropped: u64,
}

/// How much of the beginning of an output is that of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PrefixStable {
    /// Bytes of the output, up to the end of a message; of a history's messages, those alone.
    pub bytes: u64,
    /// Messages.
    pub messages: u64,
}

/// What the passes under the composition cap did, in the words of the header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
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

/// Where the output first differs from the input.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FirstChange {
    /// Message, from 1; 0 for what stands outside the messages.
    pub message: u32,
    /// Byte of the input at which the first cut changes it. A mirror may change before that: no request holds it.
    pub byte: u64,
}
