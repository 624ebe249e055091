//! What passes ask of a view: its parts by their places in the transcript, and the dependencies
//! between parts that can only be removed together: calls and their results, reasoning and the
//! parts it is tied to, and the rest of a message.
//!
//! A pass that removes parts names those that it wants to remove; [`View::close`] adds the parts
//! that a provider would refuse to see without them, until no more are added. Siblings are kept:
//! one of several parallel calls is removed alone, unless reasoning or a signature ties them
//! together. Reasoning and blank texts are not left alone.

use super::*;
use crate::{
    edit::Reaches,
    transcript::{Block, EmptyContent},
};
use std::collections::btree_map::Entry;

/// A part of a message: the indices of both in the transcript.
pub type Part = (u32, u32);

/// Parts, each with the wanted part that causes its removal.
type Causes = BTreeMap<Part, Part>;

impl<'a> View<'a> {
    /// Returns the block at `index`.
    pub fn block(&self, index: u32) -> &'a Block {
        self.transcript.block(index)
    }

    /// Returns the tool of the call or result at `index`.
    pub fn tool(&self, index: u32) -> &'a str {
        self.transcript.tool_of(self.block(index))
    }

    /// Returns the messages that the cuts leave.
    pub fn left(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.transcript.messages.len()).filter(|&i| !self.is_gone(i))
    }

    /// Returns all parts with their messages.
    pub fn all_parts(&self) -> impl Iterator<Item = (usize, u32, &'a Block)> + use<'a> {
        let transcript = self.transcript;
        let parts = |i| {
            transcript
                .parts(i)
                .map(move |(index, block)| (i, index, block))
        };
        (0..transcript.messages.len()).flat_map(parts)
    }

    /// Returns the parts of this kind that the cuts leave in message `i`.
    pub fn left_of(&self, i: usize, kind: BlockKind) -> impl Iterator<Item = u32> {
        let parts = self.parts_left(i);
        parts.filter_map(move |(index, block)| (block.kind == kind).then_some(index))
    }

    /// Returns whether the cuts leave a part of this kind in message `i`.
    pub fn holds(&self, i: usize, kind: BlockKind) -> bool {
        self.left_of(i, kind).next().is_some()
    }

    /// Returns all calls and results with their messages.
    pub fn linked(&self) -> impl Iterator<Item = (usize, u32, &'a Block)> + use<'a> {
        self.all_parts().filter(|(.., block)| block.is_linked())
    }

    /// Returns what passes found in earlier requests, while no message of it has changed.
    pub fn reaches_left(&self) -> Option<&'a Reaches> {
        self.reaches.filter(|_| !self.has_removals())
    }

    /// Returns whether the cuts remove a part.
    pub fn is_part_gone(&self, (message, block): Part) -> bool {
        self.is_block_gone(message as usize, block)
    }

    /// Returns the cut that removes message `i`. It counts the chars that earlier passes removed
    /// from the message, and replaces their cuts.
    pub fn drop_message(&self, pass: &'static str, i: usize, reason: Reason) -> Cut {
        Cut {
            pass,
            message: i as u32,
            block: self.transcript.messages[i].blocks,
            action: Action::DropMessage,
            chars_before: estimate::message(self.transcript, i, self.estimator),
            chars_after: 0,
            linked: false,
            reason,
        }
    }

    /// Returns a part as a selector names it.
    pub fn named(&self, (message, block): Part) -> String {
        let number = self.transcript.messages[message as usize].number;
        format!("{number}/{}", self.block(block).part)
    }

    /// Returns the blocks that are paired with the call or result at index `block`.
    pub fn paired_with(&self, block: u32) -> &'a [u32] {
        self.transcript.paired_with(block)
    }

    /// The messages that are one to the provider with message `i`, itself among them.
    pub fn pieces_of(&self, i: usize) -> impl Iterator<Item = usize> + 'a {
        self.transcript.pieces_of(i)
    }

    /// The message that a block is in.
    pub fn message_of(&self, block: u32) -> usize {
        self.transcript.message_of(block)
    }

    /// The part that a block is.
    pub fn part(&self, block: u32) -> Part {
        (self.message_of(block) as u32, block)
    }

    /// Returns the message that message `i` continues; `i` if it continues none.
    pub fn begin_of(&self, i: u32) -> u32 {
        self.transcript.begin_of(i as usize) as u32
    }

    /// Returns all parts that are removed with `wanted`.
    pub fn close(&self, wanted: impl IntoIterator<Item = Part>) -> BTreeSet<Part> {
        self.trace(wanted).into_keys().collect()
    }

    /// Returns all parts that are removed with `wanted`, each with the wanted part that causes it;
    /// a wanted part with itself.
    pub fn trace(&self, wanted: impl IntoIterator<Item = Part>) -> BTreeMap<Part, Part> {
        let mut all = Causes::new();
        let mut open = admit(
            &mut all,
            wanted.into_iter().map(|part| (part, part)).collect(),
        );
        while !open.is_empty() {
            let mut touched = BTreeSet::new();
            while let Some((part, cause)) = open.pop() {
                touched.insert(part.0);
                for &block in self.paired_with(part.1) {
                    let partner = self.part(block);
                    if let Entry::Vacant(free) = all.entry(partner) {
                        free.insert(cause);
                        open.push((partner, cause));
                    }
                }
            }
            let steps = touched.iter().flat_map(|&i| self.steps(i, &all));
            let found = steps.collect();
            open.extend(admit(&mut all, found));
            let whole: BTreeSet<u32> = touched.into_iter().map(|i| self.begin_of(i)).collect();
            let bare = whole.into_iter().flat_map(|begin| self.bare(begin, &all));
            let found = bare.collect();
            open.extend(admit(&mut all, found));
        }
        all
    }

    /// Returns the parts of `message` that a signature or reasoning ties to its removed parts, and
    /// that are not removed yet.
    fn steps(&self, message: u32, gone: &Causes) -> Vec<(Part, Part)> {
        let mut found = Vec::new();
        let mut tie = |parts: &[(u32, &Block)], binds: &dyn Fn(&Block) -> bool| {
            let binding = parts.iter().filter(|(_, block)| binds(block));
            let part = |(index, _): &(u32, &Block)| (message, *index);
            if let Some(cause) = binding.map(part).find_map(|part| gone.get(&part)) {
                let new = parts
                    .iter()
                    .map(part)
                    .filter(|part| !gone.contains_key(part));
                found.extend(new.map(|part| (part, *cause)));
            }
        };
        let parts = self.parts(message as usize);
        if self.rules.signed_together {
            // The first of parallel calls is signed for all of them.
            let calls: Vec<_> = parts.filter(|(_, b)| b.kind == BlockKind::Call).collect();
            tie(&calls, &|call| call.flags.has(Flags::SIGNED));
        } else if self.transcript.reasoning_binds {
            // Items of the model up to the next reasoning belong to the reasoning before them.
            let parts: Vec<_> = parts.collect();
            let thinks = |(_, block): &(u32, &Block)| block.kind == BlockKind::Thinking;
            parts
                .chunk_by(|a, b| thinks(a) || !thinks(b))
                .filter(|group| thinks(&group[0]))
                .for_each(|group| tie(group, &|_| true));
        }
        found
    }

    /// Returns the parts that must be removed with `gone` from the provider's message that begins
    /// at `begin`, each with its cause: reasoning and blank texts if nothing else is left,
    /// reasoning that nothing follows any more, and blank texts that have lost the words beside
    /// them.
    fn bare(&self, begin: u32, gone: &Causes) -> Vec<(Part, Part)> {
        let of = |message: usize| {
            self.parts(message)
                .map(move |(index, block)| ((message as u32, index), block))
        };
        let parts: Vec<(Part, &Block)> = self.pieces_of(begin as usize).flat_map(of).collect();
        let Some(cause) = parts.iter().find_map(|(part, _)| gone.get(part).copied()) else {
            return Vec::new();
        };
        let stays =
            |(part, _): &(Part, &Block)| !gone.contains_key(part) && !self.is_part_gone(*part);
        let left: Vec<(Part, &Block)> = parts.iter().copied().filter(stays).collect();
        let says_nothing =
            |(_, block): &(Part, &Block)| block.kind == BlockKind::Thinking || is_blank(block);
        let bare: Vec<Part> = if left.iter().all(says_nothing) {
            left.iter().map(|(part, _)| *part).collect()
        } else {
            let rules = &self.rules;
            let last = left.last().filter(|(part, block)| {
                let follows = parts.last().is_some_and(|(last, _)| last != part);
                rules.thoughts.followed && block.kind == BlockKind::Thinking && follows
            });
            let before = blank_runs(&parts);
            let mut blank = blank_runs(&left);
            blank.retain(|part| {
                matches!(rules.empty, EmptyContent::No { .. }) && !before.contains(part)
            });
            let last = last.map(|(part, _)| *part);
            last.into_iter().chain(blank).collect()
        };
        bare.into_iter().map(|part| (part, cause)).collect()
    }
}

