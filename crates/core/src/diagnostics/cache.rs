//! The cost or saving of a run's cuts at the provider's cache.

use schemars::JsonSchema;
use serde::Serialize;

/// Tokens and dollars of the prompt behind the first change. All is zero where nothing changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CacheCost {
    /// Tokens (chars / 4) that the next request would write into the cache without the cuts.
    pub write_tokens_before: u64,
    /// Tokens that it writes with them.
    pub write_tokens_after: u64,
    /// The cost in dollars of writing and reading the part behind the first change without the cuts; null without a price.
    #[schemars(range(min = 0))]
    pub usd_before: Option<f64>,
    /// The cost in dollars of writing that part with the cuts; null without a price.
    #[schemars(range(min = 0))]
    pub usd_after: Option<f64>,
    /// The source of the prices; null without a price.
    pub price_source: Option<String>,
    /// The number of the message that received a further cache mark, so that the prompt up to there is read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marked: Option<u32>,
    /// The input of the next request as a whole; only where the log counted its calls, their time is known, and something is cut.
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
