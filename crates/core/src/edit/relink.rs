//! Links between records: those that name a removed record are changed to name another, so that
//! every path through a log stays connected.
//!
//! A child of a removed record becomes the child of its nearest kept ancestor. This holds on all
//! branches, in labels, and in the control entry that names the leaf. A compaction that keeps
//! messages from a removed record on begins with the next kept record. Copies of a removed record,
//! as the reader found them, are removed with it.

use super::*;
use crate::{
    dialect::{by_name, tree::Parents},
    json::{Id, IdSet},
    reader::{self, Reading},
    settings::{Estimator, Scope},
    transcript::{Name, RecordReferences, Records},
};
use std::collections::{BTreeMap, HashSet};

/// Removed, moved and inserted records of a log, by their range in the input, sorted.
#[derive(Debug, Default, PartialEq)]
pub struct RecordMoves {
    /// Records that are removed.
    pub gone: Vec<Range<u64>>,
    /// Records that are moved and keep their id.
    pub moved: Vec<Range<u64>>,
    /// The number of records inserted before a record, by the first byte of that record.
    pub come: BTreeMap<u64, usize>,
    /// For the id of a record, the id of one that is inserted after it and becomes the parent of
    /// its children.
    pub adopted: HashMap<Vec<u8>, Vec<u8>>,
}

impl RecordMoves {
    /// Returns whether the record that begins at `start` is removed or moved.
    pub fn takes(&self, start: u64) -> bool {
        [&self.gone, &self.moved]
            .iter()
            .any(|records| records.binary_search_by_key(&start, |r| r.start).is_ok())
    }
}

/// Returns the changes of all links to removed or moved records.
///
/// # Errors
/// The input cannot be read any more.
pub fn relink(
    texts: &dyn ReadAt,
    transcript: &Transcript,
    references: &RecordReferences,
    moves: &RecordMoves,
) -> Result<Vec<Change>> {
    if *moves == RecordMoves::default() {
        return Ok(Vec::new());
    }
    let records = &*table(texts, transcript)?;
    let mut removed = Removed::of(records, references, moves);
    let copies = removed.copies(transcript);
    let links = Links {
        sent: sent_path(transcript, &removed),
        kept: next_kept(transcript, &removed),
        removed,
    };
    // By record, its new index or, if it is removed, that of the next kept record.
    let (mut places, mut next) = (Vec::new(), 0);
    for record in records.list() {
        next += moves.come.get(&record.start).map_or(0, |n| *n as u64);
        places.push(next);
        next += u64::from(!moves.takes(record.start));
    }
    let mut changes = Vec::new();
    for (i, record) in records.list().iter().enumerate() {
        if copies.contains(&i) {
            changes.push(Change::put(record.line(), b""));
        } else if !moves.takes(record.start) {
            let new = |name: &Name| {
                if links.leaves_list(name) {
                    return Some(Change::removal(record.place(name)));
                }
                let text = links.new_name(links.removed.own(i), name, &places)?;
                Some(Change::put(record.place(name), text))
            };
            changes.extend(records.names(i).iter().filter_map(new));
        }
    }
    Ok(changes)
}

/// Returns the ids of all records, with their quotes.
pub fn ids(
    texts: &dyn ReadAt,
    transcript: &Transcript,
    references: &RecordReferences,
) -> Result<IdSet> {
    let (records, id) = (table(texts, transcript)?, id_member(references));
    Ok(records
        .all_names()
        .filter(|name| name.which == id)
        .map(|name| Id::of(records.id(name.id)))
        .collect())
}

/// Returns the index of the member that holds a record's id.
pub fn id_member(references: &RecordReferences) -> u8 {
    references.members().len() as u8 - 1
}

/// Returns the table of records, which is read now if it was not read with the transcript.
///
/// # Errors
/// The input cannot be read any more.
pub fn table<'a>(texts: &dyn ReadAt, transcript: &'a Transcript) -> Result<Cow<'a, Records>> {
    match (&transcript.table, by_name(transcript.format)) {
        (Some(table), _) => Ok(Cow::Borrowed(table)),
        (None, Some(format)) => {
            let reading = Reading {
                table: true,
                ..Reading::new(format, Estimator::Utf16, Scope::File)
            };
            let table = reader::everything(texts, &reading)?.table;
            table.map(Cow::Owned).ok_or(Error::Changed)
        }
        (None, None) => Err(Error::Changed),
    }
}

const NONE: u32 = u32::MAX;

/// The records that are removed or moved, by the numbers of their ids.
struct Removed<'a> {
    records: &'a Records,
    references: &'a RecordReferences,
    moves: &'a RecordMoves,
    /// The parent of each; [`NONE`] for the others.
    parents: Parents,
    /// By id, whether its record is removed or moved.
    taken: Vec<bool>,
    /// By id, whether its record is removed, so that the id names none.
    gone: Vec<bool>,
}

