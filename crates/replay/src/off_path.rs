//! Entries beside the path from the root to the leaf of a thread that are sent nevertheless: parts of one provider message, and
//! results of its calls.

use super::calls::with_messages;
use deadhead_core::internal::{
    dialect::{
        builder::{NONE, TranscriptBuilder},
        tree::{Parents, order::MessageGroups},
    },
    json::{Id, IdMap, IdSet},
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
};

/// Entries off the path, by the message that they belong to.
pub struct OffPathEntries {
    /// For each entry, its message and the previous entry with a message.
    pieces: MessageGroups,
    /// For each message its pieces, and the first result of each of its calls, in order.
    members: IdMap<Vec<u32>>,
}

impl OffPathEntries {
    pub fn new(builder: &TranscriptBuilder, parents: &Parents) -> OffPathEntries {
        let pieces = MessageGroups::of(builder, parents);
        let mut members: IdMap<Vec<u32>> = IdMap::default();
        let mut answered: HashSet<(Id, Id)> = HashSet::new();
        for (i, entry) in with_messages(builder) {
            let message = pieces.message[i];
            let mut first = || {
                builder
                    .answered_calls(entry.message)
                    .filter(|&call| answered.insert((message, call)))
                    .count()
                    > 0
            };
            if message.is_some() && (entry.piece_of().is_some() || first()) {
                members.entry(message).or_default().push(i as u32);
            }
        }
        OffPathEntries { pieces, members }
    }

    /// Returns the message that an entry belongs to.
    pub fn message(&self, entry: u32) -> Id {
        self.pieces.message[entry as usize]
    }

    /// Returns the entry with a message before an entry.
    pub fn before(&self, entry: u32) -> u32 {
        self.pieces.before[entry as usize]
    }

    /// Returns whether an entry is a piece, or the first result of one of its message's calls.
    pub fn is_member(&self, entry: u32) -> bool {
        self.members
            .get(&self.message(entry))
            .is_some_and(|members| members.binary_search(&entry).is_ok())
    }

    /// Returns the message of an entry or, for a notice, that of the entry before it.
    pub fn message_at(&self, builder: &TranscriptBuilder, entry: u32) -> Id {
        let (own, before) = (self.message(entry), self.before(entry));
        if own.is_none() && builder.entries[entry as usize].message == NONE && before != NONE {
            self.message(before)
        } else {
            own
        }
    }
}

/// The entries off the path that a thread has joined.
#[derive(Clone, Default)]
pub struct JoinedEntries {
    /// For each message on the path, the number of its members that were examined.
    looked: IdMap<usize>,
    /// Examined members that were not added, by message: they may be later, as the path may change.
    postponed: IdMap<Vec<u32>>,
    /// Members that come later than the call for which they were examined.
    later: BinaryHeap<Reverse<u32>>,
    /// The messages of those members.
    waiting: IdSet,
    /// Messages with postponed members that may be added now.
    again: IdSet,
}

impl JoinedEntries {
    /// Returns the members of `messages`, and of others that have some now, that were not examined yet and precede `call`.
    pub fn next_members(
        &mut self,
        off_path: &OffPathEntries,
        mut messages: Vec<Id>,
        call: u32,
    ) -> Vec<u32> {
        while let Some(Reverse(member)) = self
            .later
            .peek()
            .copied()
            .filter(|Reverse(member)| *member < call)
        {
            self.later.pop();
            let message = off_path.message(member);
            self.waiting.remove(&message);
            messages.push(message);
        }
        messages.extend(self.again.drain());
        let mut found = Vec::new();
        for message in messages {
            let Some(members) = off_path.members.get(&message) else {
                continue;
            };
            found.extend(self.postponed.remove(&message).into_iter().flatten());
            let looked = self.looked.entry(message).or_default();
            let next = members.partition_point(|&member| member < call);
            found.extend_from_slice(&members[(*looked).min(next)..next]);
            *looked = next;
            let later = members.get(next).filter(|_| self.waiting.insert(message));
            self.later.extend(later.map(|&member| Reverse(member)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Marks messages whose postponed entries are to be examined again.
    pub fn reconsider(&mut self, messages: impl IntoIterator<Item = Id>) {
        self.again.extend(messages);
    }

    /// Postpones a member that cannot be added now.
    pub fn postpone(&mut self, off_path: &OffPathEntries, member: u32) {
        self.postponed
            .entry(off_path.message(member))
            .or_default()
            .push(member);
    }
}
