//! Moves content that follows a call to the place before the first call of its turn.

use super::{Defect, RepairContext};
use crate::edit::Gap;
use crate::json::locate::elements;
use crate::transcript::{BlockKind, Role};

impl RepairContext<'_> {
    /// Moves the content of these defects.
    pub(super) fn calls_last(&mut self, found: &[&Defect]) {
        let transcript = self.transcript;
        // Items are not parts of a content.
        if self.rules.items {
            return;
        }
        for (defect, block) in found
            .iter()
            .filter_map(|defect| Some((defect, defect.block?)))
        {
            let turn = (0..=defect.message)
                .rev()
                .take_while(|&i| transcript.messages[i].role == Role::Assistant)
                .last();
            let first = transcript.messages[turn.unwrap_or(defect.message)].blocks;
            let call =
                (first..block).find(|&b| transcript.blocks[b as usize].kind == BlockKind::Call);
            let Some(before) = call.and_then(|call| self.object_of(self.message_of(call), call))
            else {
                continue;
            };
            let Some(part) = self.part(defect.message, block) else {
                continue;
            };
            self.insert(Gap::Before(before.start as u64), part);
            self.moved.insert(block);
        }
    }

    /// Returns the part that the block at `block` is; for a string content, the equivalent text part.
    fn part(&mut self, i: usize, block: u32) -> Option<Vec<u8>> {
        let value = self.content(i)?.value.clone();
        if elements(self.bytes, value.start).is_some() {
            return self
                .object_of(i, block)
                .map(|place| self.bytes[place].to_vec());
        }
        Some(self.text_part(&self.bytes[value], b""))
    }
}
