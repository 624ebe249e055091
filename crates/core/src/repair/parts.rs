//! The parts of a message: where they lie, and how some are removed and others inserted.

use super::Bench;
use super::insert::{Inserts, Spot};
use super::place::{Seat, elements, member, seat};
use crate::transcript::{BlockKind, Role};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// The parts of a message.
pub(super) struct Content {
    /// The value of the member that holds them.
    pub(super) value: Range<usize>,
    /// Its elements, where it is an array.
    pub(super) elements: Option<Vec<Range<usize>>>,
}

impl Bench<'_> {
    /// The parts of message `i`.
    pub(super) fn content(&mut self, i: usize) -> Option<Rc<Content>> {
        if let Some((_, known)) = self.content.as_ref().filter(|(message, _)| *message == i) {
            return Some(known.clone());
        }
        let start = self.start(i);
        // Results that stand beside a history are a list of their own.
        let value = if self.bytes[start] == b'[' { self.whole(i) } else { member(self.bytes, start, self.content_name())?.value };
        let found = Rc::new(Content { elements: elements(self.bytes, value.start), value });
        self.content = Some((i, found.clone()));
        Some(found)
    }

    /// What message `i` stands in.
    pub(super) fn seat(&mut self, i: usize) -> Seat {
        let record = self.transcript.messages[i].record as usize;
        if self.lines && self.entries.0 != Some(record) {
            self.entries = (Some(record), elements(self.bytes, record).unwrap_or_default());
        }
        seat(self.bytes, record, &self.whole(i), self.lines, &self.entries.1)
    }

    /// The element of message `i`'s content that holds the block at index `block`.
    pub(super) fn element_of(&mut self, i: usize, block: u32) -> Option<Range<usize>> {
        let place = self.place(i, self.transcript.blocks[block as usize].span);
        let content = self.content(i)?;
        let elements = content.elements.as_ref()?;
        let found = elements[..elements.partition_point(|e| e.start <= place.start)].last();
        found.filter(|e| place.end <= e.end).cloned()
    }

    /// Takes blocks out of message `i` and inserts parts into it, or takes the message itself away when nothing is left in it.
    pub(super) fn change_content(&mut self, i: usize, gone: &[u32], inserts: Inserts) {
        let all = || inserts.iter().map(|(_, text)| &text[..]).collect::<Vec<_>>().join(&b","[..]);
        if self.transcript.messages[i].role == Role::Tool && inserts.is_empty() {
            return if self.is_held() { self.take_out(i, gone) } else { self.drop_message(i) };
        }
        let Some(content) = self.content(i) else {
            return if inserts.is_empty() { self.empty(i) } else { self.add_content(i, &all()) };
        };
        let value = content.value.clone();
        // Calls that stand beside the content keep their message.
        let calls = self.transcript.blocks_of(i).iter().any(|b| b.kind == BlockKind::Call);
        let beside = calls && self.answers.calls_beside_content;
        let Some(elements) = &content.elements else {
            return match (gone.is_empty(), inserts.is_empty()) {
                (false, true) if beside => self.put(value, b"null".to_vec()),
                (false, true) => self.empty(i),
                (false, false) => self.put(value, [b"[", &all()[..], b"]"].concat()),
                (true, true) => {}
                (true, false) => self.put_before(value, &all()),
            };
        };
        let parts: BTreeSet<usize> = gone.iter().filter_map(|&b| self.element_of(i, b)).map(|place| place.start).collect();
        match (elements.len() - parts.len(), inserts.is_empty()) {
            (0, true) if self.repeats_calls() => {
                let seat = self.seat(i);
                if seat == Seat::Fixed { self.put(value.start + 1..value.end - 1, Vec::new()) } else { self.drop_message(i) }
            }
            (0, true) if beside => self.put(value, b"null".to_vec()),
            (0, true) => self.empty(i),
            (0, false) => self.put(value.start + 1..value.end - 1, all()),
            _ => {
                for (spot, text) in &inserts {
                    let anchor = match spot {
                        Spot::Before(block) | Spot::Behind(block) => self.element_of(i, *block),
                        _ => elements.first().cloned(),
                    };
                    let Some(anchor) = anchor else { continue };
                    match spot {
                        Spot::Behind(_) => self.put(anchor.end..anchor.end, [b",", &text[..]].concat()),
                        _ => self.put(anchor.start..anchor.start, [&text[..], b","].concat()),
                    }
                }
                elements.iter().filter(|e| parts.contains(&e.start)).for_each(|e| self.cut(e.clone()));
            }
        }
    }

    /// Puts parts before the only one of a message, which is no array.
    fn put_before(&mut self, value: Range<usize>, come: &[u8]) {
        match self.bytes[value.start] {
            b'"' => {
                let (open, close) = self.text_around();
                self.put(value.start..value.start, [b"[", come, b",", open].concat());
                self.put(value.end..value.end, [close, b"]"].concat());
            }
            b'{' => {
                self.put(value.start..value.start, [b"[", come, b","].concat());
                self.put(value.end..value.end, b"]".to_vec());
            }
            _ => self.put(value, [b"[", come, b"]"].concat()),
        }
    }

    /// A message without content gets one.
    pub(super) fn add_content(&mut self, i: usize, come: &[u8]) {
        let start = self.start(i);
        if self.bytes[start] == b'{' {
            let comma: &[u8] = if self.bytes[start + 1..].trim_ascii_start().first() == Some(&b'}') { b"" } else { b"," };
            self.put(start + 1..start + 1, [b"\"", self.content_name().as_bytes(), b"\":[", come, b"]", comma].concat());
        }
    }
}
