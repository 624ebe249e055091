//! Removes parts, messages and members, and fixes single members in place.

use super::places::Container;
use super::{Defect, RepairContext};
use crate::check::DefectSubject;
use crate::edit::{Change, Gap};
use crate::json::locate::member;
use crate::json::text;
use crate::transcript::{Block, BlockKind, EmptyContent, NoteKind, Role};
use std::ops::Range;

/// The text of an empty message at the beginning or end of a conversation that must stay.
const NOTHING_LEFT: &str = "[What stood here was removed or is elsewhere.]";
/// The text of a missing beginning of a conversation.
const BEGINNING: &str = "[The beginning of this conversation is not here.]";
/// The most cache marks that a request may carry.
const MARKS: usize = 4;

impl RepairContext<'_> {
    /// Repairs content that is empty, too much, or half of a pair.
    pub(super) fn fix_content(&mut self, defect: &Defect) {
        match (defect.row.code, defect.block) {
            ("E08", Some(block))
                if self.transcript.blocks[block as usize].kind == BlockKind::Result =>
            {
                self.fill(defect.message, block);
            }
            ("E08" | "E20" | "E33" | "E34", Some(block)) => drop(self.removed.insert(block)),
            ("E08", None) => self.empty(defect.message),
            ("E09", _) => self.remove_member(self.start(defect.message), "tool_calls"),
            ("E13", Some(block)) => self.trim(defect.message, block),
            ("E14", _) => self.unmark(defect),
            ("E17", Some(block)) => self.unbind(defect.message, block),
            ("E17", _) => self.end_reasoning(defect.message),
            ("E35", Some(block)) => self.remove_members(defect.message, block, &["cache_control"]),
            ("E37", Some(block)) => self.cut(self.place_of(block)),
            ("E21", Some(block)) => self.remove_members(defect.message, block, &["caller"]),
            ("E22", Some(block)) => {
                self.remove_members(defect.message, block, &["is_error", "status"])
            }
            _ => {}
        }
    }

    /// Removes an empty message, unless the conversation begins or ends with it as its only user message. Turns stay separate: a call must
    /// come directly after the user.
    pub(super) fn empty(&mut self, i: usize) {
        // A text beside the messages, which is a message of its own.
        if self.bytes[self.start(i)] == b'"' && self.container(i) == Container::Fixed {
            return self.fill_empty_text(i);
        }
        let messages = &self.transcript.messages;
        // Reasoning without an answer gets an empty text.
        let reasons = self
            .transcript
            .blocks_of(i)
            .iter()
            .any(|b| b.kind == BlockKind::Thinking);
        if reasons && self.rules.empty == (EmptyContent::Text { counts: false }) {
            return match member(self.bytes, self.start(i), self.content_name()) {
                Some(content) => self.put(content.value, b"\"\"".to_vec()),
                None => self.insert(
                    Gap::Before(self.start(i) as u64 + 1),
                    b"\"content\":\"\"".to_vec(),
                ),
            };
        }
        let user = |j: usize| messages.get(j).is_some_and(|m| m.role == Role::User);
        let first = messages.iter().position(|m| m.role != Role::System) == Some(i) && !user(i + 1);
        let last = i + 1 == messages.len() && !i.checked_sub(1).is_some_and(user);
        let apart = self.rules.calls_follow_input
            && messages
                .get(i + 1)
                .is_some_and(|m| m.role == Role::Assistant);
        let stays =
            messages[i].role == Role::User && (first || last || apart) && !self.repeats_calls();
        if !stays || self.rules.is_history {
            return self.drop_message(i);
        }
        let text = self.text(NOTHING_LEFT);
        match self.content(i) {
            Some(content) => self.put(content.value.clone(), text),
            None => self.add_content(i, &text[1..text.len() - 1]),
        }
    }

    /// Replaces the empty text of message `i` by the last text of the user, which moves there.
    fn fill_empty_text(&mut self, i: usize) {
        let transcript = self.transcript;
        let words = |j: &usize| {
            transcript.messages[*j].role == Role::User
                && matches!(transcript.blocks_of(*j), [b] if b.kind == BlockKind::Text)
        };
        match i.checked_sub(1).filter(words) {
            Some(j) => {
                self.put(
                    self.whole(i),
                    self.bytes[self.place(j, transcript.blocks_of(j)[0].span)].to_vec(),
                );
                self.drop_message(j);
            }
            None => self.put(
                self.whole(i),
                [b"\"", NOTHING_LEFT.as_bytes(), b"\""].concat(),
            ),
        }
    }

    /// Returns an array with one text part.
    fn text(&self, text: &str) -> Vec<u8> {
        let (open, close) = self.text_around();
        [b"[", open, b"\"", text.as_bytes(), b"\"", close, b"]"].concat()
    }

    pub(super) fn drop_message(&mut self, i: usize) {
        if let Some(record) = self.remove_whole(i) {
            self.moves.gone.push(record);
        }
    }

    /// Removes message `i` with its container; returns its record.
    pub(super) fn remove_whole(&mut self, i: usize) -> Option<Range<u64>> {
        match self.container(i) {
            Container::List(place) => self.cut(place),
            Container::Lines(record) => {
                let (start, end) = (record.start as u64, record.end as u64);
                self.changes.push(Change::DropLine { start, end });
                return Some(start..end);
            }
            Container::Fixed => {}
        }
        None
    }

    /// Adds a user message before message `i`, which begins the conversation.
    pub(super) fn begin(&mut self, i: usize) {
        let message = [
            b"{\"role\":\"user\",\"",
            self.content_name().as_bytes(),
            b"\":",
            &self.text(BEGINNING),
            b"}",
        ]
        .concat();
        self.insert_message(i, false, message);
    }

    /// Removes white space at the end of a text.
    pub(super) fn trim(&mut self, i: usize, block: u32) {
        let raw = self.place(i, self.transcript.blocks[block as usize].span);
        let inside = &self.bytes[raw.start + 1..raw.end - 1];
        self.put(
            raw.start + 1 + text::trimmed_len(inside)..raw.end - 1,
            Vec::new(),
        );
    }

    /// Removes reasoning without a following item.
    pub(super) fn end_reasoning(&mut self, i: usize) {
        let blocks = self.transcript.blocks_of(i);
        let bare: Vec<Block> = blocks
            .iter()
            .rev()
            .take_while(|b| b.kind == BlockKind::Thinking)
            .copied()
            .collect();
        bare.into_iter()
            .for_each(|block| self.cut(self.place(i, block.span)));
    }

    /// Removes the reasoning before the block at index `block`, which is not bound to it.
    pub(super) fn unbind(&mut self, i: usize, block: u32) {
        let before =
            &self.transcript.blocks[self.transcript.messages[i].blocks as usize..block as usize];
        let bound: Vec<Block> = before
            .iter()
            .rev()
            .take_while(|b| b.kind == BlockKind::Thinking)
            .copied()
            .collect();
        bound
            .into_iter()
            .for_each(|block| self.cut(self.place(i, block.span)));
    }

    /// Removes members of a block.
    pub(super) fn remove_members(&mut self, i: usize, block: u32, names: &[&str]) {
        let Some(object) = self.object_of(i, block) else {
            return;
        };
        let start = self.inner(object.start);
        names
            .iter()
            .for_each(|name| self.remove_member(start, name));
    }

    /// Adds a text to a result that must not be empty.
    pub(super) fn fill(&mut self, i: usize, block: u32) {
        let content = self.place(i, self.transcript.link_at(block).content);
        if !content.is_empty() {
            return self.put(content, self.text(NOTHING_LEFT));
        }
        let (start, text) = if self.transcript.messages[i].role == Role::Tool {
            (
                self.start(i),
                [b"\"", NOTHING_LEFT.as_bytes(), b"\""].concat(),
            )
        } else {
            let Some(object) = self.object_of(i, block) else {
                return;
            };
            (self.inner(object.start), self.text(NOTHING_LEFT))
        };
        match member(self.bytes, start, "content") {
            Some(found) => self.put(found.value, text),
            None => self.insert(
                Gap::Before(start as u64 + 1),
                [b"\"content\":", &text[..]].concat(),
            ),
        }
    }

    /// Returns the byte offset of the object with a block's members: for Bedrock, the value of the block's key.
    fn inner(&self, object: usize) -> usize {
        ["toolResult", "toolUse"]
            .iter()
            .find_map(|key| member(self.bytes, object, key))
            .map_or(object, |found| found.value.start)
    }

    /// Removes cache marks: the first ones if there are too many, else the lifetime of one hour.
    pub(super) fn unmark(&mut self, defect: &Defect) {
        let transcript = self.transcript;
        let mut marks: Vec<u32> = transcript
            .notes
            .iter()
            .filter(|n| matches!(n.kind, NoteKind::Mark { .. }))
            .map(|n| n.block)
            .collect();
        marks.sort_unstable();
        if defect.about == DefectSubject::Rule(1) {
            let request = &transcript.request;
            let surplus = (request.tool_marks.len() + request.system_marks.len() + marks.len())
                .saturating_sub(MARKS);
            for &block in &marks[..surplus.min(marks.len())] {
                let i = self.message_of(block);
                if self.rules.marks_are_parts {
                    self.removed.insert(block);
                } else {
                    self.remove_members(i, block, &["cache_control"]);
                }
            }
        } else if let Some(block) = defect.block {
            let i = self.message_of(block);
            let mark = self.object_of(i, block).and_then(|o| {
                ["cache_control", "cachePoint"]
                    .iter()
                    .find_map(|name| member(self.bytes, o.start, name))
                    .map(|m| m.value.start)
            });
            if let Some(ttl) = mark.and_then(|mark| member(self.bytes, mark, "ttl")) {
                self.cut(ttl.whole);
            }
        }
    }
}
