//! `contextPruning`: when and how the passes by size cut.

/// What a blank `hardClear.placeholder` becomes.
pub const PLACEHOLDER: &str = "[Old tool result content cleared]";

/// `contextPruning`: the keys of OpenClaw's session pruning, and ours beside them.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextPruning {
    /// When and how to prune.
    pub mode: Mode,
    /// Age in milliseconds from which the provider's cache counts as expired.
    pub ttl_ms: u64,
    /// Assistant messages at the end whose results are left alone.
    pub keep_last_assistants: usize,
    /// Share of the window from which large results are trimmed.
    pub soft_trim_ratio: f64,
    /// Share of the window from which old results are cleared.
    pub hard_clear_ratio: f64,
    /// Chars that the results in reach must have together before any is cleared.
    pub min_prunable_tool_chars: u64,
    /// Tools whose results may be cut.
    pub tools: Tools,
    /// Sizes of a trim.
    pub soft_trim: SoftTrim,
    /// What a cleared result becomes.
    pub hard_clear: HardClear,
    /// What happens to results with images.
    pub images: Images,
    /// How chars are counted.
    pub estimator: Estimator,
    /// Whether thinking, but for that of the last assistant message, is left out of the fill that decides.
    pub drop_thinking_for_estimate: bool,
    /// Whose calls the cache-ttl mode may prune.
    pub providers: Providers,
    /// Which of OpenClaw's markers tell the last call.
    pub markers: Markers,
}

impl Default for ContextPruning {
    fn default() -> ContextPruning {
        ContextPruning {
            mode: Mode::Auto,
            ttl_ms: 300_000,
            keep_last_assistants: 3,
            soft_trim_ratio: 0.3,
            hard_clear_ratio: 0.5,
            min_prunable_tool_chars: 50_000,
            tools: Tools::default(),
            soft_trim: SoftTrim { max_chars: 4_000, head_chars: 1_500, tail_chars: 1_500 },
            hard_clear: HardClear { enabled: true, placeholder: PLACEHOLDER.to_string(), skip_shorter: true },
            images: Images::Skip,
            estimator: Estimator::Utf16,
            drop_thinking_for_estimate: false,
            providers: Providers::Anthropic,
            markers: Markers::Any,
        }
    }
}

/// Which tools; patterns in which only `*` is special, compared in lower case. Deny wins; an empty allow list allows all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tools {
    /// Allowed.
    pub allow: Vec<String>,
    /// Denied.
    pub deny: Vec<String>,
}

/// Sizes of a trim, in UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftTrim {
    /// Results of more than this are trimmed.
    pub max_chars: u64,
    /// Kept of the beginning.
    pub head_chars: u64,
    /// Kept of the end.
    pub tail_chars: u64,
}

/// What a cleared result becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct HardClear {
    /// Whether results are cleared at all; the aggressive mode does not ask.
    pub enabled: bool,
    /// The text left in place; never blank.
    pub placeholder: String,
    /// Whether results that are no longer than the placeholder stay.
    pub skip_shorter: bool,
}

/// `contextPruning.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// `contextPruning.images`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Images {
    /// A result with an image is left alone (until OpenClaw 2026.3.10).
    Skip,
    /// Its images give way to a marker (from 2026.3.11).
    Prune,
}

/// `contextPruning.estimator`: how many chars a text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// UTF-16 units (until OpenClaw 2026.3.28).
    Utf16,
    /// CJK weighs 4 (2026.3.31 to 2026.7.1).
    CjkV1,
    /// Six classes of code points (from 2026.7.2).
    CjkV2,
}

/// `contextPruning.providers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Providers {
    /// Anthropic, and Anthropic's models through OpenRouter.
    Anthropic,
    /// Every provider.
    All,
}

/// `contextPruning.markers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markers {
    /// The last one, whatever it was set for (until OpenClaw 2026.4.6).
    Any,
    /// The last one that names this provider and this model (from 2026.4.7).
    Own,
}
