//! The settings of a run, with every layer applied: plain data that the passes read.

use super::patterns::{Globs, Regexes};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// All settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// soft-trim, hard-clear and their gate.
    pub context_pruning: ContextPruning,
    /// The pass ephemeral.
    pub ephemeral: Ephemeral,
    /// Which tools hold a resource; for stale-resource, ephemeral and selectors.
    pub resources: Resources,
    /// What no pass may cut.
    pub protect: Protect,
    /// What is pruned by hand. It has flags and no keys.
    pub select: Selection,
    /// turn-drop.
    pub turn_drop: TurnDrop,
    /// What happens to thinking that an edit makes invalid.
    pub thinking: Thinking,
    /// rag-rerank.
    pub rag_rerank: RagRerank,
    /// Passes turned on or off by name; what is not named keeps its default.
    pub passes: PassSwitches,
    /// Model the request will run on; else the input's own.
    pub model: Option<String>,
    /// Its provider; else the input's own.
    pub provider: Option<String>,
    /// Context window in tokens, from the flag.
    pub context_window: Option<u64>,
    /// Windows of `models.providers.*.models[].contextWindow`.
    pub model_windows: Vec<ModelWindow>,
    /// `agents.defaults.contextTokens`.
    pub context_tokens: Option<u64>,
    /// What counts: the effective context, or all lines of the file.
    pub scope: Scope,
    /// Whether copies of results that are never sent are cut as well.
    pub mirrors: bool,
    /// How the provider is paid; smart defaults follow from it.
    pub auth: Option<Auth>,
    /// `heartbeat.every` in milliseconds: what a scheduler should use. Nothing here acts on it.
    pub heartbeat_every_ms: Option<u64>,
    /// `cacheControlTtl` in milliseconds: what requests should ask for. Nothing here acts on it.
    pub cache_control_ttl_ms: Option<u64>,
    /// How long to wait for another process's lock on the state file, in milliseconds.
    pub state_timeout_ms: u64,
    /// Settings by workload.
    pub workloads: BTreeMap<String, Workload>,
    /// `dedupe.minChars`: results of fewer chars are left alone.
    pub dedupe_min_chars: u64,
    /// `replay.rates`: prices and cache rules beside those that are built in.
    pub rates: Vec<Rate>,
}

/// What a blank `hardClear.placeholder` becomes.
pub const PLACEHOLDER: &str = "[Old tool result content cleared]";

impl Default for Settings {
    /// The built-in layer: OpenClaw's defaults of January 2026, and `auto` for the mode.
    fn default() -> Settings {
        Settings {
            context_pruning: ContextPruning::default(),
            ephemeral: Ephemeral::default(),
            resources: Resources::default(),
            protect: Protect::default(),
            select: Selection::default(),
            turn_drop: TurnDrop::default(),
            thinking: Thinking::Strip,
            rag_rerank: RagRerank::default(),
            passes: PassSwitches::default(),
            model: None,
            provider: None,
            context_window: None,
            model_windows: Vec::new(),
            context_tokens: None,
            scope: Scope::Context,
            mirrors: false,
            auth: None,
            heartbeat_every_ms: None,
            cache_control_ttl_ms: None,
            state_timeout_ms: 5_000,
            workloads: BTreeMap::new(),
            dedupe_min_chars: 200,
            rates: Vec::new(),
        }
    }
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
            hard_clear: HardClear { enabled: true, placeholder: PLACEHOLDER.to_string() },
            images: Images::Skip,
            estimator: Estimator::Utf16,
            providers: Providers::Anthropic,
        }
    }
}

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
    /// Whose calls the cache-ttl mode may prune.
    pub providers: Providers,
}

