//! A session as its agent sent it: the calls of a log, and the context that each had.
//!
//! A log that was compacted or branched has had several contexts. They are kept as steps ([`Step`]): messages come, some
//! go again, a call is made; so that a walk over all contexts takes as long as the log is, and not calls times context.
//! The calls of a sub-agent in the same file are a lane of their own, with contexts and a cache of their own.

use super::log::{self, Log, Row, RowKind, Usage};
use crate::Error;
use crate::config::settings::Estimator;
use crate::format::sheet::{Entry, EntryKind, NONE, Sheet};
use crate::format::{Format, assemble, parents, tree};
use crate::input::Source;
use crate::reader;
use crate::transcript::{Role, Transcript};
use std::collections::{HashMap, HashSet};

/// A log, read for a replay.
#[derive(Debug)]
pub struct Session {
    /// The log itself.
    pub bytes: Vec<u8>,
    /// Format that read it.
    pub format: &'static Format,
    /// All messages of the file in file order, whether they lie in a context or not.
    pub transcript: Transcript,
    /// The requests, in file order.
    pub calls: Vec<Call>,
    /// What happened, lane by lane; the first is the main one.
    pub lanes: Vec<Vec<Step>>,
    /// Of each message, the chars that are sent and that blocks do not hold.
    pub hidden: Vec<u32>,
    /// Names of models and providers.
    pub names: Vec<String>,
    /// The folder in which the agent worked.
    pub project: Option<String>,
    /// Answers that were broken off before the provider counted anything.
    pub unanswered: u64,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The message that answered it, as an index of the transcript's messages.
    pub message: u32,
    /// When it was sent, in milliseconds since 1970.
    pub start: Option<i64>,
    /// When its answer was written.
    pub end: Option<i64>,
    /// The time by which a gate would know of it.
    pub seen: Option<i64>,
    /// Model, as an index of [`Session::names`]; 0 for none.
    pub model: u32,
    /// Provider, likewise.
    pub provider: u32,
    /// What the provider counted.
    pub usage: Option<Usage>,
    /// Output tokens.
    pub output: u64,
    /// What the log says it cost, in dollars.
    pub usd: Option<f64>,
}

/// What happens to the context of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Only so many messages stay, from the front.
    Keep(u32, Why),
    /// A message comes.
    Push {
        /// Index of the transcript's messages.
        message: u32,
        /// Whether it goes on with the assistant's message before it.
        continues: bool,
    },
    /// A request is sent, as an index of [`Session::calls`].
    Call(u32),
}

/// Why messages went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A summary came in their place, or nothing.
    Compaction,
    /// The conversation went on from an earlier message.
    Branch,
}

impl Session {
    /// Reads a log.
    ///
    /// # Errors
    /// A line is longer than 4 GiB, or the log has no known calls.
    pub fn read(bytes: Vec<u8>, format: &'static Format) -> Result<Session, Error> {
        if !log::is_known(format.name) {
            return Err(Error::NoCalls(format.name));
        }
        let source = Source::Memory(bytes);
        let mut sheet = reader::everything(&source, format, Estimator::Utf16)?;
        let Source::Memory(bytes) = source else { return Err(Error::Changed) };
        let log = log::read(&bytes, format.name);
        let parents = parents(format, &mut sheet.entries);
        let rows = rows_of(&sheet, &log.rows);
        let (found, unanswered) = match format.name {
            "codex" => counted(&sheet, &log, &rows),
            name => answered(&sheet, &rows, name == "claude-code"),
        };
        let mut tracks = Tracks::new(&sheet, &parents, format.name);
        let mut calls: Vec<Call> = Vec::with_capacity(found.len());
        for (entry, mut call) in found {
            let newest = tracks.lead_to(entry, calls.len() as u32);
            let before = newest.and_then(|message| rows[message as usize]).and_then(|row| row.time);
            call.start = call.start.or(before.filter(|b| call.end.is_none_or(|end| *b <= end))).or(call.end);
            calls.push(call);
        }
        let lanes = tracks.finish();
        let hidden = rows.iter().map(|row| row.map_or(0, |row| row.hidden)).collect();
        let transcript = assemble(format, sheet);
        Ok(Session { bytes, format, transcript, calls, lanes, hidden, names: log.names, project: log.project, unanswered })
    }

