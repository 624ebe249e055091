//! Finds the bytes of blocks and messages that are removed as a whole: elements of an array,
//! members of an object, lines of a file.
//!
//! A transcript knows where the text of a block is. The object around it, its comma and its line
//! are found here, by walking the message once more. A message consists of items: most are one
//! element of the body's array, or one record of a log; a run of the model in OpenAI's item lists
//! is several. An item is removed if all of its blocks are removed.

use super::*;
use crate::{
    json::{
        locate,
        locate::{after, before, line_of, record_around, value_at},
    },
    transcript::Layout,
};

/// Blocks, messages and records that are removed as a whole.
#[derive(Debug, Default)]
pub struct WholeRemovals {
    /// Elements and members to remove and, as ranges to replace by nothing, records with their line
    /// ends.
    pub changes: Vec<Change>,
    /// Removed records of a history, sorted, without their line ends.
    pub records: Vec<Range<u64>>,
}

/// Returns the changes that drop the blocks and messages of the cuts of `view`.
///
/// # Errors
/// A message cannot be removed by itself, or the input cannot be read any more.
pub fn removals(view: &View<'_>) -> Result<WholeRemovals> {
    let mut by_message: Vec<(usize, Vec<u32>)> = Vec::new();
    for cut in view.cuts().filter(|cut| cut.action.removes()) {
        let i = cut.message as usize;
        let blocks = if cut.action == Action::DropMessage {
            view.parts(i).map(|(index, _)| index).collect()
        } else {
            vec![cut.block]
        };
        match by_message.last_mut().filter(|(last, _)| *last == i) {
            Some((_, all)) => all.extend(blocks),
            None => by_message.push((i, blocks)),
        }
    }
    let mut places = Places {
        view,
        window: Window::new(view.texts),
        in_record: HashMap::new(),
        whole: WholeRemovals::default(),
    };
    for (i, message) in view
        .transcript
        .messages
        .iter()
        .enumerate()
        .filter(|(i, _)| !view.is_gone(*i))
    {
        places.in_record.entry(message.record).or_insert(i);
    }
    for (i, blocks) in by_message {
        places.message(i, &blocks)?;
    }
    places.whole.records.sort_by_key(|r| r.start);
    places.whole.records.dedup();
    Ok(places.whole)
}

/// One of the values that a message consists of.
pub struct Item {
    pub range: Range<u64>,
    /// Whether it is a record of a history; else it is an element of an array.
    record: bool,
}

impl Item {
    /// Returns its bytes.
    pub fn bytes<'a>(&self, texts: &'a dyn ReadAt) -> Result<Cow<'a, [u8]>> {
        Ok(texts.read(self.range.start, self.range.end)?)
    }
}

struct Places<'a> {
    view: &'a View<'a>,
    window: Window<'a>,
    /// For each record, a message in it that stays.
    in_record: HashMap<u64, usize>,
    whole: WholeRemovals,
}

