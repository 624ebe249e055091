//! The context of each request of an OpenCode session, for a replay.

use crate::dialect::builder::{Entry, EntryKind, Keep, NONE, TranscriptBuilder};
use crate::dialect::tree::contexts::Contexts;
use crate::json::{Id, IdMap};

/// Makes a tree of the messages: each follows the one before, up to a compaction that has its summary.
pub fn make_tree(builder: &mut TranscriptBuilder) {
    let entries = std::mem::take(&mut builder.entries);
    let mut contexts = Contexts::new(builder.messages.len());
    // Where messages with an id begin, and the compactions among them.
    let (mut places, mut compactions) = (IdMap::<usize>::default(), IdMap::<usize>::default());
    let (mut ids, mut newest, mut ended) = (Vec::with_capacity(entries.len()), None, Id::NONE);
    for (i, entry) in entries.iter().enumerate() {
        let is_step = matches!(entry.kind, EntryKind::Side(_));
        let before = ids.last().copied().filter(|_| is_step);
        let known = places.get(&entry.id).map(|&at| &entries[at]);
        let id = id_of(entry, before);
        // A program that hides ids may give one to several messages: they are one only if they are alike.
        ids.push(match known.filter(|_| !is_step && id.is_some()) {
            Some(known) if (known.time, known.size) != (entry.time, entry.size) => {
                Id::of_all([id.short(), i as u64].map(u64::to_le_bytes))
            }
            _ => id,
        });
        if !is_step {
            let compaction = compactions.get(&ended).copied();
            if ended.is_some() && compaction > newest && !contexts.is_full() {
                newest = compaction;
                let at = compaction.unwrap_or_default();
                let from = match entries[at].keeps() {
                    Keep::Id(id) => places.get(&id).copied().filter(|&tail| tail < at),
                    _ => None,
                };
                let from = from.unwrap_or(at);
                let sent = ids[from..i].iter().zip(&entries[from..i]);
                let sent = sent.map(|(id, entry)| (*id, entry.message));
                let sent: Vec<(Id, u32)> = sent.filter(|(_, message)| *message != NONE).collect();
                contexts.lead(builder, 0, &sent, true);
            }
            places.insert(entry.id, i);
            if entry.is_boundary() {
                compactions.insert(entry.id, i);
            }
            ended = entry.parent;
        }
        if entry.message != NONE {
            contexts.answer(ids[i], entry.message);
        }
    }
    contexts.finish(builder);
}

/// The id by which a request is known: that of its message, and for a later step one that follows from the step before.
fn id_of(entry: &Entry, before: Option<Id>) -> Id {
    match before {
        Some(before) if before.is_some() => Id::of_all([before.short().to_le_bytes()]),
        _ => entry.id,
    }
}
