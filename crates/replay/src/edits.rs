//! What an agent takes back, or sends with another content, from an entry of its log on.

use deadhead_core::internal::{
    dialect::builder::{Entry, EntryKind},
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
