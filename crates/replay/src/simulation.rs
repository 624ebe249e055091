//! A session with all that is the same for every policy that is simulated over it.

use super::fit::Fit;
use super::session::Session;
use super::sizes::Weight;

/// How a policy keeps what it cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Nothing is cut.
    Baseline,
    /// As OpenClaw ran it until September 2026: each request starts from the whole history again, and the clock is that of
    /// the turn.
    Transient,
    /// As this program runs it: what is cut stays cut, and the clock is that of the request.
    Sticky,
}

/// A session with all that is the same for every policy.
#[derive(Debug)]
pub struct Simulation<'a> {
    /// The session.
    pub session: &'a Session,
    /// What each message sends.
    pub weights: Vec<Weight>,
    /// Chars to tokens.
    pub fit: Fit,
    /// Whether its prompts are cached for the long lifetime.
    pub long: bool,
    /// What the log shows of the provider's cache, by call, where that is not what the rules say.
    pub observed: Vec<Option<Observed>>,
}

/// What a log shows of a cache that the rules do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// No more than so many tokens were read, for a reason outside the log: another system prompt, a restart, an eviction.
    Lost(u64),
    /// The prompt was kept for longer than its lifetime.
    Kept,
    /// So many tokens, a system prompt that other conversations keep warm, were read although the rest was not there.
    Warm(u64),
}
