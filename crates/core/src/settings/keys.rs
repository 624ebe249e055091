//! All configuration keys: a field of a section is a key, with its kind and its default; its doc is the help and the description in the
//! schema. `config show` and `config init` print the fields in their order.

mod context_pruning;
mod edits;
mod passes;

pub use context_pruning::{
    BreakEven, ContextPruning, Estimator, HardClear, Images, Markers, Mode, OnlyIf, PLACEHOLDER,
    Providers, RatioBy, SoftTrim, ToolKind, Tools,
};
pub use edits::{CLEARED, Counting, Duplicates, Errors, Exemption, PruningRules, Step, StepType};
pub use passes::{
    AGAIN, Act, Canary, Compat, Dedupe, Eligibility, Ephemeral, Floor, Order, RagRerank, Resources,
    SAME, StatefulTool, ToolTurns, TurnDrop, TurnUnit, Workload,
};

use super::{
    kinds::*,
    maps::{Presets, Rates, Windows, Workloads},
    price_table,
    section::{camel, choices, section},
    steps::Steps,
};
use std::sync::Arc;

section! {
    /// All settings of a run.
    pub struct Settings(camel) {
        /// Named policies to start from: a name, {name, options}, or a list of these.
        preset: Presets,
        /// A policy of steps, in the place of soft-trim and hard-clear.
        edits: Steps,
        /// Handling of the edits that a body asks its server for (context_management).
        context_management: Choice<ContextManagement>,
        /// soft-trim, hard-clear and the cache policy they share.
        context_pruning: ContextPruning,
        /// The mode break-even, and the condition that a cut pays.
        break_even: BreakEven,
        /// The passes that cut only if a cut pays for the cache that it breaks: auto (those that change old content, if the mode depends on the
        /// cache and the time of the last call is known), it-pays (all), or always (none).
        only_if: Choice<OnlyIf>,
        /// The pass ephemeral.
        ephemeral: Ephemeral,
        /// Tools that hold a resource; for stale-resource, ephemeral and selectors.
        resources: Resources,
        /// Content that no pass cuts, and a selector only when it is forced.
        protect: Protect,
        /// turn-drop.
        turn_drop: TurnDrop,
        /// Handling of thinking that a cut before it makes invalid on Claude 5.1 and later.
        thinking: Choice<Thinking>,
        /// rag-rerank.
        rag_rerank: RagRerank,
        /// Passes turned on or off by name; what is not named keeps its default.
        passes: PassSwitches,
        /// Model that the request is for; else the one that the input names.
        model: Nullable<Text>,
        /// Provider of that model; else the one that the input names.
        provider: Nullable<Text>,
        /// Context window in tokens, whatever the model.
        context_window: Nullable<Tokens>,
        /// Known models.
        models: Models,
        /// OpenClaw's agents.
        agents: Agents,
        /// Messages to count and prune: what the agent would send next, or the whole file.
        scope: Choice<Scope>,
        /// Cut the copies of results that a log keeps for the screen as well: this saves bytes, no tokens.
        mirrors: Flag,
        /// Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults.
        auth: Nullable<Choice<Auth>>,
        /// A scheduler's heartbeat.
        heartbeat: Heartbeat,
        /// Cache lifetime that requests ask for: the ttl, where that is auto and neither cache marks nor counts show the lifetime.
        cache_control_ttl_ms: Nullable<Millis>,
        /// The state file.
        state: State,
        /// Settings by workload, for --workload: {NAME: {SETTINGS, canary: {floor, minSamples, window}}}.
        workloads: Workloads,
        /// dedupe.
        dedupe: Dedupe,
        /// Replay.
        replay: Replay,
    }
    beside {
        /// The selection that is pruned by hand. It has flags and no keys.
        select: Selection,
    }
}

impl Settings {
    /// The texts that may be left in the place of results: those of placeholders, with their names in braces, and the notes of dedupe.
    pub fn notes(&self) -> Vec<String> {
        let placeholders = self
            .edits
            .iter()
            .map(|step| &step.placeholder)
            .chain([&self.context_pruning.hard_clear.placeholder]);
        let notes = [SAME, AGAIN].map(str::to_owned);
        placeholders.cloned().chain(notes).collect()
    }

    /// Whether no step and no pass that clears or trims cuts the newest results.
    pub fn keeps_newest(&self) -> bool {
        let (pruning, break_even) = (&self.context_pruning, &self.break_even);
        let is_kept = |step: &Step| step.keep.is_some_and(|keep| keep.amount.number > 0.0);
        pruning
            .keep_last_assistants
            .min(break_even.keep_last_assistants)
            > 0
            && self.edits.iter().all(is_kept)
    }
}

