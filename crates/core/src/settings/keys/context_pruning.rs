//! `contextPruning`: conditions and sizes of the passes by size.

use crate::settings::kinds::{
    AutoMillis, Choice, Count, Flag, Kind, Patterns, Placeholder, Ratio, Whole, camel, choices,
    section,
};

/// The text that replaces a blank `hardClear.placeholder`.
pub const PLACEHOLDER: &str = "[Old tool result content cleared]";

section! {
    /// `contextPruning`: the keys of OpenClaw's session pruning, and ours beside them.
    pub struct ContextPruning(camel) {
        /// When to cut old results: see `deadhead prune --help` for the modes.
        mode: Choice<Mode>,
        /// Lifetime of the provider's cache: the age of the last call from which the cache counts as expired; 0 means never. auto takes it from
        /// the cache marks or counts of the input, else from cacheControlTtl, else five minutes.
        ttl_ms: AutoMillis,
        /// Assistant messages at the end whose tool results are left alone.
        keep_last_assistants: Count = 3,
        /// Share of the context window above which large results are trimmed.
        soft_trim_ratio: Ratio = 0.3,
        /// Share of the context window above which old results are cleared.
        hard_clear_ratio: Ratio = 0.5,
        /// Chars that the results that may be cleared must have together before any is cleared.
        min_prunable_tool_chars: Whole = 50_000,
        /// Tools whose results may be cut; deny wins, and an empty allow list allows all.
        tools: Tools,
        /// Sizes of a trim.
        soft_trim: SoftTrim,
        /// Text that replaces a cleared result.
        hard_clear: HardClear,
        /// Results with images: leave them alone (skip), or remove their images (prune).
        images: Choice<Images>,
        /// Counting of chars: in UTF-16 units, or with weights for Chinese, Japanese and Korean.
        estimator: Choice<Estimator>,
        /// The size of which the ratios are shares: tokens, recorded by the log or else estimated, or chars, four a token, as OpenClaw counts.
        ratio_by: Choice<RatioBy>,
        /// Whether to leave thinking, except that of the last assistant message, out of the size that decides.
        drop_thinking_for_estimate: Flag,
        /// Providers whose calls the cache-ttl mode may prune.
        providers: Choice<Providers>,
        /// OpenClaw's markers that give the time of the last call: any, or only those of this provider and model.
        markers: Choice<Markers>,
    }
}

section! {
    /// The tools whose results may be cut: patterns in which only `*` is special, compared in lower case. Deny wins; an empty allow list
    /// allows all.
    pub struct Tools(camel) {
        /// Tools whose results may be cut, as patterns with *; none allows all.
        allow: Patterns,
        /// Tools whose results are never cut, as patterns with *; wins over allow.
        deny: Patterns,
    }
}

section! {
    /// Sizes of a trim, in UTF-16 units.
    #[derive(Copy)]
    pub struct SoftTrim(camel) {
        /// Results of more UTF-16 units than this are trimmed.
        max_chars: Whole = 4_000,
        /// UTF-16 units a trim keeps of the beginning.
        head_chars: Whole = 1_500,
        /// UTF-16 units a trim keeps of the end.
        tail_chars: Whole = 1_500,
    }
}

section! {
    /// The settings for cleared results.
    pub struct HardClear(camel) {
        /// Whether to clear old results; the mode aggressive clears them anyway.
        enabled: Flag = true,
        /// Text that replaces a cleared result.
        placeholder: Placeholder = PLACEHOLDER.to_owned(),
        /// Keep results that are no longer than the placeholder (OpenClaw clears them).
        skip_shorter: Flag = true,
    }
}

choices! {
    "kebab-case"

    /// `contextPruning.mode`.
    pub enum Mode {
        /// cache-ttl where the last call is known, else adaptive.
        Auto,
        /// Nothing is cut by size.
        Off,
        /// Only when the last call is at least `ttl` ago.
        CacheTtl,
        /// By size, without the clock.
        Adaptive,
        /// Clears all that may be cleared.
        Aggressive,
        /// Clears results if that saves more than it costs to write the cache again; see `breakEven`.
        BreakEven,
    }

    /// `contextPruning.images`.
    pub enum Images {
        /// A result with an image is left alone (until OpenClaw 2026.3.10).
        Skip,
        /// Its images are replaced by a marker (from 2026.3.11).
        Prune,
    }

    /// `contextPruning.estimator`: how many chars a text counts.
    pub enum Estimator {
        /// UTF-16 units (until OpenClaw 2026.3.28).
        Utf16,
        /// CJK weighs 4 (2026.3.31 to 2026.6.35).
        CjkV1,
        /// Full-width letters and signs do so too (2026.7.1, and its maintained branch to 2026.7.35).
        #[serde(rename = "cjk-v1b")]
        CjkV1b,
        /// Six classes of code points (from 2026.7.2).
        CjkV2,
    }

    /// `contextPruning.ratioBy`.
    pub enum RatioBy {
        /// Tokens, by the source that the report names.
        Tokens,
        /// Chars, four a token.
        Chars,
    }

    /// `contextPruning.providers`.
    pub enum Providers {
        /// Anthropic, and Anthropic's models through OpenRouter.
        Anthropic,
        /// Those of OpenClaw 2026.4: all that are asked through Anthropic's API, Claude on Bedrock and Vertex, z.ai and Kilo Code as well,
        /// and Gemini 2.5 and 3.
        #[serde(rename = "openclaw-2026.4")]
        Openclaw2026_4,
        /// Those of OpenClaw 2026.9: OpenAI, and DeepSeek through OpenRouter as well.
        #[serde(rename = "openclaw-2026.9")]
        Openclaw2026_9,
        /// Every provider.
        All,
    }

    /// `contextPruning.markers`.
    pub enum Markers {
        /// The last one, whatever it was set for (until OpenClaw 2026.4.6).
        Any,
        /// The last one that names this provider and this model (from 2026.4.7).
        Own,
    }
}
