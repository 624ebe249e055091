//! The state of a session, and what a run adds to it: plain data, which the caller stores.

use super::{prefix::Prefix, recipe::Recipe};
use crate::diagnostics::PrefixStable;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The state of a session before a run. As JSON it is the content of a state file: hashes and
/// replacement texts, no content.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(into = "Stored", try_from = "Stored")]
#[non_exhaustive]
pub struct Session {
    /// Its name in reports; `None` if it is taken from the input.
    pub name: Option<String>,
    /// The time of its last call, in milliseconds since 1970.
    pub last_call: Option<i64>,
    /// Its cuts, by the key of the result.
    pub decisions: HashMap<u64, Decision>,
    /// Its last output; empty before the first run.
    pub prefix: Option<Prefix>,
    /// The input cost of its requests, counted only if a budget needs it.
    pub ledger: Ledger,
    /// The prompts sent last that begin as the last one does, shortest first: the provider's cache
    /// may have these.
    pub ends: Vec<SentPrompt>,
}

/// A prompt that was sent. As JSON it is a list of both members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(into = "(u32, Option<i64>)")]
pub struct SentPrompt {
    /// The number of its messages.
    pub length: u32,
    /// When it was sent, in milliseconds since 1970, if known.
    pub sent: Option<i64>,
}

impl From<SentPrompt> for (u32, Option<i64>) {
    fn from(prompt: SentPrompt) -> (u32, Option<i64>) {
        (prompt.length, prompt.sent)
    }
}

/// The number of prompts that are kept. A cache finds the end of a prompt only a few blocks before
/// that of the next.
const ENDS: usize = 32;

/// Returns the prompts that share their first `same` messages with a new one, and that one:
/// `length` messages, sent at `now`.
pub fn ends_with(ends: &[SentPrompt], same: u32, length: u32, now: i64) -> Vec<SentPrompt> {
    let sent = Some(now);
    let mut all = ends.to_vec();
    all.retain(|end| end.length <= same && end.length < length);
    all.push(SentPrompt { length, sent });
    all.split_off(all.len().saturating_sub(ENDS))
}

/// The input cost of a session's requests, in millionths of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// As they were sent.
    pub spent: f64,
    /// Without cuts.
    pub unpruned: f64,
}

impl Ledger {
    /// Adds the cost of a request. A value that is not a number counts nothing.
    #[must_use]
    pub fn with(self, (spent, unpruned): (f64, f64)) -> Ledger {
        let next = Ledger {
            spent: self.spent + spent,
            unpruned: self.unpruned + unpruned,
        };
        if next.spent.is_finite() && next.unpruned.is_finite() {
            next
        } else {
            self
        }
    }
}

/// A cut that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The key of the result.
    pub call: u64,
    /// Digest of the text that was cut.
    pub source: u128,
    /// The instructions that make the new content.
    pub recipe: Recipe,
    /// The pass that made it.
    pub pass: String,
    /// When it was made, in milliseconds since 1970.
    pub at: i64,
}

/// The changes that a run makes to a session.
#[derive(Debug, Default)]
pub struct NewState {
    /// Cuts that are new or have changed.
    pub made: Vec<Decision>,
    /// Keys of cuts whose text has changed.
    pub gone: Vec<u64>,
    /// The number of cuts that were reproduced.
    pub kept: u64,
    /// The digests of the output.
    pub prefix: Prefix,
    /// The cost of the session, including this request.
    pub ledger: Ledger,
    /// [`Session::ends`] with this request.
    pub ends: Vec<SentPrompt>,
    /// The number of results that were cut before, and whose resource the newest calls read again.
    pub again: u64,
    /// The size of the beginning that is the same as in the last output, in bytes and messages.
    pub stable: Option<PrefixStable>,
}

impl Session {
    /// Returns whether a cut changes more than the text of a result.
    pub fn is_structural(&self) -> bool {
        self.decisions
            .values()
            .any(|decision| decision.recipe.is_structural())
    }

    /// Applies what a run at `now` added.
    pub fn add(&mut self, new: NewState, now: i64) {
        new.gone
            .iter()
            .for_each(|call| drop(self.decisions.remove(call)));
        self.decisions.extend(
            new.made
                .into_iter()
                .map(|decision| (decision.call, decision)),
        );
        self.last_call = Some(now);
        self.prefix = Some(new.prefix);
        self.ledger = new.ledger;
        self.ends = new.ends;
    }
}

/// A session as it is stored. Digests are strings, as some readers of JSON lose digits of 64-bit
/// numbers.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    name: Option<String>,
    last_call: Option<i64>,
    prefix: Option<String>,
    /// The ledger; sessions of former versions lack it.
    #[serde(default)]
    spent: f64,
    #[serde(default)]
    unpruned: f64,
    #[serde(default)]
    ends: Vec<SentPrompt>,
    cuts: Vec<StoredCut>,
}

#[derive(Deserialize, Serialize)]
struct StoredCut {
    call: String,
    source: String,
    kind: String,
    instead: String,
    pass: String,
    at: i64,
}

impl From<Session> for Stored {
    fn from(session: Session) -> Stored {
        let cut = |cut: Decision| {
            let (kind, instead) = cut.recipe.stored();
            StoredCut {
                call: format!("{:016x}", cut.call),
                source: format!("{:032x}", cut.source),
                kind,
                instead,
                pass: cut.pass,
                at: cut.at,
            }
        };
        let mut cuts: Vec<StoredCut> = session.decisions.into_values().map(cut).collect();
        cuts.sort_by(|a, b| a.call.cmp(&b.call));
        Stored {
            name: session.name,
            last_call: session.last_call,
            prefix: session.prefix.map(|prefix| {
                prefix
                    .to_bytes()
                    .into_iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect()
            }),
            spent: session.ledger.spent,
            unpruned: session.ledger.unpruned,
            ends: session.ends,
            cuts,
        }
    }
}

impl TryFrom<Stored> for Session {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Session, &'static str> {
        let read = |hex: String| Prefix::from_bytes(&read_hex(&hex)?);
        let decision = |cut: StoredCut| {
            let call = u64::from_str_radix(&cut.call, 16).ok()?;
            let decision = Decision {
                call,
                source: u128::from_str_radix(&cut.source, 16).ok()?,
                recipe: Recipe::read(&cut.kind, &cut.instead)?,
                pass: cut.pass,
                at: cut.at,
            };
            Some((call, decision))
        };
        let decisions = stored.cuts.into_iter().map(decision);
        Ok(Session {
            name: stored.name,
            last_call: stored.last_call,
            prefix: match stored.prefix {
                Some(hex) => Some(read(hex).ok_or("not a prefix")?),
                None => None,
            },
            decisions: decisions
                .collect::<Option<_>>()
                .ok_or("not a cut of a session")?,
            ledger: Ledger {
                spent: stored.spent,
                unpruned: stored.unpruned,
            },
            ends: stored.ends,
        })
    }
}

fn read_hex(hex: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs
        .iter()
        .map(|pair| byte(pair))
        .collect::<Option<_>>()
        .filter(|_| rest.is_empty())
}
