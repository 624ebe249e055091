//! The cuts of a request that earlier requests did not make.

use super::Thread;
use crate::new_cut::{Form, NewCut};
use deadhead_core::internal::edit::{Action, Cut, REMEMBERED};

impl Thread<'_> {
    /// Adds cuts that are new, or larger than before.
    pub(super) fn note(&mut self, call: u32, changed: &[&[Cut]], new: &mut Vec<NewCut>) {
        for cut in changed
            .iter()
            .copied()
            .flatten()
            .filter(|cut| cut.pass != REMEMBERED)
        {
            let form = match cut.action {
                Action::Trim(_) => Form::Trimmed,
                Action::Clear(_)
                | Action::Server(_)
                | Action::Rewrite(_)
                | Action::ClearInput(_) => Form::Replaced,
                Action::Drop | Action::DropMessage => Form::Removed,
            };
            let parts: Vec<u32> = match cut.action {
                Action::DropMessage => self
                    .branch
                    .transcript
                    .parts(cut.message as usize)
                    .map(|(block, _)| block)
                    .collect(),
                _ => vec![cut.block],
            };
            for block in parts {
                let own = self.own_block(cut.message, block);
                let known = self.forms.get(&own).copied();
                if known.is_some_and(|(known, _)| known >= form) {
                    continue;
                }
                let saved = if form == Form::Removed {
                    self.tokens_of(cut.message, block)
                } else {
                    self.saved(cut)
                };
                self.forms.insert(own, (form, saved));
                new.push(NewCut {
                    call,
                    message: self.branch.messages[cut.message as usize],
                    block: own,
                    pass: cut.pass,
                    form,
                    chars: (cut.chars_before, cut.chars_after),
                    tokens: saved - known.map_or(0.0, |(_, tokens)| tokens),
                    is_unread: cut.message as usize >= self.branch.read,
                });
            }
        }
    }
}
