//! Cache marks of parts that are removed come to the part before, or, in front of all that stays, to the part behind.
//!
//! A mark says up to where a prefix is cached. Where the part before has one, the same prefix is marked already.

use super::RepairContext;
use super::insert::Spot;
use crate::edit::Gap;
use crate::json::locate::member;
use crate::transcript::{Block, BlockKind, Fact, Flags};
use std::collections::{BTreeMap, BTreeSet, HashSet};

impl RepairContext<'_> {
    /// Moves the marks of all parts that are removed and do not come back elsewhere.
    pub(super) fn move_marks(&mut self) {
        if !self.answers.marks_in_strings || self.removed.is_empty() {
            return;
        }
        let marked: BTreeSet<u32> = self.transcript.notes.iter().filter(|n| matches!(n.fact, Fact::Mark { .. })).map(|n| n.block).collect();
        let moved: BTreeMap<u32, u32> = self.removed.iter().filter_map(|&gone| Some((gone, self.mark_in(gone, &marked)?))).collect();
        let touched: HashSet<usize> = self.insertions.keys().filter_map(|spot| self.touches(*spot)).collect();
        let leaving = self.insertions.values().flatten().filter_map(|insertion| insertion.from).chain(self.moved.iter().copied()).collect();
        let (mut taken, parts) = (BTreeSet::new(), self.parts());
        for (gone, mark) in moved {
            let i = self.message_of(mark);
            let value = self.object_of(i, mark).and_then(|object| member(self.bytes, object.start, "cache_control")).map(|m| m.value);
            let (Some(value), Some(to)) = (value, self.carrier(gone, &parts, &marked, &taken, &touched, &leaving)) else { continue };
            taken.insert(to);
            self.mark(to, &self.bytes[value]);
        }
    }

    /// The mark of the part at index `block`: its own, or that of a part of its content.
    fn mark_in(&self, block: u32, marked: &BTreeSet<u32>) -> Option<u32> {
        let part = &self.transcript.blocks[block as usize];
        let inside = if part.kind == BlockKind::Result { self.transcript.link(part).children } else { 0 };
        marked.range(block..=block + inside).next().copied()
    }

    /// The message into whose content something is inserted at a spot.
    fn touches(&self, spot: Spot) -> Option<usize> {
        match spot {
            Spot::Before(block) | Spot::Behind(block) => Some(self.message_of(block)),
            Spot::First(i) => Some(i),
            _ => None,
        }
    }

    /// The part that takes the mark of the one at index `gone`, unless there is a mark already.
    fn carrier(
        &self,
        gone: u32,
        parts: &[u32],
        marked: &BTreeSet<u32>,
        taken: &BTreeSet<u32>,
        touched: &HashSet<usize>,
        leaving: &HashSet<u32>,
    ) -> Option<u32> {
        let stays = |block: &u32| !self.removed.contains(block) && !leaving.contains(block);
        let has = |block: &u32| taken.contains(block) || self.mark_in(*block, marked).is_some();
        let find = |parts: &mut dyn Iterator<Item = u32>| parts.filter(stays).find(|block| has(block) || self.may_carry(*block, touched));
        let at = parts.partition_point(|part| *part < gone);
        let before = find(&mut parts[..at].iter().rev().copied());
        before.or_else(|| find(&mut parts[at..].iter().copied())).filter(|block| !has(block))
    }

    /// All parts of messages, without what stands in results.
    fn parts(&self) -> Vec<u32> {
        let (mut parts, mut at) = (Vec::new(), 0u32);
        while let Some(block) = self.transcript.blocks.get(at as usize) {
            parts.push(at);
            at += 1 + if block.kind == BlockKind::Result { self.transcript.link(block).children } else { 0 };
        }
        parts
    }

    fn may_carry(&self, block: u32, touched: &HashSet<usize>) -> bool {
        let part: &Block = &self.transcript.blocks[block as usize];
        let i = self.message_of(block);
        // A content that is a string is the same as one text.
        let array = self.transcript.messages[i].array;
        match part.kind {
            BlockKind::Text => !part.flags.has(Flags::BLANK) && (array || !touched.contains(&i)),
            BlockKind::Image | BlockKind::Call | BlockKind::Result => array && self.answers.marks_on_parts,
            _ => false,
        }
    }

    /// Gives the part at index `block` a mark.
    fn mark(&mut self, block: u32, value: &[u8]) {
        let i = self.message_of(block);
        let mark = [b"\"cache_control\":", value].concat();
        if let Some(element) = self.element_of(i, block) {
            self.insert(Gap::Behind(element.end as u64 - 1), mark);
        } else if let Some(text) = self.content(i).map(|content| content.value.clone()).filter(|text| self.bytes[text.start] == b'"') {
            let (open, close) = self.text_around();
            let object = [open, &self.bytes[text.clone()], b",", &mark, close].concat();
            self.put(text, [b"[", &object[..], b"]"].concat());
        }
    }
}
