//! Lines of a tree that lose their parent: the children of a line that goes become those of its parent.
//!
//! What names such a line in another way follows: a compaction keeps from the line after it on, a leaf moves back to its
//! parent. Lines are looked at once, and only their own members; what is no JSON is left.

use crate::json::{Cursor, Id, IdSet, Kind, ScanError};
use crate::splice::Change;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// Members by which a line names its parent.
pub const PARENTS: [&[u8]; 2] = [b"parentId", b"parentUuid"];
/// Members that name a line to which its parent is as good.
const BACK: [&[u8]; 5] = [b"parentId", b"parentUuid", b"logicalParentUuid", b"targetId", b"leafUuid"];
/// The member that names the first line that a compaction keeps.
const FIRST_KEPT: &[u8] = b"firstKeptEntryId";
/// The member that gives the number of that line.
const FIRST_INDEX: &[u8] = b"firstKeptEntryIndex";

/// The changes to what is left when the records at `gone` go, which are sorted.
pub fn relink(bytes: &[u8], gone: &[Range<usize>]) -> Vec<Change> {
    let mut parents: HashMap<&[u8], &[u8]> = HashMap::new();
    for record in gone {
        if let Some(line) = read(bytes, record.start) {
            let parent = line.parent.unwrap_or(b"null");
            // Parents come first, so that a chain of lines that go is one step long.
            let parent = parents.get(parent).copied().unwrap_or(parent);
            parents.extend(line.id.filter(|id| id.len() > 2).map(|id| (id, parent)));
        }
    }
    if parents.is_empty() {
        return Vec::new();
    }
    let starts: HashSet<usize> = gone.iter().map(|record| record.start).collect();
    let mut changes = Vec::new();
    // The newest line so far that hangs on one that goes.
    let mut children: HashMap<&[u8], &[u8]> = HashMap::new();
    for (start, line) in lines(bytes) {
        if let (Some(id), Some(parent)) = (line.id, line.parent.filter(|p| parents.contains_key(p))) {
            children.insert(parent, id);
        }
        if starts.contains(&start) {
            continue;
        }
        for (forward, place) in line.names {
            let named = &bytes[place.clone()];
            if !parents.contains_key(named) {
                continue;
            }
            let way = if forward { &children } else { &parents };
            let mut to = named;
            for _ in 0..parents.len() {
                match way.get(to).filter(|_| parents.contains_key(to)) {
                    Some(next) => to = next,
                    None => break,
                }
            }
            if !parents.contains_key(to) {
                changes.push(Change::Put { start: place.start as u64, end: place.end as u64, text: to.to_vec() });
            }
        }
    }
    changes
}

/// The changes to the places that lines name by number, when the records at `gone` go, which are sorted, and as many lines as
/// `come` says come before the records that begin there. Of the oldest sessions a compaction keeps from such a place on, the
/// head of the file being 0.
pub fn renumber(bytes: &[u8], gone: &[Range<usize>], come: &BTreeMap<usize, usize>) -> Vec<Change> {
    if gone.is_empty() && come.is_empty() || memchr::memmem::find(bytes, FIRST_INDEX).is_none() {
        return Vec::new();
    }
    let starts: HashSet<usize> = gone.iter().map(|record| record.start).collect();
    // For each place of old the one that it is now, if any is.
    let (mut places, mut next, mut named) = (Vec::new(), 0u64, Vec::new());
    for (start, line) in lines(bytes) {
        next += come.get(&start).map_or(0, |lines| *lines as u64);
        places.push(next);
        next += u64::from(!starts.contains(&start));
        named.extend(line.index);
    }
    let moved = |place: Range<usize>| {
        let old: usize = std::str::from_utf8(&bytes[place.clone()]).ok()?.parse().ok()?;
        let text = places.get(old)?.to_string().into_bytes();
        let same = text == bytes[place.clone()];
        (!same).then_some(Change::Put { start: place.start as u64, end: place.end as u64, text })
    };
    named.into_iter().filter_map(moved).collect()
}

/// What a line says of its place in the tree; strings with their quotes.
#[derive(Default)]
struct Line<'a> {
    id: Option<&'a [u8]>,
    parent: Option<&'a [u8]>,
    /// Where it names other lines, and whether what follows such a line is meant.
    names: Vec<(bool, Range<usize>)>,
    /// Where it names one by its number.
    index: Option<Range<usize>>,
}

/// All records of a history with where they begin.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Line<'_>)> {
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let mut cursor = Cursor::lines(bytes, at);
            let next = cursor.peek();
            let start = cursor.at();
            if next != Some(b'{') || cursor.skip().is_err() {
                at = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |i| start + i + 1);
                continue;
            }
            at = cursor.at();
            if let Some(line) = read(bytes, start) {
                return Some((start, line));
            }
        }
        None
    })
}

fn read(bytes: &[u8], start: usize) -> Option<Line<'_>> {
    let walk = || -> Result<Line<'_>, ScanError> {
        let mut cursor = Cursor::lines(bytes, start);
        let mut line = Line::default();
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            let kind = cursor.kind()?;
            let from = cursor.at();
            cursor.skip()?;
            let place = from..cursor.at();
            if PARENTS.contains(&&*key) {
                line.parent = Some(&bytes[place.clone()]);
            }
            match &*key {
                b"id" | b"uuid" if kind == Kind::String => line.id = Some(&bytes[place]),
                FIRST_KEPT => line.names.push((true, place)),
                FIRST_INDEX if kind == Kind::Number => line.index = Some(place),
                name if BACK.contains(&name) => line.names.push((false, place)),
                _ => {}
            }
        }
        Ok(line)
    };
    walk().ok()
}

/// The ids of all lines, with their quotes.
pub fn ids(bytes: &[u8]) -> IdSet {
    lines(bytes).filter_map(|(_, line)| line.id.map(Id::of)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splice::Edits;

    #[test]
    fn children_go_to_the_nearest_line_that_stays() {
        let text = concat!(
            "{\"id\":\"a\",\"parentId\":null}\n{\"id\":\"b\",\"parentId\":\"a\"}\n{\"id\":\"c\",\"parentId\":\"b\"}\n",
            "{\"id\":\"d\",\"parentId\":\"c\",\"data\":{\"parentId\":\"c\"}}\nnot json \"b\"\n{\"id\":\"e\",\"parentId\":\"b\"}\n",
            "{\"type\":\"compaction\",\"id\":\"f\",\"parentId\":\"d\",\"firstKeptEntryId\":\"b\"}\n{\"type\":\"leaf\",\"targetId\":\"c\"}",
        );
        let at = |id: &str| {
            let start = text.find(&format!("{{\"id\":\"{id}\"")).unwrap();
            start..start + text[start..].find('\n').unwrap()
        };
        let changes = relink(text.as_bytes(), &[at("b"), at("c")]);
        let edits = Edits::of_changes(&text.as_bytes(), &changes).unwrap();
        let out = String::from_utf8(edits.render(&text.as_bytes(), 0, text.len() as u64).unwrap()).unwrap();
        let want = text
            .replace("\"d\",\"parentId\":\"c\"", "\"d\",\"parentId\":\"a\"")
            .replace("\"e\",\"parentId\":\"b\"", "\"e\",\"parentId\":\"a\"")
            .replace("\"firstKeptEntryId\":\"b\"", "\"firstKeptEntryId\":\"e\"")
            .replace("\"targetId\":\"c\"", "\"targetId\":\"a\"");
        assert_eq!(out, want);
        assert!(relink(text.as_bytes(), &[]).is_empty());
    }
}
