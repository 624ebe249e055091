//! The rows, with their sources. Pages of vendors were read in public copies, in November 2026. Other sources are named so: "third
//! party" before the address, or the calculation.

use super::{Cache, DAY, Reuse, Row, Tier};

/// The day on which the table was read.
pub(super) const READ: i64 = day(2026, 11, 22);

/// Lifetime of Anthropic's short cache, in seconds.
const SHORT: u64 = 300;
/// Lifetime of Anthropic's long cache, in seconds.
const LONG: u64 = 3600;

const ANTHROPIC: &str = "https://platform.claude.com/docs/en/about-claude/pricing";
const ANTHROPIC_LEAST: &str = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching#cache-limitations";
const HAIKU_5_5: &str = "https://platform.claude.com/docs/en/models/haiku-5-5/overview";
const SONNET_5_5: &str = "third party, https://github.com/TheKrush/PromptFuel/releases/tag/v1.0.23";
const OPENAI: &str = "https://developers.openai.com/api/docs/pricing";
const OPENAI_LEAST: &str = "https://developers.openai.com/api/docs/guides/prompt-caching";
const SOL_5_6: &str = "third party, https://github.com/pwrdrvr/PwrAgent/pull/1868";
const LUNA_TERRA_5_6: &str = "third party, https://docs.laozhang.ai/en/announcements/gpt-5-6-pricing-2026-07.md";
const ASTRA_6: &str = "third party, https://github.com/TheKrush/PromptFuel/releases/tag/v1.0.19";
const SOL_LUNA_6: &str = "third party, https://github.com/merefield/codexometer/releases/tag/v0.18.4";
const SOL_6_1: &str = "third party, https://docs.laozhang.ai/en/announcements/gpt-6-1-sol-2026-10.md";
const SOL_6_2: &str = "https://developers.openai.com/api/docs/models/gpt-6.2-sol";
const ASTRA_6_2: &str = "third party, https://github.com/BerriAI/litellm/discussions/52347";
const GOOGLE: &str = "https://ai.google.dev/gemini-api/docs/pricing";
const GOOGLE_LEAST: &str = "third party, https://docs.apiyi.com/ko/api-capabilities/gemini/prompt-caching.md";
const GOOGLE_READS: &str = "https://ai.google.dev/gemini-api/docs/pricing; reads reckoned as a tenth of the input, not from that page";
const FLASH_3_8: &str = "third party, https://github.com/BerriAI/litellm/discussions/39357";
const PRO_3: &str = "third party, https://www.aifreeapi.com/en/posts/gemini-3-api-pricing-quota; reads and the tier as of gemini-3.1-pro";
const FLASH_3: &str = "third party, https://www.morphllm.com/gemini-api-pricing; reads reckoned as a tenth of the input";
const FLASH_LITE_3_1: &str = "third party, https://macaron.im/blog/gemini-flash-lite-pricing";

/// The beginning of a day, in milliseconds since 1970. The year begins in March, so that a leap day is its last.
const fn day(year: i64, month: i64, date: i64) -> i64 {
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    (year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + date - 1 - 719_468) * DAY
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
        from: i64::MIN,
        until: i64::MAX,
        source: ANTHROPIC,
        date: "2026-11",
        least_source: ANTHROPIC_LEAST,
    }
}

/// Sonnet 4 and 4.5 with a window of a million tokens.
const fn long_sonnet(family: &'static str) -> Row {
    claude(family, 3.0, 15.0, 0.3, 1024).above(200_000, 2.0, 1.5)
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
        source: OPENAI,
        least_source: OPENAI_LEAST,
        ..claude(family, input, output, read, 1024)
    }
}

/// From 5.4 on, more than 272,000 tokens of prompt cost twice as much, and their output half as much again.
const fn openai_tiered(family: &'static str, input: f64, read: f64, output: f64) -> Row {
    openai(family, input, read, output).above(272_000, 2.0, 1.5)
}

/// The cache of 5.6 and later keeps prompts for half an hour at least and a day at most, and writes are charged.
const fn openai_marked(family: &'static str, input: f64, read: f64, output: f64, source: &'static str) -> Row {
    Row {
        write: input * 1.25,
        write_long: input * 1.25,
        cache: Cache { lifetime: 1800, lifetime_long: 86_400, least: 1024, step: 128, reuse: Reuse::Prefix, counts_writes: true },
        ..openai_tiered(family, input, read, output)
    }
    .read_in(source)
}

const fn gemini(family: &'static str, input: f64, read: f64, output: f64, least: u64) -> Row {
    let row = openai(family, input, read, output);
    Row { provider: "google", source: GOOGLE, least_source: GOOGLE_LEAST, cache: Cache { least, ..row.cache }, ..row }
}

impl Row {
    const fn from(self, year: i64, month: i64, date: i64) -> Row {
        Row { from: day(year, month, date), ..self }
    }

    const fn until(self, year: i64, month: i64, date: i64) -> Row {
        Row { until: day(year, month, date), ..self }
    }

    const fn read_in(self, source: &'static str) -> Row {
        Row { source, ..self }
    }

    const fn above(self, above: u64, input: f64, output: f64) -> Row {
        Row { tier: Some(Tier { above, input, output }), ..self }
    }
}

/// A model that is in no row: Anthropic's cache, and no price.
pub(super) const UNPRICED: Row = Row { family: "", source: "", date: "", least_source: "", ..claude("", 0.0, 0.0, 0.0, 1024) };