choices! {
    /// `contextManagement`: who performs the edits that a body asks its server for.
    pub enum ContextManagement {
        /// The server does.
        Leave = "leave",
        /// They are applied here, for any provider, and the member is removed.
        Apply = "apply",
        /// The steps of the policy are written into the body instead of being applied.
        Emit = "emit",
    }

    /// `thinking`: what happens to thinking that an edit before it makes invalid.
    pub enum Thinking {
        /// The server clears, where the program sends the headers for that and Anthropic is its upstream; else as strip, or as drop-block where
        /// the body asks for that itself.
        Auto = "auto",
        /// The server is asked to clear the results that break-even would clear (`context_management`), which leaves thinking valid; where it cannot be, as auto.
        Server = "server",
        /// It is removed, outside the open tool loop; where it cannot be, nothing before it is cut.
        Strip = "strip",
        /// The server is asked to drop it (`thinking.block_binding`).
        DropBlock = "drop-block",
        /// It is kept, with a warning.
        Keep = "keep",
        /// The input is refused.
        Refuse = "refuse",
    }

    /// `scope`.
    pub enum Scope {
        /// The messages that the agent would send next.
        Context = "context",
        /// All messages of the file, in file order.
        File = "file",
    }

    /// `auth`: how the provider is paid.
    pub enum Auth {
        /// A subscription: OAuth or a setup token.
        Oauth = "oauth",
        /// A key that is billed by token.
        ApiKey = "api-key",
    }
}

section! {
    /// `protect`: what no pass cuts, and a selector only when it is forced.
    pub struct Protect(camel) {
        /// Tools whose calls and results no pass cuts, as patterns with *.
        tools: Patterns,
        /// Globs of paths; no pass cuts calls that name such a path, or their results.
        files: PathGlobs,
        /// Regular expressions; no pass cuts a text of the user or the assistant that matches one.
        patterns: Expressions,
    }
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

section! {
    /// `passes`: passes named on or off.
    pub struct PassSwitches(camel) {
        /// Passes to turn on; layers add up, and the last layer that names a pass decides.
        on: Names,
        /// Passes to turn off; within one layer this wins over passes.on.
        off: Names,
    }
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

section! {
    /// `models`: what OpenClaw's configuration says of models.
    pub struct Models(camel) {
        /// Context windows of models that the program does not know: {NAME: {models: [{id, contextWindow}]}}.
        providers: Windows,
    }
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

section! {
    /// `agents`: what OpenClaw's configuration says of its agents.
    pub struct Agents(camel) {
        /// Settings for all agents.
        defaults: AgentDefaults,
    }
}

section! {
    /// `agents.defaults`.
    pub struct AgentDefaults(camel) {
        /// Context window in tokens where the model's is not known.
        context_tokens: Nullable<Tokens>,
    }
}

section! {
    /// `heartbeat`: a replay prices it, and nothing here sends it.
    pub struct Heartbeat(camel) {
        /// Interval at which a scheduler keeps the cache warm. A replay says what that would have cost and saved.
        every_ms: Nullable<Millis>,
    }
}

section! {
    /// `state`: the file that sessions are kept in.
    pub struct State(camel) {
        /// Longest wait for another process's lock on the state file; a bare number is minutes.
        timeout_ms: Millis = 5_000,
    }
}

section! {
    /// `replay`.
    pub struct Replay(camel) {
        /// Prices and cache rules of models: {MODEL: {input, output, cacheRead, cacheWrite, lifetime}}.
        rates: Rates,
        /// File with a price table, in the format of the built-in one; a relative path is below the folder of the configuration.
        prices: Nullable<Text>,
    }
    beside {
        /// The rows of that file, which the caller reads.
        table: Arc<[price_table::Row]>,
    }
}

section! {
    /// One entry of `replay.rates`. Prices are in dollars for a million tokens; what is not stated keeps its built-in value.
    pub struct Rate(camel) {
        /// Uncached input.
        input: Optional<Price>,
        /// Output.
        output: Optional<Price>,
        /// Input read from the cache.
        cache_read: Optional<Price>,
        /// Input written to the cache.
        cache_write: Optional<Price>,
        /// Input written to a cache of an hour.
        cache_write_long: Optional<Price>,
        /// For how long a cache holds.
        lifetime_ms: Optional<Millis>,
        /// Prompts of fewer tokens are not cached.
        min_prefix: Optional<Whole>,
    }
    beside {
        /// Beginning of the model's id, in lower case and without its vendor.
        family: String,
    }
}
