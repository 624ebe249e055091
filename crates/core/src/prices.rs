//! Prices and cache rules of providers: one row for each family of models and period.
//!
//! The rows are prices.tsv, each with its source and date: the pages of vendors were read in public copies, and other sources are named
//! so, "third party" before the address, or the calculation. `replay.rates` in the configuration adds rows and changes
//! them. A price that has changed has a row for each period, and a call is priced by the row of its day. A model without a row is
//! counted in tokens and not in dollars.

use crate::settings::Rate;
use crate::settings::models::plain_id;
use std::sync::LazyLock;

/// Milliseconds of a day.
pub const DAY: i64 = 86_400_000;

/// The day on which the table was read, 2026-11-22.
const READ: i64 = 20_779 * DAY;

/// All rows; of those that fit, the longest family counts, and of its rows that of the time.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    include_str!("prices.tsv")
        .lines()
        .filter_map(parsed)
        .collect()
});

/// A model that is in no row: Anthropic's cache, and no price.
const UNPRICED: Row = Row {
    family: "",
    provider: "anthropic",
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
    source: "",
    date: "",
    least_source: "",
};

/// The row of a line of the table; `None` for its head.
fn parsed(line: &'static str) -> Option<Row> {
    let mut cells = line.split('\t');
    let [family, provider] = [cells.next()?, cells.next()?];
    let mut price = || cells.next()?.parse().ok();
    let [input, output, read, write, write_long] =
        [price()?, price()?, price()?, price()?, price()?];
    let [above, times_input, times_output] = [price(), price(), price()];
    let tier = above.and_then(|above: f64| {
        Some(Tier {
            above: above as u64,
            input: times_input?,
            output: times_output?,
        })
    });
    let mut number = || cells.next()?.parse().ok();
    let [lifetime, lifetime_long, least, step] = [number()?, number()?, number()?, number()?];
    let reuse = cells.next()?.parse().map_or(Reuse::Prefix, Reuse::Marks);
    let cache = Cache {
        lifetime,
        lifetime_long,
        least,
        step,
        reuse,
        counts_writes: cells.next()? == "yes",
    };
    let mut time = || {
        cells
            .next()?
            .parse::<jiff::Timestamp>()
            .ok()
            .map(jiff::Timestamp::as_millisecond)
    };
    let (from, until) = (time().unwrap_or(i64::MIN), time().unwrap_or(i64::MAX));
    let [source, date, least_source] = [cells.next()?, cells.next()?, cells.next()?];
    Some(Row {
        family,
        provider,
        input,
        read,
        write,
        write_long,
        output,
        cache,
        tier,
        from,
        until,
        source,
        date,
        least_source,
    })
}

/// One row. Prices are in dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Beginning of the model's id, in lower case and without its vendor.
    pub family: &'static str,
    /// The company that provides the model, such as `anthropic`.
    pub provider: &'static str,
    /// Uncached input.
    pub input: f64,
    /// Input read from the cache.
    pub read: f64,
    /// Input written to a cache of the usual lifetime.
    pub write: f64,
    /// Input written to a cache of the long lifetime.
    pub write_long: f64,
    /// Output.
    pub output: f64,
    /// The rules of the provider's cache.
    pub cache: Cache,
    /// Above so many tokens of prompt, input and output cost so many times as much.
    pub tier: Option<Tier>,
    /// First moment at which it holds, in milliseconds since 1970.
    pub from: i64,
    /// The moment from which it does not hold any more.
    pub until: i64,
    /// The source of the prices: an address, or a remark with an address.
    pub source: &'static str,
    /// When they were read.
    pub date: &'static str,
    /// The source of the least prefix of the cache.
    pub least_source: &'static str,
}

/// The rules of a provider's cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    /// Seconds from a request's start for which its prompt is kept; each hit starts them anew.
    pub lifetime: u64,
    /// The same for prompts that ask for the long lifetime.
    pub lifetime_long: u64,
    /// Prompts of fewer tokens are not kept.
    pub least: u64,
    /// A hit is a multiple of so many tokens.
    pub step: u64,
    /// The part of a changed prompt that can still be read from the cache.
    pub reuse: Reuse,
    /// Whether tokens that are written are counted and charged apart.
    pub counts_writes: bool,
}

