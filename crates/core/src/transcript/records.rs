//! The records of a log, as found while it was read: their ranges, their ids and their links. With
//! this table, records can be removed and the others linked anew without reading them again.

use super::{Message, RecordReferences};
use crate::json::{Cursor, Id, IdMap, Kind, Scanned, text};
use std::{collections::HashSet, ops::Range};

/// A table of records, in the order of the input.
#[derive(Clone, Debug)]
pub struct Records {
    wanted: Vec<(u8, &'static str)>,
    list: Vec<Record>,
    /// First bytes of messages that are elements of an array in their record.
    elements: HashSet<u64>,
    ids: Ids,
}

/// A record.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its first byte.
    pub start: u64,
    length: u32,
    /// The number of bytes before and after the record on its line, line end included, if nothing
    /// else is on that line.
    line: Option<(u32, u32)>,
    names: Vec<Name>,
    /// Whether it holds a message, in the context or not.
    pub speaks: bool,
}

/// A member of a record with its own id or that of another.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The index of the member in [`RecordReferences::members`].
    pub which: u8,
    /// The number of the id.
    pub id: u32,
    at: u32,
    length: u32,
}

impl Record {
    /// Returns its range in the input.
    pub fn range(&self) -> Range<u64> {
        self.start..self.start + u64::from(self.length)
    }

    /// Returns the range of its line, if nothing else is on it, else of the record.
    pub fn line(&self) -> Range<u64> {
        let (before, after) = self.line.unwrap_or_default();
        self.start - u64::from(before)..self.range().end + u64::from(after)
    }

    /// Returns the byte range of the value of one of its names.
    pub fn place(&self, name: &Name) -> Range<u64> {
        let start = self.start + u64::from(name.at);
        start..start + u64::from(name.length)
    }
}

impl Records {
    /// The number of `null`, which names no record.
    pub const NULL: u32 = 0;
    /// The number that stands for a missing id.
    pub const NO_ID: u32 = 1;

    /// Creates an empty table of records that name each other by `references`.
    pub fn new(references: Option<&'static RecordReferences>) -> Records {
        let wanted = references.map_or_else(Vec::new, RecordReferences::members);
        let mut ids = Ids::default();
        [&b"null"[..], b""].iter().for_each(|raw| {
            ids.number(raw);
        });
        Records {
            wanted: (0..).zip(wanted).collect(),
            list: Vec::new(),
            elements: HashSet::new(),
            ids,
        }
    }

    /// Adds the record at `place` of `bytes`, which begin at `base` in the input, and which
    /// contains these messages. A value that is not an object is left out.
    pub fn add(&mut self, bytes: &[u8], place: Range<usize>, base: u64, messages: &[Message]) {
        let record = &bytes[place.clone()];
        if record.first() != Some(&b'{') {
            return;
        }
        let start = base + place.start as u64;
        let mut names = Vec::new();
        // A record that was read although it is not JSON has no names.
        let _ = named(&mut Cursor::new(record), &self.wanted, &mut |which, at| {
            let id = self.ids.number(&record[at.clone()]);
            names.push(Name {
                which,
                id,
                at: clip(at.start),
                length: clip(at.len()),
            });
        });
        self.list.push(Record {
            start,
            length: clip(record.len()),
            line: None,
            names,
            speaks: !messages.is_empty(),
        });
        let is_element = |message: &&Message| {
            let before =
                &record[..(message.record + u64::from(message.span.start) - start) as usize];
            matches!(before.trim_ascii_end().last(), Some(b'[' | b','))
        };
        let inside = messages
            .iter()
            .filter(|message| message.record == start && !message.span.is_empty());
        self.elements.extend(
            inside
                .filter(is_element)
                .map(|message| start + u64::from(message.span.start)),
        );
    }

    /// Notes that the last record is alone on the line from `start` to `end`, line end included.
    pub fn fills(&mut self, start: u64, end: u64) {
        if let Some(last) = self.list.last_mut().filter(|last| last.start >= start) {
            last.line = Some((
                clip((last.start - start) as usize),
                clip((end - last.range().end) as usize),
            ));
        }
    }

    /// Appends the records of the next part of the input.
    pub fn append(&mut self, next: Records) {
        let texts = next.ids.texts.iter();
        let numbers: Vec<u32> = texts.map(|text| self.ids.number(text)).collect();
        for mut record in next.list {
            for name in &mut record.names {
                name.id = numbers[name.id as usize];
            }
            self.list.push(record);
        }
        self.elements.extend(next.elements);
    }

    /// Returns all records.
    pub fn list(&self) -> &[Record] {
        &self.list
    }

    /// Returns the index of the record that begins at `start`.
    pub fn find(&self, start: u64) -> Option<usize> {
        self.list
            .binary_search_by_key(&start, |record| record.start)
            .ok()
    }

    /// Returns the index of the record that contains the byte at `at`.
    pub fn around(&self, at: u64) -> Option<usize> {
        let last = self
            .list
            .partition_point(|record| record.start <= at)
            .checked_sub(1)?;
        Some(last).filter(|last| self.list[*last].range().contains(&at))
    }

    /// Returns whether the message that begins at `start` is an element of an array.
    pub fn is_element(&self, start: u64) -> bool {
        self.elements.contains(&start)
    }

