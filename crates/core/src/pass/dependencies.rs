//! Dependencies between parts that can only be removed together: calls and their results, reasoning and the parts it is tied to,
//! and the rest of a message.
//!
//! A pass that removes parts names those that it wants to remove; [`Dependencies::close`] adds the parts that a provider would
//! refuse to see without them, until no more are added. Siblings are kept: one of several parallel calls is removed alone, unless
//! reasoning or a signature ties them together. Reasoning and blank texts are not left alone.

use crate::edit::{Action, Cut, Reason, View};
use crate::json::IdMap;
use crate::transcript::{Block, BlockKind, EmptyContent, Flags, NoteKind, Role};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A part of a message: the indices of both in the transcript.
pub type Part = (u32, u32);

/// The parts that can only be removed together.
pub struct Dependencies<'a> {
    view: &'a View<'a>,
    /// For a call its results, for a result its call, and the same for a provider's own tools; by blocks.
    pairs: Pairs,
    /// For each block its message.
    messages: Vec<u32>,
    /// For each message the one that it continues, as the log splits what is one to the provider.
    begins: Vec<u32>,
    /// For the first of such messages the further pieces.
    pieces: HashMap<u32, Vec<u32>>,
}

/// For each block those that it is paired with: one, mostly.
struct Pairs {
    /// The only one of each block; [`u32::MAX`] where there is none.
    one: Vec<u32>,
    /// All of a block that has several.
    several: HashMap<u32, Vec<u32>>,
}

impl Pairs {
    fn new(blocks: usize) -> Pairs {
        Pairs {
            one: vec![u32::MAX; blocks],
            several: HashMap::new(),
        }
    }

    fn add(&mut self, block: u32, partner: u32) {
        let one = &mut self.one[block as usize];
        if *one == u32::MAX {
            *one = partner;
        } else {
            self.several
                .entry(block)
                .or_insert_with(|| vec![*one])
                .push(partner);
        }
    }

    fn of(&self, block: u32) -> &[u32] {
        match self.one.get(block as usize) {
            Some(one) if *one != u32::MAX => self
                .several
                .get(&block)
                .map_or(std::slice::from_ref(one), Vec::as_slice),
            _ => &[],
        }
    }
}

/// Parts, each with the wanted part for which it goes.
type Causes = BTreeMap<Part, Part>;

