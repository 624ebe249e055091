//! Turns the tree of a log into the steps of its threads: the messages of each call's prompt.
//!
//! Entries are in the order in which they were written, parents before their children, and calls are visited in that order. From one call
//! to the next a thread returns to the common ancestor and continues from there. If calls of what it leaves follow, it leaves a branch
//! behind and continues on a copy of the trunk, so that two branches in turn take time proportional to the log. A compaction that keeps what
//! the one before it kept changes only the summary. A context is rebuilt if the agent returned to an entry before a compaction.

mod taken_back;

use super::{
    branch::{Branch, Thread, last_use},
    off_path::OffPathEntries,
    steps::{RemovalReason, Step},
};
use deadhead_core::internal::{
    dialect::{
        Dialect,
        builder::{Entry, EntryKind, Keep, NONE, TranscriptBuilder},
        tree::{self, Parents},
    },
    json::{Id, IdSet},
    transcript::Role,
};
use std::collections::{HashMap, HashSet};
use taken_back::Edits;

/// The contexts of all threads.
pub struct Branches<'a> {
    builder: &'a TranscriptBuilder,
    parents: &'a Parents,
    /// The entries that may lie beside a path, in formats in which a message may come in pieces.
    off_path: Option<OffPathEntries>,
    /// Whether consecutive messages of the model are one.
    joined: bool,
    /// For each entry of a sidechain, its first entry; [`NONE`] for the others.
    roots: Vec<u32>,
    /// For each entry, the number of calls up to the last one whose context it leads to.
    last_use: Vec<u32>,
    /// For each entry, the branch that passed it last.
    owner: Vec<u32>,
    threads: Vec<Thread>,
    /// For each first entry of a sidechain its thread, and for [`NONE`] the main one.
    names: HashMap<u32, usize>,
    pub edits: Edits,
}