/// The part of a cached prompt that a different later prompt can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// All that comes before the difference.
    Prefix,
    /// The parts that the agent marked: the system prompt, and the end of an earlier prompt that is at most this many blocks back.
    Marks(u32),
}

/// A price tier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tier {
    /// Tokens of prompt above which it holds.
    pub above: u64,
    /// Times of the input prices.
    pub input: f64,
    /// Times of the output price.
    pub output: f64,
}

/// The key of a model in `replay.rates`: its id in lower case and without its vendor.
pub fn key(model: &str) -> String {
    plain_id(model)
}

/// The first time after `now` at which a price of any model changes, in milliseconds since 1970.
pub fn next_change(now: i64) -> Option<i64> {
    let times = ROWS.iter().flat_map(|row| [row.from, row.until]);
    times.filter(|time| *time > now && *time != i64::MAX).min()
}

/// The row of a model on the day on which the table was read, with what the configuration says of it; the second part says whether it
/// has a price.
pub fn row(model: &str, configured: &[Rate]) -> (Row, bool) {
    row_at(model, None, configured)
}

/// The same at a time, in milliseconds since 1970, where that is known. Before the earliest row of a model that row counts; after the
/// latest has ended, the model has no price.
pub fn row_at(model: &str, at: Option<i64>, configured: &[Rate]) -> (Row, bool) {
    let (id, at) = (plain_id(model), at.unwrap_or(READ));
    // Of most rows the first letter says that they do not fit.
    let first = id.as_bytes().first();
    let mut named = Vec::new();
    for row in ROWS.iter() {
        if row.family.as_bytes().first() == first
            && id.strip_prefix(row.family).is_some_and(is_variant)
        {
            named.push(row);
        }
    }
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
        .iter()
        .filter(|rate| !rate.family.is_empty() && begins(&rate.family))
        .max_by_key(|rate| rate.family.len());
    let mut row = *known.unwrap_or(&UNPRICED);
    let Some(rate) = stated else {
        return (row, known.is_some());
    };
    if let Some(input) = rate.input {
        // What is not stated keeps its share of the input's price.
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
        row.least_source = "replay.rates";
    }
    (row.source, row.date) = ("replay.rates", "");
    (row, rate.input.is_some() || known.is_some())
}

/// Words in an id that make a model of its own, with a price of its own.
const OTHER: &[&str] = &[
    "pro",
    "mini",
    "nano",
    "lite",
    "fast",
    "spark",
    "sol",
    "terra",
    "luna",
    "astra",
    "deep",
    "image",
    "audio",
    "realtime",
    "transcribe",
    "tts",
];

/// Whether what follows a family's name makes a variant of it, such as a date, `-codex` or `[1m]`, and no other version or model.
fn is_variant(rest: &str) -> bool {
    if rest
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| OTHER.contains(&word))
    {
        return false;
    }
    let Some(word) = rest.strip_prefix(['-', '@', ':']) else {
        return rest.is_empty() || rest.starts_with('[');
    };
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits == 0 || digits >= 4
}

impl Row {
    /// Returns the lifetime of cached prompts in seconds: the long one, or the usual one.
    pub fn lifetime(&self, is_long: bool) -> u64 {
        if is_long {
            self.cache.lifetime_long
        } else {
            self.cache.lifetime
        }
    }

    /// Returns the same in milliseconds.
    pub fn lifetime_ms(&self, is_long: bool) -> u64 {
        self.lifetime(is_long).saturating_mul(1000)
    }

    /// Returns the factors of the input price and of the output price for a prompt of `prompt` tokens.
    pub fn times(&self, prompt: u64) -> (f64, f64) {
        self.tier
            .filter(|tier| prompt > tier.above)
            .map_or((1.0, 1.0), |tier| (tier.input, tier.output))
    }
}

#[cfg(test)]
mod tests;
