//! What names a record that goes names another one afterwards, so that every way through a history still leads on.
//!
//! A child of a record that goes becomes the child of its nearest ancestor that stays, in the context and beside it: on
//! other branches, in labels, in the control that says where the leaf is. What a compaction keeps from on begins with the
//! next record that stays. For this the lines of the file are walked once more, their outermost members only.

use super::Change;
use super::around::line_of;
use crate::Error;
use crate::json::{Cursor, Kind, ScanError};
use crate::plan::{Texts, View};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// How the records of a history name each other. Names with a dot are members of members.
#[derive(Debug)]
pub struct Lineage {
    /// The member that holds a record's id.
    pub id: &'static str,
    /// The member that names the record before it.
    pub parent: &'static str,
    /// Members that name a record otherwise: the nearest ancestor that stays will do.
    pub others: &'static [&'static str],
    /// Members that name the first record that is kept: the next one that stays will do.
    pub kept_from: &'static [&'static str],
    /// The member that gives the first record that is kept by its place among the records of the file.
    pub kept_index: Option<&'static str>,
    /// Whether other records of an id are copies of it, or earlier ones of which it took the place: they go with it.
    pub rewrites: bool,
    /// Whether messages that hang beside the way to the leaf are sent, too: what comes after one that goes follows what was sent
    /// before it, so that the way leads past them.
    pub beside: bool,
}

/// The changes that lead around the records that go, `gone`, sorted.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn relink(view: &View<'_>, lineage: &Lineage, gone: &[Range<u64>]) -> Result<Vec<Change>, Error> {
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let mut removed = Removed { parents: HashMap::new(), kept: HashMap::new() };
    for record in gone {
        let bytes = view.texts.read(record.start, record.end)?;
        let named = named(&bytes, &[lineage.id, lineage.parent]).map_err(|_| Error::Changed)?;
        let of = |wanted: usize| named.iter().rev().find(|(which, _)| *which == wanted).map(|(_, at)| bytes[at.clone()].to_vec());
        if let Some(id) = of(0) {
            removed.parents.insert(id, of(1).unwrap_or_else(|| b"null".to_vec()));
        }
    }
    removed.kept = next_kept(view, lineage, gone)?;
    let mut names = vec![lineage.parent];
    names.extend(lineage.others);
    let ancestors = names.len();
    names.extend(lineage.kept_from);
    names.extend(lineage.kept_index);
    let id = names.len();
    names.push(lineage.id);
    let sent: HashSet<u64> = if lineage.beside { view.transcript.messages.iter().map(|m| m.record).collect() } else { HashSet::new() };
    let (mut ids, mut names_gone) = (HashMap::new(), Vec::new());
    let (mut before, mut stale, mut index) = (Vec::new(), Vec::new(), 0u64);
    walk(view.texts, &mut |start, bytes| {
        let goes = gone.binary_search_by_key(&start, |r| r.start).is_ok();
        if goes {
            before.push(index);
        }
        index += 1;
        if goes {
            return;
        }
        let found = named(bytes, &names).unwrap_or_default();
        let of = |wanted: usize| found.iter().rev().find(|(which, _)| *which == wanted).map(|(_, at)| &bytes[at.clone()]);
        let own = of(id);
        let own = own.map(<[u8]>::to_vec).unwrap_or_default();
        if sent.contains(&start) {
            ids.insert(start, own.clone());
        } else if lineage.rewrites && removed.is_copy(&own, of(0)) {
            stale.push(start..start + bytes.len() as u64);
        }
        for (which, at) in found.into_iter().filter(|(which, _)| *which != id) {
            let old = &bytes[at.clone()];
            if removed.parents.contains_key(old) || which >= ancestors + lineage.kept_from.len() {
                let at = start + at.start as u64..start + at.end as u64;
                names_gone.push(Named { own: own.clone(), which, at, old: old.to_vec() });
            }
        }
    })?;
    let way = Way::of(view, gone, ids);
    let mut changes = Vec::new();
    for Named { own, which, at, old } in names_gone {
        let new = match which {
            0 => removed.ancestor(&old).map(|ancestor| way.past(&own, ancestor)),
            // What names a record by the way must find one: in front of all that stays, the next one.
            _ if which < ancestors => removed.ancestor(&old).filter(|id| *id != *b"null").or_else(|| removed.kept.get(&old).cloned()),
            _ if which < ancestors + lineage.kept_from.len() => removed.kept.get(&old).cloned(),
            _ => std::str::from_utf8(&old).ok().and_then(|n| n.parse::<u64>().ok()).and_then(|n| {
                let less = before.iter().filter(|i| **i < n).count() as u64;
                (less > 0).then(|| (n - less).to_string().into_bytes())
            }),
        };
        changes.extend(new.map(|text| Change::Put { start: at.start, end: at.end, text }));
    }
    for record in stale {
        let (start, end) = line_of(view.texts, &record)?;
        changes.push(Change::Put { start, end, text: Vec::new() });
    }
    Ok(changes)
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
    fn of(view: &View<'_>, gone: &[Range<u64>], mut ids: HashMap<u64, Vec<u8>>) -> Way {
        let mut way = Way::default();
        let stays = |record: &u64| gone.binary_search_by_key(record, |r| r.start).is_err();
        for id in view.transcript.messages.iter().map(|m| m.record).filter(stays).filter_map(|record| ids.remove(&record)) {
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

/// The records that go, by their ids as they are spelled, quotes included.
struct Removed {
    parents: HashMap<Vec<u8>, Vec<u8>>,
    /// For each the next record that stays.
    kept: HashMap<Vec<u8>, Vec<u8>>,
}

impl Removed {
    /// Whether a record of this id and this parent is a copy of one that goes.
    fn is_copy(&self, id: &[u8], parent: Option<&[u8]>) -> bool {
        self.parents.get(id).is_some_and(|known| known == parent.unwrap_or(b"null"))
    }

    /// The nearest ancestor that stays, of one that goes.
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
}

/// For each record of the context that goes, the id of the next one in the context that stays.
fn next_kept(view: &View<'_>, lineage: &Lineage, gone: &[Range<u64>]) -> Result<HashMap<Vec<u8>, Vec<u8>>, Error> {
    let id = |record: u64| -> Result<Option<Vec<u8>>, Error> {
        let (_, bytes) = super::around::value(view.texts, record)?;
        let found = named(&bytes, &[lineage.id]).map_err(|_| Error::Changed)?;
        Ok(found.last().map(|(_, at)| bytes[at.clone()].to_vec()))
    };
    let (mut kept, mut next) = (HashMap::new(), None);
    for message in view.transcript.messages.iter().rev().filter(|m| !m.span.is_empty()) {
        if gone.binary_search_by_key(&message.record, |r| r.start).is_err() {
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

/// Calls `each` with every record of a file of lines and where it begins. What is no JSON is left out.
fn walk(texts: &dyn Texts, each: &mut dyn FnMut(u64, &[u8])) -> Result<(), Error> {
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

#[cfg(test)]
#[path = "lineage_tests.rs"]
mod tests;
