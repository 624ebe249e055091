//! Regrets: content that was cut and that a later part of the log needed again.
//!
//! A cut is needed again if the same resource is read again after it, or if the model later uses words that, of all its input, were only in
//! the part that was cut. Words are compared by sampled windows of their bytes: a quotation somewhat longer than a window is nearly always
//! found. Both are computed once for a session, whatever the policies.
//!
//! Results that were not cut are used again as well. How often is the [`Control`]; what exceeds it is due to the cuts, or to their choice.

use super::{
    new_cut::{Form, NewCut},
    resource::{Reading, readings},
    session::Session,
};
use deadhead_core::{
    internal::{
        json::Id,
        pass::reads::is_editor,
        resource::arguments,
        transcript::{Block, BlockKind, Role},
    },
    settings::Settings,
};
use std::collections::{HashMap, HashSet};

/// Bytes of a window.
const WINDOW: usize = 40;
/// One of this many windows is examined, chosen by its hash.
const SAMPLE: u64 = 8;
/// The minimum number of different bytes in a window.
const DISTINCT: usize = 12;
/// The number of windows of one text that must be found again.
const ENOUGH: usize = 2;

/// The later uses of each result.
#[derive(Debug, Default)]
pub struct Hindsight {
    /// By the block of the result: where its resource is read again.
    again: HashMap<u32, Regret>,
    /// By the block of the result: its windows that later messages are the first to quote.
    quoted: HashMap<u32, Vec<Quote>>,
}

/// A window of a result that a message of the model is the first to quote.
#[derive(Clone, Copy, Debug)]
pub struct Quote {
    /// Index of the message.
    message: u32,
    /// Whether the call of an editor quotes it.
    is_edit: bool,
    /// The offset in the result's text.
    offset: u32,
    /// The first byte in the input.
    at: u64,
}

/// A regret: a later use of content that was cut.
#[derive(Clone, Debug)]
pub struct Regret {
    /// The kind of the later use.
    pub kind: RegretKind,
    /// Index of the later message.
    pub message: u32,
    /// The resource, or the quoted words.
    pub what: String,
}

/// The kind of a later use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = deadhead_core::internal::schema::choices)]
pub enum RegretKind {
    /// The same resource was read again.
    ReadAgain,
    /// Its words were quoted.
    Quoted,
}

impl Hindsight {
    /// Finds the later uses of all results of a session.
    pub fn of(session: &Session) -> Hindsight {
        let mut again = HashMap::new();
        let mut newest: HashMap<(u32, Id), &Reading> = HashMap::new();
        let readings = readings(session);
        // Backwards, so that the next reading is known.
        for reading in readings.iter().rev() {
            let key = (reading.tool, reading.read.resource);
            if let Some(next) = newest
                .get(&key)
                .filter(|next| next.read.part.covers(reading.read.part))
                && let Some(result) = reading.result
            {
                let regret = Regret {
                    kind: RegretKind::ReadAgain,
                    message: next.message,
                    what: reading.label(session),
                };
                again.insert(result, regret);
            }
            newest.insert(key, reading);
        }
        Hindsight {
            again,
            quoted: quotes(session),
        }
    }

    /// Returns the first use of a result from message `now` on: it is read again, or so much of it is quoted of what is `gone`.
    pub fn later(
        &self,
        session: &Session,
        block: u32,
        now: u32,
        gone: impl Fn(&Quote) -> bool,
    ) -> Option<Regret> {
        if let Some(again) = self.again.get(&block).filter(|again| again.message >= now) {
            return Some(again.clone());
        }
        let mut found = self
            .quoted
            .get(&block)?
            .iter()
            .filter(|quote| quote.message >= now && gone(quote));
        let first = found.next()?;
        let same = 1 + found.filter(|quote| quote.message == first.message).count();
        let words = &session.bytes
            [first.at as usize..(first.at as usize + WINDOW).min(session.bytes.len())];
        (same >= ENOUGH).then(|| Regret {
            kind: RegretKind::Quoted,
            message: first.message,
            what: String::from_utf8_lossy(words).into_owned(),
        })
    }

