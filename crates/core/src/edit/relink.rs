//! Links between records: those that name a removed record are changed to name another, so that every path through a log stays connected.
//!
//! A child of a removed record becomes the child of its nearest kept ancestor. This holds on all branches, in labels, and in the control
//! entry that names the leaf. A compaction that keeps messages from a removed record on begins with the next kept record.

use super::Change;
use crate::Error;
use crate::dialect::by_name;
use crate::json::{Id, IdSet};
use crate::read_at::ReadAt;
use crate::reader;
use crate::transcript::{Name, RecordReferences, Records, Transcript};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// Removed, moved and inserted records of a log, by their range in the input, sorted.
#[derive(Debug, Default)]
pub(crate) struct RecordMoves {
    /// Records that are removed.
    pub gone: Vec<Range<u64>>,
    /// Records that are moved and keep their id.
    pub moved: Vec<Range<u64>>,
    /// The number of records inserted before a record, by the first byte of that record.
    pub come: BTreeMap<u64, usize>,
    /// For the id of a record, the id of one that is inserted after it and becomes the parent of its children.
    pub adopted: HashMap<Vec<u8>, Vec<u8>>,
}

impl RecordMoves {
    fn is_empty(&self) -> bool {
        self.gone.is_empty()
            && self.moved.is_empty()
            && self.come.is_empty()
            && self.adopted.is_empty()
    }

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
pub(crate) fn relink(
    texts: &dyn ReadAt,
    transcript: &Transcript,
    references: &RecordReferences,
    moves: &RecordMoves,
) -> Result<Vec<Change>, Error> {
    if moves.is_empty() {
        return Ok(Vec::new());
    }
    let records = &*table(texts, transcript)?;
    let links = Links::new(transcript, records, references, moves);
    let mut removed = links.removed();
    let mut found = links.walk(&removed);
    // In a format without parents, an id names a place, which is that of its last record.
    let calls = match references.parent.is_empty() {
        true => HashMap::new(),
        false => links.calls_of(texts, found.beside.iter().map(|(own, _)| *own).collect())?,
    };
    let (mut stale, mut others) = (Vec::new(), HashSet::new());
    for (own, i) in found.beside {
        let place = records.list()[i].range();
        let record = texts.read(place.start, place.end)?;
        // A copy contains the same calls.
        let is_copy = calls.get(&own).is_none_or(|calls: &Vec<Vec<u8>>| {
            calls
                .iter()
                .all(|call| memchr::memmem::find(&record, call).is_some())
        });
        if is_copy {
            stale.push(i);
        } else {
            others.insert(own);
        }
    }
    // These are linked to the record that stays.
    others
        .iter()
        .for_each(|id| removed.parents[*id as usize] = NONE);
    found.named.retain(|(_, name)| !others.contains(&name.id));
    let way = SentPath::of(&links, &found.sent, records.ids());
    let mut changes = Vec::new();
    for (i, name) in found.named {
        let own = links.own(i);
        let text = |id: u32| records.id(id).to_vec();
        let new = match links.kind(name) {
            Kind::Parent => {
                let parent = removed
                    .ancestor(name.id)
                    .map(|ancestor| way.past(own, ancestor));
                moves
                    .adopted
                    .get(records.id(parent.unwrap_or(name.id)))
                    .cloned()
                    .or(parent.map(text))
            }
            Kind::Ancestor => removed.name(name.id, true, own).map(text),
            Kind::Kept => removed.name(name.id, false, own).map(text),
            Kind::Index => std::str::from_utf8(records.id(name.id))
                .ok()
                .and_then(|n| n.parse::<usize>().ok())
                .and_then(|n| {
                    let place = *found.places.get(n)?;
                    (place != n as u64).then(|| place.to_string().into_bytes())
                }),
            Kind::Own => None,
        };
        let at = records.list()[i].place(name);
        changes.extend(new.map(|text| Change::Put {
            start: at.start,
            end: at.end,
            text,
        }));
    }
    changes.extend(
        stale
            .into_iter()
            .map(|i| records.list()[i].line())
            .map(|line| Change::Put {
                start: line.start,
                end: line.end,
                text: Vec::new(),
            }),
    );
    Ok(changes)
}

/// Returns the ids of all records, with their quotes.
pub(crate) fn ids(
    texts: &dyn ReadAt,
    transcript: &Transcript,
    references: &RecordReferences,
) -> Result<IdSet, Error> {
    let (records, id) = (
        table(texts, transcript)?,
        references.members().len() as u8 - 1,
    );
    Ok(records
        .all_names()
        .filter(|name| name.which == id)
        .map(|name| Id::of(records.id(name.id)))
        .collect())
}

/// Returns the table of records, which is read now if it was not read with the transcript.
fn table<'a>(texts: &dyn ReadAt, transcript: &'a Transcript) -> Result<Cow<'a, Records>, Error> {
    match (&transcript.table, by_name(transcript.format)) {
        (Some(table), _) => Ok(Cow::Borrowed(table)),
        (None, Some(format)) => reader::records(texts, format).map(Cow::Owned),
        (None, None) => Err(Error::Changed),
    }
}

