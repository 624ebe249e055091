//! Changes the context of a branch where an entry of the log edits it.

use super::Branches;
use crate::{
    branch::Branch,
    steps::{RemovalReason, Step},
};
use deadhead_core::internal::{dialect::builder::NONE, json::Id};

impl Branches<'_> {
    /// Applies what the entry of this id edits: the context behind the first message that it changes is sent anew.
    pub fn edit(&self, thread: &mut Branch, steps: &mut Vec<Step>, id: Id) {
        let Some(edits) = self.edits.behind(id) else {
            return;
        };
        let is_changed = |&entry: &u32| {
            let message = self.entry(entry).message;
            edits.iter().any(|(edited, _)| *edited == message)
        };
        let first = thread.context.iter().position(is_changed);
        let again = first.map(|first| thread.context[first..].to_vec());
        if let Some(first) = first {
            self.keep(thread, steps, first);
        }
        thread.changes.extend(edits.iter().copied());
        thread.edited = thread.trail.len();
        for entry in again.into_iter().flatten() {
            self.push(thread, steps, entry);
        }
    }

    /// Keeps so many entries of the context.
    pub fn keep(&self, thread: &mut Branch, steps: &mut Vec<Step>, length: usize) {
        for entry in thread.context.split_off(length) {
            let is_sent = thread.sent_as(self.entry(entry).message) != NONE;
            for call in self.answered_calls(entry).filter(|_| is_sent) {
                if let Some(count) = thread.answered.get_mut(&call).filter(|count| **count > 1) {
                    *count -= 1;
                } else {
                    thread.answered.remove(&call);
                }
            }
        }
        let is_sent = |&&entry: &&u32| thread.sent_as(self.entry(entry).message) != NONE;
        let sent = if thread.changes.is_empty() {
            length
        } else {
            thread.context.iter().filter(is_sent).count()
        };
        steps.push(Step::Keep(sent as u32, RemovalReason::Branch));
    }
}
