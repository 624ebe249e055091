//! Finds messages and their parts in the input, and removes or inserts parts.

use super::RepairContext;
use super::insert::{InsertionPoint, Inserts};
use crate::edit::Gap;
use crate::json::locate::{elements, member, record_around, value};
use crate::read_at::Window;
use crate::transcript::{BlockKind, Role};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// Where a message is, if it can be removed and others can be inserted beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Container {
    /// An array with this element: the message, or the entry around it.
    List(Range<usize>),
    /// A file of lines with this record.
    Lines(Range<usize>),
    /// Neither.
    Fixed,
}

impl Container {
    /// Returns the element or record, and the places before and after it.
    pub(super) fn gaps(self) -> Option<(Range<usize>, Gap, Gap)> {
        match self {
            Container::List(at) => Some((
                at.clone(),
                Gap::Before(at.start as u64),
                Gap::Behind(at.end as u64),
            )),
            Container::Lines(at) => Some((
                at.clone(),
                Gap::LineBefore(at.start as u64),
                Gap::LineBehind(at.end as u64),
            )),
            Container::Fixed => None,
        }
    }
}

/// The parts of a message.
pub(super) struct Content {
    /// The value of the member that contains them.
    pub(super) value: Range<usize>,
    /// Its elements, if it is an array.
    pub(super) elements: Option<Vec<Range<usize>>>,
}

impl Content {
    /// Returns the place after its last element, if it is an array.
    pub(super) fn end(&self) -> Option<Gap> {
        let elements = self.elements.as_ref()?;
        Some(
            elements
                .last()
                .map_or(Gap::Before(self.value.start as u64 + 1), |last| {
                    Gap::Behind(last.end as u64)
                }),
        )
    }
}

