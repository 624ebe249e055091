//! What belongs together in a transcript: calls and their results, and the pieces of one message.
//! It is computed when it is first asked for.

use super::{BlockKind, Message, NoteKind, Role, Transcript};
use crate::json::{Id, IdMap};
use std::collections::HashMap;

/// The pairs of blocks and the pieces of messages.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// The partners of each block.
    partners: Vec<Vec<u32>>,
    /// For each message the one that it continues, as the log splits what is one to the provider.
    begins: Vec<u32>,
    /// For each id its call, if only that has the id.
    open: IdMap<Option<u32>>,
}

impl Pairs {
    fn of(transcript: &Transcript) -> Pairs {
        let (found, open) = calls(transcript);
        let mut pairs = Pairs {
            partners: vec![Vec::new(); transcript.blocks.len()],
            begins: Vec::with_capacity(transcript.messages.len()),
            open,
        };
        for (block, partner) in found.into_iter().chain(notes(transcript)) {
            pairs.add(block, partner);
        }
        (0..transcript.messages.len()).for_each(|i| pairs.begin(&transcript.messages[..=i]));
        pairs
    }

    /// Adds the newest message of a transcript without notes. Returns whether each of its ids is
    /// new, or that of one call without a result; if not, the pairs are no longer valid.
    pub fn grow(&mut self, transcript: &Transcript) -> bool {
        self.partners.resize(transcript.blocks.len(), Vec::new());
        self.begin(&transcript.messages);
        let parts = transcript.parts(transcript.messages.len() - 1);
        for (index, block) in parts.filter(|(_, block)| block.is_linked()) {
            let id = transcript.link(block).call;
            let is_call = block.kind == BlockKind::Call;
            match self.open.get(&id) {
                _ if id.is_none() => {}
                None if is_call => {
                    self.open.insert(id, Some(index));
                }
                Some(&Some(call)) if !is_call => {
                    self.open.insert(id, None);
                    self.add(call, index);
                    self.add(index, call);
                }
                _ => return false,
            }
        }
        true
    }

    fn add(&mut self, block: u32, partner: u32) {
        self.partners[block as usize].push(partner);
    }

    /// Adds the message that the last of `messages` continues.
    fn begin(&mut self, messages: &[Message]) {
        let i = self.begins.len();
        let before = || {
            let is_answer = |message: &Message| message.role == Role::Assistant;
            messages[..i].iter().rposition(is_answer)
        };
        let continued = messages[i].continues.then(before).flatten();
        let begin = continued.map_or(i as u32, |last| self.begins[last]);
        self.begins.push(begin);
    }
}

impl Transcript {
    fn pairs(&self) -> &Pairs {
        self.pairs.get_or_init(|| Pairs::of(self))
    }

    /// Returns the blocks that are paired with the block at index `block`: for a call its results,
    /// for a result its call, and the same for a provider's own tools.
    pub fn paired_with(&self, block: u32) -> &[u32] {
        &self.pairs().partners[block as usize]
    }

    /// Returns the index of the first piece of the message that `i` is a piece of.
    pub fn begin_of(&self, i: usize) -> usize {
        // Most messages are whole, and nobody needs the table for them.
        if self.messages[i].continues {
            self.pairs().begins[i] as usize
        } else {
            i
        }
    }

    /// Returns the messages that are one to the provider with message `i`, itself among them.
    pub fn pieces_of(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let begin = self.begin_of(i);
        let splits = |j: &usize| self.is_answer(*j);
        let last = (begin + 1..self.messages.len())
            .take_while(move |j| splits(&begin) && !(splits(j) && self.begin_of(*j) == *j));
        std::iter::once(begin).chain(last.filter(move |j| self.begin_of(*j) == begin))
    }
}

/// A result answers the newest call of its id before it that has no answer yet, else the newest,
/// else one behind it. A call that is left without an answer while its id has one may be the same
/// call once more: it is removed with that answer. Returns the pairs, and for each id its call, if
/// only that has the id.
fn calls(transcript: &Transcript) -> (Vec<(u32, u32)>, IdMap<Option<u32>>) {
    let mut pairs = Vec::with_capacity(transcript.links.len());
    let mut add = |a: u32, b: u32| pairs.extend([(a, b), (b, a)]);
    // For each id the newest call, and those that have no answer yet.
    let mut calls: IdMap<(u32, Vec<u32>)> = IdMap::default();
    let (mut early, mut answers) = (Vec::new(), IdMap::default());
    let parts = (0..transcript.messages.len()).flat_map(|i| transcript.parts(i));
    for (index, block) in parts.filter(|(_, block)| block.is_linked()) {
        let id = transcript.link(block).call;
        if id.is_none() {
            continue;
        }
        if block.kind == BlockKind::Call {
            let known = calls.entry(id).or_insert((index, Vec::new()));
            known.0 = index;
            known.1.push(index);
            continue;
        }
        answers.insert(id, index);
        match calls.get_mut(&id) {
            Some((newest, open)) => add(open.pop().unwrap_or(*newest), index),
            None => early.push((id, index)),
        }
    }
    for (id, result) in early {
        if let Some((call, open)) = calls.get_mut(&id) {
            open.retain(|unanswered| unanswered != call);
            add(*call, result);
        }
    }
    let mut alone: IdMap<_> = answers.keys().map(|id| (*id, None)).collect();
    for (id, (call, open)) in calls {
        match answers.get(&id) {
            Some(answer) => open.into_iter().for_each(|call| add(call, *answer)),
            None => {
                alone.insert(id, Some(call).filter(|_| open.len() == 1));
            }
        }
    }
    (pairs, alone)
}

/// What a server's code called is removed with the code, the code not with it.
fn notes(transcript: &Transcript) -> Vec<(u32, u32)> {
    let mut calls: HashMap<Id, u32> = HashMap::new();
    for note in &transcript.notes {
        if let NoteKind::ServerCall(id) = note.kind {
            calls.insert(id, note.block);
        }
    }
    let mut pairs = Vec::new();
    for note in &transcript.notes {
        if let NoteKind::ServerResult(id) | NoteKind::Caller(id) = note.kind
            && let Some(&call) = calls.get(&id)
        {
            pairs.push((call, note.block));
            if matches!(note.kind, NoteKind::ServerResult(_)) {
                pairs.push((note.block, call));
            }
        }
    }
    pairs
}
