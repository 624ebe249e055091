//! Dependencies between parts that can only be removed together: calls and their results, reasoning and the parts it is tied to,
//! and the rest of a message.
//!
//! A pass that removes parts names those that it wants to remove; [`Dependencies::close`] adds the parts that a provider would
//! refuse to see without them, until no more are added. Siblings are kept: one of several parallel calls is removed alone, unless
//! reasoning or a signature ties them together. Reasoning and blank texts are not left alone.

use crate::edit::{Action, Cut, Reason, View};
use crate::transcript::{Block, BlockKind, EmptyContent, Flags};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a message: the indices of both in the transcript.
pub type Part = (u32, u32);

/// The parts that can only be removed together.
#[derive(Clone, Copy)]
pub struct Dependencies<'a> {
    view: &'a View<'a>,
}

/// Parts, each with the wanted part for which it goes.
type Causes = BTreeMap<Part, Part>;

impl<'a> Dependencies<'a> {
    /// The ties of the transcript behind `view`.
    pub fn new(view: &'a View<'a>) -> Dependencies<'a> {
        Dependencies { view }
    }

    /// Returns the blocks that are paired with the call or result at index `block`.
    pub fn paired_with(&self, block: u32) -> &'a [u32] {
        self.view.transcript.paired_with(block)
    }

    /// The messages that are one to the provider with message `i`, itself among them.
    pub fn pieces_of(&self, i: usize) -> impl Iterator<Item = usize> + 'a {
        self.view.transcript.pieces_of(i)
    }

    /// The message that a block is in.
    pub fn message_of(&self, block: u32) -> usize {
        self.view.transcript.message_of(block)
    }

    /// The part that a block is.
    pub fn part(&self, block: u32) -> Part {
        (self.message_of(block) as u32, block)
    }

    /// The message that message `i` continues; `i` where it is whole.
    pub fn begin_of(&self, i: u32) -> u32 {
        self.view.transcript.begin_of(i as usize) as u32
    }

    /// All parts that go when `wanted` go.
    pub fn close(&self, wanted: impl IntoIterator<Item = Part>) -> BTreeSet<Part> {
        self.trace(wanted).into_keys().collect()
    }

    /// All parts that go when `wanted` go, each with the wanted one that it follows from; a wanted one with itself.
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

    /// The parts of `message` that a signature or reasoning ties to those of it that go, and do not go yet.
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
        let parts = self.view.parts(message as usize);
        if self.view.rules.signed_together {
            // The first of parallel calls is signed for all of them.
            let calls: Vec<_> = parts.filter(|(_, b)| b.kind == BlockKind::Call).collect();
            tie(&calls, &|call| call.flags.has(Flags::SIGNED));
        } else if self.view.transcript.reasoning_binds {
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

/// Adds parts with their causes to `all`; returns those that were not there.
fn admit(all: &mut Causes, found: Vec<(Part, Part)>) -> Vec<(Part, Part)> {
    let new = |(part, cause): &(Part, Part)| all.insert(*part, *cause).is_none();
    found.into_iter().filter(new).collect()
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
