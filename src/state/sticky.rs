//! Cuts that stay: what was put in the place of a result once, comes out again while its text is the same.
//!
//! A provider caches the beginning of a request. A cut that is there in one request and not in the next costs the whole
//! cache behind it, so a cut once made is made again, whatever the clock, the settings and the size say then. Only when
//! the text under it has changed is it forgotten.
//!
//! A result is known by its call's id; where ids are used twice, by which of them it is. Where there is none (Gemini pairs
//! by order) it is known by its call's name and arguments, and by which of the equal ones it is: not by its place, which
//! shifts when older messages go.

use super::digest::{chain, digest, short};
use super::prefix::Prefix;
use super::recipe::Recipe;
use crate::plan::{Cut, Proposal, Reason, Texts, View};
use crate::report::{PrefixStable, Skip};
use crate::transcript::{BlockKind, Flags, Span, Transcript};
use std::collections::HashMap;

/// Name under which remembered cuts are reported.
pub const NAME: &str = "sticky";

/// What is known of a session before a run.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    /// When its last call was, in milliseconds since 1970.
    pub last_call: Option<i64>,
    /// Its cuts, by the key of the result.
    pub decisions: HashMap<u64, Decision>,
    /// Its last output; none before the first run.
    pub prefix: Option<Prefix>,
}

/// A cut that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Key of the result.
    pub call: u64,
    /// Digest of the text that was cut.
    pub source: u128,
    /// What stands instead.
    pub recipe: Recipe,
    /// Pass that decided it.
    pub pass: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// What a run adds to that.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// Cuts that are new, or other than they were.
    pub made: Vec<Decision>,
    /// Keys of cuts whose text has changed.
    pub gone: Vec<u64>,
    /// Cuts made again as they were.
    pub kept: u64,
    /// What came out.
    pub prefix: Prefix,
    /// How much of the beginning is that of the last output.
    pub stable: Option<PrefixStable>,
}

/// A result and the key by which it is known in later runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Index of its message.
    pub message: u32,
    /// Index of its block.
    pub block: u32,
    /// Key.
    pub key: u64,
}

/// The keys of all results, in their order.
///
/// # Errors
/// The input cannot be read any more.
pub fn known(transcript: &Transcript, texts: &dyn Texts) -> Result<Vec<Known>, crate::Error> {
    let mut found = Vec::new();
    let mut calls: Option<HashMap<u64, (bool, u64)>> = None;
    let mut seen: HashMap<u64, u32> = HashMap::new();
    for (i, message) in transcript.messages.iter().enumerate() {
        for (index, block) in (message.blocks..).zip(transcript.blocks_of(i)) {
            if block.kind != BlockKind::Result {
                continue;
            }
            let link = transcript.link(block);
            let mut base = link.call;
            if link.id == Span::default() {
                let calls = match &mut calls {
                    Some(calls) => calls,
                    none => none.insert(named_by_calls(transcript, texts)?),
                };
                let tool = short(digest(transcript.tool_of(block).as_bytes()));
                base = match calls.get(&link.call) {
                    Some((true, _)) => link.call,
                    Some((false, content)) => *content,
                    None => short(chain(u128::from(tool), 1)),
                };
            }
            let nth = seen.entry(base).or_default();
            let key = if *nth == 0 { base } else { short(chain(u128::from(base), u128::from(*nth))) };
            *nth += 1;
            found.push(Known { message: i as u32, block: index, key });
        }
    }
    Ok(found)
}

/// For each call whether it has an id, and a key made of what it says.
fn named_by_calls(transcript: &Transcript, texts: &dyn Texts) -> Result<HashMap<u64, (bool, u64)>, crate::Error> {
    let mut calls = HashMap::new();
    for (i, message) in transcript.messages.iter().enumerate() {
        for block in transcript.blocks_of(i).iter().filter(|b| b.kind == BlockKind::Call) {
            let link = transcript.link(block);
            let raw = texts.read(message.record + u64::from(block.span.start), message.record + u64::from(block.span.end))?;
            let name = digest(transcript.tool_of(block).as_bytes());
            calls.insert(link.call, (link.id != Span::default(), short(chain(name, digest(&raw)))));
        }
    }
    Ok(calls)
}

/// The digest of the texts of a result.
fn source(view: &View<'_>, at: Known) -> Result<u128, crate::Error> {
    let record = view.transcript.messages[at.message as usize].record;
    view.children(at.block).iter().try_fold(0, |all, child| {
        let raw = view.texts.read(record + u64::from(child.span.start), record + u64::from(child.span.end))?;
        Ok(chain(all, digest(&raw)))
    })
}

/// The remembered cuts whose texts are here unchanged, and the keys of those whose text has changed.
///
/// # Errors
/// The input cannot be read any more.
pub fn replay(view: &View<'_>, known: &[Known], remembered: &Remembered) -> Result<(Proposal, Vec<u64>), crate::Error> {
    let (mut proposal, mut gone) = (Proposal::default(), Vec::new());
    if remembered.decisions.is_empty() {
        return Ok((proposal, gone));
    }
    for &at in known {
        let Some(decision) = remembered.decisions.get(&at.key) else { continue };
        let block = &view.transcript.blocks[at.block as usize];
        let children = view.children(at.block);
        if source(view, at)? != decision.source {
            gone.push(at.key);
            continue;
        }
        let skip = |why: &str| Skip {
            pass: NAME,
            message: view.transcript.messages[at.message as usize].number,
            part: block.part.into(),
            why: why.to_owned(),
        };
        if block.flags.has(Flags::ABSENT) || children.len() > 1 && children.iter().any(|c| c.flags.has(Flags::CACHE_MARK)) {
            proposal.skipped.push(skip("it was cut before, and now a block in it carries a cache mark"));
            continue;
        }
        match decision.recipe.action(view, at.message, at.block)? {
            Some((action, chars_after)) => proposal.cuts.push(Cut {
                pass: NAME,
                message: at.message,
                block: at.block,
                action,
                chars_after,
                reason: Reason::Shared(format!("cut by {} at {}", decision.pass, crate::gate::timestamp(decision.at)).into()),
            }),
            None => gone.push(at.key),
        }
    }
    Ok((proposal, gone))
}

/// What the cuts that stand add to what is remembered. `gone` are the keys that [`replay`] gave up.
///
/// # Errors
/// The input cannot be read any more.
pub fn learn(view: &View<'_>, known: &[Known], gone: Vec<u64>, now: i64) -> Result<Learned, crate::Error> {
    let mut learned = Learned { gone, ..Learned::default() };
    let mut known = known.iter().peekable();
    for cut in view.cuts() {
        while known.next_if(|at| at.block < cut.block).is_some() {}
        let Some(at) = known.next_if(|at| at.block == cut.block) else { continue };
        if cut.pass == NAME {
            learned.kept += 1;
            continue;
        }
        let Some(recipe) = Recipe::of(view, cut.message, cut.block, &cut.action)? else { continue };
        learned.made.push(Decision { call: at.key, source: source(view, *at)?, recipe, pass: cut.pass.to_owned(), at: now });
    }
    Ok(learned)
}
