//! Moves the cache marks of removed parts to the part before, or to the part after if no kept part
//! precedes.
//!
//! A mark caches the prefix up to its part. If the part before has a mark already, the same prefix
//! is marked.

use super::*;
use crate::edit::{PartOutcome, moves};

impl RepairContext<'_> {
    /// Moves the marks of all removed parts that are not inserted elsewhere.
    pub fn move_marks(&mut self) {
        if !self.rules.marks_in_strings || self.removed.is_empty() {
            return;
        }
        let touched: HashSet<usize> = self
            .insertions
            .keys()
            .filter_map(|spot| self.touches(*spot))
            .collect();
        let moved: HashSet<u32> = self
            .insertions
            .values()
            .flatten()
            .filter_map(|insertion| insertion.from)
            .collect();
        let fate = |_: usize, block: u32| match () {
            () if self.removed.contains(&block) => PartOutcome::Leaves,
            () if moved.contains(&block) || self.moved.contains(&block) => PartOutcome::RecordMoves,
            () => PartOutcome::Stays,
        };
        for ((_, mark), (_, to)) in moves(
            self.transcript,
            &self.rules,
            &fate,
            &|i| !touched.contains(&i),
            true,
        ) {
            let value = self
                .object_of(mark)
                .and_then(|object| self.value_of(object.start, "cache_control"));
            if let Some(value) = value {
                self.mark(to, &self.bytes[value]);
            }
        }
    }

    /// Adds a mark to the part at index `block`.
    fn mark(&mut self, block: u32, value: &[u8]) {
        let mark = [b"\"cache_control\":", value].concat();
        if let Some(element) = self.element_of(block) {
            self.insert(Gap::Behind(element.end as u64 - 1), mark);
        } else if let Some(content) = self.content(self.message_of(block))
            && self.bytes[content.value.start] == b'"'
        {
            let text = content.value.clone();
            let mark = [b",", &mark[..]].concat();
            let part = self.text_part(&self.bytes[text.clone()], &mark);
            self.put(text, array(&part));
        }
    }
}
