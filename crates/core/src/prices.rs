//! What providers charge, and how long and how their caches keep a prompt: one row for each family of models.
//!
//! Every row has its source and date; `replay.rates` in the configuration adds rows and changes them. A model that is in no
//! row is counted in tokens and not in dollars.

use crate::settings::Rate;
use crate::settings::models::plain_id;

/// Lifetime of Anthropic's short cache, in seconds.
const SHORT: u64 = 300;
/// Lifetime of Anthropic's long cache, in seconds.
const LONG: u64 = 3600;

/// One row. Prices are in dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Beginning of the model's id, in lower case and without its vendor.
    pub family: &'static str,
    /// Who makes it.
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
    /// How the cache works.
    pub cache: Cache,
    /// Above so many tokens of prompt, input and output cost so many times as much.
    pub tier: Option<Tier>,
    /// Where it was read.
    pub source: &'static str,
    /// When it was read.
    pub date: &'static str,
}

/// How a provider's cache keeps prompts.
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
    /// What of a prompt that has changed can still be read.
    pub reuse: Reuse,
    /// Whether tokens that are written are counted and charged apart.
    pub counts_writes: bool,
}

/// What can be read of a cached prompt when a later one differs from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// All that comes before the difference.
    Prefix,
    /// What the agent marked: the system prompt, and the end of an earlier prompt that is at most so many blocks back.
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

const fn claude(family: &'static str, input: f64, output: f64, read: f64, least: u64) -> Row {
    Row {
        family,
        provider: "anthropic",
        input,
        read,
        write: input * 1.25,
        write_long: input * 2.0,
        output,
        cache: Cache { lifetime: SHORT, lifetime_long: LONG, least, step: 1, reuse: Reuse::Marks(20), counts_writes: true },
        tier: None,
        source: "https://platform.claude.com/docs/en/about-claude/pricing",
        date: "2026-11",
    }
}

/// Sonnet 4 and 4.5 with a window of a million tokens.
const fn long_sonnet(family: &'static str) -> Row {
    Row { tier: Some(Tier { above: 200_000, input: 2.0, output: 1.5 }), ..claude(family, 3.0, 15.0, 0.3, 1024) }
}

const fn openai(family: &'static str, input: f64, read: f64, output: f64) -> Row {
    Row {
        family,
        provider: "openai",
        input,
        read,
        write: input,
        write_long: input,
        output,
        cache: Cache { lifetime: 600, lifetime_long: 86_400, least: 1024, step: 128, reuse: Reuse::Prefix, counts_writes: false },
        tier: None,
        source: "https://developers.openai.com/api/docs/pricing",
        date: "2026-11",
    }
}

/// From 5.4 on, more than 272,000 tokens of prompt cost twice as much, and their output half as much again.
const fn openai_tiered(family: &'static str, input: f64, read: f64, output: f64) -> Row {
    Row { tier: Some(Tier { above: 272_000, input: 2.0, output: 1.5 }), ..openai(family, input, read, output) }
}

/// The cache of 5.6 keeps prompts for half an hour at least, and writes are charged.
const fn gpt_5_6(family: &'static str, input: f64, output: f64) -> Row {
    Row {
        write: input * 1.25,
        write_long: input * 1.25,
        cache: Cache { lifetime: 1800, lifetime_long: 1800, least: 1024, step: 128, reuse: Reuse::Prefix, counts_writes: true },
        ..openai_tiered(family, input, input * 0.1, output)
    }
}

const fn gemini(family: &'static str, input: f64, read: f64, output: f64) -> Row {
    Row { provider: "google", source: "https://ai.google.dev/gemini-api/docs/pricing", ..openai(family, input, read, output) }
}

