//! Prices and cache rules of providers: one row for each family of models and period.
//!
//! The rows are prices.tsv (tiers.tsv for service tiers), each with its source and date: the pages
//! of vendors were read in public copies, and other sources are named so, "third party" before the
//! address, or the calculation. A table of the user's (`replay.prices`) replaces the rows of its
//! families, and `replay.rates` changes single prices. A price that has changed has a row for each
//! period, and a call is priced by the row of its day. A model without a row is counted in tokens
//! and not in dollars.

pub use crate::settings::price_table::{Cache, Reuse, Row, Tier};

use crate::{
    settings::{Replay, models::plain_id, price_table},
    tables::table_file,
};
use std::sync::LazyLock;

/// Milliseconds of a day.
pub const DAY: i64 = 86_400_000;

/// The day on which the table was read, 2026-11-22.
const READ: i64 = 20_779 * DAY;

/// The built-in table. Among the rows that fit, the longest family counts, and in it the row of the
/// time.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    price_table::table("prices.tsv", include_str!("prices.tsv")).expect("a test reads the table")
});

/// A model that is in no row: Anthropic's cache, and no price.
const UNPRICED: Row = Row {
    family: String::new(),
    input: 0.0,
    read: 0.0,
    write: 0.0,
    write_long: 0.0,
    output: 0.0,
    cache: Cache {
        lifetime: 300,
        lifetime_long: 3600,
        least: 1024,
        step: 1,
        reuse: Reuse::Marks(20),
        counts_writes: true,
    },
    tier: None,
    from: i64::MIN,
    until: i64::MAX,
    source: String::new(),
    date: String::new(),
    least_source: String::new(),
};

/// The key of a model in `replay.rates`: its id in lower case and without its vendor.
pub fn key(model: &str) -> String {
    plain_id(model)
}

/// The first time after `now` at which a price of any model changes, in milliseconds since 1970.
pub fn next_change(now: i64, configured: &Replay) -> Option<i64> {
    let rows = rows(configured, |_| true);
    let times = rows.iter().flat_map(|row| [row.from, row.until]);
    times.filter(|time| *time > now && *time != i64::MAX).min()
}

/// The rows of the families that `is_wanted` accepts: those of the user's table, and the built-in
/// ones of other families.
fn rows(configured: &Replay, is_wanted: impl Fn(&str) -> bool) -> Vec<&Row> {
    let own = &configured.table;
    let is_replaced = |family: &str| own.iter().any(|own| own.family == family);
    let built_in = ROWS.iter().filter(|row| !is_replaced(&row.family));
    let all = own.iter().chain(built_in);
    all.filter(|row| is_wanted(&row.family)).collect()
}

/// The row of a model on the day on which the table was read, with what the configuration says of
/// it; the second part says whether it has a price.
pub fn row(model: &str, configured: &Replay) -> (Row, bool) {
    row_at(model, None, configured)
}

/// The row of a model at a time, in milliseconds since 1970, where that is known. Before the
/// earliest row of a model that row counts; after the latest has ended, the model has no price.
pub fn row_at(model: &str, at: Option<i64>, configured: &Replay) -> (Row, bool) {
    let (id, at) = (plain_id(model), at.unwrap_or(READ));
    // For most rows, the first letter shows that they do not fit.
    let named = rows(configured, |family| {
        family.as_bytes().first() == id.as_bytes().first()
            && id.strip_prefix(family).is_some_and(is_variant)
    });
    let longest = named.iter().map(|row| row.family.len()).max();
    let dated = || {
        named
            .iter()
            .copied()
            .filter(|row| Some(row.family.len()) == longest && at < row.until)
    };
    let known = dated()
        .find(|row| row.from <= at)
        .or_else(|| dated().min_by_key(|row| row.from));
    let begins = |family: &str| {
        id.strip_prefix(family)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let stated = configured
        .rates
        .iter()
        .filter(|rate| !rate.family.is_empty() && begins(&rate.family))
        .max_by_key(|rate| rate.family.len());
    let mut row = known.cloned().unwrap_or(UNPRICED);
    let Some(rate) = stated else {
        return (row, known.is_some());
    };
    if let Some(input) = rate.input {
        // An unstated price keeps its ratio to the input's price.
        let before = row.input;
        let share = |price: f64, usual: f64| {
            if before > 0.0 {
                price / before * input
            } else {
                usual * input
            }
        };
        (row.read, row.write, row.write_long) = (
            share(row.read, 0.1),
            share(row.write, 1.25),
            share(row.write_long, 2.0),
        );
        row.output = share(row.output, 5.0);
        row.input = input;
    }
    let put = |slot: &mut f64, value: Option<f64>| *slot = value.unwrap_or(*slot);
    put(&mut row.read, rate.cache_read);
    put(&mut row.write, rate.cache_write);
    put(&mut row.write_long, rate.cache_write_long);
    put(&mut row.output, rate.output);
    if let Some(lifetime) = rate.lifetime_ms {
        (row.cache.lifetime, row.cache.lifetime_long) = (lifetime / 1000, lifetime / 1000);
    }
    row.cache.least = rate.min_prefix.unwrap_or(row.cache.least);
    if rate.min_prefix.is_some() {
        row.least_source = "replay.rates".to_owned();
    }
    (row.source, row.date) = ("replay.rates".to_owned(), String::new());
    (row, rate.input.is_some() || known.is_some())
}

/// Returns the factor of a price for a service tier, a speed or a place of inference; `None` if it
/// is unknown.
pub fn tier(model: &str, tier: &str) -> Option<f64> {
    let id = plain_id(model);
    static ROWS: LazyLock<Vec<(&str, &str, f64)>> = LazyLock::new(|| {
        let row = |[family, name, times, ..]: [&'static str; 5]| Ok((family, name, times.parse()?));
        table_file!("tiers.tsv", 3, row)
    });
    ROWS.iter()
        .filter(|(family, name, _)| *name == tier && id.starts_with(family))
        .max_by_key(|(family, ..)| family.len())
        .map(|(.., times)| *times)
}

/// Returns the row for weighing cuts of a model that has no price: prices relative to that of
/// input, and the cache, as they are usual for `provider`. The rows are those whose family is `*`
/// and a part of the provider's name.
pub fn usual(provider: &str, configured: &Replay) -> Row {
    let provider = provider.to_ascii_lowercase();
    let fits = |family: &str| {
        let part = family.strip_prefix('*');
        part.is_some_and(|part| provider.contains(part))
    };
    let fitting = rows(configured, fits).into_iter();
    let longest = fitting.max_by_key(|row| row.family.len());
    longest.cloned().unwrap_or(UNPRICED)
}

/// Words in an id that make a model of its own, with a price of its own.
const OTHER: &str =
    "pro mini nano lite fast spark sol terra luna astra deep image audio realtime transcribe tts";

/// Whether what follows a family's name makes a variant of it, such as a date, `-codex` or `[1m]`,
/// and no other version or model.
fn is_variant(rest: &str) -> bool {
    if rest
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| OTHER.split(' ').any(|other| other == word))
    {
        return false;
    }
    let Some(word) = rest.strip_prefix(['-', '@', ':']) else {
        return rest.is_empty() || rest.starts_with('[');
    };
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits == 0 || digits >= 4
}

#[cfg(test)]
mod tests;
