//! Finds messages and their parts in the input, and removes or inserts parts.

use super::{insert::Inserts, *};
use crate::{
    json::locate::{record_around, value},
    read_at::Window,
};

/// What holds a message that can be removed, and beside which others can be inserted.
pub struct Container {
    /// The element of an array: the message, or the entry around it; or the record of a file of
    /// lines.
    pub place: Range<usize>,
    /// Whether it is a record of a file of lines.
    pub is_line: bool,
}

impl Container {
    /// Returns the place before or behind it.
    pub fn gap(&self, behind: bool) -> Gap {
        let start = self.place.start as u64;
        let end = self.place.end as u64;
        match (self.is_line, behind) {
            (true, true) => Gap::LineBehind(end),
            (true, false) => Gap::LineBefore(start),
            (false, true) => Gap::Behind(end),
            (false, false) => Gap::Before(start),
        }
    }
}

/// The parts of a message.
pub struct Content {
    /// The value of the member that contains them.
    pub value: Range<usize>,
    /// Its elements, if it is an array.
    pub elements: Option<Vec<Range<usize>>>,
}

impl Content {
    /// Returns the place after its last element, if it is an array.
    pub fn end(&self) -> Option<Gap> {
        Some(
            self.elements
                .as_ref()?
                .last()
                .map_or(Gap::Before(self.value.start as u64 + 1), |last| {
                    Gap::Behind(last.end as u64)
                }),
        )
    }
}

