//! What passes ask of a view: its parts, by their places in the transcript.

use super::dependencies::Part;
use crate::edit::View;
use crate::transcript::{Block, BlockKind};

impl<'a> View<'a> {
    /// Returns the block at `index`.
    pub fn block(&self, index: u32) -> &'a Block {
        &self.transcript.blocks[index as usize]
    }

    /// Returns the tool of the call or result at `index`.
    pub fn tool(&self, index: u32) -> &'a str {
        self.transcript.tool_of(self.block(index))
    }

    /// Returns the messages that the cuts leave.
    pub fn left(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.transcript.messages.len()).filter(|&i| !self.is_gone(i))
    }

    /// Returns all parts with their messages.
    pub fn all_parts(&self) -> impl Iterator<Item = (usize, u32, &'a Block)> + use<'a> {
        let transcript = self.transcript;
        let parts = |i| {
            transcript
                .parts(i)
                .map(move |(index, block)| (i, index, block))
        };
        (0..transcript.messages.len()).flat_map(parts)
    }

    /// Returns whether the cuts leave a part of this kind in message `i`.
    pub fn holds(&self, i: usize, kind: BlockKind) -> bool {
        self.parts_left(i).any(|(_, block)| block.kind == kind)
    }

    /// Returns whether the cuts remove a part.
    pub fn is_part_gone(&self, (message, block): Part) -> bool {
        self.is_block_gone(message as usize, block)
    }

    /// Returns a part as a selector names it.
    pub fn named(&self, (message, block): Part) -> String {
        let number = self.transcript.messages[message as usize].number;
        format!("{number}/{}", self.block(block).part)
    }
}
