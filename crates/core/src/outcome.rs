//! The result of pruning one input. It is serialized as report schema 1.
//!
//! Numbers add up: the chars that the cuts removed are `before` minus `after`. Chars are UTF-16
//! units as the estimator weighs them, an image counting 8,000; tokens are those that the log
//! recorded, or fitted to these, else chars / 4; bytes are bytes of the file.

use crate::{
    compose::Composition,
    diagnostics::{
        AppliedEdits, CacheCost, ContextWindow, CopyTotal, CutRow, Decision, FirstChange, Input,
        Integrity, Output, PartRow, PassTotal, PrefixStable, Prune, Reranked, Session, Size, Skip,
        Tool, Warning, WorkloadState,
    },
};
use schemars::JsonSchema;
use serde::Serialize;

/// The report of one input. Several inputs give several reports and totals.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Report {
    /// Version of this schema: 1.
    #[schemars(extend("const" = 1))]
    pub schema: u32,
    /// The program.
    pub tool: Tool,
    /// The input that was read.
    pub input: Input,
    /// The output that was written, or would have been.
    pub output: Output,
    /// Whether the clocked passes ran, and why.
    pub decision: Decision,
    /// The context window that ratios refer to.
    pub window: ContextWindow,
    /// Model the request will run on, where known.
    pub model: Option<String>,
    /// Provider of that model, where known.
    pub provider: Option<String>,
    /// Sizes of the effective context as it came.
    pub before: Size,
    /// Sizes as it left.
    pub after: Size,
    /// The source of the tokens of both sizes: `recorded` in the log, `fitted` to what it recorded
    /// before a cut, or `chars`, four chars a token.
    #[schemars(extend("enum" = ["recorded", "fitted", "chars"]))]
    pub tokens_source: &'static str,
    /// The unit of the ratios, if it is not the tokens of both sizes: `chars`, four a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_by: Option<&'static str>,
    /// One row per pass that was on.
    pub passes: Vec<PassTotal>,
    /// Every cut, in the order of the input.
    pub cuts: Vec<CutRow>,
    /// The parts that a pass examined and left unchanged, with the reasons.
    pub skipped: Vec<Skip>,
    /// Lists of retrieved chunks that were ranked, with every chunk's score.
    pub reranked: Vec<Reranked>,
    /// The workload for which the state file keeps a quality gate; null without one.
    pub workload: Option<WorkloadState>,
    /// The session in the state file, and what was remembered of it; null without one.
    pub session: Option<Session>,
    /// The length of the beginning that is byte for byte that of the session's last output; null
    /// where there is no session.
    pub prefix_stable: Option<PrefixStable>,
    /// The effects of turn-drop and rag-rerank.
    pub prune: Prune,
    /// The other mechanics of the caller that must not run.
    pub composition: Composition,
    /// Copies of the cut results outside the context: they save bytes, not tokens.
    #[serde(rename = "mirrors")]
    pub copies: CopyTotal,
    /// The edits of the body's own `context_management` that were applied here, as its server would
    /// have answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_management: Option<AppliedEdits>,
    /// Values of the header `anthropic-beta` without which the provider refuses what was written
    /// into the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub betas: Vec<&'static str>,
    /// The number of the first results that can be cleared, those that the provider's server is
    /// asked to clear; null where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_clears: Option<u64>,
    /// Whether cuts were left out because reasoning is bound to what they would change.
    #[serde(skip)]
    pub is_bound: bool,
    /// First change, after which nothing of a cached prefix holds.
    pub first_change: Option<FirstChange>,
    /// Defects of pairing and order, in the input and in the output.
    pub integrity: Integrity,
    /// The effects of the cuts on the provider's cache.
    pub cache: CacheCost,
    /// The warnings for the user.
    pub warnings: Vec<Warning>,
    /// The parts of the input, where a list of them was asked for; it is printed by itself.
    #[serde(skip)]
    pub parts: Vec<PartRow>,
}