/// All rows; of those that fit, the longest family counts.
pub const ROWS: &[Row] = &[
    claude("claude-fable-5-1", 10.0, 50.0, 0.25, 1024),
    claude("claude-fable-5", 10.0, 50.0, 1.0, 1024),
    claude("claude-opus-5-5", 4.0, 20.0, 0.2, 4096),
    claude("claude-opus-5", 5.0, 25.0, 0.5, 4096),
    claude("claude-opus-4-8", 5.0, 25.0, 0.5, 4096),
    claude("claude-opus-4-7", 5.0, 25.0, 0.5, 4096),
    claude("claude-opus-4-6", 5.0, 25.0, 0.5, 4096),
    claude("claude-opus-4-5", 5.0, 25.0, 0.5, 4096),
    claude("claude-opus-4-1", 15.0, 75.0, 1.5, 1024),
    claude("claude-opus-4-0", 15.0, 75.0, 1.5, 1024),
    claude("claude-opus-4", 15.0, 75.0, 1.5, 1024),
    claude("claude-3-opus", 15.0, 75.0, 1.5, 1024),
    claude("claude-sonnet-5-5", 2.0, 10.0, 0.1, 1024),
    claude("claude-sonnet-5", 2.0, 10.0, 0.2, 1024),
    claude("claude-sonnet-4-6", 3.0, 15.0, 0.3, 2048),
    long_sonnet("claude-sonnet-4-5"),
    long_sonnet("claude-sonnet-4-0"),
    long_sonnet("claude-sonnet-4"),
    claude("claude-3-7-sonnet", 3.0, 15.0, 0.3, 1024),
    claude("claude-3-5-sonnet", 3.0, 15.0, 0.3, 1024),
    claude("claude-3-sonnet", 3.0, 15.0, 0.3, 1024),
    Row { tier: Some(Tier { above: 100_000, input: 5.0, output: 5.0 }), ..claude("claude-haiku-5-5", 0.1, 0.5, 0.01, 4096) },
    claude("claude-haiku-4-5", 1.0, 5.0, 0.1, 4096),
    claude("claude-3-5-haiku", 0.8, 4.0, 0.08, 2048),
    claude("claude-3-haiku", 0.25, 1.25, 0.03, 2048),
    gpt_5_6("gpt-5.6", 5.0, 30.0),
    gpt_5_6("gpt-5.6-sol", 4.0, 20.0),
    gpt_5_6("gpt-5.6-terra", 2.0, 12.0),
    gpt_5_6("gpt-5.6-luna", 0.2, 1.2),
    openai_tiered("gpt-5.5", 5.0, 0.5, 30.0),
    openai_tiered("gpt-5.4", 2.5, 0.25, 15.0),
    // These two have no price of their own for what is read from the cache.
    openai_tiered("gpt-5.5-pro", 30.0, 30.0, 180.0),
    openai_tiered("gpt-5.4-pro", 30.0, 30.0, 180.0),
    openai("gpt-5.4-mini", 0.75, 0.075, 4.5),
    openai("gpt-5.4-nano", 0.2, 0.02, 1.25),
    openai("gpt-5.3-codex", 1.75, 0.175, 14.0),
    openai("gpt-5.2", 1.75, 0.175, 14.0),
    openai("gpt-5.1", 1.25, 0.125, 10.0),
    openai("gpt-5", 1.25, 0.125, 10.0),
    openai("gpt-5-mini", 0.25, 0.025, 2.0),
    openai("gpt-5-nano", 0.05, 0.005, 0.4),
    openai("gpt-4.1", 2.0, 0.5, 8.0),
    openai("gpt-4.1-mini", 0.4, 0.1, 1.6),
    openai("gpt-4.1-nano", 0.1, 0.025, 0.4),
    openai("gpt-4o", 2.5, 1.25, 10.0),
    openai("gpt-4o-mini", 0.15, 0.075, 0.6),
    openai("o3", 2.0, 0.5, 8.0),
    openai("o4-mini", 1.1, 0.275, 4.4),
    Row { tier: Some(Tier { above: 200_000, input: 2.0, output: 1.5 }), ..gemini("gemini-2.5-pro", 1.25, 0.125, 10.0) },
    gemini("gemini-2.5-flash", 0.3, 0.03, 2.5),
    gemini("gemini-2.5-flash-lite", 0.1, 0.01, 0.4),
];

/// A model that is in no row: Anthropic's cache, and no price.
const UNPRICED: Row = Row { family: "", source: "", date: "", ..claude("", 0.0, 0.0, 0.0, 1024) };

/// The key of a model in `replay.rates`: its id in lower case and without its vendor.
pub fn key(model: &str) -> String {
    plain_id(model)
}

/// The row of a model, with what the configuration says of it; the second part says whether it has a price.
pub fn row(model: &str, configured: &[Rate]) -> (Row, bool) {
    let id = plain_id(model);
    let fits = |family: &str| !family.is_empty() && id.strip_prefix(family).is_some_and(is_variant);
    let known = ROWS.iter().filter(|row| fits(row.family)).max_by_key(|row| row.family.len());
    let begins = |family: &str| id.strip_prefix(family).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
    let stated = configured.iter().filter(|rate| !rate.family.is_empty() && begins(&rate.family)).max_by_key(|rate| rate.family.len());
    let mut row = *known.unwrap_or(&UNPRICED);
    let Some(rate) = stated else { return (row, known.is_some()) };
    if let Some(input) = rate.input {
        // What is not stated keeps its share of the input's price.
        let before = row.input;
        let share = |price: f64, usual: f64| if before > 0.0 { price / before * input } else { usual * input };
        (row.read, row.write, row.write_long) = (share(row.read, 0.1), share(row.write, 1.25), share(row.write_long, 2.0));
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
    if rest.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| OTHER.contains(&word)) {
        return false;
    }
    let Some(word) = rest.strip_prefix(['-', '@', ':']) else { return rest.is_empty() || rest.starts_with('[') };
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits == 0 || digits >= 4
}