    /// The transcript as another estimator counts it; its messages and blocks are the same.
    ///
    /// # Errors
    /// As for [`Session::read`].
    pub fn counted_by(&self, estimator: Estimator) -> Result<Transcript, Error> {
        let sheet = reader::everything(&Source::Memory(self.bytes.clone()), self.format, estimator)?;
        Ok(assemble(self.format, sheet))
    }

    /// The name of a call's model.
    pub fn model(&self, call: &Call) -> &str {
        &self.names[call.model as usize]
    }

    /// The name of a call's provider.
    pub fn provider(&self, call: &Call) -> &str {
        &self.names[call.provider as usize]
    }
}

/// The row of each message: both are in file order.
fn rows_of<'a>(sheet: &Sheet, rows: &'a [Row]) -> Vec<Option<&'a Row>> {
    let mut at = 0;
    let find = |message: &crate::transcript::Message| {
        while rows.get(at).is_some_and(|row| row.record < message.record) {
            at += 1;
        }
        rows.get(at).filter(|row| row.record == message.record)
    };
    sheet.messages.iter().map(find).collect()
}

fn call(message: u32, row: &Row, usage: Option<Usage>) -> Call {
    Call {
        message,
        start: row.sent,
        end: row.time.or(row.sent),
        seen: row.sent.or(row.time),
        model: row.model,
        provider: row.provider,
        usage,
        output: usage.map_or(row.output, |usage| usage.output),
        usd: row.usd,
    }
}

/// The calls of a log in which answers carry their usage, each with its entry, and how many were broken off.
fn answered(sheet: &Sheet, rows: &[Option<&Row>], pieces: bool) -> (Vec<(usize, Call)>, u64) {
    let (mut found, mut known, mut unanswered) = (Vec::new(), HashSet::new(), 0);
    for (i, entry) in sheet.entries.iter().enumerate().filter(|(_, e)| e.message != NONE) {
        let message = &sheet.messages[entry.message as usize];
        let row = rows[entry.message as usize].filter(|row| row.kind == RowKind::Answer && message.role == Role::Assistant);
        let Some(row) = row else { continue };
        // Of a message in pieces the first is where its call was made.
        if pieces && entry.aim != 0 && !known.insert(entry.aim) {
            continue;
        }
        let usage = row.usage.filter(|usage| usage.prompt() + usage.output > 0);
        if usage.is_none() && message.broken_off {
            unanswered += 1;
            continue;
        }
        found.push((i, call(entry.message, row, usage)));
    }
    (found, unanswered)
}

/// The calls of a Codex log: what the model said up to a count is of one request. Where nothing is counted, what stands
/// between two of the other side is.
fn counted(sheet: &Sheet, log: &Log, rows: &[Option<&Row>]) -> (Vec<(usize, Call)>, u64) {
    let counts: Vec<&Row> = log.rows.iter().filter(|row| row.kind == RowKind::Count).collect();
    let (mut found, mut unanswered, mut next) = (Vec::new(), 0, 0);
    let mut open: Option<(usize, u32)> = None;
    let close = |open: Option<(usize, u32)>, usage: Option<Usage>, found: &mut Vec<(usize, Call)>| {
        if let Some((entry, message)) = open
            && let Some(row) = rows[message as usize]
        {
            found.push((entry, call(message, row, usage)));
        }
    };
    for (i, entry) in sheet.entries.iter().enumerate().filter(|(_, e)| e.message != NONE) {
        let message = &sheet.messages[entry.message as usize];
        while let Some(count) = counts.get(next).filter(|count| count.record < message.record) {
            close(open.take(), count.usage, &mut found);
            next += 1;
        }
        match message.role {
            Role::Assistant if open.is_none() => open = Some((i, entry.message)),
            Role::Assistant => {}
            _ if counts.is_empty() => close(open.take(), None, &mut found),
            // A new turn: the request before it was never counted.
            Role::User => unanswered += u64::from(open.take().is_some()),
            _ => {}
        }
    }
    match counts.get(next) {
        Some(count) => close(open, count.usage, &mut found),
        None if counts.is_empty() => close(open, None, &mut found),
        None => unanswered += u64::from(open.is_some()),
    }
    (found, unanswered)
}

/// The contexts of all lanes under construction.
struct Tracks<'a> {
    sheet: &'a Sheet,
    parents: &'a [u32],
    /// Whether a message may come in pieces that hang beside each other (Claude Code).
    pieces: bool,
    /// Whether neighbouring messages of the model are one (Codex).
    joined: bool,
    /// For each entry of a sidechain, its first one; [`NONE`] for the others.
    roots: Vec<u32>,
    lanes: Vec<Lane>,
    names: HashMap<u32, usize>,
}