impl<'a> Removed<'a> {
    fn of(
        records: &'a Records,
        references: &'a RecordReferences,
        moves: &'a RecordMoves,
    ) -> Removed<'a> {
        let none = || vec![false; records.ids()];
        let mut removed = Removed {
            records,
            references,
            moves,
            parents: Parents::default(),
            taken: none(),
            gone: none(),
        };
        let mut parents = vec![NONE; records.ids()];
        for (list, is_gone) in [(&moves.gone, true), (&moves.moved, false)] {
            for i in list.iter().filter_map(|record| records.find(record.start)) {
                let own = removed.own(i);
                if records.id(own).len() > 2 {
                    removed.gone[own as usize] = is_gone;
                    removed.taken[own as usize] = true;
                    parents[own as usize] = removed.parent(i);
                }
            }
        }
        removed.parents = Parents::acyclic(parents, NONE);
        removed
    }

    fn own(&self, i: usize) -> u32 {
        self.records
            .value(i, id_member(self.references))
            .unwrap_or(Records::NO_ID)
    }

    fn parent(&self, i: usize) -> u32 {
        self.records.value(i, 0).unwrap_or(Records::NULL)
    }

    /// Returns the copies of removed records. An id that a record still has which is no copy names
    /// that record.
    fn copies(&mut self, transcript: &Transcript) -> HashSet<usize> {
        let mut copies = HashSet::new();
        let mut others = Vec::new();
        for (i, record) in self.records.list().iter().enumerate() {
            let own = self.own(i);
            if !self.gone[own as usize] || self.moves.takes(record.start) {
                continue;
            }
            // In a format without parents, an id names a place, which is that of its last record.
            if self.references.parent.is_empty() || transcript.copies.contains(&record.start) {
                copies.insert(i);
            } else if self.parents[own as usize] == self.parent(i) {
                others.push(own);
            }
        }
        for id in others {
            (self.taken[id as usize], self.gone[id as usize]) = (false, false);
        }
        copies
    }

    /// Returns the nearest ancestor of a removed record that stays, or [`Records::NULL`].
    fn ancestor(&self, id: u32) -> u32 {
        let stays = |at: &usize| !self.taken[*at];
        self.parents
            .up(id)
            .find(stays)
            .map_or(Records::NULL, |at| at as u32)
    }
}

/// The position of a record that is sent, the id of the one before it, and whether that one
/// precedes it in the input, too.
type Sent = (usize, u32, bool);

/// The records to which links to removed ones lead.
struct Links<'a> {
    removed: Removed<'a>,
    /// For each id of a removed record of the context, that of the next kept one in the context.
    kept: HashMap<u32, u32>,
    /// Of the path that is sent.
    sent: HashMap<u32, Sent>,
}

impl Links<'_> {
    /// Whether `name` is one of a list and names a removed record.
    fn leaves_list(&self, name: &Name) -> bool {
        let references = self.removed.references;
        let lists = 1 + references.others.len();
        (lists..lists + references.lists.len()).contains(&usize::from(name.which))
            && self.removed.gone[name.id as usize]
    }

    /// Returns the new value of `name`, a member of the record `own`; `None` if it stays.
    fn new_name(&self, own: u32, name: &Name, places: &[u64]) -> Option<Vec<u8>> {
        let removed = &self.removed;
        let (references, records) = (removed.references, removed.records);
        let (id, which) = (name.id as usize, usize::from(name.which));
        let lists = 1 + references.others.len();
        let kept_from = lists + references.lists.len();
        let index = kept_from + references.kept_from.len();
        if name.which == id_member(references) {
            return None;
        }
        if which == index {
            let n: usize = std::str::from_utf8(records.id(name.id))
                .ok()?
                .parse()
                .ok()?;
            let place = *places.get(n)?;
            return (place != n as u64).then(|| place.to_string().into_bytes());
        }
        if which == 0 {
            let parent = removed.taken[id].then(|| self.past(own, removed.ancestor(name.id)));
            let adopted = removed
                .moves
                .adopted
                .get(records.id(parent.unwrap_or(name.id)));
            return adopted
                .cloned()
                .or(parent.map(|id| records.id(id).to_vec()));
        }
        if !removed.gone[id] {
            return None;
        }
        let next = self.kept.get(&name.id).copied();
        // A link must name an existing record.
        let found = if which < lists {
            Some(removed.ancestor(name.id))
                .filter(|id| *id != Records::NULL)
                .or(next)
        } else {
            next.or(Some(own).filter(|own| *own != Records::NO_ID))
        };
        Some(records.id(found.unwrap_or(Records::NULL)).to_vec())
    }

    /// Returns the new parent of record `own`, whose nearest kept ancestor is `ancestor`: the
    /// record sent directly before `own` or, if either of the two is not sent, the ancestor.
    fn past(&self, own: u32, ancestor: u32) -> u32 {
        match (self.sent.get(&own), self.sent.get(&ancestor)) {
            (Some((place, last, _)), Some((earlier, ..))) if earlier < place => *last,
            // Its ancestors are all removed, and were gone with a boundary.
            (Some((_, last, true)), _) if ancestor == Records::NULL => *last,
            _ => ancestor,
        }
    }
}

/// For each id of a removed record of the context, returns that of the next kept one in the
/// context.
fn next_kept(transcript: &Transcript, removed: &Removed<'_>) -> HashMap<u32, u32> {
    let (mut kept, mut next) = (HashMap::new(), None);
    let messages = transcript.messages.iter().rev();
    for message in messages.filter(|m| !m.span.is_empty()) {
        let found = removed.records.find(message.record);
        let own = found.map(|i| removed.own(i));
        if !removed.moves.takes(message.record) {
            next = own;
        } else {
            kept.extend(own.zip(next));
        }
    }
    kept
}

/// For the id of each record that is sent and stays, its position and the one sent directly before
/// it. A copy has the position of its original.
fn sent_path(transcript: &Transcript, removed: &Removed<'_>) -> HashMap<u32, Sent> {
    let (mut path, mut last, mut at) = (HashMap::new(), NONE, u64::MAX);
    if !removed.references.has_off_path_entries {
        return path;
    }
    for message in &transcript.messages {
        if let Some(i) = removed.records.find(message.record)
            && !removed.moves.takes(message.record)
        {
            let (own, place) = (removed.own(i), path.len());
            path.entry(own).or_insert_with(|| {
                let before = std::mem::replace(&mut at, message.record);
                let follows = before < message.record;
                (place, std::mem::replace(&mut last, own), follows)
            });
        }
    }
    path
}

#[cfg(test)]
#[path = "relink_tests.rs"]
mod tests;