impl RepairContext<'_> {
    /// Returns the parts of message `i`.
    pub(super) fn content(&mut self, i: usize) -> Option<Rc<Content>> {
        if let Some((message, known)) = &self.content
            && *message == i
        {
            return Some(known.clone());
        }
        let start = self.start(i);
        // Results beside a history are a list without an object around it.
        let value = if self.bytes[start] == b'[' {
            self.whole(i)
        } else {
            member(self.bytes, start, self.content_name())?.value
        };
        let found = Rc::new(Content {
            elements: elements(self.bytes, value.start),
            value,
        });
        self.content = Some((i, found.clone()));
        Some(found)
    }

    /// Returns the container of message `i`.
    pub(super) fn container(&mut self, i: usize) -> Container {
        let (record, message) = (self.transcript.messages[i].record as usize, self.whole(i));
        if message.start == record && self.lines {
            return Container::Lines(message);
        }
        let before = self.bytes[..message.start]
            .iter()
            .rev()
            .find(|b| !b.is_ascii_whitespace());
        if matches!(before, Some(b'[' | b',')) {
            return Container::List(message);
        }
        if !self.lines {
            return Container::Fixed;
        }
        if self.bytes[record] != b'[' {
            return value(self.bytes, record).map_or(Container::Fixed, Container::Lines);
        }
        if self.entries.0 != Some(record) {
            self.entries = (
                Some(record),
                elements(self.bytes, record).unwrap_or_default(),
            );
        }
        around(&self.entries.1, &message).map_or(Container::Fixed, Container::List)
    }

    /// Returns the container of the last part of message `i`, which may have several records.
    pub(super) fn last_container(&mut self, i: usize) -> Container {
        let last = self.transcript.blocks_of(i).last();
        match (self.container(i), last) {
            (Container::Lines(first), Some(last)) => {
                let record = self.record_around(i, self.place(i, last.span).start);
                Container::Lines(record.unwrap_or(first))
            }
            (container, _) => container,
        }
    }

    /// Returns the record that contains the byte at `at` of message `i`; `None` unless the record is more than the message: a line,
    /// or an entry around it.
    pub(super) fn record_around(&mut self, i: usize, at: usize) -> Option<Range<usize>> {
        if let Some((message, record)) = &self.around
            && *message == i
            && record.contains(&at)
        {
            return Some(record.clone());
        }
        match self.container(i) {
            Container::Lines(_) => {
                let found = record_around(&mut Window::new(&self.bytes), at as u64).ok()?;
                let found = found.start as usize..found.end as usize;
                self.around = Some((i, found.clone()));
                Some(found)
            }
            Container::List(place) => Some(place).filter(|place| *place != self.whole(i)),
            Container::Fixed => None,
        }
    }

    /// Returns the element of message `i`'s content that contains the block at index `block`.
    pub(super) fn element_of(&mut self, i: usize, block: u32) -> Option<Range<usize>> {
        let place = self.place_of(block);
        around(self.content(i)?.elements.as_ref()?, &place)
    }

    /// Returns the object of the block at index `block`, in message `i` or in the result that contains it.
    pub(super) fn object_of(&mut self, i: usize, block: u32) -> Option<Range<usize>> {
        let transcript = self.transcript;
        if self.rules.items {
            return Some(self.place_of(block));
        }
        let part = usize::from(transcript.blocks[block as usize].part);
        match self.result_of(block) {
            Some(result) => {
                let content = self.place(i, transcript.link_at(result).content);
                elements(self.bytes, content.start)?.get(part).cloned()
            }
            None => self.content(i)?.elements.as_ref()?.get(part).cloned(),
        }
    }

    /// Returns the result that contains the block at index `block`.
    pub(super) fn result_of(&self, block: u32) -> Option<u32> {
        let transcript = self.transcript;
        (transcript.messages[self.message_of(block)].blocks..block)
            .rev()
            .find(|&before| transcript.blocks[before as usize].kind == BlockKind::Result)
            .filter(|result| block - result <= transcript.link_at(*result).children)
    }

    /// Removes blocks of message `i` and inserts parts, or removes the message if nothing would be left.
    pub(super) fn change_content(&mut self, i: usize, removed: &[u32], inserts: Inserts) {
        let texts: Vec<&[u8]> = inserts.iter().map(|(_, text)| &text[..]).collect();
        let all = texts.join(&b","[..]);
        if self.transcript.messages[i].role == Role::Tool && inserts.is_empty() {
            return if self.inline().is_some() {
                self.remove_results(i, removed)
            } else {
                self.drop_message(i)
            };
        }
        let Some(content) = self.content(i) else {
            return if inserts.is_empty() {
                self.empty(i)
            } else {
                self.add_content(i, &all)
            };
        };
        let value = content.value.clone();
        // A message with calls beside its content stays.
        let mut blocks = self.transcript.blocks_of(i).iter();
        let beside = self.rules.calls_beside_content && blocks.any(|b| b.kind == BlockKind::Call);
        let Some(elements) = &content.elements else {
            return match (removed.is_empty(), inserts.is_empty()) {
                (false, true) if beside => self.put(value, b"null".to_vec()),
                (false, true) => self.empty(i),
                (false, false) => self.put(value, [b"[", &all[..], b"]"].concat()),
                (true, true) => {}
                (true, false) => self.insert_before(value, all),
            };
        };
        let parts: BTreeSet<usize> = removed
            .iter()
            .filter_map(|&b| self.element_of(i, b))
            .map(|place| place.start)
            .collect();
        if inserts.is_empty() && parts.len() == elements.len() {
            return match self.container(i) {
                Container::Fixed if self.repeats_calls() => {
                    self.put(value.start + 1..value.end - 1, Vec::new())
                }
                _ if self.repeats_calls() => self.drop_message(i),
                _ if beside => self.put(value, b"null".to_vec()),
                _ => self.empty(i),
            };
        }
        for (spot, text) in inserts {
            let gap = match spot {
                InsertionPoint::Behind(block) => {
                    self.element_of(i, block).map(|e| Gap::Behind(e.end as u64))
                }
                InsertionPoint::Before(block) => self
                    .element_of(i, block)
                    .map(|e| Gap::Before(e.start as u64)),
                _ => {
                    let first = elements.first();
                    let start = first.map_or(value.start + 1, |first| first.start);
                    Some(Gap::Before(start as u64))
                }
            };
            gap.into_iter()
                .for_each(|gap| self.insert(gap, text.clone()));
        }
        elements
            .iter()
            .filter(|e| parts.contains(&e.start))
            .for_each(|e| self.cut(e.clone()));
    }

    /// Removes results from message `i`, a run of a tool in the record of its call.
    fn remove_results(&mut self, i: usize, removed: &[u32]) {
        let name = self.inline().and_then(|inline| inline.results);
        let list = name.and_then(|name| member(self.bytes, self.start(i), name));
        let Some(list) = list.map(|m| m.value) else {
            return;
        };
        let Some(parts) = elements(self.bytes, list.start) else {
            return self.put(list, b"[]".to_vec());
        };
        for &block in removed {
            let part = self.transcript.blocks[block as usize].part;
            parts
                .get(usize::from(part))
                .into_iter()
                .for_each(|part| self.cut(part.clone()));
        }
    }

    /// Appends parts from elsewhere, elements of contents or string contents, to message `j`.
    pub(super) fn append_parts(&mut self, j: usize, parts: &[Range<usize>]) {
        let Some(content) = self.content(j) else {
            let parts = self.take_parts(parts);
            return self.add_content(j, &parts);
        };
        let Some(end) = content.end() else {
            // An empty text is not kept as a part.
            let value = content.value.clone();
            let own = self.as_part(&self.bytes[value.clone()]);
            let own = own.filter(|_| value.len() > 2);
            let parts = Some(self.take_parts(parts)).filter(|parts| !parts.is_empty());
            let all: Vec<Vec<u8>> = own.into_iter().chain(parts).collect();
            return self.put(value, [b"[", &all.join(&b","[..])[..], b"]"].concat());
        };
        for part in parts {
            match self.as_part(&self.bytes[part.clone()]) {
                Some(text) => self.insert(end, text),
                None => self.move_to(part.clone(), end),
            }
        }
    }

    /// Removes parts from their places; returns them separated by commas.
    pub(super) fn take_parts(&mut self, parts: &[Range<usize>]) -> Vec<u8> {
        let written: Vec<Vec<u8>> = parts
            .iter()
            .map(|part| {
                let bytes = &self.bytes[part.clone()];
                self.as_part(bytes).unwrap_or_else(|| {
                    self.cut(part.clone());
                    bytes.to_vec()
                })
            })
            .collect();
        written.join(&b","[..])
    }

    /// Returns a content that is not an array as one part.
    pub(super) fn as_part(&self, content: &[u8]) -> Option<Vec<u8>> {
        (content.first() == Some(&b'"')).then(|| self.text_part(content, b""))
    }

    /// Inserts parts before the only part of a message, whose content is not an array.
    fn insert_before(&mut self, value: Range<usize>, mut parts: Vec<u8>) {
        let own = &self.bytes[value.clone()];
        let object = Some(own.to_vec()).filter(|own| own[0] == b'{');
        if let Some(own) = self.as_part(own).or(object) {
            parts = [parts, own].join(&b","[..]);
        }
        self.put(value, [b"[", &parts[..], b"]"].concat());
    }

    /// Adds a content to a message without one.
    pub(super) fn add_content(&mut self, i: usize, parts: &[u8]) {
        let start = self.start(i);
        if self.bytes[start] == b'{' {
            let open = format!("\"{}\":[", self.content_name());
            let content = [open.as_bytes(), parts, b"]"].concat();
            self.insert(Gap::Before(start as u64 + 1), content);
        }
    }
}

/// Returns the one of `elements`, which are in order, that contains `place`.
fn around(elements: &[Range<usize>], place: &Range<usize>) -> Option<Range<usize>> {
    let last = elements[..elements.partition_point(|e| e.start <= place.start)].last();
    last.filter(|element| place.end <= element.end).cloned()
}
