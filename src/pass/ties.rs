//! What must go together: calls and their results, reasoning and what it is tied to, and what is left of a message.
//!
//! A pass that takes parts away says which it wants gone; [`Ties::close`] adds, until nothing more is added, what a
//! provider would refuse to see without them (`spec/wire-formats.md` section 8). Siblings stay: one of several parallel
//! calls goes alone, but where reasoning or a signature ties them together.

use crate::plan::{Action, Cut, Reason, View};
use crate::transcript::{BlockKind, Fact, Flags, Rules};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A part of a message: the indices of both in the transcript.
pub type Part = (u32, u32);

/// Which parts are tied to which.
pub struct Ties<'a> {
    view: &'a View<'a>,
    /// For a call its results, for a result its call, and the same for a provider's own tools; by blocks.
    partners: HashMap<u32, Vec<u32>>,
    /// For the first message of the provider's that a log splits, the further pieces.
    pieces: HashMap<usize, Vec<usize>>,
}

impl<'a> Ties<'a> {
    /// The ties of the transcript behind `view`.
    pub fn new(view: &'a View<'a>) -> Ties<'a> {
        let mut ties = Ties { view, partners: HashMap::new(), pieces: HashMap::new() };
        ties.pair();
        ties.pair_notes();
        for i in (0..view.transcript.messages.len()).filter(|&i| view.transcript.messages[i].continues) {
            ties.pieces.entry(view.transcript.begin_of(i)).or_default().push(i);
        }
        ties
    }

    /// A result answers the newest call of its id before it that has no answer yet, else the newest, else one behind it.
    fn pair(&mut self) {
        let transcript = self.view.transcript;
        let mut calls: HashMap<u64, Vec<(u32, bool)>> = HashMap::new();
        let mut early = Vec::new();
        for i in 0..transcript.messages.len() {
            for (index, block) in self.view.parts(i).filter(|(_, b)| b.is_linked() && transcript.link(b).call != 0) {
                let id = transcript.link(block).call;
                if block.kind == BlockKind::Call {
                    calls.entry(id).or_default().push((index, false));
                    continue;
                }
                let open = calls.get_mut(&id).and_then(|list| {
                    let at = list.iter().rposition(|(_, answered)| !answered).unwrap_or(list.len() - 1);
                    list.get_mut(at)
                });
                match open {
                    Some((call, answered)) => {
                        *answered = true;
                        let call = *call;
                        self.tie(call, index);
                    }
                    None => early.push((id, index)),
                }
            }
        }
        for (id, result) in early {
            if let Some((call, _)) = calls.get(&id).and_then(|list| list.first().copied()) {
                self.tie(call, result);
            }
        }
    }

    fn pair_notes(&mut self) {
        let notes = &self.view.transcript.notes;
        let mut calls = HashMap::new();
        for note in notes {
            if let Fact::ServerCall(id) = note.fact {
                calls.insert(id, note.block);
            }
        }
        for note in notes {
            match note.fact {
                Fact::ServerResult(id) => {
                    if let Some(&call) = calls.get(&id) {
                        self.tie(call, note.block);
                    }
                }
                // What the server's code called goes with the code, the code not with it.
                Fact::Caller(id) => {
                    if let Some(&call) = calls.get(&id) {
                        self.partners.entry(call).or_default().push(note.block);
                    }
                }
                _ => {}
            }
        }
    }

    fn tie(&mut self, a: u32, b: u32) {
        self.partners.entry(a).or_default().push(b);
        self.partners.entry(b).or_default().push(a);
    }

    /// What is paired with the call or result at `block`.
    pub fn partners(&self, block: u32) -> &[u32] {
        self.partners.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The messages that are one to the provider with message `i`, itself among them.
    pub fn pieces_of(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let begin = self.view.transcript.begin_of(i);
        std::iter::once(begin).chain(self.pieces.get(&begin).into_iter().flatten().copied())
    }

    /// The message that a block stands in.
    pub fn message_of(&self, block: u32) -> usize {
        self.view.transcript.messages.partition_point(|m| m.blocks <= block) - 1
    }

    /// All parts that go when `wanted` go.
    pub fn close(&self, wanted: impl IntoIterator<Item = Part>) -> BTreeSet<Part> {
        let (mut all, mut open) = (BTreeSet::new(), wanted.into_iter().collect::<Vec<_>>());
        while let Some(part) = open.pop() {
            if !all.insert(part) {
                continue;
            }
            let (message, block) = (part.0 as usize, part.1);
            open.extend(self.partners(block).iter().map(|&b| (self.message_of(b) as u32, b)));
            open.extend(self.step(message, block).into_iter().map(|b| (part.0, b)));
            open.extend(self.bare_reasoning(message, &all));
        }
        all
    }

    /// The parts of the same message that a signature or reasoning ties to `block`.
    fn step(&self, message: usize, block: u32) -> Vec<u32> {
        let transcript = self.view.transcript;
        let parts: Vec<_> = self.view.parts(message).collect();
        let Some(at) = parts.iter().position(|(index, _)| *index == block) else { return Vec::new() };
        let is = |n: usize, kind| parts[n].1.kind == kind;
        match transcript.rules {
            // The first of parallel calls is signed for all of them.
            Rules::Gemini if is(at, BlockKind::Call) && parts[at].1.flags.has(Flags::SIGNED) => {
                parts.iter().filter(|(_, b)| b.kind == BlockKind::Call).map(|(index, _)| *index).collect()
            }
            _ if transcript.reasoning_binds => {
                // Items of the model up to the next reasoning belong to the reasoning before them.
                let first = (0..=at).rev().find(|&n| is(n, BlockKind::Thinking) && (n == 0 || !is(n - 1, BlockKind::Thinking)));
                let Some(first) = first else { return Vec::new() };
                let items = (first..parts.len()).find(|&n| !is(n, BlockKind::Thinking)).unwrap_or(parts.len());
                let end = (items..parts.len()).find(|&n| is(n, BlockKind::Thinking)).unwrap_or(parts.len());
                parts[first..end].iter().map(|(index, _)| *index).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Reasoning that is all that `gone` leaves of the provider's message of which `message` is, or is a piece.
    fn bare_reasoning(&self, message: usize, gone: &BTreeSet<Part>) -> Vec<Part> {
        let parts = self.pieces_of(message).flat_map(|i| self.view.parts(i).map(move |(index, b)| ((i as u32, index), b)));
        let left: Vec<_> = parts.filter(|(part, _)| !gone.contains(part) && !self.view.is_block_gone(part.0 as usize, part.1)).collect();
        if left.iter().all(|(_, b)| b.kind == BlockKind::Thinking) { left.into_iter().map(|(part, _)| part).collect() } else { Vec::new() }
    }
}

/// Cuts that drop the parts of `all`, in order. Those with a reason in `wanted` were wanted; the others follow from them.
pub fn drops(view: &View<'_>, pass: &'static str, all: &BTreeSet<Part>, wanted: &BTreeMap<Part, Reason>) -> Vec<Cut> {
    let linked: std::sync::Arc<str> = "goes with what it belongs to".into();
    let cut = |&(message, block): &Part| Cut {
        pass,
        message,
        block,
        action: Action::Drop,
        chars_before: view.chars_of_block_before(message as usize, block),
        chars_after: 0,
        linked: !wanted.contains_key(&(message, block)),
        reason: wanted.get(&(message, block)).cloned().unwrap_or_else(|| Reason::Shared(linked.clone())),
    };
    all.iter().filter(|(message, block)| !view.is_block_gone(*message as usize, *block)).map(cut).collect()
}
