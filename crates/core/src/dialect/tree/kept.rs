//! What a boundary keeps by its name: entries that were written before it, and are sent again
//! behind another one, the anchor.
//!
//! A reader puts the names behind the boundary
//! ([`Again`](crate::dialect::builder::EntryKind::Again)). Here each becomes a copy of the entry
//! that it names, with its message. The first copy hangs on the anchor and each other one on the
//! copy before it; what came to hang on the anchor, on an entry of which there is a copy, or on one
//! that is gone with the boundary, hangs on the copies instead. So whoever walks through the tree,
//! of one request or of all, meets them where they are sent.

use crate::{
    dialect::{
        builder::{Entry, NONE, TranscriptBuilder},
        tree::EntryReleased,
    },
    json::{GeneratedId, Id, IdMap},
};

/// Puts copies of the entries that boundaries keep behind their anchors. A boundary of which an
/// entry is missing keeps nothing.
///
/// # Errors
/// One of them was released.
pub fn send_again(builder: &mut TranscriptBuilder) -> Result<(), EntryReleased> {
    if !builder.entries.iter().any(Entry::is_again) {
        return Ok(());
    }
    let old = std::mem::take(&mut builder.entries);
    let named = old.iter().zip(0..).filter(|(entry, _)| !entry.is_again());
    let places: IdMap<usize> = named.map(|(entry, i)| (entry.id, i)).collect();
    let (mut moved, mut boundary) = (Vec::with_capacity(old.len() + 1), 0);
    // The copies of the newest boundary that are not placed yet, and what ids mean once they are.
    let (mut copies, mut now, mut anchor) = (Vec::new(), IdMap::<Id>::default(), Id::NONE);
    for (i, entry) in old.iter().enumerate() {
        moved.push(builder.entries.len() as u32);
        let mut entry = *entry;
        if entry.is_again() {
            continue;
        }
        if entry.is_boundary() {
            let names: Vec<&Entry> = old[i + 1..].iter().take_while(|e| e.is_again()).collect();
            anchor = names.first().map_or(Id::NONE, |name| name.parent);
            (boundary, now) = (i, IdMap::default());
            copies = list(&old, &places, &names);
            if copies.is_empty() && !names.is_empty() && builder.released.count > 0 {
                return Err(EntryReleased);
            }
            let mut parent = anchor;
            for (copy, n) in copies.iter_mut().zip(1..) {
                let id = Id::generated(GeneratedId::Again, ((i as u64) << 32) + n);
                now.insert(copy.id, id);
                (copy.id, copy.parent, parent) = (id, parent, id);
            }
            now.insert(anchor, parent);
        } else if copies.is_empty() && now.len() > 1 {
            let is_gone = |parent: &usize| *parent < boundary && entry.message != NONE;
            let is_gone = places.get(&entry.parent).is_some_and(is_gone);
            let key = if is_gone && !now.contains_key(&entry.parent) {
                anchor
            } else {
                entry.parent
            };
            entry.parent = now.get(&key).copied().unwrap_or(entry.parent);
        }
        builder.entries.push(entry);
        if entry.id == anchor {
            builder.entries.append(&mut copies);
        }
    }
    moved.push(builder.entries.len() as u32);
    for naming in &mut builder.namings {
        naming.entry = moved[naming.entry as usize];
    }
    Ok(())
}

/// Returns the entries that these names mean: one each, or all from the first to the last of a part
/// of the path. `None` if one is missing.
fn list(old: &[Entry], places: &IdMap<usize>, names: &[&Entry]) -> Vec<Entry> {
    let mut list = Vec::new();
    for name in names {
        let (first, mut at) = (list.len(), name.about());
        loop {
            let known = places.get(&at).filter(|_| list.len() - first < old.len());
            let Some(&known) = known else {
                return Vec::new();
            };
            list.push(old[known]);
            if name.id.is_none() || name.id == at {
                break;
            }
            at = old[known].parent;
        }
        list[first..].reverse();
    }
    list
}
