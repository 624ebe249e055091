//! `contextPruning`: conditions and sizes of the passes by size; and `breakEven`: the condition under which a cut pays for the cache that it
//! invalidates.

use crate::settings::{
    kinds::*,
    section::{Words, camel, choices, section},
};
use serde_json::{Value, json};

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
    /// `contextPruning.mode`.
    pub enum Mode {
        /// cache-ttl where the last call is known, else adaptive.
        Auto = "auto",
        /// Nothing is cut by size.
        Off = "off",
        /// Only when the last call is at least `ttl` ago.
        CacheTtl = "cache-ttl",
        /// By size, without the clock.
        Adaptive = "adaptive",
        /// Clears all that may be cleared.
        Aggressive = "aggressive",
        /// Clears results if that saves more than it costs to write the cache again; see `breakEven`.
        BreakEven = "break-even",
    }

    /// `contextPruning.images`.
    pub enum Images {
        /// A result with an image is left alone (until OpenClaw 2026.3.10).
        Skip = "skip",
        /// Its images are replaced by a marker (from 2026.3.11).
        Prune = "prune",
    }

    /// `contextPruning.estimator`: how many chars a text counts.
    pub enum Estimator {
        /// UTF-16 units (until OpenClaw 2026.3.28).
        Utf16 = "utf16",
        /// CJK weighs 4 (2026.3.31 to 2026.6.35).
        CjkV1 = "cjk-v1",
        /// Full-width letters and signs do so too (2026.7.1, and its maintained branch to 2026.7.35).
        CjkV1b = "cjk-v1b",
        /// Six classes of code points (from 2026.7.2).
        CjkV2 = "cjk-v2",
    }

    /// `contextPruning.ratioBy`.
    pub enum RatioBy {
        /// Tokens, by the source that the report names.
        Tokens = "tokens",
        /// Chars, four a token.
        Chars = "chars",
    }

    /// `contextPruning.providers`.
    pub enum Providers {
        /// Anthropic, and Anthropic's models through OpenRouter.
        Anthropic = "anthropic",
        /// Those of OpenClaw 2026.4: all that are asked through Anthropic's API, Claude on Bedrock and Vertex, z.ai and Kilo Code as well,
        /// and Gemini 2.5 and 3.
        Openclaw2026_4 = "openclaw-2026.4",
        /// Those of OpenClaw 2026.9: OpenAI, and DeepSeek through OpenRouter as well.
        Openclaw2026_9 = "openclaw-2026.9",
        /// Every provider.
        All = "all",
    }

    /// `contextPruning.markers`.
    pub enum Markers {
        /// The last one, whatever it was set for (until OpenClaw 2026.4.6).
        Any = "any",
        /// The last one that names this provider and this model (from 2026.4.7).
        Own = "own",
    }
}

section! {
    /// `breakEven`: what the mode break-even weighs.
    pub struct BreakEven(camel) {
        /// Assistant messages at the end whose tool results are left alone.
        keep_last_assistants: Count = 2,
        /// Tool results of fewer tokens cause no cut: a number, by-kind, or an object with a number (null keeps all) for any of search, shell,
        /// read, edit, task and other.
        min_tokens: MinTokensKind,
        /// Tool results of at least so many tokens go along with a cut before them, which changes what is behind it anyway: like minTokens.
        along_tokens: AlongTokensKind,
        /// Whether a cut in a warm cache adds a cache mark before it, if the request has marks of one lifetime and fewer than it may.
        own_marks: Flag = true,
        /// Number of further requests to expect, as a multiple of those so far; at least 5 and at most 80.
        expect_factor: Price = 1.0,
        /// Number of further requests to expect, whatever there were so far.
        expect_requests: Nullable<Whole>,
        /// Weight of the cost of a broken cache: more than 1 cuts less.
        caution: Price = 1.0,
        /// The most that a session that ends now may cost above its cost without cuts, as a share of its cost so far; null sets no limit in the
        /// mode break-even and with an --only-if other than auto, else 0.0005.
        budget: Nullable<Price>,
    }
}

choices! {
    /// The kind of a tool, as far as it says how often its results are needed again.
    pub enum ToolKind {
        /// Searches and lists.
        Search = "search",
        /// Runs commands.
        Shell = "shell",
        /// Reads a file or page.
        Read = "read",
        /// Changes a file.
        Edit = "edit",
        /// Runs another agent.
        Task = "task",
        /// Anything else.
        Other = "other",
    }

    /// `onlyIf`: which passes cut only where that pays for the cache that it breaks.
    pub enum OnlyIf {
        /// dedupe, ephemeral, stale-resource and, on logs, turn-drop: in the modes that ask the clock, and where the last call is known.
        Auto = "auto",
        /// All passes.
        ItPays = "it-pays",
        /// None: a pass cuts whatever the cache is.
        Always = "always",
    }
}