impl RepairContext<'_> {
    /// Returns the parts of message `i`.
    pub fn content(&mut self, i: usize) -> Option<Rc<Content>> {
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
            self.value_of(start, self.content_name())?
        };
        let found = Rc::new(Content {
            elements: elements(self.bytes, value.start),
            value,
        });
        self.content = Some((i, found.clone()));
        Some(found)
    }

    /// Returns the container of message `i`; `None` if the message cannot be removed.
    pub fn container(&mut self, i: usize) -> Option<Container> {
        let record = self.transcript.messages[i].record as usize;
        let message = self.whole(i);
        let held = |place, is_line| Some(Container { place, is_line });
        if message.start == record && self.lines {
            return held(message, true);
        }
        let before = self.bytes[..message.start]
            .iter()
            .rev()
            .find(|b| !b.is_ascii_whitespace());
        if matches!(before, Some(b'[' | b',')) {
            return held(message, false);
        }
        if !self.lines {
            return None;
        }
        if self.bytes[record] != b'[' {
            return held(value(self.bytes, record)?, true);
        }
        if self.entries.0 != Some(record) {
            let entries = elements(self.bytes, record);
            self.entries = (Some(record), entries.unwrap_or_default());
        }
        held(around(&self.entries.1, &message)?, false)
    }

    /// Returns the container of the last part of message `i`, which may have several records.
    pub fn last_container(&mut self, i: usize) -> Option<Container> {
        let mut container = self.container(i)?;
        if let Some(last) = self
            .transcript
            .blocks_of(i)
            .last()
            .filter(|_| container.is_line)
        {
            container.place = self
                .record_around(i, self.place(i, last.span).start)
                .unwrap_or(container.place);
        }
        Some(container)
    }

    /// Returns the record that contains the byte at `at` of message `i`; `None` unless the record
    /// is more than the message: a line, or an entry around it.
    pub fn record_around(&mut self, i: usize, at: usize) -> Option<Range<usize>> {
        if let Some((message, record)) = &self.around
            && *message == i
            && record.contains(&at)
        {
            return Some(record.clone());
        }
        let Container { place, is_line } = self.container(i)?;
        if !is_line {
            return Some(place).filter(|place| *place != self.whole(i));
        }
        let found = record_around(&mut Window::new(&self.bytes), at as u64).ok()?;
        let found = found.start as usize..found.end as usize;
        self.around = Some((i, found.clone()));
        Some(found)
    }

    /// Returns the element of its message's content that contains the block at index `block`.
    pub fn element_of(&mut self, block: u32) -> Option<Range<usize>> {
        around(
            self.content(self.message_of(block))?.elements.as_ref()?,
            &self.place_of(block),
        )
    }

    /// Returns the object of the block at index `block`, in its message or in the result that
    /// contains it.
    pub fn object_of(&mut self, block: u32) -> Option<Range<usize>> {
        let transcript = self.transcript;
        let i = self.message_of(block);
        if self.rules.items {
            return Some(self.place_of(block));
        }
        let part = usize::from(transcript.block(block).part);
        match self.result_of(block) {
            Some(result) => elements(
                self.bytes,
                self.place(i, transcript.link_at(result).content).start,
            )?
            .get(part)
            .cloned(),
            None => self.content(i)?.elements.as_ref()?.get(part).cloned(),
        }
    }

    /// Returns the result that contains the block at index `block`.
    pub fn result_of(&self, block: u32) -> Option<u32> {
        let transcript = self.transcript;
        (transcript.message_with(block).blocks..block)
            .rev()
            .find(|&before| transcript.block(before).kind == BlockKind::Result)
            .filter(|result| block - result <= transcript.link_at(*result).children)
    }

    /// Removes blocks of message `i` and inserts parts, or removes the message if nothing would be
    /// left.
    pub fn change_content(&mut self, i: usize, removed: &[u32], inserts: Inserts) {
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
                self.set_content(i, &all)
            };
        };
        let value = content.value.clone();
        // A message with calls beside its content stays.
        let beside = self.rules.calls_beside_content && self.transcript.has(i, BlockKind::Call);
        let Some(elements) = &content.elements else {
            return match (removed.is_empty(), inserts.is_empty()) {
                (false, true) if beside => self.put(value, b"null".to_vec()),
                (false, true) => self.empty(i),
                (false, false) => self.put(value, array(&all)),
                (true, true) => {}
                (true, false) => self.insert_before(value, all),
            };
        };
        let parts: BTreeSet<usize> = removed
            .iter()
            .filter_map(|&b| self.element_of(b))
            .map(|place| place.start)
            .collect();
        if inserts.is_empty() && parts.len() == elements.len() {
            return match (self.repeats_calls(), self.container(i)) {
                (true, None) => self.put(value.start + 1..value.end - 1, Vec::new()),
                (true, _) => self.drop_message(i),
                _ if beside => self.put(value, b"null".to_vec()),
                _ => self.empty(i),
            };
        }
        for (spot, text) in inserts {
            let element = match spot {
                InsertionPoint::Behind(block) | InsertionPoint::Before(block) => {
                    self.element_of(block)
                }
                _ => Some(
                    elements
                        .first()
                        .cloned()
                        .unwrap_or(value.start + 1..value.end),
                ),
            };
            if let Some(element) = element {
                let gap = match spot {
                    InsertionPoint::Behind(_) => Gap::Behind(element.end as u64),
                    _ => Gap::Before(element.start as u64),
                };
                self.insert(gap, text);
            }
        }
        for element in elements.iter().filter(|e| parts.contains(&e.start)) {
            self.cut(element.clone());
        }
    }

    /// Removes results from message `i`, a run of a tool in the record of its call.
    fn remove_results(&mut self, i: usize, removed: &[u32]) {
        let name = self.inline().and_then(|inline| inline.results);
        let Some(list) = name.and_then(|name| self.value_of(self.start(i), name)) else {
            return;
        };
        let Some(parts) = elements(self.bytes, list.start) else {
            return self.put(list, array(b""));
        };
        for &block in removed {
            let part = self.transcript.block(block).part;
            if let Some(part) = parts.get(usize::from(part)) {
                self.cut(part.clone());
            }
        }
    }

    /// Appends parts from elsewhere, elements of contents or string contents, to message `j`.
    pub fn append_parts(&mut self, j: usize, parts: &[Range<usize>]) {
        let Some(content) = self.content(j) else {
            let parts = self.take_parts(parts);
            return self.set_content(j, &parts);
        };
        let Some(end) = content.end() else {
            // An empty text is not kept as a part.
            let value = content.value.clone();
            let own = self
                .as_part(&self.bytes[value.clone()])
                .filter(|_| value.len() > 2);
            let parts = Some(self.take_parts(parts)).filter(|parts| !parts.is_empty());
            let all: Vec<Vec<u8>> = own.into_iter().chain(parts).collect();
            return self.put(value, array(&all.join(&b","[..])));
        };
        for part in parts {
            match self.as_part(&self.bytes[part.clone()]) {
                Some(text) => self.insert(end, text),
                None => self.move_to(part.clone(), end),
            }
        }
    }

    /// Removes parts from their places; returns them separated by commas.
    pub fn take_parts(&mut self, parts: &[Range<usize>]) -> Vec<u8> {
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
    pub fn as_part(&self, content: &[u8]) -> Option<Vec<u8>> {
        (content.first() == Some(&b'"')).then(|| self.text_part(content, b""))
    }

    /// Inserts parts before the only part of a message, whose content is not an array.
    fn insert_before(&mut self, value: Range<usize>, mut parts: Vec<u8>) {
        let own = &self.bytes[value.clone()];
        let object = Some(own.to_vec()).filter(|own| own[0] == b'{');
        if let Some(own) = self.as_part(own).or(object) {
            parts = [parts, own].join(&b","[..]);
        }
        self.put(value, array(&parts));
    }

    /// Makes parts the content of a message.
    pub fn set_content(&mut self, i: usize, parts: &[u8]) {
        let start = self.start(i);
        if self.bytes[start] == b'{' {
            self.set_member(start, self.content_name(), array(parts));
        }
    }
}

/// Returns the one of `elements`, which are in order, that contains `place`.
fn around(elements: &[Range<usize>], place: &Range<usize>) -> Option<Range<usize>> {
    elements[..elements.partition_point(|e| e.start <= place.start)]
        .last()
        .filter(|element| place.end <= element.end)
        .cloned()
}
