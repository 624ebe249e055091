//! What an agent takes back, or sends with another content, from an entry of its log on.

use super::Branches;
use crate::{
    branch::Branch,
    steps::{RemovalReason, Step},
};
use deadhead_core::internal::{
    dialect::builder::{Entry, EntryKind, NONE},
    json::{Id, IdMap},
};

/// For the id of an entry, the messages that it edits, each with the message that is sent in its place.
pub struct Edits(IdMap<Vec<(u32, u32)>>);

impl Edits {
    /// The edits among these entries.
    pub fn of(entries: &[Entry]) -> Edits {
        let edits = entries
            .iter()
            .filter(|entry| matches!(entry.kind, EntryKind::Edit(_)));
        let mut named: IdMap<Vec<u32>> = edits
            .clone()
            .map(|edit| (edit.about(), Vec::new()))
            .collect();
        for entry in entries {
            if let (Some(message), Some(messages)) = (entry.said(), named.get_mut(&entry.id)) {
                messages.push(message);
            }
        }
        let mut found: IdMap<Vec<(u32, u32)>> = IdMap::default();
        for edit in edits {
            let changed = named[&edit.about()].iter();
            let changed = changed.map(|&message| (message, edit.message));
            found.entry(edit.parent).or_default().extend(changed);
        }
        Edits(found)
    }

    /// What the entry of this id edits.
    pub fn behind(&self, id: Id) -> Option<&Vec<(u32, u32)>> {
        self.0.get(&id)
    }
}

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
