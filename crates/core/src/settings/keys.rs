//! All configuration keys: a field is a key, its doc the help and the description in the schema, its value in `Default` the
//! default, and `As<KIND>` its kind. `config show` and `config init` print the fields in their order.

mod break_even;
mod context_pruning;
mod edits;
mod passes;
mod workload;

pub use break_even::{BreakEven, OnlyIf, ToolKind};
pub use context_pruning::{
    ContextPruning, Estimator, HardClear, Images, Markers, Mode, PLACEHOLDER, Providers, RatioBy,
    SoftTrim, Tools,
};
pub use edits::{CLEARED, Counting, Duplicates, Errors, Exemption, PruningRules, Step, StepType};
pub use passes::{
    AGAIN, Act, Compat, Dedupe, Eligibility, Ephemeral, Order, RagRerank, Resources, SAME,
    StatefulTool, ToolTurns, TurnDrop, TurnUnit,
};
pub use workload::{Canary, Floor, Workload};

use super::chosen::{Chosen, Presets};
use super::kinds::{
    As, Choice, Expressions, Flag, Millis, Names, Nullable, Optional, PathGlobs, Patterns, Price,
    Text, Tokens, Whole,
};
use super::maps::{Rates, Windows, Workloads};
use super::patterns::{Globs, Regexes};
use super::price_table;
use super::steps::Steps;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All settings of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// Named policies to start from: a name, {name, options}, or a list of these.
    #[serde(with = "As::<Presets>")]
    pub preset: Vec<Chosen>,
    /// A policy of steps, in the place of soft-trim and hard-clear.
    #[serde(with = "As::<Steps>")]
    pub edits: Vec<Step>,
    /// Handling of the edits that a body asks its server for (context_management).
    #[serde(with = "As::<Choice<ContextManagement>>")]
    pub context_management: ContextManagement,
    /// soft-trim, hard-clear and the cache policy they share.
    pub context_pruning: ContextPruning,
    /// The mode break-even, and the condition that a cut pays.
    pub break_even: BreakEven,
    /// The passes that cut only if a cut pays for the cache that it breaks: auto (those that change old content, if the mode depends on the
    /// cache and the time of the last call is known), it-pays (all), or always (none).
    #[serde(with = "As::<Choice<OnlyIf>>")]
    pub only_if: OnlyIf,
    /// The pass ephemeral.
    pub ephemeral: Ephemeral,
    /// Tools that hold a resource; for stale-resource, ephemeral and selectors.
    pub resources: Resources,
    /// Content that no pass cuts, and a selector only when it is forced.
    pub protect: Protect,
    /// The selection that is pruned by hand. It has flags and no keys.
    #[serde(skip)]
    pub select: Selection,
    /// turn-drop.
    pub turn_drop: TurnDrop,
    /// Handling of thinking that a cut before it makes invalid on Claude 5.1 and later.
    #[serde(with = "As::<Choice<Thinking>>")]
    pub thinking: Thinking,
    /// rag-rerank.
    pub rag_rerank: RagRerank,
    /// Passes turned on or off by name; what is not named keeps its default.
    pub passes: PassSwitches,
    /// Model that the request is for; else the one that the input names.
    #[serde(with = "As::<Nullable<Text>>")]
    pub model: Option<String>,
    /// Provider of that model; else the one that the input names.
    #[serde(with = "As::<Nullable<Text>>")]
    pub provider: Option<String>,
    /// Context window in tokens, whatever the model.
    #[serde(with = "As::<Nullable<Tokens>>")]
    pub context_window: Option<u64>,
    /// Known models.
    pub models: Models,
    /// OpenClaw's agents.
    pub agents: Agents,
    /// Messages to count and prune: what the agent would send next, or the whole file.
    #[serde(with = "As::<Choice<Scope>>")]
    pub scope: Scope,
    /// Cut the copies of results that a log keeps for the screen as well: this saves bytes, no tokens.
    #[serde(with = "As::<Flag>")]
    pub mirrors: bool,
    /// Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults.
    #[serde(with = "As::<Nullable<Choice<Auth>>>")]
    pub auth: Option<Auth>,
    /// A scheduler's heartbeat.
    pub heartbeat: Heartbeat,
    /// Cache lifetime that requests ask for: the ttl, where that is auto and neither cache marks nor counts show the lifetime.
    #[serde(rename = "cacheControlTtl", with = "As::<Nullable<Millis>>")]
    pub cache_control_ttl_ms: Option<u64>,
    /// The state file.
    pub state: State,
    /// Settings by workload, for --workload: {NAME: {SETTINGS, canary: {floor, minSamples, window}}}.
    #[serde(with = "As::<Workloads>")]
    pub workloads: BTreeMap<String, Workload>,
    /// dedupe.
    pub dedupe: Dedupe,
    /// Replay.
    pub replay: Replay,
}

impl Settings {
    /// The texts that may be left in the place of results: those of placeholders, with their names in braces, and the notes of dedupe.
    pub fn notes(&self) -> Vec<String> {
        let placeholders = self.edits.iter().map(|step| &step.placeholder);
        let placeholders = placeholders.chain([&self.context_pruning.hard_clear.placeholder]);
        let notes = [SAME, AGAIN].map(str::to_owned);
        placeholders.cloned().chain(notes).collect()
    }
}