/// `turnDrop`: the middle of a conversation goes.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnDrop {
    /// Whether the pass is on.
    pub enabled: bool,
    /// From when on it is worth it.
    pub size: Eligibility,
    /// Turns at the end that stay.
    pub keep_turns: usize,
    /// What a turn is.
    pub turn_unit: TurnUnit,
    /// What happens to turns with calls or results.
    pub tool_turns: ToolTurns,
    /// Whether messages with images may go.
    pub drop_images: bool,
    /// What is left in the place of the turns that went; nothing where it is empty.
    pub marker: String,
}

impl Default for TurnDrop {
    fn default() -> TurnDrop {
        TurnDrop {
            enabled: false,
            size: Eligibility::default(),
            keep_turns: 8,
            turn_unit: TurnUnit::Message,
            tool_turns: ToolTurns::Keep,
            drop_images: false,
            marker: String::new(),
        }
    }
}

/// `thinking`: what happens to thinking that an edit before it makes invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// It goes, outside the open tool loop; where it cannot, nothing before it is edited.
    Strip,
    /// The server is asked to drop it (`thinking.block_binding`).
    DropBlock,
    /// It stays, and the report says so.
    Keep,
    /// The input is refused.
    Refuse,
}

/// A conversation is eligible when it is larger than either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eligibility {
    /// Messages, system ones included.
    pub min_messages: u64,
    /// Unicode scalar values of the JSON text.
    pub min_body_chars: u64,
}

impl Default for Eligibility {
    fn default() -> Eligibility {
        Eligibility { min_messages: 12, min_body_chars: 32_768 }
    }
}

/// `turnDrop.turnUnit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnUnit {
    /// A message that is not a system prompt.
    Message,
    /// What a user says and all up to the next thing a user says.
    Exchange,
}

/// `turnDrop.toolTurns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolTurns {
    /// They stay.
    Keep,
    /// They go, as whole steps.
    Drop,
}

/// `ragRerank`: retrieved chunks are ranked by the question, and the last of them go.
#[derive(Clone, Debug, PartialEq)]
pub struct RagRerank {
    /// Whether the pass is on.
    pub enabled: bool,
    /// From when on it is worth it.
    pub size: Eligibility,
    /// Lists of fewer chunks are left.
    pub min_chunks: usize,
    /// In which order the chunks come out.
    pub order: Order,
    /// Chunks whose score, as a share of the best one's, is below this go.
    pub threshold: f64,
    /// Chunks of a list that may stay.
    pub max_chunks: Option<u64>,
    /// UTF-16 units of a list's chunks that may stay.
    pub max_chars: Option<u64>,
    /// Chunks that stay in any case, the best.
    pub min_keep: usize,
}

impl Default for RagRerank {
    /// The threshold is chosen from the curve in `benches/README.md`.
    fn default() -> RagRerank {
        RagRerank {
            enabled: false,
            size: Eligibility::default(),
            min_chunks: 3,
            order: Order::Rank,
            threshold: 0.15,
            max_chunks: None,
            max_chars: None,
            min_keep: 1,
        }
    }
}

/// `ragRerank.order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The best first.
    Rank,
    /// As they came.
    Keep,
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

/// `scope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// What the agent would send next.
    Context,
    /// All messages of the file, in file order.
    File,
}

/// `auth`: how the provider is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// A subscription: OAuth or a setup token.
    Oauth,
    /// A key that is billed by token.
    ApiKey,
}

/// `ephemeral`: calls that are done with after a few turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Ephemeral {
    /// Whether the pass is on where it is named neither on nor off.
    pub enabled: bool,
    /// Turns of the user at the end that stay as they are.
    pub keep_turns: usize,
    /// Whose way of counting turns, where it is not the one that is documented.
    pub compat: Option<Compat>,
    /// Tools that are known to be ephemeral and need not be told, as patterns with `*`.
    pub tools: Vec<String>,
}

impl Default for Ephemeral {
    fn default() -> Ephemeral {
        Ephemeral { enabled: false, keep_turns: 5, compat: None, tools: Vec::new() }
    }
}

/// `ephemeral.compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compat {
    /// Anahata's code, which keeps one turn more than its words say.
    Anahata,
}