    /// Returns the later use of what a cut removed, if there is one, and whether an edit quotes it that no new read precedes.
    pub fn regret(
        &self,
        session: &Session,
        settings: &Settings,
        cut: &NewCut,
    ) -> (Option<Regret>, bool) {
        let now = session.calls[cut.call as usize].message;
        let kept = &settings.context_pruning.soft_trim;
        let gone = |quote: &Quote| {
            let offset = u64::from(quote.offset);
            let end = offset + WINDOW as u64 + kept.tail_chars;
            let is_inside = offset >= kept.head_chars && end <= cut.chars.0;
            cut.form != Form::Trimmed || is_inside
        };
        let found = self.later(session, cut.block, now, gone);
        let read_again = match &found {
            Some(again) if again.kind == RegretKind::ReadAgain => again.message,
            _ => u32::MAX,
        };
        let edits = self
            .quoted
            .get(&cut.block)
            .into_iter()
            .flatten()
            .filter(|quote| {
                quote.is_edit && (now..read_again).contains(&quote.message) && gone(quote)
            });
        (found, edits.count() >= ENOUGH)
    }
}

/// How often results that were not cut are used again: what would be needed again without any cut.
#[derive(Debug, Default)]
pub struct Control {
    /// For results alike, how often their later use was looked for, and how often it was found.
    uses: HashMap<Alike, (u64, u64)>,
}

/// What results have in common: tool, size and age as powers of two. Without what is none, it is that of more results.
type Alike = (Option<u32>, Option<u32>, u32);

/// The least number of comparisons for a share.
const COMPARED: u64 = 5;

impl Control {
    /// Looks at the results of a session that are not among `cut` blocks, at each age that they reach.
    pub fn of(session: &Session, hindsight: &Hindsight, cut: &HashSet<u32>) -> Control {
        let (transcript, calls) = (&session.transcript, &session.calls);
        let mut control = Control::default();
        for (message, block, found) in transcript.all_blocks() {
            if found.kind != BlockKind::Result || cut.contains(&block) {
                continue;
            }
            let born = calls.partition_point(|call| (call.message as usize) <= message);
            let reached = (0..).map_while(|age| Some((age, calls.get(born + (1 << age))?)));
            for (age, call) in reached {
                let later = hindsight.later(session, block, call.message, |_| true);
                for alike in control.keys(session, block, age) {
                    let (all, used) = control.uses.entry(alike).or_default();
                    *all += 1;
                    *used += u64::from(later.is_some());
                }
            }
        }
        control
    }

    /// Returns the chance that a cut result would be used again if it had not been cut.
    pub fn chance(&self, session: &Session, cut: &NewCut) -> f64 {
        let born = session
            .calls
            .partition_point(|call| call.message <= cut.message);
        let age = (cut.call as usize).saturating_sub(born).max(1).ilog2();
        let mut known = self
            .keys(session, cut.block, age)
            .into_iter()
            .filter_map(|alike| self.uses.get(&alike));
        let share = |(all, used): &(u64, u64)| *used as f64 / *all as f64;
        known
            .clone()
            .find(|(all, _)| *all >= COMPARED)
            .or_else(|| known.next_back())
            .map_or(0.0, share)
    }

    /// Returns the keys of a result, the most exact first.
    fn keys(&self, session: &Session, block: u32, age: u32) -> [Alike; 3] {
        let transcript = &session.transcript;
        let found = &transcript.blocks[block as usize];
        let tool = found.is_linked().then(|| transcript.link(found).tool);
        let size = transcript
            .inside(block)
            .iter()
            .map(|block| block.chars)
            .sum::<u32>()
            .max(1)
            .ilog2();
        [
            (tool, Some(size), age),
            (tool, None, age),
            (None, None, age),
        ]
    }
}

/// The earlier input that contains a window of the model.
enum Origin {
    Nowhere,
    Result(u32),
    Several,
}

/// The windows that the model used, by their hashes, and from where it has them. They are looked up for every eighth byte of the input.
#[derive(Default)]
struct OutputWindows(hashbrown::HashMap<u64, (Quote, Origin)>);

