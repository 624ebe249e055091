//! The rows of a replay's sums: policies with their regrets, the accuracy of the simulation, groups, tools and moments.

use super::super::miss::Cause;
use super::super::regret::RegretKind;
use super::{RoundedNumber, Totals, dollars, thousandths};
use deadhead_core::internal::dialect::usage::Usage;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A policy.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRow {
    /// Preset, or what was swept.
    pub name: String,
    /// `"transient"` or `"sticky"`.
    #[schemars(extend("enum" = ["transient", "sticky"]))]
    pub manner: &'static str,
    /// Totals of the calls under the policy.
    #[serde(flatten)]
    pub totals: Totals,
    /// Results cut; one that is trimmed and cleared later counts twice.
    pub cuts: u64,
    /// Tokens cut.
    #[serde(with = "RoundedNumber")]
    pub tokens_cut: f64,
    /// Cuts of what no request had sent yet: the model never read the whole of it, and the recording does not show what it would have done.
    pub unread: u64,
    /// Later uses of content that was cut.
    pub regret: RegretRow,
    /// Whether no other policy is cheaper with no more regrets, or less regretted at no higher price.
    pub pareto: bool,
}

/// Cost and savings of a heartbeat without pruning.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatRow {
    /// Its period in milliseconds (`heartbeat.every`).
    pub every_ms: u64,
    /// Requests that it would have sent while the cache was warm.
    pub requests: u64,
    /// Dollars for these.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
    /// Dollars that were paid to write expired prompts again, and would not have been.
    #[serde(serialize_with = "dollars")]
    pub saved_usd: f64,
    /// Further ones that would have been sent only when the cache had expired: the period is not shorter than its lifetime.
    pub too_late: u64,
}

impl HeartbeatRow {
    /// Adds another session's.
    pub fn add(&mut self, other: &HeartbeatRow) {
        self.every_ms = other.every_ms;
        self.requests += other.requests;
        self.usd += other.usd;
        self.saved_usd += other.saved_usd;
        self.too_late += other.too_late;
    }
}

/// Regrets of a policy.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegretRow {
    /// Cuts that are regretted.
    pub cuts: u64,
    /// As a share of all cuts.
    #[serde(serialize_with = "thousandths")]
    pub rate: f64,
    /// Of them, because the same was read again.
    pub read_again: u64,
    /// Because the words were said.
    pub quoted: u64,
    /// Dollars that the regretted cuts cost if each text is asked and paid for once more.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
    /// By pass: cuts, regretted.
    pub passes: BTreeMap<&'static str, (u64, u64)>,
    /// By tool: cuts, regretted.
    pub tools: BTreeMap<String, (u64, u64)>,
    /// A few of them.
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
    /// Line of the message that took it up.
    #[schemars(range(min = 1))]
    pub by: u32,
    /// The resource, or the words.
    pub what: String,
}

/// The simulation without pruning beside what the provider counted, over all calls of the log that have a count.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Calibration {
    /// Calls compared.
    pub requests: u64,
    /// Usage that the provider counted.
    pub recorded: Usage,
    /// Its price by the rates used here.
    #[serde(serialize_with = "dollars")]
    pub recorded_usd: f64,
    /// Cost that the log states, in dollars.
    pub log_usd: Option<f64>,
    /// The simulation, with what the log shows of the cache.
    pub simulated: Simulated,
    /// The simulation by the rules of the cache alone.
    pub rules: Simulated,
    /// Mean distance of a prompt's tokens from the count, as a share.
    #[serde(serialize_with = "thousandths")]
    pub prompt_error: f64,
    /// Calls whose prompt was not in the cache although the rules say so.
    pub lost: u64,
    /// Calls whose prompt was there although it should have expired.
    pub kept: u64,
    /// Calls that found a system prompt which other conversations keep warm, and nothing else.
    pub warm: u64,
}

/// A simulation beside the count.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// Dollars.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
    /// Its distance from the count, as a share.
    pub error: Option<f64>,
    /// Tokens of prompts.
    #[serde(with = "RoundedNumber")]
    pub prompt: f64,
    /// Tokens read.
    #[serde(with = "RoundedNumber")]
    pub cache_read: f64,
}

/// Calls of one day, model or folder.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Calls.
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
#[serde(rename_all = "camelCase")]
pub struct ToolRow {
    /// Its name.
    pub name: String,
    /// Its results.
    pub results: u64,
    /// Their tokens, each result once.
    #[serde(with = "RoundedNumber")]
    pub tokens: f64,
    /// Of them, cut by the first policy.
    #[serde(with = "RoundedNumber")]
    pub cut: f64,
}

/// A call on the time line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelinePoint {
    /// When, in milliseconds since 1970.
    pub at: Option<i64>,
    /// Tokens of the prompt without pruning.
    #[serde(with = "RoundedNumber")]
    pub prompt: f64,
    /// With the first policy.
    #[serde(with = "RoundedNumber")]
    pub pruned: f64,
    /// Results that the policy cut before it.
    pub cuts: u64,
    /// Why the prompt was not in the cache, without pruning.
    pub miss: Option<Cause>,
}
