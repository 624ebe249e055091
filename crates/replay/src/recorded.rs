//! The cost of each request without pruning: as the provider counted it or, without usage, by the rules of its cache.
//!
//! The log shows the tokens that were read from the cache. By the rules this should be the previous recorded prompt, if its lifetime is not
//! over and the context begins with it.

use super::{
    cached_prompts::{CachedPrompt, CachedPrompts},
    session::Session,
    steps::{Call, RemovalReason, Step, walk},
    tokens::{Prompt, Tokens},
};
use deadhead_core::internal::prices::{Reuse, Row};

/// The number of tokens below which a read shows nothing about the cache.
const SMALL: f64 = 2048.0;

/// The number of tokens that must be read anew for a miss: fewer are the end of a prompt, which no cache keeps.
pub const MISS: f64 = 1024.0;

/// The cause of a cache miss.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
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
    /// Another model was asked.
    ModelChanged,
    /// The system prompt is another one.
    SystemChanged,
    /// The tools are other ones.
    ToolsChanged,
    /// The system prompt or the tools are other ones: not even they were read.
    FrontChanged,
    /// A message before is another one, or is gone.
    MessagesChanged,
    /// The provider does not know the request before.
    PreviousMessageNotFound,
    /// More blocks came than the provider looks back from its mark.
    OutOfReach,
    /// Nothing in the log shows why: an edited message, an eviction.
    Agent,
}

/// What the provider says of a miss ([cache diagnostics](https://platform.claude.com/docs/en/build-with-claude/cache-diagnostics), read in
/// November 2026).
const SAID: [(&str, Cause); 5] = [
    ("model_changed", Cause::ModelChanged),
    ("system_changed", Cause::SystemChanged),
    ("tools_changed", Cause::ToolsChanged),
    ("messages_changed", Cause::MessagesChanged),
    ("previous_message_not_found", Cause::PreviousMessageNotFound),
];

impl Cause {
    /// Returns the word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Cause::First => "first call",
            Cause::Expired => "expired",
            Cause::Prune => "pruned",
            Cause::Compaction => "compacted",
            Cause::ModelChanged => "model changed",
            Cause::SystemChanged => "system prompt changed",
            Cause::ToolsChanged => "tools changed",
            Cause::FrontChanged => "system prompt or tools changed",
            Cause::MessagesChanged => "messages changed",
            Cause::PreviousMessageNotFound => "previous message not found",
            Cause::OutOfReach => "out of the mark's reach",
            Cause::Agent => "agent",
        }
    }
}

/// A request without pruning, in tokens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorded {
    /// Tokens of the whole prompt.
    pub prompt: f64,
    /// Tokens read from the cache.
    pub read: f64,
    /// Tokens neither read from nor written to the cache.
    pub uncached: f64,
    /// The share of the written tokens with the long lifetime.
    pub long: f64,
    /// The reason if not all was read.
    pub cause: Option<Cause>,
    /// Tokens that the rules of the cache alone would have read.
    pub by_rules: f64,
    /// The observed behaviour that the rules do not predict, if any.
    pub observed: Option<Observed>,
}

/// Observed behaviour of a cache that its rules do not predict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Less was read, for a reason outside the log: another system prompt, a restart, an eviction.
    Lost,
    /// The prompt was kept longer than its lifetime.
    Kept,
    /// A system prompt that other conversations keep warm was read, and nothing else.
    Warm,
}

/// The cache of a thread, by the rules.
#[derive(Clone, Default)]
struct Cache {
    prompts: CachedPrompts,
    /// The newest prompt and the model that it asked, also where the context no longer begins with it.
    newest: Option<(CachedPrompt, u32)>,
    changed: Option<Cause>,
}

/// Returns the requests of a session, of which `calls` have what was counted, and `rows` the prices. `long`: its prompts ask for the long lifetime.
pub fn recorded(
    session: &Session,
    calls: &[Call],
    tokens: &Tokens,
    rows: &[(Row, bool)],
    long: bool,
) -> Vec<Recorded> {
    let caches = calls
        .iter()
        .filter_map(|call| call.usage)
        .any(|usage| usage.cache_read > 0);
    let blocks = |message: u32| session.transcript.parts(message as usize).count();
    let mut found = vec![Recorded::default(); session.calls.len()];
    walk(&session.threads, |cache: &mut Cache, step| match step {
        Step::Keep(length, why) => {
            cache.prompts.blocks.truncate(length as usize);
            cache.keep(length as usize, why);
        }
        Step::Push { message, .. } => cache.prompts.blocks.push(blocks(message)),
        Step::Summary(message) => {
            cache.keep(0, RemovalReason::Compaction);
            cache.prompts.blocks.replace_first(blocks(message));
        }
        Step::Branch(..) => {}
        Step::Call(number) => {
            let i = number as usize;
            let Prompt { total, front, .. } = tokens.prompts[i];
            let one = cache.ask(&calls[i], (total, front), &rows[i].0, long, caches);
            let said = SAID
                .iter()
                .find(|(name, _)| *name == session.names[calls[i].miss as usize]);
            let is_first = one.cause.is_none_or(|cause| cause == Cause::First);
            found[i] = Recorded {
                cause: said
                    .filter(|_| !is_first)
                    .map(|(_, cause)| *cause)
                    .or(one.cause),
                ..one
            };
        }
    });
    found
}

