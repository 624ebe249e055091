//! The result of a replay, as plain data: its sums can be added over sessions.

use super::{
    fit::Fit,
    recorded::Cause,
    regret::RegretKind,
    rounded::{RoundedNumber, dollars, thousandths},
};
use deadhead_core::internal::dialect::usage::Usage;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// One session.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Replay {
    /// Version of this schema.
    #[schemars(extend("const" = 1))]
    pub schema: u32,
    /// `"replay"`.
    #[schemars(extend("const" = "replay"))]
    pub kind: &'static str,
    /// The program.
    pub tool: deadhead_core::diagnostics::Tool,
    /// The log.
    pub input: Log,
    /// The folder in which the agent worked.
    pub project: Option<String>,
    /// The model that most calls ran on.
    pub model: Option<String>,
    /// Time of the first call that counts.
    #[schemars(extend("format" = "date-time"))]
    pub from: Option<String>,
    /// Time of the last call that counts.
    #[schemars(extend("format" = "date-time"))]
    pub to: Option<String>,
    /// The number of answers that were interrupted before anything was counted; they are not requests here.
    pub unanswered: u64,
    /// The number of requests that an earlier input contains, where they count.
    pub repeated: u64,
    /// The ratio of chars to tokens.
    pub tokens: Fit,
    /// The rules of the provider's cache.
    pub cache: Rules,
    /// All sums.
    #[serde(flatten)]
    pub sums: Sums,
    /// The context at each call.
    pub timeline: Vec<TimelinePoint>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// A log.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Log {
    /// Path as given on the command line.
    pub path: String,
    /// Format.
    pub format: &'static str,
    /// Size in bytes.
    pub bytes: u64,
}

/// The rules of a cache, and the source of the prices.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rules {
    /// Seconds for which a prompt is kept.
    pub lifetime: u64,
    /// The source of the row.
    pub source: String,
    /// The date of the row.
    pub date: String,
}

/// Sums that can be added over sessions.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Sums {
    /// The number of calls that count.
    pub requests: u64,
    /// The number of those whose model has no price.
    pub unpriced: u64,
    /// The requests beside the conversations, whose dollars are in all totals.
    pub beside: BesideRow,
    /// These models, with their calls.
    #[serde(skip)]
    pub unpriced_models: BTreeMap<String, u64>,
    /// The simulation without pruning compared with the counts.
    #[serde(rename = "truth")]
    pub calibration: Calibration,
    /// Without pruning.
    pub baseline: Totals,
    /// The first policy, as OpenClaw ran it until September 2026.
    pub transient: Option<Totals>,
    /// The first policy, as this program runs it.
    pub pruned: Totals,
    /// All policies.
    pub policies: Vec<PolicyRow>,
    /// Cost and savings of a heartbeat; null if the first policy's settings have none.
    pub heartbeat: Option<HeartbeatRow>,
    /// By day, UTC.
    pub days: Vec<Group>,
    /// By model.
    pub models: Vec<Group>,
    /// By folder.
    pub projects: Vec<Group>,
    /// By tool, the one with most tokens first.
    pub tools: Vec<ToolRow>,
}

/// Requests that are no part of a conversation, and cost the same under all policies: compactions, advice of another model, caches that are
/// kept warm.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct BesideRow {
    /// Their number.
    pub requests: u64,
    /// Dollars.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
}

/// Totals of calls.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Dollars.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
    /// Tokens of all prompts.
    #[serde(with = "RoundedNumber")]
    pub prompt: f64,
    /// Tokens of these read from the cache.
    #[serde(with = "RoundedNumber")]
    pub cache_read: f64,
    /// Tokens of these written to the cache.
    #[serde(with = "RoundedNumber")]
    pub cache_write: f64,
    /// Tokens of these neither read nor written.
    #[serde(with = "RoundedNumber")]
    pub uncached: f64,
    /// Tokens of the output.
    pub output: u64,
    /// Tokens of the largest prompt.
    #[serde(with = "RoundedNumber")]
    pub peak: f64,
    /// The number of calls above a price tier.
    pub above_tier: u64,
    /// Calls whose prompt was not in the cache, by cause.
    pub misses: BTreeMap<Cause, MissRow>,
}

/// Misses of one cause.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct MissRow {
    /// Number of calls.
    pub calls: u64,
    /// Tokens that had been cached and were not read.
    #[serde(with = "RoundedNumber")]
    pub tokens: f64,
    /// What these cost more than if they had been read.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
}

/// A policy.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRow {
    /// The preset, or the setting of a sweep.
    pub name: String,
    /// The flags of a prune that runs it.
    #[serde(skip)]
    pub flags: Vec<String>,
    /// `"transient"` or `"sticky"`.
    #[schemars(extend("enum" = ["transient", "sticky"]))]
    pub manner: &'static str,
    /// Totals of the calls under the policy.
    #[serde(flatten)]
    pub totals: Totals,
    /// The number of results cut; one that is trimmed and later cleared counts twice.
    pub cuts: u64,
    /// The number of tokens cut.
    #[serde(with = "RoundedNumber")]
    pub tokens_cut: f64,
    /// The number of cuts of content that no request had sent yet: the model never read all of it, and the recording does not show what it
    /// would have done.
    pub unread: u64,
    /// Later uses of content that was cut.
    pub regret: RegretRow,
    /// Whether no other policy is cheaper with no more regrets, or has fewer regrets at no higher price.
    pub pareto: bool,
}

