//! What names a record that goes names another one afterwards, so that every way through a history still leads on.
//!
//! A child of a record that goes becomes the child of its nearest ancestor that stays, in the context and beside it: on
//! other branches, in labels, in the control that says where the leaf is. What a compaction keeps from on begins with the
//! next record that stays. For this the lines of the file are walked once more, their outermost members only.

use super::Change;
use crate::Error;
use crate::json::locate::{line_of, value_at};
use crate::json::{Cursor, Id, IdSet, Kind, ScanError};
use crate::read_at::{ReadAt, Window};
use crate::transcript::Lineage;
use crate::transcript::Transcript;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// What happens to the records of a history, by where they lie in the input. All are sorted.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    /// Records that are removed.
    pub gone: Vec<Range<u64>>,
    /// Records that are removed here and inserted elsewhere, under their own id.
    pub moved: Vec<Range<u64>>,
    /// How many records are inserted before the one that begins at a byte.
    pub come: BTreeMap<u64, usize>,
    /// Records whose children become those of a record that is inserted behind them, by their ids.
    pub adopted: HashMap<Vec<u8>, Vec<u8>>,
}

impl Moves {
    fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.moved.is_empty() && self.come.is_empty() && self.adopted.is_empty()
    }

    /// Whether the record that begins at `start` does not stay where it is.
    pub fn takes(&self, start: u64) -> bool {
        [&self.gone, &self.moved].iter().any(|records| records.binary_search_by_key(&start, |r| r.start).is_ok())
    }
}

/// The changes that lead around the records that do not stay where they are.
///
/// # Errors
/// The input cannot be read any more.
pub(crate) fn relink(texts: &dyn ReadAt, transcript: &Transcript, lineage: &Lineage, moves: &Moves) -> Result<Vec<Change>, Error> {
    if moves.is_empty() {
        return Ok(Vec::new());
    }
    let mut removed = Removed::default();
    for record in moves.gone.iter().chain(&moves.moved) {
        let bytes = texts.read(record.start, record.end)?;
        let named = named(&bytes, &[lineage.id, lineage.parent]).map_err(|_| Error::Changed)?;
        let of = |wanted: usize| named.iter().rev().find(|(which, _)| *which == wanted).map(|(_, at)| bytes[at.clone()].to_vec());
        if let Some(id) = of(0).filter(|id| id.len() > 2) {
            if moves.moved.binary_search_by_key(&record.start, |r| r.start).is_ok() {
                removed.moved.insert(id.clone());
            }
            removed.parents.insert(id, of(1).unwrap_or_else(|| NULL.to_vec()));
        }
    }
    removed.kept = next_kept(texts, transcript, lineage, moves)?;
    let mut names = vec![lineage.parent];
    names.extend(lineage.others);
    let ancestors = names.len();
    names.extend(lineage.kept_from);
    names.extend(lineage.kept_index);
    let id = names.len();
    names.push(lineage.id);
    let sent: HashSet<u64> = if lineage.beside { transcript.messages.iter().map(|m| m.record).collect() } else { HashSet::new() };
    let (mut ids, mut names_gone) = (HashMap::new(), Vec::new());
    // For each record so far the place that it has now, or the next one where it does not stay.
    let (mut places, mut next) = (Vec::new(), 0u64);
    let mut beside = Vec::new();
    walk(texts, transcript.spread, &mut |start, bytes| {
        next += moves.come.get(&start).map_or(0, |records| *records as u64);
        places.push(next);
        if moves.takes(start) {
            return;
        }
        next += 1;
        let found = named(bytes, &names).unwrap_or_default();
        let of = |wanted: usize| found.iter().rev().find(|(which, _)| *which == wanted).map(|(_, at)| &bytes[at.clone()]);
        let own = of(id).map(<[u8]>::to_vec).unwrap_or_default();
        if sent.contains(&start) {
            ids.insert(start, own.clone());
        } else if lineage.rewrites && removed.stood_beside(&own, of(0)) {
            beside.push((own.clone(), start..start + bytes.len() as u64));
        }
        for (which, at) in found.into_iter().filter(|(which, _)| *which != id) {
            let old = &bytes[at.clone()];
            if removed.parents.contains_key(old) || moves.adopted.contains_key(old) || which >= ancestors + lineage.kept_from.len() {
                let at = start + at.start as u64..start + at.end as u64;
                names_gone.push(Named { own: own.clone(), which, at, old: old.to_vec() });
            }
        }
    })?;
    // Without parents an id is a place, and its last record what stands there.
    if !beside.is_empty() && !lineage.parent.is_empty() {
        removed.calls = calls_of(texts, transcript, lineage, &moves.gone)?;
    }
    let (mut stale, mut others) = (Vec::new(), HashSet::new());
    for (own, record) in beside {
        match removed.is_copy(&own, &texts.read(record.start, record.end)?) {
            true => stale.push(record),
            false => drop(others.insert(own)),
        }
    }
    // What names these names the record that stays.
    others.iter().for_each(|id| drop(removed.parents.remove(id)));
    names_gone.retain(|named| !others.contains(&named.old));
    let way = Way::of(transcript, moves, ids);
    let mut changes = Vec::new();
    for Named { own, which, at, old } in names_gone {
        let new = match which {
            0 => {
                let parent = removed.ancestor(&old).map(|ancestor| way.past(&own, ancestor));
                moves.adopted.get(parent.as_deref().unwrap_or(&old)).cloned().or(parent)
            }
            _ if which < ancestors + lineage.kept_from.len() => {
                removed.name(&old, which < ancestors, Some(&own[..]).filter(|own| !own.is_empty()))
            }
            _ => std::str::from_utf8(&old).ok().and_then(|n| n.parse::<usize>().ok()).and_then(|n| {
                let place = *places.get(n)?;
                (place != n as u64).then(|| place.to_string().into_bytes())
            }),
        };
        changes.extend(new.map(|text| Change::Put { start: at.start, end: at.end, text }));
    }
    let mut window = Window::new(texts);
    for record in stale {
        let line = line_of(&mut window, &record)?;
        changes.push(Change::Put { start: line.start, end: line.end, text: Vec::new() });
    }
    Ok(changes)
}

