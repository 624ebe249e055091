//! From the tree of a log to the steps of its lanes: which messages each call's prompt held.
//!
//! Entries stand in the order in which they were written, parents before their children, and calls are taken in that order.
//! From one to the next a lane goes back to where the ways part and on from there, so that all of it takes as long as the log
//! is; only where the agent went back behind a compaction is a context made anew.

use super::beside::{Beside, Stretches, Taken};
use super::steps::{Step, Why};
use deadhead_core::dialect::sheet::{Entry, EntryKind, NONE, Sheet};
use deadhead_core::dialect::{Dialect, tree};
use deadhead_core::json::{Id, IdMap, IdSet};
use deadhead_core::transcript::Role;
use std::collections::{HashMap, HashSet};

/// The contexts of all lanes under construction.
pub(super) struct Tracks<'a> {
    sheet: &'a Sheet,
    parents: &'a [u32],
    /// What may hang beside a way, where a message may come in pieces.
    beside: Option<Beside>,
    /// Whether neighbouring messages of the model are one.
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
    /// Places on the trail of what lies on the way itself, and not beside it.
    way: Vec<u32>,
    /// For each message its pieces that lie, or lay, on the way.
    said: IdMap<Vec<u32>>,
    /// Entries whose messages are the context.
    context: Vec<u32>,
    /// How often the context answers each call.
    answered: IdMap<u32>,
    taken: Taken,
    stretches: Stretches,
}