/// All rows; of those that fit, the longest family counts, and of its rows that of the time.
pub const ROWS: &[Row] = &[
    claude("claude-fable-5-1", 10.0, 50.0, 0.25, 512),
    claude("claude-mythos-5-1", 10.0, 50.0, 0.25, 512),
    claude("claude-fable-5", 10.0, 50.0, 1.0, 512),
    claude("claude-mythos-5", 10.0, 50.0, 1.0, 512),
    claude("claude-opus-5-5", 4.0, 20.0, 0.2, 512),
    claude("claude-opus-5", 5.0, 25.0, 0.5, 512),
    claude("claude-opus-4-8", 5.0, 25.0, 0.5, 1024),
    claude("claude-opus-4-7", 5.0, 25.0, 0.5, 2048),
    claude("claude-opus-4-6", 5.0, 25.0, 0.5, 4096),
    claude("claude-opus-4-5", 5.0, 25.0, 0.5, 4096),
    claude("claude-opus-4-1", 15.0, 75.0, 1.5, 1024),
    claude("claude-opus-4-0", 15.0, 75.0, 1.5, 1024),
    claude("claude-opus-4", 15.0, 75.0, 1.5, 1024),
    claude("claude-3-opus", 15.0, 75.0, 1.5, 1024),
    claude("claude-sonnet-5-5", 2.0, 10.0, 0.2, 512).until(2026, 10, 7).read_in(SONNET_5_5),
    claude("claude-sonnet-5-5", 2.0, 10.0, 0.1, 512).from(2026, 10, 7).read_in(SONNET_5_5),
    claude("claude-sonnet-5", 2.0, 10.0, 0.2, 1024),
    claude("claude-sonnet-4-6", 3.0, 15.0, 0.3, 1024),
    long_sonnet("claude-sonnet-4-5"),
    long_sonnet("claude-sonnet-4-0"),
    long_sonnet("claude-sonnet-4"),
    claude("claude-3-7-sonnet", 3.0, 15.0, 0.3, 1024),
    claude("claude-3-5-sonnet", 3.0, 15.0, 0.3, 1024),
    claude("claude-3-sonnet", 3.0, 15.0, 0.3, 1024),
    claude("claude-haiku-5-5", 0.1, 0.5, 0.01, 512).above(100_000, 5.0, 5.0).read_in(HAIKU_5_5),
    claude("claude-haiku-4-5", 1.0, 5.0, 0.1, 4096),
    claude("claude-3-5-haiku", 0.8, 4.0, 0.08, 2048),
    claude("claude-3-haiku", 0.25, 1.25, 0.03, 2048),
    openai_marked("gpt-6.2-astra", 8.0, 0.4, 40.0, ASTRA_6_2),
    openai_marked("gpt-6.2-sol", 2.0, 0.1, 10.0, SOL_6_2),
    openai_marked("gpt-6.1-sol", 2.0, 0.1, 10.0, SOL_6_1),
    openai_marked("gpt-6-astra", 10.0, 1.0, 50.0, ASTRA_6),
    openai_marked("gpt-6-sol", 2.0, 0.2, 10.0, SOL_LUNA_6),
    openai_marked("gpt-6-luna", 0.1, 0.01, 0.5, SOL_LUNA_6),
    // The name without a tier is another name of the first one.
    openai_marked("gpt-5.6", 5.0, 0.5, 30.0, SOL_5_6).until(2026, 8, 21),
    openai_marked("gpt-5.6", 4.0, 0.4, 20.0, SOL_5_6).from(2026, 8, 21),
    openai_marked("gpt-5.6-sol", 5.0, 0.5, 30.0, SOL_5_6).until(2026, 8, 21),
    openai_marked("gpt-5.6-sol", 4.0, 0.4, 20.0, SOL_5_6).from(2026, 8, 21),
    openai_marked("gpt-5.6-terra", 2.5, 0.25, 15.0, LUNA_TERRA_5_6).until(2026, 7, 30),
    openai_marked("gpt-5.6-terra", 2.0, 0.2, 12.0, LUNA_TERRA_5_6).from(2026, 7, 30),
    openai_marked("gpt-5.6-luna", 1.0, 0.1, 6.0, LUNA_TERRA_5_6).until(2026, 7, 30),
    openai_marked("gpt-5.6-luna", 0.2, 0.02, 1.2, LUNA_TERRA_5_6).from(2026, 7, 30),
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
    gemini("gemini-3.8-flash", 0.75, 0.075, 3.75, 4096).until(2027, 1, 1).read_in(FLASH_3_8),
    gemini("gemini-3.8-flash", 1.5, 0.15, 7.5, 4096).from(2027, 1, 1).read_in(FLASH_3_8),
    gemini("gemini-3.5-flash", 1.5, 0.15, 9.0, 4096).read_in(GOOGLE_READS),
    gemini("gemini-3.5-flash-lite", 0.3, 0.03, 2.5, 4096).read_in(GOOGLE_READS),
    gemini("gemini-3.1-pro", 2.0, 0.2, 12.0, 4096).above(200_000, 2.0, 1.5).read_in(GOOGLE_READS),
    gemini("gemini-3.1-flash-lite", 0.25, 0.025, 1.5, 4096).read_in(FLASH_LITE_3_1),
    gemini("gemini-3-pro", 2.0, 0.2, 12.0, 4096).above(200_000, 2.0, 1.5).read_in(PRO_3),
    gemini("gemini-3-flash", 0.5, 0.05, 3.0, 4096).read_in(FLASH_3),
    gemini("gemini-2.5-pro", 1.25, 0.125, 10.0, 2048).above(200_000, 2.0, 1.5),
    gemini("gemini-2.5-flash", 0.3, 0.03, 2.5, 2048),
    gemini("gemini-2.5-flash-lite", 0.1, 0.01, 0.4, 2048).read_in(GOOGLE_READS),
];