/// Adds parts with their causes to `all`; returns those that were not there.
fn admit(all: &mut Causes, found: Vec<(Part, Part)>) -> Vec<(Part, Part)> {
    let new = |(part, cause): &(Part, Part)| all.insert(*part, *cause).is_none();
    found.into_iter().filter(new).collect()
}

/// Whether a block is a text without words.
pub fn is_blank(block: &Block) -> bool {
    block.kind == BlockKind::Text && block.flags.has(Flags::BLANK)
}

/// Returns the blank texts of runs of neighbouring texts without words.
fn blank_runs(parts: &[(Part, &Block)]) -> Vec<Part> {
    let is_text = |(_, block): &(Part, &Block)| block.kind == BlockKind::Text;
    let runs = parts.chunk_by(|a, b| is_text(a) && is_text(b));
    let blank = runs.filter(|run| run.iter().all(|(_, block)| is_blank(block)));
    blank.flatten().map(|(part, _)| *part).collect()
}

/// Returns cuts that drop the parts of `wanted`, each with its reason, and the parts that follow
/// from them, in order.
pub fn drops(view: &View<'_>, pass: &'static str, wanted: &BTreeMap<Part, Reason>) -> Vec<Cut> {
    let all = view.close(wanted.keys().copied()).into_iter();
    let all = all.map(|part| (part, part)).collect();
    drops_traced(view, pass, &all, wanted)
}

/// Returns cuts that drop the parts of `all`, in order. A part that is not wanted itself is
/// reported with the reason of the part that causes it.
pub fn drops_traced(
    view: &View<'_>,
    pass: &'static str,
    all: &BTreeMap<Part, Part>,
    wanted: &BTreeMap<Part, Reason>,
) -> Vec<Cut> {
    let reason = |part: &Part, cause: &Part| match (wanted.get(part), wanted.get(cause)) {
        (Some(reason), _) => reason.clone(),
        (None, Some(reason)) => {
            let place = view.named(*cause);
            format!("linked: depends on {place}; {reason}").into()
        }
        (None, None) => "linked: depends on what was cut".into(),
    };
    let cut = |(part, cause): (&Part, &Part)| Cut {
        linked: !wanted.contains_key(part),
        ..view.new_cut(pass, *part, (Action::Drop, 0), reason(part, cause))
    };
    all.iter()
        .filter(|(part, _)| !view.is_part_gone(**part))
        .map(cut)
        .collect()
}
