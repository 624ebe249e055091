//! The accepted cuts of a view, which a replay carries from one request to the next.

use super::plan::{Action, Cut, REMEMBERED};
use std::{cell::RefCell, collections::HashSet, ops::Range, rc::Rc};

/// The accepted cuts of a view.
#[derive(Clone, Debug, Default)]
pub struct Cuts {
    /// Invariant: sorted by message and block, one cut a block, and a cut that removes a message is
    /// the only one in it.
    pub(super) list: Vec<Cut>,
    /// Blocks that an earlier run cut.
    pub(super) kept: HashSet<u32>,
    /// Chars that they remove, less those that they add.
    pub(super) removed: i64,
    /// Whether one of them removes a part.
    pub(super) has_removals: bool,
    /// Messages that are removed, by a cut of their own or because all their parts are; sorted.
    pub(super) gone: Vec<u32>,
    /// Messages that were cut since the earlier run, in any order.
    pub(super) changed: Vec<u32>,
    /// Messages that earlier runs cut, in the order of the runs.
    pub(super) changed_before: Vec<u32>,
    /// For each of the first cuts its message, and the tokens that it and those before it save.
    saved: RefCell<Rc<Vec<(u32, f64)>>>,
}

impl Cuts {
    /// Returns the cuts, in the order of the transcript.
    pub fn list(&self) -> &[Cut] {
        &self.list
    }

    /// Returns the cuts of each message that this run cut.
    pub fn changed(&self) -> Vec<&[Cut]> {
        let mut changed = self.changed.clone();
        changed.sort_unstable();
        changed.dedup();
        let cuts = changed
            .into_iter()
            .map(|message| &self.list[self.place(message)]);
        let is_new = |cuts: &&[Cut]| cuts.iter().any(|cut| cut.pass != REMEMBERED);
        cuts.filter(is_new).collect()
    }

    /// Returns the place of the cuts of a message.
    fn place(&self, message: u32) -> Range<usize> {
        let first = self.list.partition_point(|cut| cut.message < message);
        let cuts = self.list[first..].iter();
        first..first + cuts.take_while(|cut| cut.message == message).count()
    }

    /// Returns for each cut its message, and the tokens that it and those before it save. `tokens`
    /// returns those of one cut; it is called for cuts in messages that changed since the call
    /// before.
    pub fn saved(&self, tokens: impl Fn(&Cut) -> f64) -> Rc<Vec<(u32, f64)>> {
        let mut saved = self.saved.borrow_mut();
        let known = Rc::make_mut(&mut saved);
        let mut sum = known.last().map_or(0.0, |(_, sum)| *sum);
        for cut in &self.list[known.len()..] {
            sum += tokens(cut);
            known.push((cut.message, sum));
        }
        saved.clone()
    }

    /// Notes that the tokens of message `from` and those behind it are others, or their cuts.
    pub fn recount(&mut self, from: u32) {
        let saved = Rc::make_mut(self.saved.get_mut());
        saved.truncate(saved.partition_point(|(message, _)| *message < from));
    }

    /// Adds cuts, which are in the order of the transcript. One replaces that of the same block;
    /// one that removes a message replaces all cuts in it. Returns the messages in which something
    /// may have been removed.
    pub fn add(&mut self, new: Vec<Cut>) -> Vec<u32> {
        let messages: Vec<u32> = new.iter().map(|cut| cut.message).collect();
        self.has_removals |= new.iter().any(|cut| cut.action.removes());
        self.recount(messages.iter().copied().min().unwrap_or(u32::MAX));
        self.changed.extend(&messages);
        if new.len() < self.list.len() / FEW && !new.iter().any(is_whole) {
            self.insert(new);
            return messages;
        }
        let earlier = std::mem::replace(&mut self.list, new);
        // The sort is stable: of two cuts of one block, that of the later pass comes first and
        // wins. A cut that removes a message comes before all others in it.
        self.list.extend(earlier);
        self.list
            .sort_by_key(|cut| (cut.message, !is_whole(cut), cut.block));
        let mut gone = None;
        self.list.retain(|cut| {
            let keep = gone != Some(cut.message);
            if is_whole(cut) {
                gone = Some(cut.message);
            }
            keep
        });
        self.list.dedup_by_key(|cut| (cut.message, cut.block));
        self.removed = removed(&self.list);
        self.list.iter().map(|cut| cut.message).collect()
    }

    /// Updates whether a message with so many parts is removed.
    pub fn update_gone(&mut self, message: u32, parts: usize) {
        let cuts = &self.list[self.place(message)];
        let dropped = || cuts.iter().filter(|cut| cut.action == Action::Drop).count();
        let is_gone = cuts
            .first()
            .is_some_and(|cut| is_whole(cut) || dropped() == parts);
        match self.gone.binary_search(&message) {
            Ok(at) if !is_gone => drop(self.gone.remove(at)),
            Err(at) if is_gone => self.gone.insert(at, message),
            _ => {}
        }
    }

    /// Adds cuts, each in the place of that of its block. One of a message that is removed as a
    /// whole is left out.
    fn insert(&mut self, new: Vec<Cut>) {
        for cut in new {
            let place = self.place(cut.message);
            let others = &mut self.list[place.clone()];
            if others.first().is_some_and(is_whole) {
                continue;
            }
            self.removed += cut.removed();
            match others.binary_search_by_key(&cut.block, |other| other.block) {
                Ok(at) => {
                    self.removed -= others[at].removed();
                    others[at] = cut;
                }
                Err(at) => self.list.insert(place.start + at, cut),
            }
        }
    }

    /// Returns the cuts as those of an earlier run.
    #[must_use]
    pub fn remembered(mut self) -> Cuts {
        for message in std::mem::take(&mut self.changed) {
            let place = self.place(message);
            for cut in &mut self.list[place] {
                cut.pass = REMEMBERED;
                self.kept.insert(cut.block);
            }
            self.changed_before.push(message);
        }
        self
    }

    /// Keeps the cuts of the first `length` messages.
    pub fn truncate(&mut self, length: u32) {
        self.changed_before.clear();
        self.recount(length);
        self.gone
            .truncate(self.gone.partition_point(|message| *message < length));
        let left = self.list.partition_point(|cut| cut.message < length);
        for cut in self.list.drain(left..) {
            self.kept.remove(&cut.block);
            self.removed -= cut.removed();
        }
    }

    /// Adds cuts of an earlier run in a message with so many parts, behind all others.
    pub fn extend(&mut self, cuts: Vec<Cut>, message: u32, parts: usize) {
        self.removed += removed(&cuts);
        self.kept.extend(cuts.iter().map(|cut| cut.block));
        self.has_removals |= cuts.iter().any(|cut| cut.action.removes());
        self.list.extend(cuts);
        self.update_gone(message, parts);
    }
}

/// The share of the cuts below which new ones are inserted one by one: one of so many.
const FEW: usize = 16;

/// Returns whether a cut removes its message.
fn is_whole(cut: &Cut) -> bool {
    cut.action == Action::DropMessage
}

/// Returns the chars that cuts remove, less those that they add.
pub fn removed(cuts: &[Cut]) -> i64 {
    cuts.iter().map(Cut::removed).sum()
}

impl Cut {
    fn removed(&self) -> i64 {
        self.chars_before.cast_signed() - self.chars_after.cast_signed()
    }
}