const NONE: u32 = u32::MAX;

/// The target of a member that names a record.
enum Kind {
    Parent,
    /// Another record; if it is removed, its nearest kept ancestor.
    Ancestor,
    /// The first record that is kept, or its index.
    Kept,
    Index,
    /// The record itself.
    Own,
}

/// The records of a history and how they name each other.
struct Links<'a> {
    transcript: &'a Transcript,
    records: &'a Records,
    references: &'a RecordReferences,
    moves: &'a RecordMoves,
    /// The index of the member that holds a record's id.
    id: u8,
    /// By record, whether it is removed or moved.
    taken: Vec<bool>,
}

/// Links to removed records, and records beside them.
#[derive(Default)]
struct AffectedLinks<'a> {
    named: Vec<(usize, &'a Name)>,
    /// Records that stay and may be copies of a removed one.
    beside: Vec<(u32, usize)>,
    /// By record, its new index or, if it is removed, that of the next kept record.
    places: Vec<u64>,
    /// By record, whether it is sent; empty if that does not matter.
    sent: Vec<bool>,
}

impl<'a> Links<'a> {
    fn new(
        transcript: &'a Transcript,
        records: &'a Records,
        references: &'a RecordReferences,
        moves: &'a RecordMoves,
    ) -> Links<'a> {
        let mut taken = vec![false; records.list().len()];
        let gone = moves
            .gone
            .iter()
            .chain(&moves.moved)
            .filter_map(|record| records.find(record.start));
        gone.for_each(|i| taken[i] = true);
        Links {
            transcript,
            records,
            references,
            moves,
            id: references.members().len() as u8 - 1,
            taken,
        }
    }

    fn kind(&self, name: &Name) -> Kind {
        let which = usize::from(name.which);
        let (ancestors, kept) = (
            1 + self.references.others.len(),
            1 + self.references.others.len() + self.references.kept_from.len(),
        );
        match which {
            0 => Kind::Parent,
            _ if name.which == self.id => Kind::Own,
            _ if which < ancestors => Kind::Ancestor,
            _ if which < kept => Kind::Kept,
            _ => Kind::Index,
        }
    }

    /// Returns the last value of a member of the record at `i`.
    fn value(&self, i: usize, which: u8) -> Option<u32> {
        self.records
            .names(i)
            .iter()
            .rfind(|name| name.which == which)
            .map(|name| name.id)
    }

    fn own(&self, i: usize) -> u32 {
        self.value(i, self.id).unwrap_or(Records::NO_ID)
    }

    /// Returns the index of the record at `start`, and whether it is removed or moved.
    fn at(&self, start: u64) -> (Option<usize>, bool) {
        let found = self.records.find(start);
        (
            found,
            found.map_or_else(|| self.moves.takes(start), |i| self.taken[i]),
        )
    }

    /// Returns the records that are removed or moved.
    fn removed(&self) -> Removed {
        let ids = self.records.ids();
        let mut removed = Removed {
            parents: vec![NONE; ids],
            kept: self.next_kept(),
            moved: vec![false; ids],
            count: 0,
        };
        for (records, is_moved) in [(&self.moves.gone, false), (&self.moves.moved, true)] {
            for i in records
                .iter()
                .filter_map(|record| self.records.find(record.start))
            {
                if let Some(own) = self
                    .value(i, self.id)
                    .filter(|own| self.records.id(*own).len() > 2)
                {
                    removed.moved[own as usize] |= is_moved;
                    removed.parents[own as usize] = self.value(i, 0).unwrap_or(Records::NULL);
                    removed.count += 1;
                }
            }
        }
        removed
    }

    /// For each removed record of the context, returns the id of the next kept one in the context.
    fn next_kept(&self) -> Vec<u32> {
        let mut kept = vec![NONE; self.records.ids()];
        if self.references.kept_from.is_empty() && self.references.others.is_empty() {
            return kept;
        }
        let mut next = None;
        for message in self
            .transcript
            .messages
            .iter()
            .rev()
            .filter(|m| !m.span.is_empty())
        {
            let (found, taken) = self.at(message.record);
            let own = found.and_then(|i| self.value(i, self.id));
            if !taken {
                next = own;
            } else if let (Some(own), Some(next)) = (own, next) {
                kept[own as usize] = next;
            }
        }
        kept
    }

    /// Returns the links to be changed, and the facts on which the changes depend.
    fn walk(&self, removed: &Removed) -> AffectedLinks<'a> {
        let (records, mut found, mut next) = (self.records, AffectedLinks::default(), 0);
        found.sent = vec![false; records.list().len()];
        if self.references.has_off_path_entries {
            self.transcript
                .messages
                .iter()
                .filter_map(|m| records.find(m.record))
                .for_each(|i| found.sent[i] = true);
        }
        for (i, record) in records.list().iter().enumerate() {
            next += self
                .moves
                .come
                .get(&record.start)
                .map_or(0, |records| *records as u64);
            found.places.push(next);
            if self.taken[i] {
                continue;
            }
            next += 1;
            let own = self.own(i);
            if !found.sent[i]
                && self.references.rewrites
                && removed.was_sibling(own, self.value(i, 0))
            {
                found.beside.push((own, i));
            }
            let is_gone = |id: u32| {
                removed.parents[id as usize] != NONE
                    || self.moves.adopted.contains_key(records.id(id))
            };
            let named = records
                .names(i)
                .iter()
                .filter(|name| match self.kind(name) {
                    Kind::Own => false,
                    Kind::Index => true,
                    _ => is_gone(name.id),
                });
            found.named.extend(named.map(|name| (i, name)));
        }
        found
    }

    /// Returns the ids of the calls and results of those removed records whose ids are in `wanted`.
    fn calls_of(
        &self,
        texts: &dyn ReadAt,
        wanted: HashSet<u32>,
    ) -> Result<HashMap<u32, Vec<Vec<u8>>>, Error> {
        let mut found: HashMap<u32, Vec<Vec<u8>>> = HashMap::new();
        if wanted.is_empty() {
            return Ok(found);
        }
        for (m, message) in self.transcript.messages.iter().enumerate() {
            let gone = self
                .moves
                .gone
                .binary_search_by_key(&message.record, |record| record.start)
                .is_ok();
            let Some(i) = self.records.find(message.record).filter(|_| gone) else {
                continue;
            };
            let Some(own) = self.value(i, self.id).filter(|own| wanted.contains(own)) else {
                continue;
            };
            let place = self.records.list()[i].range();
            let bytes = texts.read(place.start, place.end)?;
            let links = self
                .transcript
                .blocks_of(m)
                .iter()
                .filter(|block| block.is_linked())
                .map(|block| self.transcript.link(block).id);
            let calls = links
                .filter_map(|id| bytes.get(id.start as usize..id.end as usize))
                .filter(|id| !id.is_empty());
            found
                .entry(own)
                .or_default()
                .extend(calls.map(<[u8]>::to_vec));
        }
        Ok(found)
    }
}

