//! Reproduces the cuts of earlier requests while their texts are the same.
//!
//! A provider caches the beginning of a request. A cut that is in one request and not in the next
//! invalidates the whole cache behind it, so a cut is made again in every later request, whatever
//! the clock, the settings and the size are then. It is dropped only when the text under it has
//! changed.
//!
//! A result is recognized by its call's id; where ids are used twice, by the number of its
//! occurrence. Without an id (Gemini pairs by order) it is recognized by its call's name and
//! arguments, and by its number among equal ones: not by its position, which changes when older
//! messages are removed.

use super::{
    data::{Decision, NewState, Session},
    digest::{call_key, chain, digest, short},
    recipe::Recipe,
};
use crate::{
    Result,
    edit::{Action, Cut, Proposal, REMEMBERED, View},
    json::{Id, IdMap, text},
    pass::{dependencies::drops, protection::open_step, thinking},
    read_at::ReadAt,
    transcript::{BlockKind, Flags, Link, Message, Span, Transcript},
};
use std::collections::{BTreeMap, HashMap};

/// Name under which remembered cuts are reported.
pub const NAME: &str = REMEMBERED;
/// Name of the pass for manual cuts.
const BY_HAND: &str = "select";

/// Content that can be cut, and its key in later runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutKey {
    /// Index of its message.
    pub message: u32,
    /// Index of its block; for a message that of its first block.
    pub block: u32,
    /// The kind of the content.
    pub what: CutTarget,
    /// Key.
    pub key: u64,
}

/// Added to the number of a result with an id that occurs again, which would else have the key of
/// its first call.
const SECOND_RESULT: u128 = 1 << 64;

/// The kinds of content that can be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutTarget {
    /// A result.
    Result,
    /// Another part of a message.
    Part,
    /// A whole message.
    Message,
}

/// Returns the keys of all results in order. With `whole`, also those of all messages and their
/// parts, a message before its parts.
///
/// # Errors
/// The input cannot be read any more.
pub fn known(transcript: &Transcript, texts: &dyn ReadAt, whole: bool) -> Result<Vec<CutKey>> {
    let mut found = Vec::new();
    let mut calls: Option<IdMap<u64>> = None;
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let mut add = |message: usize, block: u32, what: CutTarget, base: u64| {
        let nth = seen.entry(base).or_default();
        *nth += 1;
        let mark = if what == CutTarget::Result {
            SECOND_RESULT
        } else {
            0
        };
        let key = match *nth {
            1 => base,
            nth => short(chain(base.into(), mark | u128::from(nth))),
        };
        found.push(CutKey {
            message: message as u32,
            block,
            what,
            key,
        });
    };
    for (i, message) in transcript.messages.iter().enumerate() {
        if whole {
            let raw = message.bytes(texts, message.span)?;
            add(
                i,
                message.blocks,
                CutTarget::Message,
                short(chain(digest(&raw), 3)),
            );
        }
        for (index, block) in transcript.parts(i) {
            let link = || transcript.link(block);
            if block.kind == BlockKind::Result {
                let base = match key_of(texts, message, &link())? {
                    Some(key) => key,
                    None => {
                        let calls = match &mut calls {
                            Some(calls) => calls,
                            none => none.insert(keys_of_calls(transcript, texts)?),
                        };
                        let tool = || transcript.tool_of(block).as_bytes();
                        calls
                            .get(&link().call)
                            .copied()
                            .unwrap_or_else(|| short(chain(digest(tool()), 1)))
                    }
                };
                add(i, index, CutTarget::Result, base);
            } else if whole {
                let named = match block.kind {
                    BlockKind::Call => key_of(texts, message, &link())?,
                    _ => None,
                };
                let base = match named {
                    Some(key) => key.into(),
                    None => digest(&message.bytes(texts, block.span)?),
                };
                add(i, index, CutTarget::Part, short(chain(base, 2)));
            }
        }
    }
    Ok(found)
}

/// Returns the key of a call or a result that has an id.
fn key_of(texts: &dyn ReadAt, message: &Message, link: &Link) -> Result<Option<u64>> {
    if link.id == Span::default() {
        return Ok(None);
    }
    let raw = message.bytes(texts, link.id)?;
    let id = text::decode(&raw);
    Ok((Id::of(&id) == link.call).then(|| call_key(&id)))
}

/// Returns the key of each call: from its id or, without one, from its name and arguments.
fn keys_of_calls(transcript: &Transcript, texts: &dyn ReadAt) -> Result<IdMap<u64>> {
    let mut calls = IdMap::default();
    for (i, _, block) in transcript.all_blocks() {
        if block.kind == BlockKind::Call {
            let message = &transcript.messages[i];
            let link = transcript.link(block);
            let key = match key_of(texts, message, &link)? {
                Some(key) => key,
                None => {
                    let name = digest(transcript.tool_of(block).as_bytes());
                    short(chain(name, digest(&message.bytes(texts, block.span)?)))
                }
            };
            calls.insert(link.call, key);
        }
    }
    Ok(calls)
}

/// Returns the digest of what is cut: the texts of a result, or all bytes of another part or a
/// message.
fn source(view: &View<'_>, at: CutKey) -> Result<u128> {
    let message = &view.transcript.messages[at.message as usize];
    let raw = |span| message.bytes(view.texts, span);
    match at.what {
        CutTarget::Result => view
            .children(at.block)
            .iter()
            .try_fold(0, |all, child| Ok(chain(all, digest(&raw(child.span)?)))),
        CutTarget::Part => Ok(digest(&raw(view.transcript.block(at.block).span)?)),
        CutTarget::Message => Ok(digest(&raw(message.span)?)),
    }
}

