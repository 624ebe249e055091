//! A decoded string that maps each byte of the text back to the raw string.
//!
//! Only escapes and bytes that are not UTF-8 are recorded, as the offsets differ only there.

use super::text::decode_by;

/// A decoded string.
#[derive(Debug)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// For the end of each escape, the byte of the text and that of the raw string, sorted by both.
    jumps: Vec<(u32, u32)>,
}

impl Decoded {
    /// Decodes `raw`, the bytes between the quotes.
    pub fn new(raw: &[u8]) -> Decoded {
        let mut jumps = Vec::new();
        let text = decode_by(raw, |text, raw| jumps.push((text as u32, raw as u32)));
        Decoded { text, jumps }
    }

    /// Returns the offset in the raw string of byte `at` of the text, which must be a character
    /// boundary.
    pub fn raw(&self, at: usize) -> usize {
        let n = self.jumps.partition_point(|(text, _)| *text as usize <= at);
        let (text, raw) = n.checked_sub(1).map_or((0, 0), |before| self.jumps[before]);
        raw as usize + (at - text as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::text::lossy;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_character_leads_back(pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "é", "漢", "😀", "\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\ude00", "text",
        ]), 0..30)) {
            let raw = pieces.concat();
            let decoded = Decoded::new(raw.as_bytes());
            prop_assert_eq!(&*decoded.text, &lossy(raw.as_bytes()));
            prop_assert_eq!(decoded.raw(decoded.text.len()), raw.len());
            for (at, c) in decoded.text.char_indices() {
                let piece = &raw.as_bytes()[decoded.raw(at)..decoded.raw(at + c.len_utf8())];
                prop_assert_eq!(lossy(piece), c.to_string());
            }
        }

        #[test]
        fn any_bytes_decode(raw: Vec<u8>) {
            let decoded = Decoded::new(&raw);
            prop_assert!(decoded.text.char_indices().all(|(at, _)| decoded.raw(at) <= raw.len()));
        }
    }
}
