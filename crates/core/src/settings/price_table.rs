//! The format of a price table: a line for each family of models and period, its cells separated by
//! tabs. `prices.tsv` is the built-in one; `replay.prices` names one of the user's.

use super::error::ConfigError;
use crate::tables;
use std::str::FromStr;

/// The columns, as errors name them.
const COLUMNS: &str = "family, provider, input, output, read, write, write long, tier: above, tier: times input, tier: times output, \
    lifetime, long lifetime, least tokens of a prefix, step of a hit, blocks back, writes are counted, from, until, \
    source of the prices, read on, source of the least prefix";

/// Cells that a line must have, and all: the others may be left out.
const NEEDED: usize = 16;
const ALL: usize = 21;

/// One row. Prices are in dollars for a million tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Beginning of the model's id, in lower case and without its vendor.
    pub family: String,
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
    /// The factors of the prices above a number of prompt tokens.
    pub tier: Option<Tier>,
    /// First moment at which it holds, in milliseconds since 1970.
    pub from: i64,
    /// The moment from which it no longer holds.
    pub until: i64,
    /// The source of the prices: an address, or a remark with an address.
    pub source: String,
    /// When they were read.
    pub date: String,
    /// The source of the least prefix of the cache.
    pub least_source: String,
}

/// The rules of a provider's cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    /// Seconds from a request's start for which its prompt is kept; each hit starts them anew.
    pub lifetime: u64,
    /// Seconds for which a prompt is kept that asks for the long lifetime.
    pub lifetime_long: u64,
    /// Prompts of fewer tokens are not kept.
    pub least: u64,
    /// A hit is a multiple of this number of tokens.
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
    /// The parts that the agent marked: the system prompt, and the end of an earlier prompt that is
    /// at most this many blocks back.
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

impl Row {
    /// Returns the lifetime of cached prompts in seconds: the long one, or the usual one.
    pub fn lifetime(&self, is_long: bool) -> u64 {
        if is_long {
            self.cache.lifetime_long
        } else {
            self.cache.lifetime
        }
    }

    /// Returns that lifetime in milliseconds.
    pub fn lifetime_ms(&self, is_long: bool) -> u64 {
        self.lifetime(is_long).saturating_mul(1000)
    }

    /// Returns the price of input of which the share `long` is written for the long lifetime.
    pub fn write_price(&self, long: f64) -> f64 {
        long * self.write_long + (1.0 - long) * self.write
    }

    /// Returns the dollars of a request whose input costs `input` millionths where there is no
    /// tier.
    pub fn usd(&self, prompt: u64, input: f64, output: u64) -> f64 {
        let (times, times_output) = self.times(prompt);
        (input * times + output as f64 * self.output * times_output) / 1e6
    }

    /// Returns the row with all prices times a factor.
    #[must_use]
    pub fn at_rate(mut self, times: f64) -> Row {
        let prices = [
            &mut self.input,
            &mut self.read,
            &mut self.write,
            &mut self.write_long,
            &mut self.output,
        ];
        prices.into_iter().for_each(|price| *price *= times);
        self
    }

    /// Returns the factors of the input price and of the output price for a prompt of `prompt`
    /// tokens.
    pub fn times(&self, prompt: u64) -> (f64, f64) {
        self.tier
            .filter(|tier| prompt > tier.above)
            .map_or((1.0, 1.0), |tier| (tier.input, tier.output))
    }
}

/// Reads a row of a table.
///
/// # Errors
/// Why it is no row.
fn row(cells: &Cells<'_>) -> Result<Row, String> {
    let tier = match cells.number(7)? {
        None => None,
        Some(above) => Some(Tier {
            above,
            input: cells.price(8)?,
            output: cells.price(9)?,
        }),
    };
    let cache = Cache {
        lifetime: cells.needed(10)?,
        lifetime_long: cells.needed(11)?,
        least: cells.needed(12)?,
        step: cells.needed(13)?.max(1),
        reuse: cells.number(14)?.map_or(Reuse::Prefix, Reuse::Marks),
        counts_writes: cells.read(15, "yes or no", |text| match text {
            "yes" => Some(true),
            "no" | "" => Some(false),
            _ => None,
        })?,
    };
    let expected = "the beginning of an id, in lower case and without its vendor";
    let is_family = |family: &&str| {
        !family.is_empty() && !family.contains('/') && **family == family.to_lowercase()
    };
    let family = cells.read(0, expected, |family| Some(family).filter(is_family))?;
    Ok(Row {
        family: family.to_owned(),
        input: cells.price(2)?,
        output: cells.price(3)?,
        read: cells.price(4)?,
        write: cells.price(5)?,
        write_long: cells.price(6)?,
        tier,
        cache,
        from: cells.time(16)?.unwrap_or(i64::MIN),
        until: cells.time(17)?.unwrap_or(i64::MAX),
        source: cells.0[18].to_owned(),
        date: cells.0[19].to_owned(),
        least_source: cells.0[20].to_owned(),
    })
}

/// Reads a table, which `name` names in errors.
///
/// # Errors
/// A line that is no row of a price table.
pub fn table(name: &str, text: &str) -> Result<Vec<Row>, ConfigError> {
    let read = |cells| Ok(row(&Cells(cells))?);
    tables::table(name, text, NEEDED, read).map_err(ConfigError::PriceRow)
}

/// The cells of a row.
struct Cells<'a>([&'a str; ALL]);

impl<'a> Cells<'a> {
    /// Returns the value that `read` makes of a column; the error says what was expected.
    fn read<T>(
        &self,
        column: usize,
        expected: &str,
        read: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, String> {
        let cell = self.0[column];
        read(cell).ok_or_else(|| {
            let name = COLUMNS.split(", ").nth(column).unwrap_or_default();
            format!(
                "cell {} ({name}) must be {expected}, not {cell:?}",
                column + 1
            )
        })
    }

    fn number<T: FromStr>(&self, column: usize) -> Result<Option<T>, String> {
        self.read(column, "a whole number, or empty", |text| match text {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        })
    }

    fn needed(&self, column: usize) -> Result<u64, String> {
        self.read(column, "a whole number", |text| text.parse().ok())
    }

    fn price(&self, column: usize) -> Result<f64, String> {
        let is_price = |price: &f64| price.is_finite() && *price >= 0.0;
        self.read(column, "a number from 0", |text| {
            text.parse().ok().filter(is_price)
        })
    }

    fn time(&self, column: usize) -> Result<Option<i64>, String> {
        let expected = "a time such as 2026-01-31T00:00:00Z, or empty";
        self.read(column, expected, |text| match text {
            "" => Some(None),
            text => {
                let time: jiff::Timestamp = text.parse().ok()?;
                Some(Some(time.as_millisecond()))
            }
        })
    }
}