impl Places<'_> {
    /// Removes `blocks` of message `i`, and values that contain nothing else.
    fn message(&mut self, i: usize, blocks: &[u32]) -> Result<()> {
        let view = self.view;
        let message = &view.transcript.messages[i];
        let all: Vec<(u32, Range<u64>)> = view
            .parts(i)
            .map(|(index, b)| (index, message.range(b.span)))
            .collect();
        for item in items(view, i, &mut self.window)? {
            let inside = |at: &Range<u64>| at.start >= item.range.start && at.end <= item.range.end;
            let (mut go, mut stay) = (Vec::new(), 0);
            for (index, at) in all.iter().filter(|(_, at)| inside(at)) {
                if blocks.binary_search(index).is_ok() {
                    go.push(at.clone())
                } else {
                    stay += 1
                }
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

    /// Removes an item.
    fn item(&mut self, i: usize, item: &Item) -> Result<()> {
        if !item.record {
            let removal = Change::removal(item.range.clone());
            self.whole.changes.push(removal);
            return Ok(());
        }
        let stays = self
            .in_record
            .get(&item.range.start)
            .is_some_and(|&other| other != i);
        if self.view.transcript.messages[i].not_removable || stays {
            return Err(self.not_removable(i));
        }
        let known = self
            .view
            .transcript
            .table
            .as_ref()
            .and_then(|table| Some(table.list()[table.find(item.range.start)?].line()));
        let line = known.map_or_else(|| line_of(&mut self.window, &item.range), Ok)?;
        self.whole.changes.push(Change::put(line, b""));
        self.whole.records.push(item.range.clone());
        Ok(())
    }

    /// Removes the parts at `go` from an item.
    fn parts(&mut self, i: usize, item: &Item, mut go: Vec<Range<u64>>) -> Result<()> {
        go.sort_by_key(|r| r.start);
        let bytes = item.bytes(self.view.texts)?;
        let (changes, reached) = parts(&bytes, item.range.start, &go).ok_or(Error::Changed)?;
        if reached < go.len() {
            return Err(self.not_removable(i));
        }
        self.whole.changes.extend(changes);
        Ok(())
    }

    fn not_removable(&self, i: usize) -> Error {
        Error::Fixed {
            message: self.view.transcript.messages[i].number,
        }
    }
}

/// Returns the values that message `i` consists of.
pub fn items(view: &View<'_>, i: usize, window: &mut Window<'_>) -> Result<Vec<Item>> {
    let message = &view.transcript.messages[i];
    let not_removable = || Error::Fixed {
        message: message.number,
    };
    if message.span.is_empty() {
        return Err(not_removable());
    }
    let span = message.range(message.span);
    let table = view.transcript.table.as_ref();
    let is_element = match table.filter(|table| table.find(message.record).is_some()) {
        _ if span.start == message.record => false,
        Some(table) => table.is_element(span.start),
        None => matches!(before(window, span.start)?, Some((_, b'[' | b','))),
    };
    // The record that contains a byte.
    let record = |window: &mut Window<'_>, at: u64| {
        let known = table.and_then(|table| Some(table.list()[table.around(at)?].range()));
        let range = known.map_or_else(|| record_around(window, at), Ok);
        range.map(|range| Item {
            range,
            record: true,
        })
    };
    let mut items = Vec::new();
    if is_element {
        let mut at = span.start;
        while at < span.end {
            let range = value_at(window, at)?;
            let next = after(window, range.end)?;
            items.push(Item {
                range,
                record: false,
            });
            match next {
                Some((comma, b',')) => at = comma + 1,
                _ => break,
            }
        }
    } else if view.transcript.layout == Layout::Body {
        return Err(not_removable());
    } else {
        items.push(record(window, message.record)?);
    }
    // The other records of a run.
    for (_, block) in view.parts(i) {
        let at = message.range(block.span);
        if items.last().is_none_or(|last| at.start >= last.range.end) {
            items.push(record(window, at.start)?);
        }
    }
    Ok(items)
}

/// Returns the changes that remove the parts at `go`, sorted ranges of the input, from the item
/// `bytes`, which begins at `origin`, and the number of parts that were found.
fn parts(bytes: &[u8], origin: u64, go: &[Range<u64>]) -> Option<(Vec<Change>, usize)> {
    let (mut changes, mut reached) = (Vec::new(), 0);
    // Objects still to be searched, by their first byte.
    let mut objects = vec![0];
    let holds = |value: &Range<u64>| {
        go.iter()
            .skip(go.partition_point(|r| r.start < value.start))
            .take_while(|r| r.end <= value.end)
            .count()
    };
    while let Some(at) = objects.pop().filter(|at| bytes.get(*at) == Some(&b'{')) {
        for member in locate::members(bytes, at)? {
            let value = input(origin, &member.value);
            let inside = holds(&value);
            if inside == 0 {
                continue;
            }
            let whole = go
                .binary_search_by_key(&value.start, |r| r.start)
                .is_ok_and(|n| go[n] == value);
            let put = |text: &[u8]| Change::put(value.clone(), text);
            let drop = || Change::removal(input(origin, &member.whole));
            match (member.kind, &*member.name) {
                // A list that is one block, as thoughts are.
                (Kind::Array, _) if whole => changes.push(drop()),
                (Kind::Array, name) => {
                    let (places, all) = elements(bytes, origin, member.value.start, go)?;
                    changes.extend(match name {
                        _ if places.len() < all => {
                            places.into_iter().map(Change::removal).collect()
                        }
                        b"tool_calls" => vec![drop()],
                        b"content" => vec![put(b"null")],
                        _ => vec![put(b"[]")],
                    });
                }
                (Kind::String, b"content") => changes.push(put(b"null")),
                (Kind::String, _) => changes.push(drop()),
                (Kind::Object, b"function_call") if whole => changes.push(drop()),
                (Kind::Object, _) if !whole => {
                    objects.push(member.value.start);
                    continue;
                }
                _ => continue,
            }
            reached += inside;
        }
    }
    Some((changes, reached))
}

/// Returns the outermost array element within the item `bytes` that contains `at`.
pub fn element_at(bytes: &[u8], origin: u64, at: &Range<u64>) -> Option<Range<u64>> {
    let mut object = 0;
    loop {
        let mut inner = None;
        for member in locate::members(bytes, object)? {
            let value = input(origin, &member.value);
            match member.kind {
                Kind::Array if at.start >= value.start && at.end <= value.end => {
                    return elements(bytes, origin, member.value.start, std::slice::from_ref(at))?
                        .0
                        .pop();
                }
                Kind::Object if at.start >= value.start && at.end <= value.end => {
                    inner = Some(member.value.start)
                }
                _ => {}
            }
        }
        object = inner?;
    }
}

/// Returns the elements of the array at `from` that contain one of `go`, and the number of all
/// elements.
fn elements(
    bytes: &[u8],
    origin: u64,
    from: usize,
    go: &[Range<u64>],
) -> Option<(Vec<Range<u64>>, usize)> {
    let all = locate::elements(bytes, from)?;
    let holds = |range: &Range<u64>| {
        go.get(go.partition_point(|r| r.start < range.start))
            .is_some_and(|r| r.end <= range.end)
    };
    Some((
        all.iter()
            .map(|element| input(origin, element))
            .filter(holds)
            .collect(),
        all.len(),
    ))
}

/// Converts a range of an item that begins at `origin` to a range of the input.
fn input(origin: u64, place: &Range<usize>) -> Range<u64> {
    origin + place.start as u64..origin + place.end as u64
}

#[cfg(test)]
#[path = "whole_tests.rs"]
pub(super) mod tests;
