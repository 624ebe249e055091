//! `contextPruning`: conditions and sizes of the passes by size.

use crate::settings::kinds::{
    As, AutoMillis, Choice, Count, Flag, Patterns, Placeholder, Ratio, Whole,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The text that replaces a blank `hardClear.placeholder`.
pub const PLACEHOLDER: &str = "[Old tool result content cleared]";

/// `contextPruning`: the keys of OpenClaw's session pruning, and ours beside them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ContextPruning {
    /// When to cut old results: see `deadhead prune --help` for the modes.
    #[serde(with = "As::<Choice<Mode>>")]
    pub mode: Mode,
    /// Lifetime of the provider's cache: the age of the last call from which the cache counts as expired; 0 means never. auto takes it from
    /// the cache marks or counts of the input, else from cacheControlTtl, else five minutes.
    #[serde(rename = "ttl", with = "As::<AutoMillis>")]
    pub ttl_ms: Option<u64>,
    /// Assistant messages at the end whose tool results are left alone.
    #[serde(with = "As::<Count>")]
    pub keep_last_assistants: usize,
    /// Share of the context window above which large results are trimmed.
    #[serde(with = "As::<Ratio>")]
    pub soft_trim_ratio: f64,
    /// Share of the context window above which old results are cleared.
    #[serde(with = "As::<Ratio>")]
    pub hard_clear_ratio: f64,
    /// Chars that the results that may be cleared must have together before any is cleared.
    #[serde(with = "As::<Whole>")]
    pub min_prunable_tool_chars: u64,
    /// Tools whose results may be cut; deny wins, and an empty allow list allows all.
    pub tools: Tools,
    /// Sizes of a trim.
    pub soft_trim: SoftTrim,
    /// Text that replaces a cleared result.
    pub hard_clear: HardClear,
    /// Results with images: leave them alone (skip), or remove their images (prune).
    #[serde(with = "As::<Choice<Images>>")]
    pub images: Images,
    /// Counting of chars: in UTF-16 units, or with weights for Chinese, Japanese and Korean.
    #[serde(with = "As::<Choice<Estimator>>")]
    pub estimator: Estimator,
    /// The size of which the ratios are shares: tokens, recorded by the log or else estimated, or chars, four a token, as OpenClaw counts.
    #[serde(with = "As::<Choice<RatioBy>>")]
    pub ratio_by: RatioBy,
    /// Whether to leave thinking, except that of the last assistant message, out of the size that decides.
    #[serde(with = "As::<Flag>")]
    pub drop_thinking_for_estimate: bool,
    /// Providers whose calls the cache-ttl mode may prune.
    #[serde(with = "As::<Choice<Providers>>")]
    pub providers: Providers,
    /// OpenClaw's markers that give the time of the last call: any, or only those of this provider and model.
    #[serde(with = "As::<Choice<Markers>>")]
    pub markers: Markers,
}

impl Default for ContextPruning {
    /// OpenClaw's defaults of January 2026, and `auto` for the mode.
    fn default() -> ContextPruning {
        ContextPruning {
            mode: Mode::Auto,
            ttl_ms: None,
            keep_last_assistants: 3,
            soft_trim_ratio: 0.3,
            hard_clear_ratio: 0.5,
            min_prunable_tool_chars: 50_000,
            tools: Tools::default(),
            soft_trim: SoftTrim::default(),
            hard_clear: HardClear::default(),
            images: Images::Skip,
            estimator: Estimator::default(),
            ratio_by: RatioBy::default(),
            drop_thinking_for_estimate: false,
            providers: Providers::Anthropic,
            markers: Markers::Any,
        }
    }
}

/// The tools whose results may be cut: patterns in which only `*` is special, compared in lower case. Deny wins; an empty allow list
/// allows all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Tools {
    /// Tools whose results may be cut, as patterns with *; none allows all.
    #[serde(with = "As::<Patterns>")]
    pub allow: Vec<String>,
    /// Tools whose results are never cut, as patterns with *; wins over allow.
    #[serde(with = "As::<Patterns>")]
    pub deny: Vec<String>,
}

/// Sizes of a trim, in UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct SoftTrim {
    /// Results of more UTF-16 units than this are trimmed.
    #[serde(with = "As::<Whole>")]
    pub max_chars: u64,
    /// UTF-16 units a trim keeps of the beginning.
    #[serde(with = "As::<Whole>")]
    pub head_chars: u64,
    /// UTF-16 units a trim keeps of the end.
    #[serde(with = "As::<Whole>")]
    pub tail_chars: u64,
}

impl Default for SoftTrim {
    fn default() -> SoftTrim {
        SoftTrim {
            max_chars: 4_000,
            head_chars: 1_500,
            tail_chars: 1_500,
        }
    }
}

/// The settings for cleared results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct HardClear {
    /// Whether to clear old results; the mode aggressive clears them anyway.
    #[serde(with = "As::<Flag>")]
    pub enabled: bool,
    /// Text that replaces a cleared result.
    #[serde(with = "As::<Placeholder>")]
    pub placeholder: String,
    /// Keep results that are no longer than the placeholder (OpenClaw clears them).
    #[serde(with = "As::<Flag>")]
    pub skip_shorter: bool,
}

impl Default for HardClear {
    fn default() -> HardClear {
        HardClear {
            enabled: true,
            placeholder: PLACEHOLDER.to_owned(),
            skip_shorter: true,
        }
    }
}

/// `contextPruning.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Images {
    /// A result with an image is left alone (until OpenClaw 2026.3.10).
    Skip,
    /// Its images are replaced by a marker (from 2026.3.11).
    Prune,
}

/// `contextPruning.estimator`: how many chars a text counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// UTF-16 units (until OpenClaw 2026.3.28).
    #[default]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RatioBy {
    /// Tokens, by the source that the report names.
    #[default]
    Tokens,
    /// Chars, four a token.
    Chars,
}

/// `contextPruning.providers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Markers {
    /// The last one, whatever it was set for (until OpenClaw 2026.4.6).
    Any,
    /// The last one that names this provider and this model (from 2026.4.7).
    Own,
}
