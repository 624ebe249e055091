//! Where blocks and messages lie that go as a whole: elements of an array, members of an object, lines of a file.
//!
//! A transcript says where the text of a block is; what goes with it, the object around it, its comma, its line, is found
//! here, by walking the message once more. A message is made of items: most are one element of the body's array, or one
//! record of a history; a run of the model in OpenAI's item lists is several. An item of which all blocks go, goes.

use super::Change;
use super::{Action, View};
use crate::Error;
use crate::format::{Layout, by_name};
use crate::json::{Cursor, Kind, ScanError};
use crate::locate::{after, before, line_of, record_around, value};
use crate::transcript::Span;
use std::collections::HashMap;
use std::ops::Range;

/// What goes as a whole.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// Elements, members and, as stretches to be replaced by nothing, records with their line ends.
    pub changes: Vec<Change>,
    /// Records of a history that go, sorted, without their line ends.
    pub records: Vec<Range<u64>>,
}

/// What the cuts of `view` that drop blocks and messages take away.
///
/// # Errors
/// A message cannot go by itself, or the input cannot be read any more.
pub(super) fn whole(view: &View<'_>) -> Result<Whole, Error> {
    let mut by_message: Vec<(usize, Vec<u32>)> = Vec::new();
    for cut in view.cuts().filter(|cut| matches!(cut.action, Action::Drop | Action::DropMessage)) {
        let i = cut.message as usize;
        let blocks = if cut.action == Action::DropMessage { view.parts(i).map(|(index, _)| index).collect() } else { vec![cut.block] };
        match by_message.last_mut().filter(|(last, _)| *last == i) {
            Some((_, all)) => all.extend(blocks),
            None => by_message.push((i, blocks)),
        }
    }
    let mut places = Places { view, in_record: HashMap::new(), whole: Whole::default() };
    for (i, message) in view.transcript.messages.iter().enumerate().filter(|(i, _)| !view.is_gone(*i)) {
        places.in_record.entry(message.record).or_insert(i);
    }
    for (i, blocks) in by_message {
        places.message(i, &blocks)?;
    }
    places.whole.records.sort_by_key(|r| r.start);
    places.whole.records.dedup();
    Ok(places.whole)
}

/// One of the values that a message is made of.
pub(super) struct Item {
    pub range: Range<u64>,
    /// Whether it is a record of a history, and no element of an array.
    record: bool,
    pub bytes: Vec<u8>,
}

struct Places<'a> {
    view: &'a View<'a>,
    /// A message that stays in a record.
    in_record: HashMap<u64, usize>,
    whole: Whole,
}

impl Places<'_> {
    /// Takes `blocks` of message `i` away, and what holds nothing else.
    fn message(&mut self, i: usize, blocks: &[u32]) -> Result<(), Error> {
        let view = self.view;
        let all: Vec<(u32, Range<u64>)> = view.parts(i).map(|(index, b)| (index, place(view, i, b.span))).collect();
        for item in items(view, i)? {
            let inside = |at: &Range<u64>| at.start >= item.range.start && at.end <= item.range.end;
            let (mut go, mut stay) = (Vec::new(), 0);
            for (index, at) in all.iter().filter(|(_, at)| inside(at)) {
                if blocks.binary_search(index).is_ok() { go.push(at.clone()) } else { stay += 1 }
            }
            let gone = view.is_gone(i);
            if stay == 0 && (gone || !go.is_empty()) {
                self.item(i, &item)?;
            } else if !go.is_empty() {
                self.parts(i, &item, go)?;
            }
        }
        Ok(())
    }

    /// Takes an item away.
    fn item(&mut self, i: usize, item: &Item) -> Result<(), Error> {
        if !item.record {
            self.whole.changes.push(Change::Drop { start: item.range.start, end: item.range.end });
            return Ok(());
        }
        let stays = self.in_record.get(&item.range.start).is_some_and(|&other| other != i);
        if self.view.transcript.messages[i].fixed || stays {
            return Err(self.fixed(i));
        }
        let (start, end) = line_of(self.view.texts, &item.range)?;
        self.whole.changes.push(Change::Put { start, end, text: Vec::new() });
        self.whole.records.push(item.range.clone());
        Ok(())
    }

    /// Takes parts of an item away, which lie at `go`.
    fn parts(&mut self, i: usize, item: &Item, mut go: Vec<Range<u64>>) -> Result<(), Error> {
        go.sort_by_key(|r| r.start);
        let found = parts(&item.bytes, item.range.start, &go).map_err(|_| Error::Changed)?;
        if found.reached < go.len() {
            return Err(self.fixed(i));
        }
        self.whole.changes.extend(found.changes);
        Ok(())
    }

    fn fixed(&self, i: usize) -> Error {
        Error::Fixed { message: self.view.transcript.messages[i].number }
    }
}

/// Where a span of message `i` lies in the input.
fn place(view: &View<'_>, i: usize, span: Span) -> Range<u64> {
    let record = view.transcript.messages[i].record;
    record + u64::from(span.start)..record + u64::from(span.end)
}