/// The ids of all records, with their quotes.
///
/// # Errors
/// The input cannot be read any more.
pub(crate) fn ids(texts: &dyn ReadAt, transcript: &Transcript, lineage: &Lineage) -> Result<IdSet, Error> {
    let mut ids = IdSet::default();
    walk(texts, transcript.spread, &mut |_, bytes| {
        ids.extend(named(bytes, &[lineage.id]).unwrap_or_default().into_iter().map(|(_, at)| Id::of(&bytes[at])));
    })?;
    Ok(ids)
}

/// A member that names a record that goes.
struct Named {
    /// The id of the record that it stands in, empty where that has none.
    own: Vec<u8>,
    which: usize,
    at: Range<u64>,
    old: Vec<u8>,
}

/// The ids of the records that are sent and stay, in the order in which they are. A copy of a record has its place.
#[derive(Default)]
struct Way {
    places: HashMap<Vec<u8>, usize>,
    ids: Vec<Vec<u8>>,
}

impl Way {
    fn of(transcript: &Transcript, moves: &Moves, mut ids: HashMap<u64, Vec<u8>>) -> Way {
        let mut way = Way::default();
        let stays = |record: &u64| !moves.takes(*record);
        for id in transcript.messages.iter().map(|m| m.record).filter(stays).filter_map(|record| ids.remove(&record)) {
            way.places.insert(id.clone(), way.ids.len());
            way.ids.push(id);
        }
        way
    }

    /// The record that the one of id `own` follows where `ancestor` would do, unless others are sent between the two.
    fn past(&self, own: &[u8], ancestor: Vec<u8>) -> Vec<u8> {
        let before = |place: &&usize| self.places.get(&ancestor).is_some_and(|before| before < *place);
        self.places.get(own).filter(before).map_or_else(|| ancestor.clone(), |place| self.ids[place - 1].clone())
    }
}

/// The value of a name that names nothing.
const NULL: &[u8] = b"null";

