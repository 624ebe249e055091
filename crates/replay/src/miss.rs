//! Causes of cache misses.

/// The number of tokens that must be read anew for a miss: fewer are the end of a prompt, which no cache keeps.
pub const MISS: f64 = 1024.0;

/// The cause of a cache miss.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = deadhead_core::internal::schema::choices)]
pub enum Cause {
    /// The first call of a conversation.
    First,
    /// The lifetime was over.
    Expired,
    /// A cut changed the cached prompt.
    Prune,
    /// A compaction changed the cached prompt.
    Compaction,
    /// The agent or the provider caused it: another model or system prompt, an edited message, an eviction.
    Agent,
}

/// All causes, in the order of reports.
pub const CAUSES: [Cause; 5] = [
    Cause::First,
    Cause::Expired,
    Cause::Prune,
    Cause::Compaction,
    Cause::Agent,
];

impl Cause {
    /// Returns the word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Cause::First => "first call",
            Cause::Expired => "expired",
            Cause::Prune => "pruned",
            Cause::Compaction => "compacted",
            Cause::Agent => "agent",
        }
    }
}