    /// Returns the names of the record at `index`.
    pub fn names(&self, index: usize) -> &[Name] {
        &self.list[index].names
    }

    /// Returns the id in a member of the record at `index`, the last one of several.
    pub fn value(&self, index: usize, which: u8) -> Option<u32> {
        let mut names = self.names(index).iter();
        names.rfind(|name| name.which == which).map(|name| name.id)
    }

    /// Returns all names.
    pub fn all_names(&self) -> impl Iterator<Item = &Name> {
        self.list.iter().flat_map(|record| &record.names)
    }

    /// Returns the number of ids.
    pub fn ids(&self) -> usize {
        self.ids.texts.len()
    }

    /// Returns the id with this number as it was first spelled: with its quotes, a number, or null.
    pub fn id(&self, number: u32) -> &[u8] {
        &self.ids.texts[number as usize]
    }
}

/// Distinct ids.
#[derive(Clone, Debug, Default)]
struct Ids {
    texts: Vec<Vec<u8>>,
    numbers: IdMap<u32>,
}

impl Ids {
    fn number(&mut self, raw: &[u8]) -> u32 {
        let id = if raw.contains(&b'\\') {
            Id::of(&text::decode(raw))
        } else {
            Id::of(raw)
        };
        *self.numbers.entry(id).or_insert_with(|| {
            self.texts.push(raw.to_vec());
            self.texts.len() as u32 - 1
        })
    }
}

/// Finds the members in `wanted` of the object at the cursor whose values are strings, numbers or
/// null, or the strings of a list; those of objects in a list, too.
///
/// # Errors
/// The object is malformed JSON.
pub fn named(
    cursor: &mut Cursor<'_>,
    wanted: &[(u8, &str)],
    found: &mut dyn FnMut(u8, Range<usize>),
) -> Scanned {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        let from = cursor.at();
        let begins = |name: &str| name.len() >= key.len() && name.as_bytes()[..key.len()] == *key;
        let Some(first) = wanted.iter().position(|(_, name)| begins(name)) else {
            continue;
        };
        let rest = || wanted[first..].iter().filter(|(_, name)| begins(name));
        let kind = cursor.kind()?;
        if matches!(kind, Kind::Object | Kind::Array) {
            let inner: Vec<_> = rest()
                .filter_map(|(which, name)| Some((*which, name[key.len()..].strip_prefix('.')?)))
                .collect();
            if !inner.is_empty() && kind == Kind::Object {
                named(cursor, &inner, found)?;
                continue;
            }
            if !inner.is_empty() {
                cursor.each_object(|_, cursor| named(cursor, &inner, found))?;
                continue;
            }
        }
        let Some((which, _)) = rest().find(|(_, name)| name.len() == key.len()) else {
            cursor.skip()?;
            continue;
        };
        if kind == Kind::Array {
            cursor.each_element(|_, cursor| {
                let from = cursor.next_at();
                if cursor.skip()? == Kind::String {
                    found(*which, from..cursor.at());
                }
                Ok(())
            })?;
            continue;
        }
        cursor.skip()?;
        if matches!(kind, Kind::String | Kind::Number | Kind::Null) {
            found(*which, from..cursor.at());
        }
    }
    Ok(())
}

/// Returns a number, or the largest one there is room for.
pub fn clip(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_dot_are_members_of_members() {
        let record = br#"{"id":"a","meta":{"id":"b","head":{"id":7}},"parentId":null,"id":"c","list":[{"id":"d"}],"other":{}}"#;
        let mut found = Vec::new();
        let wanted = [
            (0, "id"),
            (1, "parentId"),
            (2, "meta.head.id"),
            (3, "other"),
        ];
        named(&mut Cursor::new(record), &wanted, &mut |which, at| {
            found.push((which, std::str::from_utf8(&record[at]).unwrap()))
        })
        .unwrap();
        assert_eq!(found, [(0, "\"a\""), (2, "7"), (1, "null"), (0, "\"c\"")]);
    }

    #[test]
    fn ids_are_equal_when_their_texts_are() {
        const REFERENCES: RecordReferences = RecordReferences {
            id: "id",
            parent: "parent",
            others: &[],
            lists: &[],
            kept_from: &[],
            kept_index: None,
            has_off_path_entries: false,
        };
        let text = br#"{"id":"a"}{"id":"b","parent":"\u0061"}"#;
        let (mut first, mut second) = (
            Records::new(Some(&REFERENCES)),
            Records::new(Some(&REFERENCES)),
        );
        first.add(text, 0..10, 100, &[]);
        second.add(text, 10..text.len(), 100, &[]);
        first.append(second);
        let ids: Vec<&[u8]> = (0..2)
            .flat_map(|i| first.names(i))
            .map(|name| first.id(name.id))
            .collect();
        assert_eq!(ids, [&b"\"a\""[..], b"\"b\"", b"\"a\""]);
        assert_eq!(
            (
                first.find(110),
                first.around(115),
                first.find(111),
                first.around(99)
            ),
            (Some(1), Some(1), None, None)
        );
        assert_eq!(first.list()[1].place(&first.names(1)[1]), 129..137);
    }
}