impl Cache {
    /// Keeps what was cached of the first `length` messages.
    fn keep(&mut self, length: usize, why: RemovalReason) {
        if self
            .newest
            .is_some_and(|(newest, _)| length < newest.length)
        {
            self.changed = Some(match why {
                RemovalReason::Compaction => Cause::Compaction,
                RemovalReason::Branch => Cause::MessagesChanged,
            });
            self.prompts.keep(length);
        }
    }

    /// Sends a prompt. `caches`: the log counts what was read.
    fn ask(
        &mut self,
        call: &Call,
        (prompt, front): (f64, f64),
        row: &Row,
        long: bool,
        caches: bool,
    ) -> Recorded {
        let (mut read, mut cause) = (0.0, Some(Cause::First));
        if let Some((newest, model)) = self.newest {
            (read, cause) = match () {
                () if model != call.model => (0.0, Some(Cause::ModelChanged)),
                () if newest.is_over(call.start) => (0.0, Some(Cause::Expired)),
                () if self.changed.is_none() => (newest.tokens.min(prompt), None),
                () => {
                    let read = match row.cache.reuse {
                        Reuse::Prefix => self.prompts.ends.last().copied(),
                        Reuse::Marks(back) => self.prompts.read(call.start, back as usize),
                    };
                    let most = newest.tokens.min(prompt);
                    (read.map_or(0.0, |end| end.tokens.min(most)), self.changed)
                }
            };
        }
        let (step, least) = (row.cache.step as f64, row.cache.least as f64);
        let mut by_rules = 0.0;
        if read >= least {
            by_rules = (read / step).floor() * step;
        }
        let before = self
            .newest
            .map_or(0.0, |(newest, _)| newest.tokens)
            .min(prompt);
        let mut found = Recorded {
            prompt,
            read: by_rules,
            by_rules,
            cause,
            long: f64::from(u8::from(long)),
            ..Recorded::default()
        };
        match call.counted() {
            Some(usage) => {
                found.read = usage.cache_read as f64;
                found.uncached = usage.input as f64;
                if usage.writes() > 0 {
                    found.long = usage.cache_write1h as f64 / usage.writes() as f64;
                }
                found.observed = observed(found.read, by_rules, before, cause).filter(|_| caches);
            }
            None if row.cache.counts_writes && prompt >= least => {}
            None => found.uncached = prompt - by_rules,
        }
        found.cause = match cause {
            Some(Cause::First) => cause,
            _ if found.observed == Some(Observed::Kept) => None,
            _ => (before - found.read > MISS)
                .then(|| cause.unwrap_or_else(|| self.unexplained(row, found.read, front))),
        };
        let end = CachedPrompt {
            length: self.prompts.blocks.length(),
            tokens: prompt,
            sent: call.start,
            used: call.start,
            lifetime: row.lifetime_ms(long).cast_signed(),
        };
        if self.newest.is_some_and(|(_, model)| model != call.model) {
            self.prompts.ends.clear();
        }
        self.prompts.push(end);
        (self.newest, self.changed) = (Some((end, call.model)), None);
        found
    }

    /// Returns why a prompt that begins with the one before was not read, as far as that shows. `front` are the tokens before its messages.
    fn unexplained(&self, row: &Row, read: f64, front: f64) -> Cause {
        let blocks = &self.prompts.blocks;
        let behind = |(newest, _): (CachedPrompt, u32)| blocks.all() - blocks.up_to(newest.length);
        match row.cache.reuse {
            Reuse::Marks(back) if self.newest.map(behind) > Some(back as usize) => {
                Cause::OutOfReach
            }
            _ if read > 0.0 && read < front => Cause::FrontChanged,
            _ => Cause::Agent,
        }
    }
}

/// Returns the observed behaviour that the rules do not predict; `before` is the number of tokens that the prompt shares with the previous
/// one.
fn observed(read: f64, by_rules: f64, before: f64, cause: Option<Cause>) -> Option<Observed> {
    match cause {
        Some(Cause::Expired) if read > SMALL && read > before * 0.5 => Some(Observed::Kept),
        Some(Cause::First | Cause::Expired) => (read > SMALL).then_some(Observed::Warm),
        _ => (by_rules - read > SMALL && read < by_rules * 0.9).then_some(Observed::Lost),
    }
}
