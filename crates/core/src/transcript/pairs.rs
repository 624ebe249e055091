//! What belongs together in a transcript: calls and their results, and the pieces of one message. It is computed when it is first asked for.

use super::{BlockKind, NoteKind, Role, Transcript};
use crate::json::{Id, IdMap};
use std::collections::HashMap;

/// The pairs of blocks and the pieces of messages.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// Blocks that have partners, sorted; a block with several occurs several times.
    blocks: Vec<u32>,
    /// The partner of each of these.
    partners: Vec<u32>,
    /// For each message the one that it continues, as the log splits what is one to the provider.
    begins: Vec<u32>,
}

impl Pairs {
    fn of(transcript: &Transcript) -> Pairs {
        let mut pairs = calls(transcript);
        pairs.extend(notes(transcript));
        pairs.sort_by_key(|(block, _)| *block);
        let (blocks, partners) = pairs.into_iter().unzip();
        let (mut begins, mut last) = (Vec::with_capacity(transcript.messages.len()), None);
        for (i, message) in (0..).zip(&transcript.messages) {
            let begin = last.filter(|_| message.continues).unwrap_or(i);
            begins.push(begin);
            if message.role == Role::Assistant {
                last = Some(begin);
            }
        }
        Pairs {
            blocks,
            partners,
            begins,
        }
    }
}

impl Transcript {
    fn pairs(&self) -> &Pairs {
        self.pairs.get_or_init(|| Pairs::of(self))
    }

    /// Returns the blocks that are paired with the block at index `block`: for a call its results, for a result its call, and the same
    /// for a provider's own tools.
    pub fn paired_with(&self, block: u32) -> &[u32] {
        let pairs = self.pairs();
        let from = pairs.blocks.partition_point(|other| *other < block);
        let count = pairs.blocks[from..].partition_point(|other| *other == block);
        &pairs.partners[from..from + count]
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
        let splits = |j: &usize| self.messages[*j].role == Role::Assistant;
        let last = (begin + 1..self.messages.len())
            .take_while(move |j| splits(&begin) && !(splits(j) && self.begin_of(*j) == *j));
        std::iter::once(begin).chain(last.filter(move |j| self.begin_of(*j) == begin))
    }
}

/// A result answers the newest call of its id before it that has no answer yet, else the newest, else one behind it. A call that is left
/// without an answer while its id has one may be the same call once more: it is removed with that answer.
fn calls(transcript: &Transcript) -> Vec<(u32, u32)> {
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
    for (id, (_, open)) in calls {
        if let Some(answer) = answers.get(&id) {
            open.into_iter().for_each(|call| add(call, *answer));
        }
    }
    pairs
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
