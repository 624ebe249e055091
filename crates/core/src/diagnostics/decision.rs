//! The facts that decided a run: the clock, the context window, the session's state.

use schemars::JsonSchema;
use serde::Serialize;

/// Whether soft-trim and hard-clear ran.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Decision {
    /// The mode that was in force: `off`, `cache-ttl`, `adaptive`, `aggressive`, `break-even`.
    #[schemars(extend("enum" = ["off", "cache-ttl", "adaptive", "aggressive", "break-even"]))]
    pub mode: String,
    /// Whether the passes were let run.
    pub ran: bool,
    /// The reason, one line.
    pub why: String,
    /// Time of the last call, RFC 3339, where known.
    #[schemars(extend("format" = "date-time"))]
    pub last_call: Option<String>,
    /// `flag`, `state`, `marker` or `assistant`.
    #[schemars(extend("enum" = ["flag", "state", "marker", "assistant", null]))]
    pub last_call_source: Option<String>,
    /// The ttl in milliseconds.
    pub ttl_ms: u64,
    /// The time taken as now, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub now: String,
    /// Age of the last call in milliseconds, where known.
    pub idle_ms: Option<i64>,
    /// Whether the clock alone may still change the decision.
    #[serde(skip)]
    pub is_timed: bool,
    /// Names of passes, and the reason why they cut nothing, if nothing was cut. `why` ends with them.
    #[serde(skip)]
    pub notes: Vec<(String, String)>,
}

/// The context window and where its size comes from.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ContextWindow {
    /// Tokens.
    pub tokens: u64,
    /// `flag`, `registry`, `models.providers`, `agents.defaults.contextTokens` or `default`.
    #[schemars(extend("enum" = ["flag", "registry", "models.providers", "agents.defaults.contextTokens", "default"]))]
    pub source: String,
}

/// A workload and its quality gate.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WorkloadState {
    /// Its name.
    pub name: String,
    /// The stack that was named.
    pub stack: Option<String>,
    /// `active`, or `retired`: then everything passes through.
    #[schemars(extend("enum" = ["active", "retired"]))]
    pub state: &'static str,
}

impl WorkloadState {
    /// The state of the workload of this name, and of this stack where one was named.
    pub fn new(name: &str, stack: Option<&str>, state: &'static str) -> WorkloadState {
        WorkloadState {
            name: name.to_owned(),
            stack: stack.map(str::to_owned),
            state,
        }
    }
}

/// A session in the state file.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Session {
    /// Its name.
    pub name: String,
    /// The source of the name: `flag`, `history`, `metadata.user_id`, `prompt_cache_key` or `content`.
    #[schemars(extend("enum" = ["flag", "history", "metadata.user_id", "prompt_cache_key", "content"]))]
    pub source: &'static str,
    /// Cuts of earlier runs that were made again.
    pub kept: u64,
    /// Cuts that are new.
    pub added: u64,
    /// Cuts of earlier runs whose text has changed: they are forgotten.
    pub dropped: u64,
}

/// The length of the prefix that an output shares with the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PrefixStable {
    /// Bytes of the output, up to the end of a message; of a history's messages, those alone.
    pub bytes: u64,
    /// Messages.
    pub messages: u64,
}
