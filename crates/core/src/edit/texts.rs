//! Reads the texts of results, and counts those that cuts put in their place.

use super::{Segment, View};
use crate::{
    Result, estimate,
    json::text,
    transcript::{BlockKind, Flags},
};

impl View<'_> {
    /// Returns the chars of a new text.
    pub fn chars_of_text(&self, plain: &str) -> u64 {
        self.chars_of_raw(text::encoded(plain).as_bytes())
    }

    /// Returns the chars of the raw inside of a JSON string.
    pub fn chars_of_raw(&self, raw: &[u8]) -> u64 {
        (text::units(raw, 0) + estimate::extra_of(raw, self.estimator)) as u64
    }

    /// Returns the chars of the text that `segments` of message `i` make.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn chars_of_segments(&self, i: u32, segments: &[Segment]) -> Result<u64> {
        let record = self.transcript.messages[i as usize].record;
        let mut raw = Vec::new();
        for segment in segments {
            raw.extend_from_slice(&segment.bytes(self, record)?);
        }
        Ok(self.chars_of_raw(&raw))
    }

    /// The texts of a result.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn result_texts(&self, result: (u32, u32)) -> Result<Vec<String>> {
        self.texts_in(result.1)
            .map(|child| self.text(result.0 as usize, child.span.inside()))
            .collect()
    }

    /// The text of a result: its texts, each on a line of its own.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn result_text(&self, result: (u32, u32)) -> Result<String> {
        self.result_texts(result).map(|texts| texts.join("\n"))
    }

    /// Whether the result is nothing but the placeholder already, and words of a user.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn is_placeholder(&self, at: (u32, u32), placeholder: &str) -> Result<bool> {
        let [child] = self.children(at.1) else {
            return Ok(false);
        };
        // A text has no more units than bytes, so that those of the placeholder are seldom counted.
        let chars = child.chars as usize;
        if child.kind != BlockKind::Text {
            return Ok(false);
        }
        if chars > placeholder.len() {
            return Ok(child.flags.has(Flags::REMINDED) && self.text_of_tool(at)? == placeholder);
        }
        Ok(chars == placeholder.encode_utf16().count()
            && self.text(at.0 as usize, child.span.inside())? == placeholder)
    }

    /// Whether the last text of a result was read as one that ends with the note of a trim.
    pub fn was_trimmed(&self, at: (u32, u32)) -> bool {
        self.children(at.1)
            .last()
            .is_some_and(|child| child.flags.has(Flags::TRIMMED))
    }

    /// Whether the result at `at` ends with `end`, but for words of a user, or may end so, read
    /// from its end.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn may_end_with(&self, at: (u32, u32), end: &str) -> Result<bool> {
        let units = end.encode_utf16().count();
        let last = self.texts_in(at.1).next_back();
        let Some(child) = last.filter(|child| child.chars as usize >= units) else {
            return Ok(true);
        };
        if child.flags.has(Flags::REMINDED) {
            return Ok(true);
        }
        let start =
            self.transcript.messages[at.0 as usize].record + u64::from(child.span.start) + 1;
        let past = start + child.span.len() as u64 - 2;
        let from = past.saturating_sub(6 * units as u64 + 64).max(start);
        let raw = self.texts.read(from, past)?;
        Ok(text::tail_start(&raw, units, from == start)
            .is_none_or(|(at, _)| text::lossy(&raw[at..]) == end))
    }
}