/// For each kind of tool, in the order of [`ToolKind`], the tokens from which on a result may be cleared; `None` if never.
#[derive(Clone, Debug, PartialEq)]
pub struct MinTokens([Option<u64>; 6]);

impl MinTokens {
    /// Returns the tokens from which on a result of a tool of this kind may be cleared.
    pub fn of(&self, kind: ToolKind) -> Option<u64> {
        self.0[kind as usize]
    }

    /// Returns limits for searches, shells, reads, tasks and others; edits are never cleared.
    fn of_kinds(limits: [u64; 5]) -> MinTokens {
        let [search, shell, read, task, other] = limits.map(Some);
        MinTokens([search, shell, read, None, task, other])
    }
}

impl Default for MinTokens {
    /// Results are needed again in 2 to 17 % (search, shell), 40 % (read) and 57 % (edit) of cases (1,319 recorded sessions).
    fn default() -> MinTokens {
        MinTokens::of_kinds([300, 300, 1000, 500, 300])
    }
}

impl From<u64> for MinTokens {
    /// One number for all kinds of tools.
    fn from(tokens: u64) -> MinTokens {
        MinTokens([Some(tokens); 6])
    }
}

/// The same for a result that goes along with a cut before it.
#[derive(Clone, Debug, PartialEq)]
pub struct AlongTokens(pub MinTokens);

impl Default for AlongTokens {
    fn default() -> AlongTokens {
        AlongTokens(MinTokens::of_kinds([60, 60, 1000, 300, 60]))
    }
}

/// The word for the default of `minTokens` and `alongTokens`.
const BY_KIND: &str = "by-kind";

kind!(
    /// The kind of `minTokens`.
    MinTokensKind = MinTokens,
    expected_by_kind(),
    (schema_by_kind()),
    |value| read_by_kind(value, MinTokens::default()),
    |tokens| write_by_kind(tokens, &MinTokens::default())
);

kind!(
    /// The kind of `alongTokens`.
    AlongTokensKind = AlongTokens,
    expected_by_kind(),
    (schema_by_kind()),
    |value| read_by_kind(value, AlongTokens::default().0).map(AlongTokens),
    |tokens| write_by_kind(&tokens.0, &AlongTokens::default().0)
);

fn expected_by_kind() -> String {
    format!(
        "{}, \"{BY_KIND}\", or an object with such numbers or null for {}",
        Whole::expected(),
        ToolKind::WORDS.join(", ")
    )
}

fn schema_by_kind() -> Value {
    json!({"anyOf": [Whole::schema(), {"const": BY_KIND}, {
        "type": "object",
        "properties": of_kinds([(); 6].map(|()| Nullable::<Whole>::schema())),
        "additionalProperties": false,
    }]})
}

/// Reads limits; those that an object leaves out are the default ones.
fn read_by_kind(value: &Value, mut tokens: MinTokens) -> Option<MinTokens> {
    if let Some(number) = Whole::read(value) {
        return Some(number.into());
    }
    if value != BY_KIND {
        for (name, value) in value.as_object()? {
            let mut kinds = ToolKind::WORDS.iter();
            tokens.0[kinds.position(|kind| kind == name)?] = Nullable::<Whole>::read(value)?;
        }
    }
    Some(tokens)
}

fn write_by_kind(tokens: &MinTokens, default: &MinTokens) -> Value {
    match tokens.0 {
        _ if tokens == default => json!(BY_KIND),
        [Some(first), ..] if *tokens == first.into() => json!(first),
        numbers => of_kinds(numbers.map(|number| json!(number))),
    }
}

/// An object with a value for each kind of tool.
fn of_kinds(values: [Value; 6]) -> Value {
    ToolKind::WORDS.iter().copied().zip(values).collect()
}

/// The budget where the user did not ask for cuts to be weighed: the share by which a session that ends now may cost more.
const DEFAULT_BUDGET: f64 = 0.0005;

impl BreakEven {
    /// Returns these settings with the default budget if none is set.
    pub fn unasked(&self) -> BreakEven {
        BreakEven {
            budget: self.budget.or(Some(DEFAULT_BUDGET)),
            ..self.clone()
        }
    }
}
