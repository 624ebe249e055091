//! What goes, and what is put right where it stands: parts of messages, messages, single members.

use super::super::About;
use super::place::{Seat, elements, line, member, seat};
use super::{Bench, Defect};
use crate::json::text;
use crate::splice::Change;
use crate::transcript::{Block, BlockKind, Fact, Role, Rules};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// What stands for a message of which nothing is left, at an end of the conversation that must stay.
const NOTHING_LEFT: &str = "[What stood here was removed or is elsewhere.]";
/// What stands for the beginning of a conversation that begins in its middle.
const BEGINNING: &str = "[The beginning of this conversation is not here.]";
/// How many cache marks a request may carry.
const MARKS: usize = 4;

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

    /// Takes blocks out of message `i` while `come` come into it, or the message itself when nothing is left in it.
    pub(super) fn change_content(&mut self, i: usize, gone: &[u32], come: &[u8]) {
        if self.transcript.messages[i].role == Role::Tool && come.is_empty() {
            return if self.is_held() { self.take_out(i, gone) } else { self.drop_message(i) };
        }
        let Some(content) = self.content(i) else {
            return if come.is_empty() { self.empty(i) } else { self.add_content(i, come) };
        };
        let value = content.value.clone();
        let Some(elements) = &content.elements else {
            return match (gone.is_empty(), come.is_empty()) {
                (false, true) => self.empty(i),
                (false, false) => self.put(value, [b"[", come, b"]"].concat()),
                (true, true) => {}
                (true, false) => self.put_before(value, come),
            };
        };
        let parts: BTreeSet<usize> = gone.iter().map(|b| usize::from(self.transcript.blocks[*b as usize].part)).collect();
        let left = elements.len() - parts.range(..elements.len()).count();
        match (left, come.is_empty()) {
            (0, true) if self.is_first_cohere() => {
                let seat = self.seat(i);
                if seat == Seat::Fixed { self.put(value.start + 1..value.end - 1, Vec::new()) } else { self.drop_message(i) }
            }
            (0, true) => {
                let calls = self.transcript.blocks_of(i).iter().any(|b| b.kind == BlockKind::Call);
                let beside = calls && matches!(self.transcript.rules, Rules::OpenAiChat | Rules::Mistral | Rules::Generic);
                if beside { self.put(value, b"null".to_vec()) } else { self.empty(i) }
            }
            (0, false) => self.put(value.start + 1..value.end - 1, come.to_vec()),
            (_, come_none) => {
                if !come_none {
                    self.add_elements(elements, come);
                }
                parts.iter().filter_map(|part| elements.get(*part).cloned()).for_each(|place| self.cut(place));
            }
        }
    }

    /// Puts `come` beside the elements of an array that has some: before them, as results want to stand.
    fn add_elements(&mut self, elements: &[Range<usize>], come: &[u8]) {
        if self.is_first_cohere() {
            // Equal calls are answered in their order: one that has no answer is the last of them.
            let end = elements[elements.len() - 1].end;
            self.put(end..end, [b",", come].concat());
        } else {
            let start = elements[0].start;
            self.put(start..start, [come, b","].concat());
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
    fn add_content(&mut self, i: usize, come: &[u8]) {
        let start = self.start(i);
        if self.bytes[start] == b'{' {
            let comma: &[u8] = if self.bytes[start + 1..].trim_ascii_start().first() == Some(&b'}') { b"" } else { b"," };
            self.put(start + 1..start + 1, [b"\"", self.content_name().as_bytes(), b"\":[", come, b"]", comma].concat());
        }
    }

    /// A message with nothing in it goes, unless the conversation begins or ends with it as the user's. Gemini's turns stay
    /// apart: a call of the model's comes directly after the user.
    pub(super) fn empty(&mut self, i: usize) {
        let messages = &self.transcript.messages;
        let first = messages.iter().position(|m| m.role != Role::System) == Some(i);
        let at_an_end = first || i + 1 == messages.len();
        let apart = self.transcript.rules == Rules::Gemini && messages.get(i + 1).is_some_and(|m| m.role == Role::Assistant);
        let stays = messages[i].role == Role::User && (at_an_end || apart) && !self.is_first_cohere();
        if !stays || self.transcript.rules == Rules::History {
            return self.drop_message(i);
        }
        let text = self.text(NOTHING_LEFT);
        match self.content(i) {
            Some(content) => self.put(content.value.clone(), text),
            None => self.add_content(i, &text[1..text.len() - 1]),
        }
    }

    /// An array of one part that says this.
    fn text(&self, text: &str) -> Vec<u8> {
        let (open, close) = self.text_around();
        [b"[", open, b"\"", text.as_bytes(), b"\"", close, b"]"].concat()
    }

    pub(super) fn drop_message(&mut self, i: usize) {
        match self.seat(i) {
            Seat::Element(place) => self.cut(place),
            Seat::Line(record) => {
                self.put(line(self.bytes, &record), Vec::new());
                self.gone_lines.push(record);
            }
            Seat::Fixed => {}
        }
    }

    /// A conversation that begins with message `i`, of another, gets a beginning of the user's.
    pub(super) fn begin(&mut self, i: usize) {
        let message = [b"{\"role\":\"user\",\"", self.content_name().as_bytes(), b"\":", &self.text(BEGINNING), b"}"].concat();
        self.put_before_message(i, &message);
    }

    /// White space at the end of a text goes.
    pub(super) fn trim(&mut self, i: usize, block: u32) {
        let raw = self.place(i, self.transcript.blocks[block as usize].span);
        let inside = &self.bytes[raw.start + 1..raw.end - 1];
        self.put(raw.start + 1 + text::trimmed_len(inside)..raw.end - 1, Vec::new());
    }

    /// Reasoning that nothing follows goes.
    pub(super) fn end_reasoning(&mut self, i: usize) {
        let blocks = self.transcript.blocks_of(i);
        let bare: Vec<Block> = blocks.iter().rev().take_while(|b| b.kind == BlockKind::Thinking).copied().collect();
        bare.into_iter().for_each(|block| self.cut(self.place(i, block.span)));
    }

    /// Reasoning goes that stands before the block at index `block`, which is not bound to it.
    pub(super) fn unbind(&mut self, i: usize, block: u32) {
        let before = &self.transcript.blocks[self.transcript.messages[i].blocks as usize..block as usize];
        let bound: Vec<Block> = before.iter().rev().take_while(|b| b.kind == BlockKind::Thinking).copied().collect();
        bound.into_iter().for_each(|block| self.cut(self.place(i, block.span)));
    }

    /// The object that the block at index `block` is, in message `i` or in the result that holds it.
    pub(super) fn object_of(&mut self, i: usize, block: u32) -> Option<Range<usize>> {
        let span = self.transcript.blocks[block as usize].span;
        if self.transcript.rules == Rules::Responses {
            return Some(self.place(i, span));
        }
        let part = usize::from(self.transcript.blocks[block as usize].part);
        match self.holder_of(block) {
            Some(result) => {
                let content = self.place(i, self.transcript.link(&self.transcript.blocks[result as usize]).content);
                elements(self.bytes, content.start)?.get(part).cloned()
            }
            None => self.content(i)?.elements.as_ref()?.get(part).cloned(),
        }
    }

    /// The result in whose content the block at index `block` stands.
    fn holder_of(&mut self, block: u32) -> Option<u32> {
        let transcript = self.transcript;
        let all = || {
            let results = (0u32..).zip(&transcript.blocks).filter(|(_, b)| b.kind == BlockKind::Result);
            results.map(|(at, _)| at).collect()
        };
        let results: &Vec<u32> = self.results.get_or_insert_with(all);
        let at = results[results.partition_point(|at| *at < block).checked_sub(1)?];
        (block - at <= transcript.link(&transcript.blocks[at as usize]).children).then_some(at)
    }

    /// Members of a block go.
    pub(super) fn strike_in(&mut self, i: usize, block: u32, names: &[&str]) {
        let Some(object) = self.object_of(i, block) else { return };
        let start = self.inner(object.start);
        names.iter().for_each(|name| self.strike(start, name));
    }

    /// A result that may not be empty gets a text.
    pub(super) fn fill(&mut self, i: usize, block: u32) {
        let content = self.place(i, self.transcript.link(&self.transcript.blocks[block as usize]).content);
        if !content.is_empty() {
            return self.put(content, self.text(NOTHING_LEFT));
        }
        let (start, text) = if self.transcript.messages[i].role == Role::Tool {
            (self.start(i), [b"\"", NOTHING_LEFT.as_bytes(), b"\""].concat())
        } else {
            let Some(object) = self.object_of(i, block) else { return };
            (self.inner(object.start), self.text(NOTHING_LEFT))
        };
        match member(self.bytes, start, "content") {
            Some(found) => self.put(found.value, text),
            None => self.put(start + 1..start + 1, [b"\"content\":", &text[..], b","].concat()),
        }
    }

    /// Where the object begins that holds a block's members: for Bedrock, what the block's key holds.
    fn inner(&self, object: usize) -> usize {
        ["toolResult", "toolUse"].iter().find_map(|key| member(self.bytes, object, key)).map_or(object, |found| found.value.start)
    }

    /// Marks go: the first ones where there are too many, else that a mark is for an hour.
    pub(super) fn unmark(&mut self, defect: &Defect) {
        let transcript = self.transcript;
        let mut marks: Vec<u32> = transcript.notes.iter().filter(|n| matches!(n.fact, Fact::Mark { .. })).map(|n| n.block).collect();
        marks.sort_unstable();
        if defect.about == About::Rule(1) {
            let request = &transcript.request;
            let surplus = (request.tool_marks.len() + request.system_marks.len() + marks.len()).saturating_sub(MARKS);
            for &block in &marks[..surplus.min(marks.len())] {
                let i = self.message_of(block);
                if transcript.rules == Rules::Converse {
                    self.gone.insert(block);
                } else {
                    self.strike_in(i, block, &["cache_control"]);
                }
            }
        } else if let Some(block) = defect.block {
            let i = self.message_of(block);
            let mark = self.object_of(i, block).and_then(|o| {
                ["cache_control", "cachePoint"].iter().find_map(|name| member(self.bytes, o.start, name)).map(|m| m.value.start)
            });
            if let Some(ttl) = mark.and_then(|mark| member(self.bytes, mark, "ttl")) {
                self.changes.push(Change::Drop { start: ttl.whole.start as u64, end: ttl.whole.end as u64 });
            }
        }
    }
}