/// The ids of the records that are sent and stay, in order. A copy has the position of its original.
struct SentPath {
    places: Vec<u32>,
    ids: Vec<u32>,
}

impl SentPath {
    fn of(links: &Links<'_>, sent: &[bool], ids: usize) -> SentPath {
        let mut way = SentPath {
            places: vec![NONE; ids],
            ids: Vec::new(),
        };
        if links.references.has_off_path_entries {
            let mut seen = vec![false; sent.len()];
            for i in links
                .transcript
                .messages
                .iter()
                .filter_map(|message| links.records.find(message.record))
            {
                if !links.taken[i] && !std::mem::replace(&mut seen[i], true) {
                    let own = links.own(i);
                    way.places[own as usize] = way.ids.len() as u32;
                    way.ids.push(own);
                }
            }
        }
        way
    }

    /// Returns the new parent of record `own`, whose nearest kept ancestor is `ancestor`: the record sent directly before `own` or, if
    /// either of the two is not sent, the ancestor.
    fn past(&self, own: u32, ancestor: u32) -> u32 {
        let (own, before) = (self.places[own as usize], self.places[ancestor as usize]);
        if own != NONE && before != NONE && before < own {
            self.ids[own as usize - 1]
        } else {
            ancestor
        }
    }
}

/// The records that are removed or moved, by the numbers of their ids.
struct Removed {
    /// Their parents.
    parents: Vec<u32>,
    /// For each, the next record that stays.
    kept: Vec<u32>,
    /// For each, whether it is moved, so that its id still names it.
    moved: Vec<bool>,
    /// An upper bound of their number.
    count: usize,
}

impl Removed {
    fn is_gone(&self, id: u32) -> bool {
        self.parents[id as usize] != NONE && !self.moved[id as usize]
    }

    /// Returns whether a removed record had this id and this parent.
    fn was_sibling(&self, id: u32, parent: Option<u32>) -> bool {
        self.is_gone(id) && self.parents[id as usize] == parent.unwrap_or(Records::NULL)
    }

    /// Returns the nearest kept ancestor of a removed record.
    fn ancestor(&self, id: u32) -> Option<u32> {
        let mut at = Some(self.parents[id as usize]).filter(|parent| *parent != NONE)?;
        // Bounded, as a cycle never ends.
        for _ in 0..self.count {
            match self.parents[at as usize] {
                NONE => break,
                next => at = next,
            }
        }
        Some(at)
    }

    /// Returns the id that replaces `id`, the id of a removed record, in a member of the record `own`: with `back` that of the nearest
    /// ancestor that stays, else that of the next record that stays. Returns `None` if the record `id` is not removed.
    fn name(&self, id: u32, back: bool, own: u32) -> Option<u32> {
        if !self.is_gone(id) {
            return None;
        }
        // A link must name an existing record.
        let ancestor = || self.ancestor(id).filter(|id| *id != Records::NULL);
        let next = || Some(self.kept[id as usize]).filter(|next| *next != NONE);
        let own = Some(own).filter(|own| *own != Records::NO_ID);
        let found = if back {
            ancestor().or_else(next)
        } else {
            next().or(own)
        };
        Some(found.unwrap_or(Records::NULL))
    }
}

#[cfg(test)]
#[path = "relink_tests.rs"]
mod tests;
