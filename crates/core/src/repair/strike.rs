//! What goes, and what is put right where it stands: parts of messages, messages, single members.

use super::place::{Seat, elements, line, member};
use super::{Bench, Defect};
use crate::check::About;
use crate::edit::Change;
use crate::json::text;
use crate::transcript::{Block, BlockKind, Fact, Role};
use std::ops::Range;

/// What stands for a message of which nothing is left, at an end of the conversation that must stay.
const NOTHING_LEFT: &str = "[What stood here was removed or is elsewhere.]";
/// What stands for the beginning of a conversation that begins in its middle.
const BEGINNING: &str = "[The beginning of this conversation is not here.]";
/// How many cache marks a request may carry.
const MARKS: usize = 4;

impl Bench<'_> {
    /// A message with nothing in it goes, unless the conversation begins or ends with it as the user's. Turns stay
    /// apart: a call of the model's comes directly after the user.
    pub(super) fn empty(&mut self, i: usize) {
        let messages = &self.transcript.messages;
        let first = messages.iter().position(|m| m.role != Role::System) == Some(i);
        let at_an_end = first || i + 1 == messages.len();
        let apart = self.answers.calls_follow_input && messages.get(i + 1).is_some_and(|m| m.role == Role::Assistant);
        let stays = messages[i].role == Role::User && (at_an_end || apart) && !self.repeats_calls();
        if !stays || self.answers.is_history {
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
                self.moves.gone.push(record.start as u64..record.end as u64);
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
        if self.answers.items {
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
                if self.answers.marks_are_parts {
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
