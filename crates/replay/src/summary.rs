//! The result of a replay, as plain data: its sums can be added over sessions.

mod rows;

pub use rows::{
    Calibration, Example, Group, HeartbeatRow, PolicyRow, RegretRow, Simulated, TimelinePoint,
    ToolRow,
};

use super::miss::Cause;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
    pub tokens: Tokens,
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Log {
    /// Path as given on the command line.
    pub path: String,
    /// Format.
    pub format: &'static str,
    /// Size in bytes.
    pub bytes: u64,
}

/// The fitted ratio of chars to tokens.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// Chars of a token.
    #[serde(serialize_with = "thousandths")]
    pub chars_per_token: f64,
    /// Its standard error; null if nothing was fitted.
    pub error: Option<f64>,
    /// The share of the model's output that is sent again.
    #[serde(serialize_with = "thousandths")]
    pub said_again: f64,
    /// Tokens of every prompt outside its messages.
    #[serde(with = "RoundedNumber")]
    pub overhead: f64,
    /// The number of requests of the fit.
    pub requests: u64,
    /// The typical difference between a prompt and the fit, in tokens.
    #[serde(with = "RoundedNumber")]
    pub residual: f64,
}

/// The rules of a cache, and the source of the prices.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rules {
    /// Seconds for which a prompt is kept.
    pub lifetime: u64,
    /// The source of the row.
    pub source: String,
    /// The date of the row.
    pub date: String,
}

/// Sums that can be added over sessions.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sums {
    /// The number of calls that count.
    pub requests: u64,
    /// The number of those whose model has no price.
    pub unpriced: u64,
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
}

pub(super) fn rounded(value: f64, parts: f64) -> f64 {
    // Adding zero turns a negative zero into a positive one.
    (value * parts).round() / parts + 0.0
}

/// Writes a number without its fraction.
struct RoundedNumber;

impl RoundedNumber {
    fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(value.round().max(0.0) as u64)
    }
}

impl JsonSchema for RoundedNumber {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RoundedNumber".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        u64::json_schema(generator)
    }
}

pub(super) fn thousandths<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value, 1e3))
}

pub(super) fn dollars<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value, 1e6))
}