/// Returns whether the cuts of a pass are stored: those of `waiting`, the passes that rest while
/// the cache is warm or a cut does not pay; manual cuts, and thinking removed with them; and cuts
/// that an agent recorded before there was a state file. Other passes decide again in every run.
fn is_remembered(pass: &str, waiting: &[&str]) -> bool {
    [BY_HAND, thinking::NAME, super::marker::NAME].contains(&pass) || waiting.contains(&pass)
}

/// Returns the stored cuts that are made again, and the keys of those that are forgotten: cuts of
/// texts that have changed and, if the settings spare the step that waits for the model, cuts in
/// it. Such a step has been sent before where another conversation begins alike, with ids that
/// count from zero or without ids. A body with less messages than the last one that has cut texts
/// begins such a conversation, for which all is forgotten; the last request again has as many.
///
/// # Errors
/// The input cannot be read any more.
pub fn replay(
    view: &View<'_>,
    known: &[CutKey],
    remembered: &Session,
    spares_open: bool,
) -> Result<(Proposal, Vec<u64>)> {
    let mut proposal = Proposal::default();
    let mut gone = Vec::new();
    let mut parts = BTreeMap::new();
    // A log is one conversation, which a compaction makes shorter.
    let may_be_other = !view.rules.is_history;
    let open = open_step(view).filter(|_| spares_open && may_be_other);
    let open = open.unwrap_or(u32::MAX);
    let length = view.transcript.messages.len() as u32;
    let mut ends = remembered.ends.last().into_iter();
    let is_new = may_be_other && ends.any(|end| length < end.length);
    for &at in known {
        let Some(decision) = remembered.decisions.get(&at.key) else {
            continue;
        };
        if is_new || at.message >= open || source(view, at)? != decision.source {
            gone.push(decision.call);
            continue;
        }
        let reason = format!(
            "cut by {} at {}",
            decision.pass,
            crate::cache_policy::timestamp(decision.at)
        )
        .into();
        let block = view.transcript.blocks.get(at.block as usize);
        let chars_before = match (&decision.recipe, at.what) {
            (Recipe::DropMessage {}, CutTarget::Message) => {
                crate::estimate::message(view.transcript, at.message as usize, view.estimator)
            }
            (Recipe::Drop {}, CutTarget::Part | CutTarget::Result) => {
                parts.insert((at.message, at.block), reason);
                continue;
            }
            // A result that cannot be left to the server now may be left to it later.
            (Recipe::Server { .. }, CutTarget::Result) if view.server.is_none() => continue,
            (
                Recipe::Server { .. }
                | Recipe::Trim(_)
                | Recipe::Clear { .. }
                | Recipe::Rewrite { .. },
                CutTarget::Result,
            ) => view.chars_of_result_before(at.block),
            (Recipe::Rewrite { .. }, CutTarget::Part) => {
                view.chars_of_block_before(at.message as usize, at.block)
            }
            _ => {
                gone.push(decision.call);
                continue;
            }
        };
        let marked = || {
            view.children(at.block)
                .iter()
                .any(|c| c.flags.has(Flags::CACHE_MARK))
        };
        if let Some(block) = block.filter(|_| at.what == CutTarget::Result)
            && (block.flags.has(Flags::ABSENT) || view.children(at.block).len() > 1 && marked())
        {
            let why = "it was cut before, and now a block in it carries a cache mark";
            proposal
                .skipped
                .push(view.skip(NAME, (at.message, at.block), why));
            continue;
        }
        match decision.recipe.action(view, at.message, at.block)? {
            Some(new) => proposal.cuts.push(Cut {
                chars_before,
                ..view.new_cut(NAME, (at.message, at.block), new, reason)
            }),
            None => gone.push(decision.call),
        }
    }
    if is_new && !gone.is_empty() {
        gone = remembered.decisions.keys().copied().collect();
    }
    if !parts.is_empty() {
        proposal.cuts.extend(drops(view, NAME, &parts));
        proposal.cuts.sort_by_key(|cut| (cut.message, cut.block));
    }
    Ok((proposal, gone))
}

/// Returns the changes that the accepted cuts make to the session. `waiting` are the passes that
/// rest while the clock runs or a cut does not pay.
///
/// # Errors
/// The input cannot be read any more.
pub fn new_state(
    view: &View<'_>,
    known: Vec<CutKey>,
    waiting: &[&str],
    now: i64,
) -> Result<NewState> {
    let mut learned = NewState::default();
    let whole = view
        .cuts()
        .any(|cut| cut.action.is_structural() && is_remembered(cut.pass, waiting));
    let known = if whole {
        self::known(view.transcript, view.texts, true)?
    } else {
        known
    };
    let place = |at: CutKey| ((at.message, at.block, at.what == CutTarget::Message), at);
    let places: HashMap<(u32, u32, bool), CutKey> = known.into_iter().map(place).collect();
    for cut in view.cuts() {
        let place = (cut.message, cut.block, cut.action == Action::DropMessage);
        if cut.pass == NAME {
            learned.kept += 1;
        } else if is_remembered(cut.pass, waiting)
            && let Some(&at) = places.get(&place)
            && let Some(recipe) = Recipe::of(view, cut.message, cut.block, &cut.action)?
        {
            learned.made.push(Decision {
                call: at.key,
                source: source(view, at)?,
                recipe,
                pass: cut.pass.to_owned(),
                at: now,
            });
        }
    }
    Ok(learned)
}

#[cfg(test)]
#[path = "sticky_tests.rs"]
mod tests;