/// One lane: the way from its root to where it stands, and the context there.
#[derive(Default)]
struct Lane {
    steps: Vec<Step>,
    /// Entries from the root on, each with the length of the context after it, or [`NONE`] where a boundary came later.
    trail: Vec<(u32, u32)>,
    place: HashMap<u32, u32>,
    /// Entries whose messages are the context.
    context: Vec<u32>,
}

impl<'a> Tracks<'a> {
    fn new(sheet: &'a Sheet, parents: &'a [u32], format: &str) -> Tracks<'a> {
        let pieces = format == "claude-code";
        let mut roots: Vec<u32> = Vec::new();
        for (i, &parent) in parents.iter().enumerate() {
            let beside = parents.get(parent as usize).map_or(NONE, |_| roots[parent as usize]);
            let entry = &sheet.entries[i];
            let side = pieces && entry.kind == EntryKind::Side;
            roots.push(match beside {
                // Notices and attachments are beside as well, but lie on the way of their parent.
                NONE if side && entry.message != NONE => i as u32,
                _ if side => beside,
                _ => NONE,
            });
        }
        Tracks { sheet, parents, pieces, joined: format == "codex", roots, lanes: vec![Lane::default()], names: HashMap::new() }
    }

    /// Leads the lane of `entry` to the context before it, and makes call `number` there. Returns the newest message of it.
    fn lead_to(&mut self, entry: usize, number: u32) -> Option<u32> {
        let lanes = self.lanes.len();
        let at = if self.roots[entry] == NONE { 0 } else { *self.names.entry(self.roots[entry]).or_insert(lanes) };
        if at == lanes {
            self.lanes.push(Lane::default());
        }
        let mut lane = std::mem::take(&mut self.lanes[at]);
        self.lead(&mut lane, self.parents[entry], entry);
        lane.steps.push(Step::Call(number));
        let newest = lane.context.last().map(|&e| self.sheet.entries[e as usize].message);
        self.lanes[at] = lane;
        newest
    }

    /// Goes from where the lane stands to `target`: back to where the ways part, and on from there.
    fn lead(&self, lane: &mut Lane, target: u32, call: usize) {
        let mut ahead = Vec::new();
        let mut at = target;
        let side = self.roots[call] != NONE;
        while at != NONE && lane.place_of(at).is_none() {
            if side && self.roots[at as usize] == NONE {
                at = NONE;
                break;
            }
            ahead.push(at);
            at = self.parents[at as usize];
        }
        let keep = lane.place_of(at).map_or(0, |place| place as usize + 1);
        let passed_boundary = keep > 0 && lane.trail[keep - 1].1 == NONE;
        if keep < lane.trail.len() || passed_boundary {
            lane.cut_back(keep, passed_boundary);
        }
        if passed_boundary {
            self.rebuild(lane);
        }
        ahead.reverse();
        let first = lane.trail.last().map_or(0, |(entry, _)| *entry as usize);
        let ahead = if self.pieces { self.rejoin(lane, ahead, first, call) } else { ahead };
        for entry in ahead {
            self.step(lane, entry);
        }
    }

    /// Takes one entry into the lane.
    fn step(&self, lane: &mut Lane, entry: u32) {
        let found = &self.sheet.entries[entry as usize];
        if matches!(found.kind, EntryKind::Compaction(_) | EntryKind::Reset) {
            self.boundary(lane, entry);
        } else if found.message != NONE {
            self.push(lane, entry);
        }
        lane.place.insert(entry, lane.trail.len() as u32);
        lane.trail.push((entry, lane.context.len() as u32));
    }

    fn push(&self, lane: &mut Lane, entry: u32) {
        let found = &self.sheet.entries[entry as usize];
        let continues = self.continues(lane, found);
        lane.context.push(entry);
        lane.steps.push(Step::Push { message: found.message, continues });
    }

    fn continues(&self, lane: &Lane, found: &Entry) -> bool {
        let role = |e: &u32| self.sheet.messages[self.sheet.entries[*e as usize].message as usize].role;
        if self.sheet.messages[found.message as usize].role != Role::Assistant {
            return false;
        }
        if self.joined {
            return lane.context.last().is_some_and(|e| role(e) == Role::Assistant);
        }
        let last = || lane.context.iter().rev().find(|e| role(e) == Role::Assistant);
        self.pieces && found.aim != 0 && last().is_some_and(|&e| self.sheet.entries[e as usize].aim == found.aim)
    }

    /// A compaction or reset: of what was before, only what it keeps stays, after the summary.
    fn boundary(&self, lane: &mut Lane, entry: u32) {
        let entries: &[Entry] = &self.sheet.entries;
        let path: Vec<usize> = lane.trail.iter().map(|(e, _)| *e as usize).chain([entry as usize]).collect();
        // Nothing was let go, so that nothing can be missed.
        let nodes = tree::since_boundary(entries, &path, 0).unwrap_or_default();
        lane.context.clear();
        lane.steps.push(Step::Keep(0, Why::Compaction));
        lane.trail.iter_mut().for_each(|(_, length)| *length = NONE);
        for node in nodes {
            self.push(lane, node as u32);
        }
    }

    /// Makes the context anew where the lane went back behind a boundary.
    fn rebuild(&self, lane: &mut Lane) {
        let trail = std::mem::take(&mut lane.trail);
        lane.place.clear();
        for (entry, _) in trail {
            self.step(lane, entry);
        }
    }

    /// Takes in what hangs beside the way and yet is sent: pieces of a message whose other pieces lie on it, and results
    /// of calls that nothing on it answers.
    fn rejoin(&self, lane: &Lane, ahead: Vec<u32>, first: usize, call: usize) -> Vec<u32> {
        let entries = &self.sheet.entries;
        let mut chosen: HashSet<u32> = ahead.iter().copied().collect();
        let is_chosen = |chosen: &HashSet<u32>, e: u32| chosen.contains(&e) || lane.place_of(e).is_some();
        let recent = lane.context.iter().rev().take(64).chain(&ahead);
        let mut answered: HashSet<u64> =
            recent.filter(|e| entries[**e as usize].message != NONE).flat_map(|&e| self.answers(entries[e as usize].message)).collect();
        let mut added = false;
        for i in first..call {
            let (entry, parent) = (&entries[i], self.parents[i]);
            let here = i as u32;
            if is_chosen(&chosen, here) || entry.kind != entries[call].kind || entry.message == NONE {
                continue;
            }
            if parent == NONE || !is_chosen(&chosen, parent) {
                continue;
            }
            let piece_of = entries[parent as usize].aim;
            let calls = self.answers(entry.message);
            let belongs = entry.aim == piece_of || entry.aim == 0 && !calls.is_empty() && calls.iter().all(|c| !answered.contains(c));
            if piece_of != 0 && belongs {
                chosen.insert(here);
                answered.extend(calls);
                added = true;
            }
        }
        if !added {
            return ahead;
        }
        let mut all: Vec<u32> = chosen.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// The calls that a message answers.
    fn answers(&self, message: u32) -> Vec<u64> {
        let blocks = blocks_of(self.sheet, message);
        let results = blocks.iter().filter(|b| b.kind == crate::transcript::BlockKind::Result);
        results.map(|b| self.sheet.links[b.extra as usize].call).collect()
    }

    fn finish(self) -> Vec<Vec<Step>> {
        self.lanes.into_iter().map(|lane| lane.steps).collect()
    }
}

fn blocks_of(sheet: &Sheet, message: u32) -> &[crate::transcript::Block] {
    let from = sheet.messages[message as usize].blocks as usize;
    let to = sheet.messages.get(message as usize + 1).map_or(sheet.blocks.len(), |m| m.blocks as usize);
    &sheet.blocks[from..to]
}

impl Lane {
    /// Where on the trail an entry lies.
    fn place_of(&self, entry: u32) -> Option<u32> {
        self.place.get(&entry).copied().filter(|&place| self.trail.get(place as usize).is_some_and(|(e, _)| *e == entry))
    }

    /// Goes back so that `keep` entries are left.
    fn cut_back(&mut self, keep: usize, behind: bool) {
        for (entry, _) in self.trail.drain(keep..) {
            self.place.remove(&entry);
        }
        let length = if behind { 0 } else { self.trail.last().map_or(0, |(_, length)| *length) };
        if (length as usize) < self.context.len() {
            self.context.truncate(length as usize);
            self.steps.push(Step::Keep(length, Why::Branch));
        }
    }
}