/// The values that message `i` is made of.
pub(super) fn items(view: &View<'_>, i: usize) -> Result<Vec<Item>, Error> {
    let (texts, message) = (view.texts, &view.transcript.messages[i]);
    let fixed = || Error::Fixed { message: message.number };
    if message.span.is_empty() {
        return Err(fixed());
    }
    let span = place(view, i, message.span);
    let mut items = Vec::new();
    if span.start > message.record && matches!(before(texts, span.start)?, Some((_, b'[' | b','))) {
        let mut at = span.start;
        while at < span.end {
            let (range, bytes) = value(texts, at)?;
            let next = after(texts, range.end)?;
            items.push(Item { range, record: false, bytes });
            match next {
                Some((comma, b',')) => at = comma + 1,
                _ => break,
            }
        }
    } else if by_name(view.transcript.format).is_none_or(|f| f.layout == Layout::Body) {
        return Err(fixed());
    } else {
        let (range, bytes) = value(texts, message.record)?;
        items.push(Item { range, record: true, bytes });
    }
    // The rest of a run that lies in other records.
    for (_, block) in view.parts(i) {
        let at = place(view, i, block.span);
        if items.last().is_none_or(|last| at.start >= last.range.end) {
            let (range, bytes) = record_around(texts, at.start)?;
            items.push(Item { range, record: true, bytes });
        }
    }
    Ok(items)
}

/// What taking parts away from an item comes to.
#[derive(Default)]
struct Found {
    changes: Vec<Change>,
    /// How many of them were found.
    reached: usize,
}

/// The changes that take away the parts at `go`, sorted places of the input, from the item `bytes` that begins at `origin`.
fn parts(bytes: &[u8], origin: u64, go: &[Range<u64>]) -> Result<Found, ScanError> {
    let mut found = Found::default();
    // Objects to walk through, by where they begin.
    let mut objects = vec![0];
    let holds =
        |value: &Range<u64>| go.iter().skip(go.partition_point(|r| r.start < value.start)).take_while(|r| r.end <= value.end).count();
    while let Some(at) = objects.pop() {
        let mut cursor = Cursor::new(bytes);
        cursor.go_to(at);
        if cursor.kind()? != Kind::Object {
            continue;
        }
        let mut members = cursor.enter_object()?;
        let mut before = cursor.at();
        while let Some(key) = cursor.key(&mut members)? {
            let key_at = before + memchr::memchr(b'"', &bytes[before..]).unwrap_or(0);
            cursor.peek();
            let from = cursor.at();
            let kind = cursor.skip()?;
            before = cursor.at();
            let value = origin + from as u64..origin + before as u64;
            let inside = holds(&value);
            if inside == 0 {
                continue;
            }
            let member = Change::Drop { start: origin + key_at as u64, end: value.end };
            let whole = go.binary_search_by_key(&value.start, |r| r.start).is_ok_and(|n| go[n] == value);
            match kind {
                // A list that counts as one block, as thoughts do.
                Kind::Array if whole => {
                    found.reached += inside;
                    found.changes.push(member);
                }
                Kind::Array => {
                    let (places, all) = elements(bytes, origin, from, go)?;
                    found.reached += inside;
                    found.changes.extend(match &*key {
                        _ if places.len() < all => places.into_iter().map(|r| Change::Drop { start: r.start, end: r.end }).collect(),
                        b"tool_calls" => vec![member],
                        b"content" => vec![Change::Put { start: value.start, end: value.end, text: b"null".to_vec() }],
                        _ => vec![Change::Put { start: value.start, end: value.end, text: b"[]".to_vec() }],
                    });
                }
                Kind::String if &*key == b"content" => {
                    found.reached += inside;
                    found.changes.push(Change::Put { start: value.start, end: value.end, text: b"null".to_vec() });
                }
                Kind::String => {
                    found.reached += inside;
                    found.changes.push(member);
                }
                Kind::Object if whole && &*key == b"function_call" => {
                    found.reached += inside;
                    found.changes.push(member);
                }
                Kind::Object if !whole => objects.push(from),
                _ => {}
            }
        }
    }
    Ok(found)
}

/// The element of an array that is a member of the item `bytes`, or of an object in it, that holds `at`: the outermost.
pub(super) fn elements_at(bytes: &[u8], origin: u64, at: &Range<u64>) -> Result<Option<Range<u64>>, ScanError> {
    let mut object = 0;
    loop {
        let mut cursor = Cursor::new(bytes);
        cursor.go_to(object);
        if cursor.kind()? != Kind::Object {
            return Ok(None);
        }
        let mut members = cursor.enter_object()?;
        let mut inner = None;
        while let Some(_key) = cursor.key(&mut members)? {
            cursor.peek();
            let from = cursor.at();
            let kind = cursor.skip()?;
            let holds = at.start >= origin + from as u64 && at.end <= origin + cursor.at() as u64;
            match kind {
                Kind::Array if holds => return Ok(elements(bytes, origin, from, std::slice::from_ref(at))?.0.pop()),
                Kind::Object if holds => inner = Some(from),
                _ => {}
            }
        }
        match inner {
            Some(from) if from > object => object = from,
            _ => return Ok(None),
        }
    }
}

/// Of the array at `from`: the elements that hold one of `go`, and how many elements there are.
fn elements(bytes: &[u8], origin: u64, from: usize, go: &[Range<u64>]) -> Result<(Vec<Range<u64>>, usize), ScanError> {
    let mut cursor = Cursor::new(bytes);
    cursor.go_to(from);
    let mut members = cursor.enter_array()?;
    let (mut places, mut all) = (Vec::new(), 0);
    while cursor.element(&mut members)? {
        cursor.peek();
        let from = cursor.at();
        cursor.skip()?;
        let range = origin + from as u64..origin + cursor.at() as u64;
        let first = go.partition_point(|r| r.start < range.start);
        if go.get(first).is_some_and(|r| r.end <= range.end) {
            places.push(range);
        }
        all += 1;
    }
    Ok((places, all))
}

#[cfg(test)]
#[path = "whole_tests.rs"]
pub(super) mod tests;