/// The records that do not stay where they are, by their ids as they are spelled, quotes included.
#[derive(Default)]
struct Removed {
    parents: HashMap<Vec<u8>, Vec<u8>>,
    /// For each the next record that stays.
    kept: HashMap<Vec<u8>, Vec<u8>>,
    /// Those that are inserted elsewhere: their ids still name them.
    moved: HashSet<Vec<u8>>,
    /// For each the ids of its calls and results, as they are spelled.
    calls: HashMap<Vec<u8>, Vec<Vec<u8>>>,
}

impl Removed {
    fn is_gone(&self, id: &[u8]) -> bool {
        self.parents.contains_key(id) && !self.moved.contains(id)
    }

    /// Whether a record of this id and this parent stood where one stands that is removed.
    fn stood_beside(&self, id: &[u8], parent: Option<&[u8]>) -> bool {
        self.is_gone(id) && self.parents.get(id).is_some_and(|known| known == parent.unwrap_or(NULL))
    }

    /// Whether such a record is a copy of the one that is removed, so that it speaks of the same calls.
    fn is_copy(&self, id: &[u8], record: &[u8]) -> bool {
        let calls = self.calls.get(id).map_or(&[][..], |calls| calls);
        calls.iter().all(|call| memchr::memmem::find(record, call).is_some())
    }

    /// The nearest ancestor that stays, of one that does not.
    fn ancestor(&self, id: &[u8]) -> Option<Vec<u8>> {
        let mut at = self.parents.get(id)?;
        // A cycle has no end; what goes is as many steps at most.
        for _ in 0..self.parents.len() {
            match self.parents.get(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        Some(at.clone())
    }

    /// What a member that names the record `id` names instead, of a record whose own id is `own`: with `back` the nearest
    /// ancestor that stays, else the next record that does.
    fn name(&self, id: &[u8], back: bool, own: Option<&[u8]>) -> Option<Vec<u8>> {
        if !self.is_gone(id) {
            return None;
        }
        // What names a record must find one.
        let ancestor = || self.ancestor(id).filter(|id| id != NULL);
        let next = || self.kept.get(id).cloned();
        let found = if back { ancestor().or_else(next) } else { next().or_else(|| own.map(<[u8]>::to_vec)) };
        Some(found.unwrap_or_else(|| NULL.to_vec()))
    }
}

/// The ids of the calls and results of records that go, by the ids of these records.
fn calls_of(
    texts: &dyn ReadAt,
    transcript: &Transcript,
    lineage: &Lineage,
    gone: &[Range<u64>],
) -> Result<HashMap<Vec<u8>, Vec<Vec<u8>>>, Error> {
    let mut found: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
    for (i, message) in transcript.messages.iter().enumerate() {
        let Ok(at) = gone.binary_search_by_key(&message.record, |record| record.start) else { continue };
        let bytes = texts.read(gone[at].start, gone[at].end)?;
        let named = named(&bytes, &[lineage.id]).map_err(|_| Error::Changed)?;
        let Some((_, id)) = named.last() else { continue };
        let links = transcript.blocks_of(i).iter().filter(|block| block.is_linked()).map(|block| transcript.link(block).id);
        let calls = links.filter_map(|id| bytes.get(id.start as usize..id.end as usize)).filter(|id| !id.is_empty());
        found.entry(bytes[id.clone()].to_vec()).or_default().extend(calls.map(<[u8]>::to_vec));
    }
    Ok(found)
}

/// For each record of the context that goes, the id of the next one in the context that stays.
fn next_kept(texts: &dyn ReadAt, transcript: &Transcript, lineage: &Lineage, moves: &Moves) -> Result<HashMap<Vec<u8>, Vec<u8>>, Error> {
    let (mut kept, mut next) = (HashMap::new(), None);
    if lineage.kept_from.is_empty() && lineage.others.is_empty() {
        return Ok(kept);
    }
    let id = |record: u64| -> Result<Option<Vec<u8>>, Error> {
        let place = value_at(&mut Window::new(texts), record)?;
        let bytes = texts.read(place.start, place.end)?;
        let found = named(&bytes, &[lineage.id]).map_err(|_| Error::Changed)?;
        Ok(found.last().map(|(_, at)| bytes[at.clone()].to_vec()))
    };
    for message in transcript.messages.iter().rev().filter(|m| !m.span.is_empty()) {
        if !moves.takes(message.record) {
            next = Some(message.record);
        } else if let (Some(id), Some(next)) = (id(message.record)?, next.map(id).transpose()?.flatten()) {
            kept.insert(id, next);
        }
    }
    Ok(kept)
}

/// The values of those members of a record that are named in `names`, by which of them, where they are strings, numbers or
/// null.
fn named(bytes: &[u8], names: &[&str]) -> Result<Vec<(usize, Range<usize>)>, ScanError> {
    let mut found = Vec::new();
    // Objects to walk through, with the name that leads to them.
    let mut objects = vec![(0, String::new())];
    while let Some((at, prefix)) = objects.pop() {
        let mut cursor = Cursor::new(bytes);
        cursor.go_to(at);
        if cursor.kind()? != Kind::Object {
            continue;
        }
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            let matches = |name: &str| name.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.as_bytes() == &*key);
            let which = names.iter().position(|name| matches(name));
            cursor.peek();
            let from = cursor.at();
            let kind = cursor.skip()?;
            if let Some(which) = which.filter(|_| matches!(kind, Kind::String | Kind::Number | Kind::Null)) {
                found.push((which, from..cursor.at()));
            } else if kind == Kind::Object {
                let inner = format!("{prefix}{}.", String::from_utf8_lossy(&key));
                if names.iter().any(|name| name.starts_with(&inner)) {
                    objects.push((from, inner));
                }
            }
        }
    }
    Ok(found)
}

