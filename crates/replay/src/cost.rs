//! The price of tokens that the provider counted.

use deadhead_core::internal::dialect::usage::Usage;
use deadhead_core::internal::prices::{self, Row};
use deadhead_core::settings::Settings;

/// What a request costs that the provider counted.
pub fn price(model: &str, usage: &Usage, settings: &Settings) -> f64 {
    cost(&prices::row(model, &settings.replay.rates).0, usage)
}

/// What these tokens cost by a row of prices.
pub fn cost(row: &Row, usage: &Usage) -> f64 {
    let (times, times_output) = row.times(usage.prompt());
    let input = usage.input as f64 * row.input
        + usage.cache_read as f64 * row.read
        + usage.cache_write5m as f64 * row.write
        + usage.cache_write1h as f64 * row.write_long;
    (input * times + usage.output as f64 * row.output * times_output) / 1e6
}
