//! The price of counted tokens.

use super::{session::Session, steps::Call};
use deadhead_core::{
    internal::{
        dialect::usage::Usage,
        prices::{self, DAY, Row},
    },
    settings::Settings,
};

/// Returns the price row of each call at its time, and whether its model has a price.
pub fn rows(session: &Session, settings: &Settings) -> Vec<(Row, bool)> {
    rows_of(session, &session.calls, settings)
}

/// Returns those of some requests of a session.
pub fn rows_of(session: &Session, calls: &[Call], settings: &Settings) -> Vec<(Row, bool)> {
    let mut rows: Vec<(Row, bool)> = Vec::with_capacity(calls.len());
    let time = |call: &Call| call.start.or(call.end);
    let key = |call: &Call| {
        let day = time(call).map(|time| time.div_euclid(DAY));
        (call.model, call.tiers, day)
    };
    for (i, call) in calls.iter().enumerate() {
        // Most calls have the model and day of the previous one, and prices change by the day.
        let before = i
            .checked_sub(1)
            .filter(|&before| key(&calls[before]) == key(call))
            .map(|before| rows[before].clone());
        rows.push(before.unwrap_or_else(|| {
            let (row, is_priced) =
                prices::row_at(session.model(call), time(call), &settings.replay);
            let times = session.tiers(call).filter_map(|(_, times)| times).product();
            (row.at_rate(times), is_priced)
        }));
    }
    rows
}

/// Returns the cost of these tokens by a row of prices, in dollars.
pub fn cost(row: &Row, usage: &Usage) -> f64 {
    let input = usage.input as f64 * row.input
        + usage.cache_read as f64 * row.read
        + usage.cache_write5m as f64 * row.write
        + usage.cache_write1h as f64 * row.write_long;
    row.usd(usage.prompt(), input, usage.output)
}