impl<'a> Dependencies<'a> {
    /// The ties of the transcript behind `view`.
    pub fn new(view: &'a View<'a>) -> Dependencies<'a> {
        let mut dependencies = Dependencies {
            view,
            pairs: Pairs::new(view.transcript.blocks.len()),
            messages: Vec::with_capacity(view.transcript.blocks.len()),
            begins: Vec::new(),
            pieces: HashMap::new(),
        };
        for i in 0..view.transcript.messages.len() {
            let blocks = view.transcript.blocks_of(i).len();
            dependencies
                .messages
                .extend(std::iter::repeat_n(i as u32, blocks));
        }
        dependencies.pair();
        dependencies.pair_notes();
        let mut last = None;
        for (i, message) in view.transcript.messages.iter().enumerate() {
            let begin = last.filter(|_| message.continues).unwrap_or(i as u32);
            dependencies.begins.push(begin);
            if begin != i as u32 {
                dependencies.pieces.entry(begin).or_default().push(i as u32);
            }
            if message.role == Role::Assistant {
                last = Some(begin);
            }
        }
        dependencies
    }

    /// A result answers the newest call of its id before it that has no answer yet, else the newest, else one behind it. A call
    /// that is left without an answer while its id has one may be the same call once more: it is removed with that answer.
    fn pair(&mut self) {
        let transcript = self.view.transcript;
        // For each id the newest call, and those that have no answer yet.
        let mut calls: IdMap<(u32, Vec<u32>)> = IdMap::default();
        let (mut early, mut answers) = (Vec::new(), IdMap::default());
        for i in 0..transcript.messages.len() {
            for (index, block) in self
                .view
                .parts(i)
                .filter(|(_, b)| b.is_linked() && transcript.link(b).call.is_some())
            {
                let id = transcript.link(block).call;
                if block.kind == BlockKind::Call {
                    let known = calls.entry(id).or_insert((index, Vec::new()));
                    known.0 = index;
                    known.1.push(index);
                    continue;
                }
                answers.insert(id, index);
                match calls
                    .get_mut(&id)
                    .map(|(newest, open)| open.pop().unwrap_or(*newest))
                {
                    Some(call) => self.add_pair(call, index),
                    None => early.push((id, index)),
                }
            }
        }
        for (id, result) in early {
            if let Some((call, open)) = calls.get_mut(&id) {
                open.retain(|unanswered| unanswered != call);
                self.add_pair(*call, result);
            }
        }
        for (id, (_, open)) in calls {
            let answer = answers.get(&id).copied();
            open.into_iter()
                .filter_map(|call| Some((call, answer?)))
                .for_each(|(call, answer)| self.add_pair(call, answer));
        }
    }

    fn pair_notes(&mut self) {
        let notes = &self.view.transcript.notes;
        let mut calls = HashMap::new();
        for note in notes {
            if let NoteKind::ServerCall(id) = note.kind {
                calls.insert(id, note.block);
            }
        }
        for note in notes {
            match note.kind {
                NoteKind::ServerResult(id) => {
                    if let Some(&call) = calls.get(&id) {
                        self.add_pair(call, note.block);
                    }
                }
                // What the server's code called is removed with the code, the code not with it.
                NoteKind::Caller(id) => {
                    if let Some(&call) = calls.get(&id) {
                        self.pairs.add(call, note.block);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_pair(&mut self, a: u32, b: u32) {
        self.pairs.add(a, b);
        self.pairs.add(b, a);
    }

    /// Returns the blocks that are paired with the call or result at index `block`.
    pub fn paired_with(&self, block: u32) -> &[u32] {
        self.pairs.of(block)
    }

    /// The messages that are one to the provider with message `i`, itself among them.
    pub fn pieces_of(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let begin = self.begins[i];
        std::iter::once(begin)
            .chain(self.pieces.get(&begin).into_iter().flatten().copied())
            .map(|i| i as usize)
    }

    /// The message that a block is in.
    pub fn message_of(&self, block: u32) -> usize {
        self.messages
            .get(block as usize)
            .map_or(self.begins.len().saturating_sub(1), |message| {
                *message as usize
            })
    }

    /// The part that a block is.
    pub fn part(&self, block: u32) -> Part {
        (self.message_of(block) as u32, block)
    }

    /// The message that message `i` continues; `i` where it is whole.
    pub fn begin_of(&self, i: u32) -> u32 {
        self.begins[i as usize]
    }

    /// All parts that go when `wanted` go.
    pub fn close(&self, wanted: impl IntoIterator<Item = Part>) -> BTreeSet<Part> {
        self.trace(wanted).into_keys().collect()
    }

    /// All parts that go when `wanted` go, each with the wanted one that it follows from; a wanted one with itself.
    pub fn trace(&self, wanted: impl IntoIterator<Item = Part>) -> BTreeMap<Part, Part> {
        let mut open: Vec<(Part, Part)> = wanted.into_iter().map(|part| (part, part)).collect();
        let mut all = Causes::new();
        open.retain(|(part, cause)| all.insert(*part, *cause).is_none());
        while !open.is_empty() {
            let mut touched = Vec::new();
            while let Some((part, cause)) = open.pop() {
                touched.push(part.0);
                for &block in self.paired_with(part.1) {
                    let partner = self.part(block);
                    if let Entry::Vacant(free) = all.entry(partner) {
                        free.insert(cause);
                        open.push((partner, cause));
                    }
                }
            }
            touched.sort_unstable();
            touched.dedup();
            let mut found = Vec::new();
            for &message in &touched {
                found.extend(self.steps(message, &all));
            }
            open.extend(
                found
                    .drain(..)
                    .filter(|(part, cause)| all.insert(*part, *cause).is_none()),
            );
            let mut whole: Vec<u32> = touched
                .iter()
                .map(|&message| self.begins[message as usize])
                .collect();
            whole.sort_unstable();
            whole.dedup();
            for begin in whole {
                found.extend(self.bare(begin, &all));
            }
            open.extend(
                found
                    .into_iter()
                    .filter(|(part, cause)| all.insert(*part, *cause).is_none()),
            );
        }
        all
    }

    /// The parts of `message` that a signature or reasoning ties to those of it that go, and do not go yet.
    fn steps(&self, message: u32, gone: &Causes) -> Vec<(Part, Part)> {
        let transcript = self.view.transcript;
        let cause = |parts: &[(u32, &Block)]| {
            parts
                .iter()
                .find_map(|(index, _)| gone.get(&(message, *index)).copied())
        };
        let mut found = Vec::new();
        let mut add = |parts: &[(u32, &Block)], cause: Part| {
            let new = parts
                .iter()
                .map(|(index, _)| (message, *index))
                .filter(|part| !gone.contains_key(part));
            found.extend(new.map(|part| (part, cause)));
        };
        if self.view.rules.signed_together {
            // The first of parallel calls is signed for all of them.
            let calls: Vec<_> = self
                .view
                .parts(message as usize)
                .filter(|(_, b)| b.kind == BlockKind::Call)
                .collect();
            let signed: Vec<_> = calls
                .iter()
                .copied()
                .filter(|(_, b)| b.flags.has(Flags::SIGNED))
                .collect();
            if let Some(cause) = cause(&signed) {
                add(&calls, cause);
            }
        } else if transcript.reasoning_binds {
            // Items of the model up to the next reasoning belong to the reasoning before them.
            let parts: Vec<_> = self.view.parts(message as usize).collect();
            let is = |n: usize| parts[n].1.kind == BlockKind::Thinking;
            let mut from = (0..parts.len()).find(|&n| is(n));
            while let Some(first) = from {
                let items = (first..parts.len())
                    .find(|&n| !is(n))
                    .unwrap_or(parts.len());
                let end = (items..parts.len()).find(|&n| is(n)).unwrap_or(parts.len());
                if let Some(cause) = cause(&parts[first..end]) {
                    add(&parts[first..end], cause);
                }
                from = (end < parts.len()).then_some(end);
            }
        }
        found
    }

    /// Returns the parts that must be removed with `gone` from the provider's message that begins at `begin`, each with its cause:
    /// reasoning and blank texts if nothing else is left, reasoning that nothing follows any more, and blank texts that have lost
    /// the words beside them.
    fn bare(&self, begin: u32, gone: &Causes) -> Vec<(Part, Part)> {
        let of = |message: usize| {
            self.view
                .parts(message)
                .map(move |(index, block)| ((message as u32, index), block))
        };
        let parts: Vec<(Part, &Block)> = self.pieces_of(begin as usize).flat_map(of).collect();
        let Some(cause) = parts.iter().find_map(|(part, _)| gone.get(part).copied()) else {
            return Vec::new();
        };
        let stays = |part: &Part| {
            !gone.contains_key(part) && !self.view.is_block_gone(part.0 as usize, part.1)
        };
        let left: Vec<(Part, &Block)> = parts
            .iter()
            .copied()
            .filter(|(part, _)| stays(part))
            .collect();
        let no_content =
            |block: &Block| block.kind == BlockKind::Text && block.flags.has(Flags::BLANK);
        let bare: Vec<Part> = if left
            .iter()
            .all(|(_, block)| block.kind == BlockKind::Thinking || no_content(block))
        {
            left.iter().map(|(part, _)| *part).collect()
        } else {
            let rules = &self.view.rules;
            let follows = |part: &Part| parts.last().is_some_and(|(last, _)| last != part);
            let last = left.last().filter(|(part, block)| {
                rules.thoughts.followed && block.kind == BlockKind::Thinking && follows(part)
            });
            let before = blank_runs(&parts);
            let blank = blank_runs(&left).into_iter().filter(|part| {
                matches!(rules.empty, EmptyContent::No { .. }) && !before.contains(part)
            });
            last.map(|(part, _)| *part)
                .into_iter()
                .chain(blank)
                .collect()
        };
        bare.into_iter().map(|part| (part, cause)).collect()
    }
}

/// Blank texts, of texts side by side of which none has words.
fn blank_runs(parts: &[(Part, &Block)]) -> Vec<Part> {
    let runs =
        parts.chunk_by(|(_, a), (_, b)| a.kind == BlockKind::Text && b.kind == BlockKind::Text);
    let no_content = |run: &&[(Part, &Block)]| {
        run.iter()
            .all(|(_, b)| b.kind == BlockKind::Text && b.flags.has(Flags::BLANK))
    };
    runs.filter(no_content)
        .flatten()
        .map(|(part, _)| *part)
        .collect()
}

/// Cuts that drop the parts of `all`, in order. Those with a reason in `wanted` were wanted; the others follow from them.
pub fn drops(
    view: &View<'_>,
    pass: &'static str,
    all: &BTreeSet<Part>,
    wanted: &BTreeMap<Part, Reason>,
) -> Vec<Cut> {
    let traced = all.iter().map(|part| (*part, *part)).collect();
    drops_traced(view, pass, &traced, wanted)
}

/// The same where it is known which wanted part each follows from: its reason is reported with it.
pub fn drops_traced(
    view: &View<'_>,
    pass: &'static str,
    all: &BTreeMap<Part, Part>,
    wanted: &BTreeMap<Part, Reason>,
) -> Vec<Cut> {
    let transcript = view.transcript;
    let reason = |part: &Part, cause: &Part| match (wanted.get(part), wanted.get(cause)) {
        (Some(reason), _) => reason.clone(),
        (None, Some(reason)) => {
            let (number, block) = (
                transcript.messages[cause.0 as usize].number,
                transcript.blocks[cause.1 as usize].part,
            );
            Reason::Shared(format!("linked: depends on {number}/{block}; {reason}").into())
        }
        (None, None) => Reason::Shared("linked: depends on what was cut".into()),
    };
    let cut = |(part, cause): (&Part, &Part)| Cut {
        linked: !wanted.contains_key(part),
        ..view.new_cut(pass, *part, (Action::Drop, 0), reason(part, cause))
    };
    all.iter()
        .filter(|((message, block), _)| !view.is_block_gone(*message as usize, *block))
        .map(cut)
        .collect()
}