impl<'a> Branches<'a> {
    pub fn new(
        builder: &'a TranscriptBuilder,
        parents: &'a Parents,
        format: &Dialect,
        calls: &[usize],
    ) -> Branches<'a> {
        let off_path = format
            .references
            .filter(|references| references.has_off_path_entries)
            .map(|_| OffPathEntries::new(builder, parents));
        let mut roots: Vec<u32> = Vec::new();
        for (i, &parent) in parents.iter().enumerate() {
            let root = roots.get(parent as usize).copied().unwrap_or(NONE);
            let entry = &builder.entries[i];
            let side = off_path.is_some() && matches!(entry.kind, EntryKind::Side(_));
            roots.push(match root {
                // Notices and attachments are beside the path as well, but follow their parent.
                NONE if side && entry.message != NONE => i as u32,
                _ if side => root,
                _ => NONE,
            });
        }
        Branches {
            builder,
            parents,
            off_path,
            joined: format.calls.joins,
            owner: vec![NONE; roots.len()],
            roots,
            last_use: last_use(parents, calls),
            threads: vec![Thread::default()],
            names: HashMap::from([(NONE, 0)]),
            edits: Edits::of(&builder.entries),
        }
    }

    pub fn entry(&self, entry: u32) -> &'a Entry {
        &self.builder.entries[entry as usize]
    }

    /// Moves the thread of `entry` to the context before it, and adds call `number` there. Returns the newest message of the context.
    pub fn extend_to(&mut self, entry: usize, number: u32) -> Option<u32> {
        let threads = self.threads.len();
        let at = *self.names.entry(self.roots[entry]).or_insert(threads);
        if at == threads {
            self.threads.push(Thread::default());
        }
        let mut thread = std::mem::take(&mut self.threads[at]);
        let is_side = self.roots[entry] != NONE;
        let way = self.parents.up(self.parents[entry]);
        let way = way
            .take_while(|&at| !is_side || self.roots[at] != NONE)
            .map(|at| (self.owner[at] as usize, at as u32));
        thread.turn(
            way,
            |entry| self.last_use[entry as usize] > number,
            |entry| self.owner[entry as usize] as usize,
        );
        let Thread {
            steps,
            branches,
            now,
        } = &mut thread;
        let branch = &mut branches[*now];
        let way = self.lead(branch, steps, self.parents[entry], entry);
        for entry in way {
            self.owner[entry as usize] = *now as u32;
        }
        steps.push(Step::Call(number));
        let newest = branch.context.last().map(|&e| self.entry(e).message);
        self.threads[at] = thread;
        newest
    }

    /// Moves a branch to `target`: back to the common ancestor, and forward from there. Returns the entries of the way forward.
    fn lead(
        &self,
        thread: &mut Branch,
        steps: &mut Vec<Step>,
        target: u32,
        call: usize,
    ) -> Vec<u32> {
        let mut ahead = Vec::new();
        let mut at = target;
        let side = self.roots[call] != NONE;
        while at != NONE && !thread.is_on_path(at) {
            if side && self.roots[at as usize] == NONE {
                at = NONE;
                break;
            }
            ahead.push(at);
            at = self.parents[at as usize];
        }
        ahead.reverse();
        let parted = thread.place_of(at).map_or(0, |place| place as usize + 1);
        let left = thread.way.split_off(
            thread
                .way
                .partition_point(|&place| (place as usize) < parted),
        );
        let keep = self.off_path.as_ref().map_or(parted, |off_path| {
            self.keep_off_path(off_path, thread, &left, parted, &ahead)
        });
        let passed_boundary = keep > 0 && keep <= thread.begin.max(thread.edited);
        if keep < thread.trail.len() || passed_boundary {
            self.truncate(thread, steps, keep, passed_boundary);
        }
        if passed_boundary {
            self.rebuild(thread, steps);
            let messages = self.off_path.iter().flat_map(|off_path| {
                thread
                    .trail
                    .iter()
                    .map(|(entry, _)| off_path.message(*entry))
            });
            thread.rejoined.reconsider(messages);
        }
        let way = ahead.clone();
        if let Some(off_path) = &self.off_path {
            ahead = self.rejoin(off_path, thread, ahead, at, call);
        }
        for entry in ahead {
            if thread.place_of(entry).is_none() {
                self.step(thread, steps, entry);
            }
        }
        for &entry in &way {
            let place = thread.place_of(entry);
            thread.way.extend(place);
            let piece_of = self.entry(entry).piece_of();
            if self.off_path.is_some() && piece_of.is_some() {
                thread.said.entry(piece_of).or_default().push(entry);
            }
        }
        way
    }

    /// Returns the number of trail entries that stay when the thread goes back to `keep` of them. Entries beside the last one stay, and
    /// pieces of a message with another piece ahead, up to a result of a call that an entry ahead answers.
    fn keep_off_path(
        &self,
        off_path: &OffPathEntries,
        thread: &mut Branch,
        left: &[u32],
        keep: usize,
        ahead: &[u32],
    ) -> usize {
        let last = keep
            .checked_sub(1)
            .map(|last| off_path.message_at(self.builder, thread.trail[last].0));
        let ends = |&&entry: &&u32| {
            let entry = self.entry(entry);
            entry.message != NONE || entry.is_boundary()
        };
        let next = || {
            ahead
                .iter()
                .find(ends)
                .map(|&entry| off_path.message(entry))
        };
        let message = last
            .filter(|id| id.is_some())
            .or_else(next)
            .filter(|id| keep > 0 && id.is_some());
        let Some(message) = message else { return keep };
        let stays = |&(entry, _): &(u32, u32)| {
            off_path.message(entry) == message && thread.is_sent(off_path.before(entry))
        };
        let is_said = ahead
            .iter()
            .any(|&entry| self.entry(entry).piece_of() == message);
        let is_ended = || ahead.iter().any(|&entry| self.entry(entry).is_boundary());
        if !thread.trail.get(keep).is_some_and(stays)
            || is_ended()
            || !is_said && !thread.says(message)
        {
            return keep;
        }
        let runs = &thread.runs;
        let end = runs.partition_point(|run| *run <= runs[keep]);
        // Entries that were on the path and would not be added again beside it.
        let mut end = left
            .iter()
            .map(|&place| place as usize)
            .take_while(|&place| place < end)
            .find(|&place| !off_path.is_member(thread.trail[place].0))
            .unwrap_or(end);
        let again: IdSet = ahead
            .iter()
            .filter(|&&entry| thread.place_of(entry).is_none())
            .flat_map(|&entry| self.answered_calls(entry))
            .filter(|call| thread.answered.contains_key(call))
            .collect();
        if !again.is_empty() {
            let stays = |(entry, _): &&(u32, u32)| {
                !self
                    .answered_calls(*entry)
                    .any(|call| again.contains(&call))
            };
            end = keep + thread.trail[keep..end].iter().take_while(stays).count();
        }
        end
    }

    /// Adds an entry to the thread.
    fn step(&self, thread: &mut Branch, steps: &mut Vec<Step>, entry: u32) {
        let found = self.entry(entry);
        if found.is_boundary() {
            self.boundary(thread, steps, entry);
        } else if found.message != NONE {
            self.push(thread, steps, entry);
        }
        self.edit(thread, steps, found.id);
        let place = thread.trail.len() as u32;
        thread.place.insert(entry, place);
        thread.ids.entry(found.id).or_insert(place);
        if let Some(off_path) = &self.off_path {
            let message = |entry: u32| off_path.message(entry);
            let last = thread.trail.last().map(|(last, _)| message(*last));
            let is_same = message(entry).is_some() && last == Some(message(entry));
            let run = thread.runs.last().filter(|_| is_same);
            thread.runs.push(run.map_or(place, |run| *run));
        }
        thread.trail.push((entry, thread.context.len() as u32));
    }

    pub fn push(&self, thread: &mut Branch, steps: &mut Vec<Step>, entry: u32) {
        let found = self.entry(entry);
        let message = thread.sent_as(found.message);
        let continues = self.continues(thread, found);
        thread.context.push(entry);
        if message == NONE {
            return;
        }
        for call in self.answered_calls(entry) {
            *thread.answered.entry(call).or_default() += 1;
        }
        steps.push(Step::Push { message, continues });
    }

    fn continues(&self, thread: &Branch, found: &Entry) -> bool {
        let role = |e: &u32| self.builder.messages[self.entry(*e).message as usize].role;
        if self.builder.messages[found.message as usize].role != Role::Assistant {
            return false;
        }
        if self.joined {
            return thread
                .context
                .last()
                .is_some_and(|e| role(e) == Role::Assistant);
        }
        let last = || {
            thread
                .context
                .iter()
                .rev()
                .find(|e| role(e) == Role::Assistant)
        };
        let piece_of = found.piece_of();
        self.off_path.is_some()
            && piece_of.is_some()
            && last().is_some_and(|&e| self.entry(e).piece_of() == piece_of)
    }

    /// Handles a compaction or reset: of the earlier entries only those stay that it keeps, after the summary.
    fn boundary(&self, thread: &mut Branch, steps: &mut Vec<Step>, entry: u32) {
        let entries: &[Entry] = &self.builder.entries;
        let found = self.entry(entry);
        let end = thread.trail.len();
        let kept = match found.keeps() {
            Keep::Id(id) => thread.ids.get(&id).map(|&place| place as usize),
            Keep::Index(first) => {
                let is_kept = |(e, _): &(u32, u32)| u64::from(*e) >= first;
                thread.trail.iter().position(is_kept)
            }
            // Any prompt may be among them.
            Keep::Prompts => Some(0),
            Keep::Nothing => None,
        };
        let from = kept.unwrap_or(end);
        let before = thread.compaction.take();
        let has_summary = matches!(found.kind, EntryKind::Compaction(_))
            && found.keeps() != Keep::Prompts
            && found.message != NONE
            && from < end;
        thread.compaction = has_summary.then_some((entry, from));
        let is_same = |(before, kept): (u32, usize)| {
            kept == from && from < thread.begin && thread.context.first() == Some(&before)
        };
        if has_summary && thread.changes.is_empty() && before.is_some_and(is_same) {
            thread.context[0] = entry;
            steps.push(Step::Summary(found.message));
        } else {
            let path: Vec<usize> = thread.trail[from..]
                .iter()
                .map(|(e, _)| *e as usize)
                .chain([entry as usize])
                .collect();
            // Cannot fail, as no entry was released.
            let nodes =
                tree::since_boundary(entries, &self.builder.messages, &path, 0).unwrap_or_default();
            thread.context.clear();
            thread.answered.clear();
            steps.push(Step::Keep(0, RemovalReason::Compaction));
            for node in nodes {
                self.push(thread, steps, node as u32);
            }
        }
        thread.begin = end;
    }

    /// Rebuilds the context if the thread went back behind a boundary.
    fn rebuild(&self, thread: &mut Branch, steps: &mut Vec<Step>) {
        let trail = std::mem::take(&mut thread.trail);
        thread.runs.clear();
        thread.place.clear();
        thread.ids.clear();
        (thread.begin, thread.compaction) = (0, None);
        for (entry, _) in trail {
            self.step(thread, steps, entry);
        }
    }

    /// Adds entries beside the path that are sent, behind `from` and beside the entries ahead.
    fn rejoin(
        &self,
        off_path: &OffPathEntries,
        thread: &mut Branch,
        ahead: Vec<u32>,
        from: u32,
        call: usize,
    ) -> Vec<u32> {
        let entries = &self.builder.entries;
        let last = Some(from)
            .filter(|&from| from != NONE)
            .map(|from| off_path.message_at(self.builder, from));
        let mut messages = Vec::new();
        for message in last
            .into_iter()
            .chain(ahead.iter().map(|&entry| off_path.message(entry)))
        {
            if message.is_some() && messages.last() != Some(&message) {
                messages.push(message);
            }
        }
        let found = thread
            .rejoined
            .next_members(off_path, messages, call as u32);
        if found.is_empty() {
            return ahead;
        }
        // Entries before a boundary are not sent.
        let boundary = ahead
            .iter()
            .rposition(|&entry| self.entry(entry).is_boundary());
        let sent = &ahead[boundary.map_or(0, |at| at + 1)..];
        let mut chosen: HashSet<u32> = sent.iter().copied().collect();
        let said: IdSet = sent
            .iter()
            .map(|&entry| self.entry(entry).piece_of())
            .collect();
        let mut answered: IdSet = sent
            .iter()
            .flat_map(|&entry| self.answered_calls(entry))
            .collect();
        let mut all = ahead;
        for here in found {
            let entry = self.entry(here);
            let message = off_path.message(here);
            let is_said = said.contains(&message) || boundary.is_none() && thread.says(message);
            let is_chosen = |e: u32| chosen.contains(&e) || boundary.is_none() && thread.is_sent(e);
            let before = off_path.before(here);
            let alike =
                std::mem::discriminant(&entry.kind) == std::mem::discriminant(&entries[call].kind);
            if is_chosen(here) || !alike || before == NONE {
                continue;
            }
            let is_answered = |id: Id| {
                answered.contains(&id) || boundary.is_none() && thread.answered.contains_key(&id)
            };
            if is_said
                && is_chosen(before)
                && (entry.piece_of().is_some() || !self.answered_calls(here).any(is_answered))
            {
                chosen.insert(here);
                answered.extend(self.answered_calls(here));
                all.push(here);
            } else {
                thread.rejoined.postpone(off_path, here);
            }
        }
        all.sort_unstable();
        all
    }

    /// Returns the calls that an entry answers.
    pub fn answered_calls(&self, entry: u32) -> impl Iterator<Item = Id> {
        let message = self.entry(entry).message;
        (message != NONE)
            .then(|| self.builder.answered_calls(message))
            .into_iter()
            .flatten()
    }

    /// Truncates the trail to `keep` entries.
    fn truncate(&self, thread: &mut Branch, steps: &mut Vec<Step>, keep: usize, behind: bool) {
        thread.runs.truncate(keep);
        thread.begin = thread.begin.min(keep);
        for (entry, _) in thread.trail.split_off(keep) {
            let id = self.entry(entry).id;
            if thread.ids.get(&id).is_some_and(|&at| at as usize >= keep) {
                thread.ids.remove(&id);
            }
            if let Some(off_path) = self
                .off_path
                .as_ref()
                .filter(|off_path| off_path.is_member(entry))
            {
                thread.rejoined.postpone(off_path, entry);
                let before = off_path.before(entry);
                thread
                    .rejoined
                    .reconsider(thread.place_of(before).map(|_| off_path.message(entry)));
            }
        }
        let length = if behind {
            0
        } else {
            thread.trail.last().map_or(0, |(_, length)| *length)
        };
        if (length as usize) < thread.context.len() {
            self.keep(thread, steps, length as usize);
        }
        if keep <= thread.edited {
            thread.edited = 0;
            thread.changes.clear();
        }
    }

    pub fn finish(self) -> Vec<Vec<Step>> {
        self.threads
            .into_iter()
            .map(|thread| thread.steps)
            .collect()
    }
}