impl<'a> Tracks<'a> {
    pub(super) fn new(sheet: &'a Sheet, parents: &'a [u32], format: &Dialect) -> Tracks<'a> {
        let beside = format.lineage.filter(|lineage| lineage.beside).map(|_| Beside::new(sheet, parents));
        let mut roots: Vec<u32> = Vec::new();
        for (i, &parent) in parents.iter().enumerate() {
            let root = parents.get(parent as usize).map_or(NONE, |_| roots[parent as usize]);
            let entry = &sheet.entries[i];
            let side = beside.is_some() && matches!(entry.kind, EntryKind::Side(_));
            roots.push(match root {
                // Notices and attachments are beside as well, but lie on the way of their parent.
                NONE if side && entry.message != NONE => i as u32,
                _ if side => root,
                _ => NONE,
            });
        }
        Tracks { sheet, parents, beside, joined: format.calls.joins, roots, lanes: vec![Lane::default()], names: HashMap::new() }
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
        while at != NONE && !lane.is_on_way(at) {
            if side && self.roots[at as usize] == NONE {
                at = NONE;
                break;
            }
            ahead.push(at);
            at = self.parents[at as usize];
        }
        ahead.reverse();
        let parted = lane.place_of(at).map_or(0, |place| place as usize + 1);
        let left = lane.way.split_off(lane.way.partition_point(|&place| (place as usize) < parted));
        let keep = self.beside.as_ref().map_or(parted, |beside| self.with_beside(beside, lane, &left, parted, &ahead));
        let passed_boundary = keep > 0 && lane.trail[keep - 1].1 == NONE;
        if keep < lane.trail.len() || passed_boundary {
            self.cut_back(lane, keep, passed_boundary);
        }
        if passed_boundary {
            self.rebuild(lane);
            let messages = self.beside.iter().flat_map(|beside| lane.trail.iter().map(|(entry, _)| beside.pieces.message[*entry as usize]));
            lane.taken.look_again(messages);
        }
        let way = ahead.clone();
        if let Some(beside) = &self.beside {
            ahead = self.rejoin(beside, lane, ahead, at, call);
        }
        for entry in ahead {
            if lane.place_of(entry).is_none() {
                self.step(lane, entry);
            }
        }
        for entry in way {
            let place = lane.place_of(entry);
            lane.way.extend(place);
            let piece_of = self.sheet.entries[entry as usize].piece_of();
            if self.beside.is_some() && piece_of.is_some() {
                lane.said.entry(piece_of).or_default().push(entry);
            }
        }
    }

    /// How many entries of the trail stay where the ways part behind `keep` of them: what hangs beside the last one stays with it,
    /// and so do the pieces of a message of which another piece lies ahead, up to a result of a call that something ahead answers.
    fn with_beside(&self, beside: &Beside, lane: &mut Lane, left: &[u32], keep: usize, ahead: &[u32]) -> usize {
        let last = keep.checked_sub(1).map(|last| beside.message_at(lane.trail[last].0));
        let ends = |entry: &Entry| entry.message != NONE || entry.is_boundary();
        let next = || ahead.iter().find(|&&entry| ends(&self.sheet.entries[entry as usize]));
        let next = || next().map(|&entry| beside.pieces.message[entry as usize]);
        let message = last.filter(|id| id.is_some()).or_else(next).filter(|id| keep > 0 && id.is_some());
        let Some(message) = message else { return keep };
        let pieces = &beside.pieces;
        let stays = |&(entry, _): &(u32, u32)| pieces.message[entry as usize] == message && lane.is_sent(pieces.before[entry as usize]);
        let is_said = ahead.iter().any(|&entry| self.sheet.entries[entry as usize].piece_of() == message);
        let is_ended = || ahead.iter().any(|&entry| self.sheet.entries[entry as usize].is_boundary());
        if !lane.trail.get(keep).is_some_and(stays) || is_ended() || !is_said && !lane.says(message) {
            return keep;
        }
        let end = lane.stretches.end(keep);
        // What lay on the way till now, and is not what would be taken in beside it.
        let mut left = left.iter().map(|&place| place as usize).take_while(|&place| place < end);
        let mut end = left.find(|&place| !beside.is_member(lane.trail[place].0)).unwrap_or(end);
        let new = ahead.iter().filter(|&&entry| lane.place_of(entry).is_none()).flat_map(|&entry| self.answers(entry));
        let again: IdSet = new.filter(|call| lane.answered.contains_key(call)).collect();
        if !again.is_empty() {
            let stays = |(entry, _): &&(u32, u32)| !self.answers(*entry).any(|call| again.contains(&call));
            end = keep + lane.trail[keep..end].iter().take_while(stays).count();
        }
        end
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
        if let Some(beside) = &self.beside {
            let message = |entry: u32| beside.pieces.message[entry as usize];
            lane.stretches.push(message(entry).is_some() && lane.trail.last().is_some_and(|(last, _)| message(*last) == message(entry)));
        }
        lane.trail.push((entry, lane.context.len() as u32));
    }

    fn push(&self, lane: &mut Lane, entry: u32) {
        let found = &self.sheet.entries[entry as usize];
        let continues = self.continues(lane, found);
        lane.context.push(entry);
        for call in self.answers(entry) {
            *lane.answered.entry(call).or_default() += 1;
        }
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
        self.beside.is_some() && piece_of.is_some() && last().is_some_and(|&e| self.sheet.entries[e as usize].piece_of() == piece_of)
    }

    /// A compaction or reset: of what was before, only what it keeps stays, after the summary.
    fn boundary(&self, lane: &mut Lane, entry: u32) {
        let entries: &[Entry] = &self.sheet.entries;
        let path: Vec<usize> = lane.trail.iter().map(|(e, _)| *e as usize).chain([entry as usize]).collect();
        // Nothing was let go, so that nothing can be missed.
        let nodes = tree::since_boundary(entries, &self.sheet.messages, &path, 0).unwrap_or_default();
        lane.context.clear();
        lane.answered.clear();
        lane.steps.push(Step::Keep(0, Why::Compaction));
        lane.trail.iter_mut().for_each(|(_, length)| *length = NONE);
        for node in nodes {
            self.push(lane, node as u32);
        }
    }

    /// Makes the context anew where the lane went back behind a boundary.
    fn rebuild(&self, lane: &mut Lane) {
        let trail = std::mem::take(&mut lane.trail);
        lane.stretches = Stretches::default();
        lane.place.clear();
        for (entry, _) in trail {
            self.step(lane, entry);
        }
    }

    /// Takes in what hangs beside the way behind `from`, and beside what lies ahead, and yet is sent.
    fn rejoin(&self, beside: &Beside, lane: &mut Lane, ahead: Vec<u32>, from: u32, call: usize) -> Vec<u32> {
        let entries = &self.sheet.entries;
        let last = Some(from).filter(|&from| from != NONE).map(|from| beside.message_at(from));
        let mut messages = Vec::new();
        for message in last.into_iter().chain(ahead.iter().map(|&entry| beside.pieces.message[entry as usize])) {
            if message.is_some() && messages.last() != Some(&message) {
                messages.push(message);
            }
        }
        let found = lane.taken.look(beside, messages, call as u32);
        if found.is_empty() {
            return ahead;
        }
        // What lies behind a boundary is not sent.
        let boundary = ahead.iter().rposition(|&entry| entries[entry as usize].is_boundary());
        let sent = &ahead[boundary.map_or(0, |at| at + 1)..];
        let mut chosen: HashSet<u32> = sent.iter().copied().collect();
        let said: IdSet = sent.iter().map(|&entry| entries[entry as usize].piece_of()).collect();
        let mut answered: IdSet = sent.iter().flat_map(|&entry| self.answers(entry)).collect();
        let mut all = ahead;
        for here in found {
            let entry = &entries[here as usize];
            let message = beside.pieces.message[here as usize];
            let is_said = said.contains(&message) || boundary.is_none() && lane.says(message);
            let is_chosen = |e: u32| chosen.contains(&e) || boundary.is_none() && lane.is_sent(e);
            let before = beside.pieces.before[here as usize];
            let alike = std::mem::discriminant(&entry.kind) == std::mem::discriminant(&entries[call].kind);
            if is_chosen(here) || !alike || before == NONE {
                continue;
            }
            let is_answered = |id: Id| answered.contains(&id) || boundary.is_none() && lane.answered.contains_key(&id);
            if is_said && is_chosen(before) && (entry.piece_of().is_some() || !self.answers(here).any(is_answered)) {
                chosen.insert(here);
                answered.extend(self.answers(here));
                all.push(here);
            } else {
                lane.taken.put_off(beside, here);
            }
        }
        all.sort_unstable();
        all
    }

    /// The calls that an entry answers.
    fn answers(&self, entry: u32) -> impl Iterator<Item = Id> {
        let message = self.sheet.entries[entry as usize].message;
        (message != NONE).then(|| self.sheet.answers(message)).into_iter().flatten()
    }

    /// Goes back so that `keep` entries of the trail are left.
    fn cut_back(&self, lane: &mut Lane, keep: usize, behind: bool) {
        lane.stretches.truncate(keep);
        let cut = lane.trail.split_off(keep);
        for (entry, _) in &cut {
            lane.place.remove(entry);
        }
        for (entry, _) in cut {
            if let Some(beside) = self.beside.as_ref().filter(|beside| beside.is_member(entry)) {
                lane.taken.put_off(beside, entry);
                let before = beside.pieces.before[entry as usize];
                lane.taken.look_again(lane.place_of(before).map(|_| beside.pieces.message[entry as usize]));
            }
        }
        let length = if behind { 0 } else { lane.trail.last().map_or(0, |(_, length)| *length) };
        if (length as usize) < lane.context.len() {
            for entry in lane.context.drain(length as usize..) {
                for call in self.answers(entry) {
                    if let Some(count) = lane.answered.get_mut(&call).filter(|count| **count > 1) {
                        *count -= 1;
                    } else {
                        lane.answered.remove(&call);
                    }
                }
            }
            lane.steps.push(Step::Keep(length, Why::Branch));
        }
    }

    pub(super) fn finish(self) -> Vec<Vec<Step>> {
        self.lanes.into_iter().map(|lane| lane.steps).collect()
    }
}

impl Lane {
    /// Whether a piece of a message lies on the way since the last boundary.
    fn says(&mut self, message: Id) -> bool {
        while let Some(&piece) = self.said.get(&message).and_then(|pieces| pieces.last()) {
            if self.is_on_way(piece) {
                return self.is_sent(piece);
            }
            self.said.get_mut(&message).and_then(Vec::pop);
        }
        false
    }

    /// Whether an entry lies on the trail since the last boundary.
    fn is_sent(&self, entry: u32) -> bool {
        self.place_of(entry).is_some_and(|place| self.trail[place as usize].1 != NONE)
    }

    /// Whether an entry lies on the way.
    fn is_on_way(&self, entry: u32) -> bool {
        self.place_of(entry).is_some_and(|place| self.way.binary_search(&place).is_ok())
    }

    /// Where on the trail an entry lies.
    fn place_of(&self, entry: u32) -> Option<u32> {
        self.place.get(&entry).copied().filter(|&place| self.trail.get(place as usize).is_some_and(|(e, _)| *e == entry))
    }
}