impl Row {
    /// How many times the input and the output cost for a prompt of so many tokens.
    pub fn times(&self, prompt: u64) -> (f64, f64) {
        self.tier.filter(|tier| prompt > tier.above).map_or((1.0, 1.0), |tier| (tier.input, tier.output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_family_counts() {
        let of = |model: &str| row(model, &[]).0.family;
        assert_eq!(of("claude-opus-4-5-20251101"), "claude-opus-4-5");
        assert_eq!(of("anthropic/claude-sonnet-4.5"), "claude-sonnet-4-5");
        assert_eq!(of("claude-opus-4-20250514"), "claude-opus-4");
        assert_eq!(of("gpt-5.1-codex"), "gpt-5.1");
        for unknown in ["gpt-50", "gpt-5.9", "claude-opus-4-9", ""] {
            assert_eq!(of(unknown), "", "{unknown}");
        }
        assert!(!row("llama", &[]).1);
        for row in ROWS {
            assert!(row.source.starts_with("https://") && row.read <= row.input && row.input < row.output, "{}", row.family);
            assert_eq!(super::row(row.family, &[]).0.family, row.family);
        }
    }

    #[test]
    fn prices_of_variants() {
        // Model, then input, read and output: the vendors' pricing pages, 2026-11.
        for (model, price) in [
            ("claude-sonnet-5-5", Some((2.0, 0.1, 10.0))),
            ("claude-opus-4-1", Some((15.0, 1.5, 75.0))),
            ("claude-opus-4-1-20250805", Some((15.0, 1.5, 75.0))),
            ("claude-opus-4-0", Some((15.0, 1.5, 75.0))),
            ("claude-sonnet-4-0", Some((3.0, 0.3, 15.0))),
            ("claude-opus-4-6[1m]", Some((5.0, 0.5, 25.0))),
            ("gpt-5.6-sol", Some((4.0, 0.4, 20.0))),
            ("gpt-5.6-terra-2026-07-09", Some((2.0, 0.2, 12.0))),
            ("gpt-5.1-codex-max", Some((1.25, 0.125, 10.0))),
            ("gpt-5.4-pro-2026-03-05", Some((30.0, 30.0, 180.0))),
            ("gpt-5.5-pro", Some((30.0, 30.0, 180.0))),
            ("gemini-2.5-pro-preview-05-06", Some((1.25, 0.125, 10.0))),
            ("gemini-2.5-flash-lite", Some((0.1, 0.01, 0.4))),
            ("gpt-5.2-pro", None),
            ("gpt-5-pro", None),
            ("o3-pro-2025-06-10", None),
            ("o3-mini", None),
            ("o3-deep-research", None),
            ("gpt-5.1-codex-mini", None),
            ("gpt-6-sol", None),
            ("gemini-2.5-flash-image", None),
            ("claude-mythos-5", None),
        ] {
            let (row, is_priced) = row(model, &[]);
            assert_eq!(is_priced.then_some((row.input, row.read, row.output)), price, "{model}");
        }
        let (luna, _) = row("gpt-5.6-luna", &[]);
        assert!((luna.input - 0.2).abs() + (luna.read - 0.02).abs() + (luna.output - 1.2).abs() < 1e-9, "{luna:?}");
    }

    #[test]
    fn the_configuration_wins() {
        let rate = Rate { family: "llama".into(), input: Some(2.0), lifetime_ms: Some(60_000), ..Rate::default() };
        let (found, priced) = row("llama-4", std::slice::from_ref(&rate));
        assert!(priced && found.input == 2.0 && found.read == 0.2 && found.cache.lifetime == 60, "{found:?}");
        let halved = Rate { family: "gpt-5.5".into(), input: Some(2.5), ..Rate::default() };
        assert_eq!(row("gpt-5.5", &[halved]).0.read, 0.25);
    }

    #[test]
    fn tiers() {
        let (found, _) = row("gpt-5.5", &[]);
        assert_eq!((found.times(272_000), found.times(272_001)), ((1.0, 1.0), (2.0, 1.5)));
        let (found, _) = row("claude-haiku-5-5", &[]);
        assert_eq!((found.times(100_000), found.times(100_001)), ((1.0, 1.0), (5.0, 5.0)));
    }
}
