//! The format of a price table: a line for each family of models and period, its cells separated by tabs. `prices.tsv` is the built-in
//! one; `replay.prices` names one of the user's.

use super::error::ConfigError;
use std::borrow::Cow;
use std::str::FromStr;

/// The columns, as errors name them.
const COLUMNS: [&str; 21] = [
    "family",
    "provider",
    "input",
    "output",
    "read",
    "write",
    "write long",
    "tier: above",
    "tier: times input",
    "tier: times output",
    "lifetime",
    "long lifetime",
    "least tokens of a prefix",
    "step of a hit",
    "blocks back",
    "writes are counted",
    "from",
    "until",
    "source of the prices",
    "read on",
    "source of the least prefix",
];

/// Cells that a line must have; the others may be left out.
const NEEDED: usize = 16;

/// A text of a row, which a built-in row borrows.
pub type Text = Cow<'static, str>;

/// One row. Prices are in dollars for a million tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Beginning of the model's id, in lower case and without its vendor.
    pub family: Text,
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
    pub source: Text,
    /// When they were read.
    pub date: Text,
    /// The source of the least prefix of the cache.
    pub least_source: Text,
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

    /// Returns the price of input of which the share `long` is written for the long lifetime.
    pub fn write_price(&self, long: f64) -> f64 {
        long * self.write_long + (1.0 - long) * self.write
    }

    /// Returns the dollars of a request whose input costs `input` millionths where there is no tier.
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

    /// Returns the factors of the input price and of the output price for a prompt of `prompt` tokens.
    pub fn times(&self, prompt: u64) -> (f64, f64) {
        self.tier
            .filter(|tier| prompt > tier.above)
            .map_or((1.0, 1.0), |tier| (tier.input, tier.output))
    }
}

/// Returns the lines of a table with their numbers, from 1; blank lines and those that begin with `#` are none.
pub fn lines(table: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..)
        .zip(table.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

/// Reads a line of a table. `text` makes the texts of the row.
///
/// # Errors
/// Why it is no row.
pub fn row<'a>(line: &'a str, text: fn(&'a str) -> Text) -> Result<Row, String> {
    Cells(line.split('\t').map(str::trim).collect()).row(text)
}

/// Reads a table of the user's, which `name` names in errors.
///
/// # Errors
/// A line that is no row of a price table.
pub fn table(name: &str, table: &str) -> Result<Vec<Row>, ConfigError> {
    let rows = lines(table).map(|(at, line)| {
        row(line, |text| Cow::Owned(text.to_owned())).map_err(|why| ConfigError::PriceRow {
            source: name.to_owned(),
            line: at,
            why,
        })
    });
    rows.collect()
}

/// The cells of a line.
struct Cells<'a>(Vec<&'a str>);

impl<'a> Cells<'a> {
    fn row(&self, text: fn(&'a str) -> Text) -> Result<Row, String> {
        if !(NEEDED..=COLUMNS.len()).contains(&self.0.len()) {
            let (cells, most) = (self.0.len(), COLUMNS.len());
            return Err(format!(
                "a row has {NEEDED} to {most} cells, separated by tabs, and this line {cells}"
            ));
        }
        let tier = match self.number(7)? {
            None => None,
            Some(above) => Some(Tier {
                above,
                input: self.price(8)?,
                output: self.price(9)?,
            }),
        };
        let cache = Cache {
            lifetime: self.needed(10)?,
            lifetime_long: self.needed(11)?,
            least: self.needed(12)?,
            step: self.needed(13)?.max(1),
            reuse: self.number(14)?.map_or(Reuse::Prefix, Reuse::Marks),
            counts_writes: self.cell(15) == "yes",
        };
        let family = self.cell(0);
        if family.is_empty() || family != family.to_lowercase() {
            return Err(self.wrong(
                0,
                "the beginning of an id, in lower case and without its vendor",
            ));
        }
        Ok(Row {
            family: text(family),
            input: self.price(2)?,
            output: self.price(3)?,
            read: self.price(4)?,
            write: self.price(5)?,
            write_long: self.price(6)?,
            tier,
            cache,
            from: self.time(16)?.unwrap_or(i64::MIN),
            until: self.time(17)?.unwrap_or(i64::MAX),
            source: text(self.cell(18)),
            date: text(self.cell(19)),
            least_source: text(self.cell(20)),
        })
    }

    /// The text of a column; empty where the line ends before it.
    fn cell(&self, column: usize) -> &'a str {
        self.0.get(column).copied().unwrap_or_default()
    }

    fn wrong(&self, column: usize, expected: &str) -> String {
        format!(
            "cell {} ({}) must be {expected}, not {:?}",
            column + 1,
            COLUMNS[column],
            self.cell(column)
        )
    }

    fn number<T: FromStr>(&self, column: usize) -> Result<Option<T>, String> {
        match self.cell(column) {
            "" => Ok(None),
            text => text
                .parse()
                .map(Some)
                .map_err(|_| self.wrong(column, "a whole number, or empty")),
        }
    }

    fn needed(&self, column: usize) -> Result<u64, String> {
        let number = self.number(column).ok().flatten();
        number.ok_or_else(|| self.wrong(column, "a whole number"))
    }

    fn price(&self, column: usize) -> Result<f64, String> {
        let price = self.cell(column).parse().ok();
        price
            .filter(|price: &f64| price.is_finite() && *price >= 0.0)
            .ok_or_else(|| self.wrong(column, "a number from 0"))
    }

    fn time(&self, column: usize) -> Result<Option<i64>, String> {
        match self.cell(column) {
            "" => Ok(None),
            text => match text.parse::<jiff::Timestamp>() {
                Ok(time) => Ok(Some(time.as_millisecond())),
                Err(_) => Err(self.wrong(column, "a time such as 2026-01-31T00:00:00Z, or empty")),
            },
        }
    }
}