/// Cost and savings of a heartbeat without pruning.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatRow {
    /// Its period in milliseconds (`heartbeat.every`).
    pub every_ms: u64,
    /// The number of requests that it would have sent while the cache was warm.
    pub requests: u64,
    /// Dollars for these.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
    /// Dollars that were paid to write expired prompts again, and would have been saved.
    #[serde(serialize_with = "dollars")]
    pub saved_usd: f64,
    /// The number of further requests that would have come after the cache had expired, as the period is not shorter than its lifetime.
    pub too_late: u64,
}

/// Regrets of a policy.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegretRow {
    /// The number of regretted cuts.
    pub cuts: u64,
    /// Their share of all cuts.
    #[serde(serialize_with = "thousandths")]
    pub rate: f64,
    /// The number of those whose resource was read again.
    pub read_again: u64,
    /// The number of those whose words were quoted.
    pub quoted: u64,
    /// How many of the cut results would be used again if they were like results of the same tool, size and age that were not cut.
    #[serde(serialize_with = "thousandths")]
    pub expected: f64,
    /// What the regretted cuts exceed that by, as a share of all cuts.
    #[serde(serialize_with = "thousandths")]
    pub excess: f64,
    /// The number of cuts whose words an edit quotes that no new read precedes, so that the edit would fail.
    pub lost_ground: u64,
    /// Dollars if the text of each regretted cut is requested and paid for again.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
    /// By pass, the numbers of cuts and of regretted cuts.
    pub passes: BTreeMap<&'static str, (u64, u64)>,
    /// By tool, the numbers of cuts and of regretted cuts.
    pub tools: BTreeMap<String, (u64, u64)>,
    /// Some examples.
    pub examples: Vec<Example>,
}

/// A regret.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Example {
    /// The log.
    pub path: String,
    /// Line of the result.
    #[schemars(range(min = 1))]
    pub line: u32,
    /// Its tool.
    pub tool: String,
    /// The pass that cut it.
    pub pass: &'static str,
    /// Why it is regretted.
    pub why: RegretKind,
    /// Line of the message that used the content.
    #[schemars(range(min = 1))]
    pub by: u32,
    /// The resource, or the quoted words.
    pub what: String,
}

/// The simulation without pruning compared with the provider's counts, over all calls of the log with a count.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Calibration {
    /// The number of calls compared.
    pub requests: u64,
    /// Usage that the provider counted.
    pub recorded: Usage,
    /// Its price.
    #[serde(serialize_with = "dollars")]
    pub recorded_usd: f64,
    /// Cost that the log states, in dollars.
    pub log_usd: Option<f64>,
    /// The simulation, which uses what the log shows of the cache.
    pub simulated: Simulated,
    /// The simulation by the rules of the cache alone.
    pub rules: Simulated,
    /// The prompts of the second half of each log, as the first half predicts them.
    pub forecast: Forecast,
    /// Mean difference between a prompt's tokens and the count, as a share.
    #[serde(serialize_with = "thousandths")]
    pub prompt_error: f64,
    /// The number of calls whose prompt was not in the cache although the rules say so.
    pub lost: u64,
    /// The number of calls whose prompt was in the cache although it should have expired.
    pub kept: u64,
    /// The number of calls that found only a system prompt that other conversations keep warm.
    pub warm: u64,
}

/// A forecast of prompts, compared with what was counted.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    /// The number of requests.
    pub requests: u64,
    /// Dollars for their prompts by the counts.
    #[serde(serialize_with = "dollars")]
    pub recorded_usd: f64,
    /// Dollars as predicted.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
    /// The difference as a share.
    pub error: Option<f64>,
}

/// The figures of a simulation.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// Dollars.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
    /// Its difference from the count, as a share.
    pub error: Option<f64>,
    /// Tokens of prompts.
    #[serde(with = "RoundedNumber")]
    pub prompt: f64,
    /// Tokens read from the cache.
    #[serde(with = "RoundedNumber")]
    pub cache_read: f64,
}

/// The calls of one day, model or folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The number of calls.
    pub requests: u64,
    /// Dollars without pruning.
    #[serde(serialize_with = "dollars")]
    pub baseline: f64,
    /// Dollars with the first policy.
    #[serde(serialize_with = "dollars")]
    pub pruned: f64,
    /// Tokens of prompts without pruning.
    #[serde(with = "RoundedNumber")]
    pub tokens: f64,
}

/// A tool.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ToolRow {
    /// Its name.
    pub name: String,
    /// The number of its results.
    pub results: u64,
    /// Their tokens, each result once.
    #[serde(with = "RoundedNumber")]
    pub tokens: f64,
    /// Tokens of them that the first policy cut.
    #[serde(with = "RoundedNumber")]
    pub cut: f64,
}

/// A call on the time line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TimelinePoint {
    /// Time in milliseconds since 1970.
    pub at: Option<i64>,
    /// Tokens of the prompt without pruning.
    #[serde(with = "RoundedNumber")]
    pub prompt: f64,
    /// Tokens of the prompt with the first policy.
    #[serde(with = "RoundedNumber")]
    pub pruned: f64,
    /// The number of results that the policy cut before it.
    pub cuts: u64,
    /// Why the prompt was not in the cache, without pruning.
    pub miss: Option<Cause>,
    /// Tokens that had been cached and were not read, without pruning.
    #[serde(with = "RoundedNumber")]
    pub lost: f64,
    /// What these cost more than if they had been read.
    #[serde(rename = "lostUsd", serialize_with = "dollars")]
    pub lost_usd: f64,
    /// Line of the answer.
    #[schemars(range(min = 1))]
    pub line: u32,
}
