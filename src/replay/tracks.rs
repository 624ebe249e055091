//! From the tree of a log to the steps of its lanes: which messages each call's prompt held.
//!
//! Calls are taken in file order. From one to the next a lane goes back to where the ways part and on from there, so that
//! all of it takes as long as the log is; only where the agent went back behind a compaction is a context made anew.

use super::session::{Step, Why};
use crate::format::sheet::{Entry, EntryKind, NONE, Sheet};
use crate::format::tree;
use crate::json::{Id, IdSet};
use crate::transcript::{Block, BlockKind, Role};
use std::collections::{HashMap, HashSet};

/// The contexts of all lanes under construction.
pub(super) struct Tracks<'a> {
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
    pub(super) fn new(sheet: &'a Sheet, parents: &'a [u32], format: &str) -> Tracks<'a> {
        let pieces = format == "claude-code";
        let mut roots: Vec<u32> = Vec::new();
        for (i, &parent) in parents.iter().enumerate() {
            let beside = parents.get(parent as usize).map_or(NONE, |_| roots[parent as usize]);
            let entry = &sheet.entries[i];
            let side = pieces && matches!(entry.kind, EntryKind::Side(_));
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
    pub(super) fn lead_to(&mut self, entry: usize, number: u32) -> Option<u32> {
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
        if found.is_boundary() {
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
        let piece_of = found.piece_of();
        self.pieces && piece_of.is_some() && last().is_some_and(|&e| self.sheet.entries[e as usize].piece_of() == piece_of)
    }

    /// A compaction or reset: of what was before, only what it keeps stays, after the summary.
    fn boundary(&self, lane: &mut Lane, entry: u32) {
        let entries: &[Entry] = &self.sheet.entries;
        let path: Vec<usize> = lane.trail.iter().map(|(e, _)| *e as usize).chain([entry as usize]).collect();
        // Nothing was let go, so that nothing can be missed.
        let nodes = tree::since_boundary(entries, &self.sheet.messages, &path, 0).unwrap_or_default();
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
        let mut answered: IdSet =
            recent.filter(|e| entries[**e as usize].message != NONE).flat_map(|&e| self.answers(entries[e as usize].message)).collect();
        let mut added = false;
        for i in first..call {
            let (entry, parent) = (&entries[i], self.parents[i]);
            let here = i as u32;
            if is_chosen(&chosen, here)
                || std::mem::discriminant(&entry.kind) != std::mem::discriminant(&entries[call].kind)
                || entry.message == NONE
            {
                continue;
            }
            if parent == NONE || !is_chosen(&chosen, parent) {
                continue;
            }
            let piece_of = entries[parent as usize].piece_of();
            let calls = self.answers(entry.message);
            let own = entry.piece_of();
            let belongs = own == piece_of || own.is_none() && !calls.is_empty() && calls.iter().all(|c| !answered.contains(c));
            if piece_of.is_some() && belongs {
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
    fn answers(&self, message: u32) -> Vec<Id> {
        let blocks = blocks_of(self.sheet, message);
        let results = blocks.iter().filter(|b| b.kind == BlockKind::Result);
        results.map(|b| self.sheet.links[b.extra as usize].call).collect()
    }

    pub(super) fn finish(self) -> Vec<Vec<Step>> {
        self.lanes.into_iter().map(|lane| lane.steps).collect()
    }
}

fn blocks_of(sheet: &Sheet, message: u32) -> &[Block] {
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