/// Bytes read at a time; a longer line makes it grow.
const BUFFER: u64 = 1 << 20;

/// Calls `each` with every record of a file and where it begins: of lines, or `spread` over them. What is no JSON is left out.
fn walk(texts: &dyn ReadAt, spread: bool, each: &mut dyn FnMut(u64, &[u8])) -> Result<(), Error> {
    if spread {
        return walk_values(&texts.read(0, texts.size())?, each);
    }
    let (size, mut start, mut length) = (texts.size(), 0, BUFFER);
    while start < size {
        let end = size.min(start + length);
        let bytes = texts.read(start, end)?;
        let whole = if end == size { bytes.len() } else { memchr::memrchr(b'\n', &bytes).map_or(0, |i| i + 1) };
        if whole == 0 {
            length *= 2;
            continue;
        }
        let mut line = 0;
        while line < whole {
            let line_end = memchr::memchr(b'\n', &bytes[line..whole]).map_or(whole, |i| line + i);
            let mut cursor = Cursor::lines(&bytes[..line_end], line);
            if start == 0 && line == 0 && bytes.starts_with(b"\xef\xbb\xbf") {
                cursor.go_to(3);
            }
            while !cursor.at_end() {
                let from = cursor.at();
                match cursor.skip() {
                    Ok(Kind::Object) => each(start + from as u64, &bytes[from..cursor.at()]),
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
            line = line_end + 1;
        }
        (start, length) = (start + whole as u64, BUFFER);
    }
    Ok(())
}

/// The same for records that are spread over lines.
fn walk_values(bytes: &[u8], each: &mut dyn FnMut(u64, &[u8])) -> Result<(), Error> {
    let mut cursor = Cursor::new(bytes);
    if bytes.starts_with(b"\xef\xbb\xbf") {
        cursor.go_to(3);
    }
    while cursor.peek().is_some() {
        let from = cursor.at();
        match cursor.skip() {
            Ok(Kind::Object) => each(from as u64, &bytes[from..cursor.at()]),
            Ok(_) => {}
            // Where it is open at the end, what follows was looked at.
            Err(error) if error.open => break,
            Err(error) => {
                let broke = error.at.clamp(from, bytes.len());
                cursor.go_to(memchr::memchr(b'\n', &bytes[broke..]).map_or(bytes.len(), |i| broke + i + 1));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "lineage_tests.rs"]
mod tests;
