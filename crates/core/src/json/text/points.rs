//! The code points of a raw string: escapes, UTF-8, and what is neither.

/// One code point of a raw string.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Past its last byte.
    pub end: usize,
    /// The scalar value; a lone surrogate escape keeps its own.
    pub value: u32,
}

impl Point {
    /// Its length in UTF-16 units.
    pub fn units(self) -> usize {
        if self.value > 0xffff { 2 } else { 1 }
    }
}

/// The code point at byte `at`.
#[inline]
pub fn point(raw: &[u8], at: usize) -> Option<Point> {
    Some(match *raw.get(at)? {
        b'\\' => escape(raw, at),
        first @ 0..0x80 => Point {
            end: at + 1,
            value: u32::from(first),
        },
        _ => sequence(raw, at),
    })
}

/// The places of the halves of surrogate pairs in JSON.
pub fn unpaired(json: &[u8]) -> impl Iterator<Item = usize> {
    let mut read = 0;
    memchr::memmem::find_iter(json, b"\\u").filter(move |&at| {
        // All surrogates are `\ud8…` to `\udf…`; a backslash may itself be escaped, and the second
        // half of a pair is read with the first.
        let is_near = matches!(json.get(at + 2), Some(b'd' | b'D'));
        let before = || json[..at].iter().rev().take_while(|byte| **byte == b'\\');
        if !is_near || at < read || before().count() % 2 == 1 {
            return false;
        }
        let found = point(json, at);
        read = found.map_or(at, |found| found.end);
        found.is_some_and(|found| matches!(found.value, 0xd800..0xe000))
    })
}

fn escape(raw: &[u8], at: usize) -> Point {
    let (length, value) = match raw.get(at + 1) {
        Some(b'b') => (2, 8),
        Some(b't') => (2, 9),
        Some(b'n') => (2, 10),
        Some(b'f') => (2, 12),
        Some(b'r') => (2, 13),
        Some(b'u') => match (hex(raw, at), hex(raw, at + 6)) {
            (Some(high @ 0xd800..0xdc00), Some(low @ 0xdc00..0xe000)) => {
                (12, 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))
            }
            (Some(value), _) => (6, value),
            (None, _) => (2, 0xfffd),
        },
        Some(&other) => (2, u32::from(other)),
        None => (1, 0xfffd),
    };
    Point {
        end: at + length,
        value,
    }
}

/// The value of the `\uXXXX` at `at`, if there is one.
fn hex(raw: &[u8], at: usize) -> Option<u32> {
    let text = raw.get(at..at + 6)?;
    if &text[..2] != b"\\u" {
        return None;
    }
    text[2..].iter().try_fold(0, |value, &digit| {
        Some(value << 4 | char::from(digit).to_digit(16)?)
    })
}

/// A raw sequence above ASCII, or bytes that are not UTF-8: as many as a browser would show one
/// replacement for.
fn sequence(raw: &[u8], at: usize) -> Point {
    let four = &raw[at..raw.len().min(at + 4)];
    let (length, value) =
        four.utf8_chunks()
            .next()
            .map_or((1, 0xfffd), |chunk| match chunk.valid().chars().next() {
                Some(c) => (c.len_utf8(), u32::from(c)),
                None => (chunk.invalid().len(), 0xfffd),
            });
    Point {
        end: at + length,
        value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_are_found() {
        for (json, at) in [
            (r#""\\ud83d""#, &[][..]),
            (r#""\\\ud83d""#, &[3]),
            (r#""\ud83d\ude00""#, &[]),
            (r#""\uD83D\u0041""#, &[1]),
            (r#""\ude00\ud83d""#, &[1, 7]),
            (r#""\ud83d\ud83d\ude00""#, &[1]),
            (r#""\ud7ff\ue000\u00d8""#, &[]),
            (r#""\ud8"#, &[]),
        ] {
            assert_eq!(unpaired(json.as_bytes()).collect::<Vec<_>>(), at, "{json}");
        }
    }
}