/// `resources`: which tools read and write what a path names.
#[derive(Clone, Debug, PartialEq)]
pub struct Resources {
    /// Whether stale-resource is on where it is named neither on nor off.
    pub enabled: bool,
    /// The user's own rows; the first that fits a tool counts, before those that are built in.
    pub stateful: Vec<StatefulTool>,
    /// Whether the tools of known agents are known.
    pub built_in: bool,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources { enabled: false, stateful: Vec::new(), built_in: true }
    }
}

/// One row of `resources.stateful`.
#[derive(Clone, Debug, PartialEq)]
pub struct StatefulTool {
    /// The tool, as a pattern with `*`.
    pub tool: String,
    /// The arguments that may name the resource; none says that the tool holds no resource.
    pub paths: Vec<String>,
    /// What it does with the resource; else told by the tool's name.
    pub act: Option<Act>,
    /// Arguments that make a read a partial one, beside those that are known.
    pub partial: Vec<String>,
}

/// What a call does with the resource it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Shows it.
    Read,
    /// Writes all of it anew.
    Write,
    /// Changes a part of it.
    Edit,
    /// Takes it away.
    Delete,
    /// Gives it another name.
    Move,
    /// A patch whose headers say what happens to which file.
    Patch,
    /// An argument `command` says what happens.
    Command,
}

/// `protect`: what no pass cuts, and a selector only when it is forced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Protect {
    /// Tools whose calls and results stay, as patterns with `*`.
    pub tools: Vec<String>,
    /// Globs; a call one of whose path arguments fits stays, and its results.
    pub files: Globs,
    /// Regular expressions; a text of the user or the assistant in which one is found stays.
    pub patterns: Regexes,
}

/// `--select` and what goes with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Selectors, as given.
    pub list: Vec<String>,
    /// `--reason`.
    pub reason: Option<String>,
    /// Goes on without the selectors that name nothing.
    pub lenient: bool,
    /// Takes what is protected, too.
    pub force: bool,
}

/// Passes named on or off.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassSwitches {
    /// Turned on.
    pub on: BTreeSet<String>,
    /// Turned off; wins.
    pub off: BTreeSet<String>,
}

/// `workloads.NAME`: what one kind of request goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Settings as the configuration writes them, by section; not checked yet.
    pub settings: Map<String, Value>,
    /// Its quality gate.
    pub canary: Canary,
}

/// `workloads.NAME.canary`: what the scores of a workload are held to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canary {
    /// The mean may not fall below this.
    pub floor: Floor,
    /// Scores from which on it is judged.
    pub min_samples: u64,
    /// Newest scores of each arm that count.
    pub window: u64,
}

impl Default for Canary {
    fn default() -> Canary {
        Canary { floor: Floor::OfControl(0.95), min_samples: 20, window: 100 }
    }
}

/// `canary.floor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Floor {
    /// A mean.
    Absolute(f64),
    /// A share of the control's mean.
    OfControl(f64),
}

/// One row of `models.providers.*.models[]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelWindow {
    /// Provider's key.
    pub provider: String,
    /// Model's id.
    pub model: String,
    /// Its context window in tokens.
    pub tokens: u64,
}

/// One entry of `replay.rates`. Prices are in dollars for a million tokens; what is not stated stays as it is built in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rate {
    /// Beginning of the model's id, in lower case and without its vendor.
    pub family: String,
    /// `input`: uncached input.
    pub input: Option<f64>,
    /// `output`
    pub output: Option<f64>,
    /// `cacheRead`
    pub cache_read: Option<f64>,
    /// `cacheWrite`
    pub cache_write: Option<f64>,
    /// `cacheWriteLong`: to a cache of an hour.
    pub cache_write_long: Option<f64>,
    /// `lifetime` of the cache, in milliseconds.
    pub lifetime_ms: Option<u64>,
    /// `minPrefix`: prompts of fewer tokens are not cached.
    pub min_prefix: Option<u64>,
}
