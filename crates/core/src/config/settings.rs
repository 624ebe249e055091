//! The settings of a run, with every layer applied: plain data that the passes read.

mod context_pruning;
mod passes;
mod workload;

pub use context_pruning::{ContextPruning, Estimator, HardClear, Images, Markers, Mode, PLACEHOLDER, Providers, SoftTrim, Tools};
pub use passes::{Act, Compat, Eligibility, Ephemeral, Order, RagRerank, Resources, StatefulTool, ToolTurns, TurnDrop, TurnUnit};
pub use workload::{Canary, Floor, Workload};

use super::patterns::{Globs, Regexes};
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
