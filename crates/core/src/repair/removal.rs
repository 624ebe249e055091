//! Removes parts, messages and members, and fixes single members in place.

use super::{places::Container, *};
use crate::{
    check::{MemberFault, REPAIRED, refused_members},
    transcript::EmptyContent,
};

/// The text of an empty message at the beginning or end of a conversation that must stay, as JSON.
pub const NOTHING_LEFT: &[u8] = b"\"[What stood here was removed or is elsewhere.]\"";
/// The text of a missing beginning of a conversation, as JSON.
const BEGINNING: &[u8] = b"\"[The beginning of this conversation is not here.]\"";

impl RepairContext<'_> {
    /// Repairs content that is empty, too much, or half of a pair.
    pub fn fix_contents(&mut self, found: &[&Defect]) {
        let is_served = |defect: &&&Defect| defect.row.code == "E20";
        let (served, others): (Vec<&Defect>, Vec<&Defect>) = found.iter().partition(is_served);
        self.pair_served(&served);
        self.fix_members(found);
        others
            .into_iter()
            .for_each(|defect| self.fix_content(defect));
    }

    /// Removes members that the provider does not accept, and adds those that it requires where
    /// their value is sure.
    pub fn fix_members(&mut self, found: &[&Defect]) {
        for name in found.iter().filter(|defect| defect.row.code == "E39") {
            if let Some(path) = &name.row.path {
                self.remove_member(self.body(), path);
            }
        }
        let has = |code| found.iter().any(|defect| defect.row.code == code);
        let Some(first) = self
            .transcript
            .messages
            .first()
            .filter(|_| !found.is_empty())
        else {
            return;
        };
        for member in refused_members(self.bytes, first.record as usize, self.transcript) {
            match member.fault {
                MemberFault::Refused(whole) if has("E39") => self.cut(whole),
                MemberFault::Missing(Some(added)) if has("E30") => {
                    self.set_member(member.object.start, &member.name, added.as_bytes().to_vec());
                }
                MemberFault::Undeclared if has("E19") => self.cut(member.object),
                MemberFault::NotLast(end) if has("E12") => {
                    self.move_to(member.object, Gap::Behind(end as u64));
                }
                _ => {}
            }
        }
    }

    fn fix_content(&mut self, defect: &Defect) {
        match (defect.row.code, defect.block) {
            // What an item should hold is not known.
            ("E08", Some(block))
                if !defect.row.repair.ends_with(REPAIRED)
                    && self.transcript.block(block).is_linked() => {}
            ("E08", Some(block)) if self.transcript.block(block).kind == BlockKind::Result => {
                self.fill(block);
            }
            ("E08", Some(block)) if self.result_of(block).is_some() => {
                let object = self.object_of(block);
                object.into_iter().for_each(|object| self.cut(object));
            }
            ("E08" | "E33" | "E34", Some(block)) => {
                self.removed.insert(block);
            }
            ("E08", None) => self.empty(defect.message),
            ("E12", None) if self.transcript.messages[defect.message].prefix => {
                self.remove_member(self.start(defect.message), "prefix");
            }
            ("E09", _) => self.remove_member(self.start(defect.message), "tool_calls"),
            ("E13", Some(block)) => self.trim(block),
            ("E14", _) => self.unmark(defect),
            ("E17", block) => self.end_reasoning(defect.message, block),
            ("E35", None) => self.unmark_tools(),
            ("E35", Some(block)) if self.rules.marks_are_parts => drop(self.removed.insert(block)),
            ("E35", Some(block)) => self.remove_members(block, &["cache_control"]),
            ("E37", Some(block)) => self.cut(self.place_of(block)),
            ("E21", Some(block)) => self.remove_members(block, &["caller"]),
            ("E22", Some(block)) => self.remove_members(block, &["is_error", "status"]),
            _ => {}
        }
    }

    /// Removes an empty message, unless the conversation begins or ends with it as its only user
    /// message. Turns stay separate: a call must come directly after the user.
    pub fn empty(&mut self, i: usize) {
        // A text beside the messages, which is a message of its own.
        if self.bytes[self.start(i)] == b'"' && self.container(i).is_none() {
            return self.fill_empty_text(i);
        }
        let messages = &self.transcript.messages;
        // Reasoning without an answer gets an empty text.
        if self.transcript.has(i, BlockKind::Thinking)
            && matches!(
                self.rules.empty,
                EmptyContent::Text {
                    reasoned: false,
                    ..
                }
            )
        {
            return self.set_member(self.start(i), "content", b"\"\"".to_vec());
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
        let text = self.text_part(NOTHING_LEFT, b"");
        self.set_content(i, &text);
    }

    /// Replaces the empty text of message `i` by the last text of the user, which moves there.
    fn fill_empty_text(&mut self, i: usize) {
        let transcript = self.transcript;
        let mut text = NOTHING_LEFT;
        if let Some(j) = i.checked_sub(1)
            && transcript.messages[j].role == Role::User
            && let [block] = transcript.blocks_of(j)
            && block.kind == BlockKind::Text
        {
            text = &self.bytes[self.place(j, block.span)];
            self.drop_message(j);
        }
        self.put(self.whole(i), text.to_vec());
    }

    pub fn drop_message(&mut self, i: usize) {
        let record = self.remove_whole(i);
        self.moves.gone.extend(record);
    }

    /// Removes message `i` with its container; returns its record.
    pub fn remove_whole(&mut self, i: usize) -> Option<Range<u64>> {
        let Container { place, is_line } = self.container(i)?;
        if !is_line {
            self.cut(place);
            return None;
        }
        let start = place.start as u64;
        let end = place.end as u64;
        self.changes.push(Change::DropLine { start, end });
        Some(start..end)
    }

    /// Adds a user message before message `i`, which begins the conversation, or behind it if it is
    /// the system's.
    pub fn begin(&mut self, i: usize) {
        let behind = self.transcript.messages[i].role == Role::System;
        self.insert_message(
            i,
            behind,
            self.message("user", &self.text_part(BEGINNING, b"")),
        );
    }

    /// Removes white space at the end of a text.
    fn trim(&mut self, block: u32) {
        let raw = self.place_of(block);
        let start = raw.start + 1;
        let end = raw.end - 1;
        let kept = text::trimmed_len(&self.bytes[start..end]);
        self.put(start + kept..end, Vec::new());
    }

    /// Removes reasoning without a following item: that before the block at index `block`, which is
    /// not bound to it, or that at the end.
    fn end_reasoning(&mut self, i: usize, block: Option<u32>) {
        let transcript = self.transcript;
        let first = transcript.messages[i].blocks;
        let end = block.unwrap_or(first + transcript.blocks_of(i).len() as u32);
        for block in (first..end)
            .rev()
            .take_while(|at| transcript.block(*at).kind == BlockKind::Thinking)
        {
            self.cut(self.place_of(block));
        }
    }

    /// Removes members of a block.
    fn remove_members(&mut self, block: u32, names: &[&str]) {
        if let Some(object) = self.object_of(block) {
            let start = self.inner(object.start);
            for name in names {
                self.remove_member(start, name);
            }
        }
    }

    /// Adds a text to a result that must not be empty.
    fn fill(&mut self, block: u32) {
        let i = self.message_of(block);
        let content = self.place(i, self.transcript.link_at(block).content);
        let part = array(&self.text_part(NOTHING_LEFT, b""));
        if !content.is_empty() {
            return self.put(content, part);
        }
        let (start, text) = if self.transcript.messages[i].role == Role::Tool {
            (self.start(i), NOTHING_LEFT.to_vec())
        } else {
            let Some(object) = self.object_of(block) else {
                return;
            };
            (self.inner(object.start), part)
        };
        self.set_member(start, "content", text);
    }

    /// Returns the byte offset of the object with a block's members: for Bedrock, the value of the
    /// block's key.
    fn inner(&self, object: usize) -> usize {
        self.member_of(object, &["toolResult", "toolUse"])
            .unwrap_or(object)
    }

    /// Removes cache marks: the first ones if there are too many, else the lifetime of one hour.
    fn unmark(&mut self, defect: &Defect) {
        if defect.about.is_none() {
            let request = &self.transcript.request;
            let marks = self.transcript.cache_marks();
            let all = marks.len() - usize::from(request.automatic_mark.is_some());
            for block in marks
                .into_iter()
                .filter_map(|(_, block)| block)
                .take(all.saturating_sub(self.rules.marks.unwrap_or(usize::MAX)))
            {
                if self.rules.marks_are_parts {
                    self.removed.insert(block);
                } else {
                    self.remove_members(block, &["cache_control"]);
                }
            }
        } else if let Some(block) = defect.block
            && let Some(object) = self.object_of(block)
            && let Some(mark) = self.member_of(object.start, &["cache_control", "cachePoint"])
        {
            self.remove_member(mark, "ttl");
        }
    }

    /// Returns the first byte of the body.
    fn body(&self) -> usize {
        let first = self.transcript.messages.first();
        first.map_or(0, |message| message.record as usize)
    }

    /// Removes cache marks that are parts among the declared tools.
    fn unmark_tools(&mut self) {
        let config = self.value_of(self.body(), "toolConfig");
        let tools = config.and_then(|config| self.value_of(config.start, "tools"));
        let tools = tools.and_then(|tools| elements(self.bytes, tools.start));
        for tool in tools.into_iter().flatten() {
            if self.value_of(tool.start, "cachePoint").is_some() {
                self.cut(tool);
            }
        }
    }

    /// Returns the byte offset of the value of the first of these members that an object has.
    fn member_of(&self, object: usize, names: &[&str]) -> Option<usize> {
        let value = names.iter().find_map(|name| self.value_of(object, name))?;
        Some(value.start)
    }
}
