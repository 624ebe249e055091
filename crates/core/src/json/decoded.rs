//! A decoded string that maps each byte of the text back to the raw string.
//!
//! Only escapes and bytes that are not UTF-8 are recorded, as the offsets differ only there.

use super::find;
use super::text::lossy;
use std::borrow::Cow;

/// A decoded string.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// For the end of each escape, the byte of the text and that of the raw string, sorted by both.
    jumps: Vec<(u32, u32)>,
}

impl<'a> Decoded<'a> {
    /// Decodes `raw`, the bytes between the quotes.
    pub fn new(raw: &'a [u8]) -> Decoded<'a> {
        if find(b'\\', raw).is_none()
            && let Ok(text) = std::str::from_utf8(raw)
        {
            return Decoded {
                text: Cow::Borrowed(text),
                jumps: Vec::new(),
            };
        }
        let mut text = String::with_capacity(raw.len());
        let mut jumps = Vec::new();
        let mut at = 0;
        while at < raw.len() {
            let end = find(b'\\', &raw[at..]).map_or(raw.len(), |found| at + found);
            plain(&raw[at..end], at, &mut text, &mut jumps);
            let mut next = end;
            // Consecutive escapes are decoded together, as two may be a surrogate pair.
            while raw.get(next) == Some(&b'\\') {
                let length = if raw.get(next + 1) == Some(&b'u') {
                    6
                } else {
                    2
                };
                let to = raw.len().min(next + length);
                let pair = is_half(&raw[next..to], b"89abAB")
                    && is_half(&raw[to..raw.len().min(to + 6)], b"cdefCDEF");
                let to = if pair { raw.len().min(to + 6) } else { to };
                text.push_str(&lossy(&raw[next..to]));
                jumps.push((text.len() as u32, to as u32));
                next = to;
            }
            at = next;
        }
        Decoded {
            text: Cow::Owned(text),
            jumps,
        }
    }

    /// Returns the offset in the raw string of byte `at` of the text, which must be a character boundary.
    pub fn raw(&self, at: usize) -> usize {
        let n = self.jumps.partition_point(|(text, _)| *text as usize <= at);
        let (text, raw) = n.checked_sub(1).map_or((0, 0), |before| self.jumps[before]);
        let found = raw as usize + (at - text as usize);
        // An invalid escape decodes to several characters, which all map to at most its end.
        self.jumps
            .get(n)
            .map_or(found, |(_, end)| found.min(*end as usize))
    }
}

/// Appends bytes without escapes, which begin at byte `from` of the raw string.
fn plain(raw: &[u8], from: usize, text: &mut String, jumps: &mut Vec<(u32, u32)>) {
    let mut at = from;
    for chunk in raw.utf8_chunks() {
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            at += chunk.invalid().len();
            text.push(char::REPLACEMENT_CHARACTER);
            jumps.push((text.len() as u32, at as u32));
        }
    }
}

/// Returns whether an escape is a surrogate whose second digit is one of `digits`.
fn is_half(escape: &[u8], digits: &[u8]) -> bool {
    matches!(escape, [b'\\', b'u', b'd' | b'D', digit, _, _] if digits.contains(digit))
}

#[cfg(test)]
mod tests {
    use super::*;
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