/// Returns the windows that the model is the first to use, by the only result that contains them.
fn quotes(session: &Session) -> HashMap<u32, Vec<Quote>> {
    let mut said = OutputWindows::default();
    let (own, others): (Vec<_>, Vec<_>) = session
        .transcript
        .messages
        .iter()
        .enumerate()
        .partition(|(_, message)| message.role == Role::Assistant);
    for (i, _) in own {
        said.add(session, i);
    }
    for (i, _) in others {
        said.find(session, i);
    }
    let mut quoted: HashMap<u32, Vec<Quote>> = HashMap::new();
    for (quote, origin) in said.0.into_values() {
        if let Origin::Result(block) = origin {
            quoted.entry(block).or_default().push(quote);
        }
    }
    for quotes in quoted.values_mut() {
        quotes.sort_unstable_by_key(|quote| (quote.message, quote.offset));
    }
    quoted
}

impl OutputWindows {
    /// Adds the windows of a message of the model.
    fn add(&mut self, session: &Session, message: usize) {
        for block in session.transcript.blocks_of(message) {
            if !matches!(block.kind, BlockKind::Text | BlockKind::Call) {
                continue;
            }
            let (_, mut text) = text_of(session, message, block);
            let mut is_edit = false;
            if block.kind == BlockKind::Call {
                // The record of a call may have its result as well.
                text = arguments::place(text).map_or(text, |(_, place)| &text[place]);
                is_edit = is_editor(session.transcript.tool_of(block));
            }
            windows(text, |hash, at| {
                if is_distinctive(&text[at..at + WINDOW]) {
                    let quote = Quote {
                        message: message as u32,
                        is_edit,
                        offset: 0,
                        at: 0,
                    };
                    self.0.entry(hash).or_insert((quote, Origin::Nowhere));
                }
            });
        }
    }

    /// Finds windows in a message that the model was sent before it used them.
    fn find(&mut self, session: &Session, message: usize) {
        let transcript = &session.transcript;
        for (index, part) in transcript.parts(message) {
            let (owner, blocks) = match part.kind {
                BlockKind::Result => (Some(index), transcript.inside(index)),
                _ => (None, std::slice::from_ref(part)),
            };
            let mut offset = 0;
            for block in blocks.iter().filter(|block| block.kind == BlockKind::Text) {
                let (start, text) = text_of(session, message, block);
                windows(text, |hash, at| {
                    let known = self.0.get_mut(&hash);
                    let Some((quote, origin)) =
                        known.filter(|(quote, _)| (message as u32) < quote.message)
                    else {
                        return;
                    };
                    match (owner, &origin) {
                        (Some(block), Origin::Nowhere) => {
                            *origin = Origin::Result(block);
                            (quote.offset, quote.at) = ((offset + at) as u32, (start + at) as u64);
                        }
                        (Some(owner), Origin::Result(block)) if owner == *block => {}
                        _ => *origin = Origin::Several,
                    }
                });
                offset += text.len();
            }
        }
    }
}

/// Returns the bytes of a block, and where they begin.
fn text_of<'a>(session: &'a Session, message: usize, block: &Block) -> (usize, &'a [u8]) {
    let record = session.transcript.messages[message].record as usize;
    let (start, end) = (block.span.start as usize, block.span.end as usize);
    let text = session.bytes.get(record + start..record + end);
    (record + start, text.unwrap_or_default())
}

/// Calls `found` with the hash and the place of each window that is looked at.
fn windows(text: &[u8], mut found: impl FnMut(u64, usize)) {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    if text.len() < WINDOW {
        return;
    }
    let step = |hash: u64, byte: u8| hash.wrapping_mul(BASE).wrapping_add(u64::from(byte) + 1);
    // For each byte, its contribution to the hash when it leaves the window.
    let lead = (0..WINDOW).fold(1u64, |lead, _| lead.wrapping_mul(BASE));
    let mut hash = text[..WINDOW]
        .iter()
        .fold(0, |hash, byte| step(hash, *byte));
    let mut look = |hash: u64, at: usize| {
        if (hash >> 40).is_multiple_of(SAMPLE) {
            found(hash, at);
        }
    };
    look(hash, 0);
    for (at, (new, old)) in text[WINDOW..].iter().zip(text).enumerate() {
        hash = step(hash, *new).wrapping_sub(lead.wrapping_mul(u64::from(*old) + 1));
        look(hash, at + 1);
    }
}

/// Returns whether a window has enough different bytes, unlike a line of dashes or indentation.
fn is_distinctive(window: &[u8]) -> bool {
    let mut seen = [false; 256];
    for &byte in window {
        seen[usize::from(byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count() >= DISTINCT
}