/// `contextManagement`: who performs the edits that a body asks its server for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContextManagement {
    /// The server does.
    #[default]
    Leave,
    /// They are applied here, for any provider, and the member is removed.
    Apply,
    /// The steps of the policy are written into the body instead of being applied.
    Emit,
}

/// `thinking`: what happens to thinking that an edit before it makes invalid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Thinking {
    /// It is removed, outside the open tool loop; where it cannot be, nothing before it is cut.
    #[default]
    Strip,
    /// The server is asked to drop it (`thinking.block_binding`).
    DropBlock,
    /// It is kept, with a warning.
    Keep,
    /// The input is refused.
    Refuse,
}

/// `scope`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The messages that the agent would send next.
    #[default]
    Context,
    /// All messages of the file, in file order.
    File,
}

/// `auth`: how the provider is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// A subscription: OAuth or a setup token.
    Oauth,
    /// A key that is billed by token.
    ApiKey,
}

/// `protect`: what no pass cuts, and a selector only when it is forced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Protect {
    /// Tools whose calls and results no pass cuts, as patterns with *.
    #[serde(with = "As::<Patterns>")]
    pub tools: Vec<String>,
    /// Globs of paths; no pass cuts calls that name such a path, or their results.
    #[serde(with = "As::<PathGlobs>")]
    pub files: Globs,
    /// Regular expressions; no pass cuts a text of the user or the assistant that matches one.
    #[serde(with = "As::<Expressions>")]
    pub patterns: Regexes,
}

/// `--select` and its options.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Selectors, as given.
    pub list: Vec<String>,
    /// `--reason`.
    pub reason: Option<String>,
    /// Skips the selectors that match nothing.
    pub lenient: bool,
    /// Removes protected content too.
    pub force: bool,
}

/// `passes`: passes named on or off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct PassSwitches {
    /// Passes to turn on; layers add up, and the last layer that names a pass decides.
    #[serde(with = "As::<Names>")]
    pub on: BTreeSet<String>,
    /// Passes to turn off; within one layer this wins over passes.on.
    #[serde(with = "As::<Names>")]
    pub off: BTreeSet<String>,
}

impl PassSwitches {
    /// Adds what a later layer says.
    pub(super) fn update(&mut self, later: &PassSwitches) {
        self.off.retain(|name| !later.on.contains(name));
        self.on.extend(later.on.iter().cloned());
        self.on.retain(|name| !later.off.contains(name));
        self.off.extend(later.off.iter().cloned());
    }
}

/// `models`: what OpenClaw's configuration says of models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Models {
    /// Context windows of models that the program does not know: {NAME: {models: [{id, contextWindow}]}}.
    #[serde(with = "As::<Windows>")]
    pub providers: Vec<ModelWindow>,
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

/// `agents`: what OpenClaw's configuration says of its agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Agents {
    /// Settings for all agents.
    pub defaults: AgentDefaults,
}

/// `agents.defaults`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct AgentDefaults {
    /// Context window in tokens where the model's is not known.
    #[serde(with = "As::<Nullable<Tokens>>")]
    pub context_tokens: Option<u64>,
}

/// `heartbeat`: a replay prices it, and nothing here sends it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Heartbeat {
    /// Interval at which a scheduler keeps the cache warm. A replay says what that would have cost and saved.
    #[serde(rename = "every", with = "As::<Nullable<Millis>>")]
    pub every_ms: Option<u64>,
}

/// `state`: the file that sessions are kept in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct State {
    /// Longest wait for another process's lock on the state file; a bare number is minutes.
    #[serde(rename = "timeout", with = "As::<Millis>")]
    pub timeout_ms: u64,
}

impl Default for State {
    fn default() -> State {
        State { timeout_ms: 5_000 }
    }
}

/// `replay`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Replay {
    /// Prices and cache rules of models: {MODEL: {input, output, cacheRead, cacheWrite, lifetime}}.
    #[serde(with = "As::<Rates>")]
    pub rates: Vec<Rate>,
    /// File with a price table, in the format of the built-in one; a relative path is below the folder of the configuration.
    #[serde(with = "As::<Nullable<Text>>")]
    pub prices: Option<String>,
    /// The rows of that file, which the caller reads.
    #[serde(skip)]
    pub table: Arc<[price_table::Row]>,
}

/// One entry of `replay.rates`. Prices are in dollars for a million tokens; what is not stated keeps its built-in value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Rate {
    /// Beginning of the model's id, in lower case and without its vendor.
    #[serde(skip)]
    pub family: String,
    /// Uncached input.
    #[serde(
        with = "As::<Optional<Price>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub input: Option<f64>,
    /// Output.
    #[serde(
        with = "As::<Optional<Price>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub output: Option<f64>,
    /// Input read from the cache.
    #[serde(
        with = "As::<Optional<Price>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub cache_read: Option<f64>,
    /// Input written to the cache.
    #[serde(
        with = "As::<Optional<Price>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub cache_write: Option<f64>,
    /// Input written to a cache of an hour.
    #[serde(
        with = "As::<Optional<Price>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub cache_write_long: Option<f64>,
    /// For how long a cache holds.
    #[serde(
        rename = "lifetime",
        with = "As::<Optional<Millis>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub lifetime_ms: Option<u64>,
    /// Prompts of fewer tokens are not cached.
    #[serde(
        with = "As::<Optional<Whole>>",
        skip_serializing_if = "Option::is_none"
    )]
    pub min_prefix: Option<u64>,
}
