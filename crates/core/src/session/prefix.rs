//! The length of the common prefix of two outputs: running digests, eight bytes a message.
//!
//! A message's digest is that of all messages up to it, so that two outputs agree exactly as far as
//! their digests do. In a body the bytes between two messages belong to the second, and the bytes
//! before the first have a digest of their own.

use super::digest::{chain, digest, short};
use crate::{
    diagnostics::PrefixStable,
    edit::Edits,
    read_at::ReadAt,
    transcript::{Transcript, clip},
};
use std::{io, ops::Range};

/// The running digests of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    /// The number of bytes before the first message, and their digest; 0 for a history, which
    /// consists of messages only.
    head: (u64, u64),
    /// For each message the digest up to it, and its length in bytes.
    messages: Vec<(u32, u32)>,
}

impl Prefix {
    /// Returns the prefix of a body, which was read as `transcript`.
    ///
    /// # Errors
    /// It cannot be read any more.
    pub fn of_body(transcript: &Transcript, body: &dyn ReadAt) -> io::Result<Prefix> {
        let mut prefix = Prefix::default();
        let mut at = 0;
        let mut all = 0;
        for message in &transcript.messages {
            let Range { start, end } = message.range(message.span);
            if prefix.messages.is_empty() {
                let head = body.read(0, start)?;
                prefix.head = (head.len() as u64, short(digest(&head)));
                at = start;
            }
            // A message that consists of parts of others has no bytes of its own.
            let from = if at <= end && at <= start { at } else { start };
            prefix.push(&body.read(from.min(end), end)?, &mut all);
            at = at.max(end);
        }
        Ok(prefix)
    }

    /// Returns the prefix of a history's context in its output; `gone` says which messages are
    /// removed.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn of_history(
        transcript: &Transcript,
        texts: &dyn ReadAt,
        edits: &Edits,
        gone: impl Fn(usize) -> bool,
    ) -> io::Result<Prefix> {
        let mut prefix = Prefix::default();
        let mut all = 0;
        for (i, message) in transcript.messages.iter().enumerate() {
            if gone(i) {
                continue;
            }
            if message.span.is_empty() {
                // A summary is not read, so that its line number stands for it.
                prefix.push(&message.line.to_le_bytes(), &mut all);
                continue;
            }
            let Range { start, end } = message.range(message.span);
            prefix.push(&edits.render(texts, start, end)?, &mut all);
        }
        Ok(prefix)
    }

    /// Adds a message; `all` is the digest of all messages before it.
    fn push(&mut self, bytes: &[u8], all: &mut u128) {
        *all = chain(*all, digest(bytes));
        self.messages.push((short(*all) as u32, clip(bytes.len())));
    }

    /// Returns the size of the beginning that this output shares with an earlier one, in bytes and
    /// messages.
    pub fn shared(&self, earlier: &Prefix) -> PrefixStable {
        let same = self
            .messages
            .iter()
            .zip(&earlier.messages)
            .take_while(|(a, b)| a == b)
            .count();
        let lengths = self.messages[..same].iter();
        let bytes = self.head.0 + lengths.map(|(_, bytes)| u64::from(*bytes)).sum::<u64>();
        PrefixStable {
            bytes: if self.head == earlier.head { bytes } else { 0 },
            messages: same as u64,
        }
    }

    /// Returns the bytes that are stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = [self.head.0, self.head.1].into_iter();
        words
            .chain(
                self.messages
                    .iter()
                    .map(|&(digest, length)| u64::from(length) << 32 | u64::from(digest)),
            )
            .flat_map(u64::to_le_bytes)
            .collect()
    }

    /// Reads the bytes that are stored.
    pub fn from_bytes(bytes: &[u8]) -> Option<Prefix> {
        let (words, rest) = bytes.as_chunks();
        let (head, messages) = words.split_first_chunk().filter(|_| rest.is_empty())?;
        let [size, digest] = head.map(u64::from_le_bytes);
        let pair = |word: &[u8; 8]| {
            let word = u64::from_le_bytes(*word);
            (word as u32, (word >> 32) as u32)
        };
        Some(Prefix {
            head: (size, digest),
            messages: messages.iter().map(pair).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(head: u64, messages: &[&str]) -> Prefix {
        let mut prefix = Prefix {
            head: (head, head),
            ..Prefix::default()
        };
        let mut all = 0;
        messages
            .iter()
            .for_each(|m| prefix.push(m.as_bytes(), &mut all));
        prefix
    }

    #[test]
    fn outputs_agree_up_to_the_first_difference() {
        let before = made(7, &["one", "two", "three"]);
        let shared = |after: &Prefix| {
            let PrefixStable { bytes, messages } = after.shared(&before);
            (bytes, messages)
        };
        assert_eq!(shared(&before), (18, 3));
        assert_eq!(shared(&made(7, &["one", "two", "three", "four"])), (18, 3));
        assert_eq!(shared(&made(7, &["one", "2", "three"])), (10, 1));
        assert_eq!(shared(&made(8, &["one", "two"])), (0, 2));
        assert_eq!(shared(&made(7, &[])), (7, 0));
    }

    #[test]
    fn stored_and_read_again() {
        let prefix = made(1 << 40, &["a", "", "b"]);
        assert_eq!(Prefix::from_bytes(&prefix.to_bytes()), Some(prefix));
        assert_eq!(Prefix::from_bytes(&[0; 15]), None);
        assert_eq!(Prefix::from_bytes(&[0; 17]), None);
    }
}
