//! Single strings: decode, encode, count, and find where to cut them.
//!
//! `raw` is what is between the quotes. Offsets are bytes of `raw`, lengths UTF-16 units of the
//! decoded text, as the systems that set the limits count them. Bytes that are not UTF-8 count as
//! the replacement characters a browser would show, one unit each. Cuts never fall inside an
//! escape, a UTF-8 sequence or a surrogate pair.

mod points;

use super::find;
pub(super) use points::point;
pub use points::unpaired;
use simdutf8::basic::from_utf8;
use std::borrow::Cow;

/// Decodes to UTF-8 where `raw` is UTF-8, with replacement characters for lone surrogates.
pub fn decode(raw: &[u8]) -> Cow<'_, [u8]> {
    if find(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    Cow::Owned(lossy(raw).into_bytes())
}

/// Decodes to a string, with replacement characters for lone surrogates and for bytes that are not
/// UTF-8.
pub fn lossy(raw: &[u8]) -> String {
    decode_by(raw, |_, _| {})
}

/// Like [`lossy`]; calls `unlike` for each character that has another length in `raw`, with the
/// lengths of the text and of `raw` up to its end.
pub(super) fn decode_by(raw: &[u8], mut unlike: impl FnMut(usize, usize)) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    // Looked at once as a whole, and not between every two escapes.
    let whole = from_utf8(raw).ok();
    loop {
        if let Some(whole) = whole {
            let escape = find(b'\\', &raw[at..]).map_or(raw.len(), |plain| at + plain);
            // A backslash before a character above ASCII, which is not JSON, splits it.
            if let Some(plain) = whole.get(at..escape) {
                text.push_str(plain);
                at = escape;
            }
        }
        let Some(point) = point(raw, at) else {
            return text;
        };
        let c = char::from_u32(point.value).unwrap_or(char::REPLACEMENT_CHARACTER);
        text.push(c);
        if point.end - at != c.len_utf8() {
            unlike(text.len(), point.end);
        }
        at = point.end;
    }
}

/// Returns a text as the inside of a JSON string.
pub fn encoded(text: &str) -> String {
    let mut raw = Vec::with_capacity(text.len());
    encode(text, &mut raw);
    String::from_utf8(raw).unwrap_or_default()
}

/// Appends `text` as the inside of a JSON string.
pub fn encode(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    loop {
        let plain = rest
            .iter()
            .position(|b| matches!(b, b'"' | b'\\' | 0..0x20))
            .unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        let Some((special, after)) = rest[plain..].split_first() else {
            return;
        };
        match special {
            b'"' | b'\\' => out.extend([b'\\', *special]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => out.extend_from_slice(format!("\\u{control:04x}").as_bytes()),
        }
        rest = after;
    }
}

/// Returns the length in UTF-16 units from byte `at` on.
pub fn units(raw: &[u8], at: usize) -> usize {
    advance(raw, at, usize::MAX).1
}

/// Returns the byte at which the first `units` UTF-16 units end, and their number. A surrogate pair
/// that the end would split is left out.
pub fn head_end(raw: &[u8], units: usize) -> (usize, usize) {
    advance(raw, 0, units)
}

/// Returns the byte at which the last `units` UTF-16 units begin, and their number. A surrogate
/// pair that the beginning would split is left out. `raw` may be the end of a longer string
/// (`whole` is false). Returns `None` if that end is too short to find the beginnings of its
/// characters.
pub fn tail_start(raw: &[u8], units: usize, whole: bool) -> Option<(usize, usize)> {
    if units == 0 {
        return Some((raw.len(), 0));
    }
    let (mut from, mut there) = (raw.len(), 0);
    let mut window = units + units / 8 + 64;
    loop {
        let at = sync(raw, raw.len().saturating_sub(window));
        if at == 0 && !whole {
            return None;
        }
        if at < from {
            // Adds only what was not counted yet.
            there += self::units(&raw[..from], at);
            from = at;
        }
        if there > units || at == 0 {
            let skip = there.saturating_sub(units);
            let (at, skipped) = advance(raw, from, skip);
            // The text would begin in a surrogate pair, which is left out as a whole.
            return Some(if skipped < skip {
                (advance(raw, at, 2).0, units - 1)
            } else {
                (at, there - skip)
            });
        }
        // Estimates the bytes that are still needed from those per unit so far; a unit has six at
        // most.
        let bytes = (raw.len() - from).div_ceil(there.max(1)).min(6);
        window += (window / 2).max((units - there) * bytes + 64);
    }
}

/// Returns the offset at most `units` units after `at`, and the number of units.
fn advance(raw: &[u8], at: usize, units: usize) -> (usize, usize) {
    let (mut end, mut count) = (at, 0);
    loop {
        while units - count >= 16
            && let Some(block) = raw.get(end..).and_then(|rest| rest.first_chunk::<16>())
            && is_plain(block)
        {
            (end, count) = (end + 16, count + 16);
        }
        let Some(point) = point(raw, end).filter(|p| p.units() <= units - count) else {
            return (end, count);
        };
        (end, count) = (point.end, count + point.units());
    }
}

/// Returns whether all bytes are ASCII and none is a backslash, so that each is one unit.
fn is_plain(block: &[u8; 16]) -> bool {
    // Without an early end, so that it is a few vector instructions.
    block.iter().fold(true, |plain, byte| {
        plain & byte.is_ascii() & (*byte != b'\\')
    })
}

/// Finds a boundary between code points at or after `from` without reading from the start: no
/// backslash in the six bytes before it and no continuation byte at it. Returns 0 if there is none
/// near.
fn sync(raw: &[u8], from: usize) -> usize {
    if from < 6 {
        return 0;
    }
    let near = from..raw.len().min(from + 4096);
    near.into_iter()
        .find(|&p| !raw[p - 6..p].contains(&b'\\') && !(0x80..0xc0).contains(&raw[p]))
        .unwrap_or(0)
}

/// Returns whether the decoded text is empty or white space.
pub fn is_blank(raw: &[u8]) -> bool {
    values(raw)
        .all(|value| char::from_u32(value).is_some_and(|c| c.is_whitespace() || c == '\u{feff}'))
}

/// The last digits of the escapes of white space.
const SPACES: [[u8; 2]; 5] = [*b"20", *b"09", *b"0a", *b"0c", *b"0d"];

/// Returns the length of `raw` in bytes without the white space at its end.
pub fn trimmed_len(raw: &[u8]) -> usize {
    let mut len = raw.len();
    loop {
        let rest = &raw[..len];
        let slashes = |end: usize| raw[..end].iter().rev().take_while(|b| **b == b'\\').count();
        match rest {
            [.., b' '] => len -= 1,
            [.., b'\\', b'n' | b't' | b'r' | b'f'] if slashes(len - 1) % 2 == 1 => len -= 2,
            [.., b'\\', b'u', b'0', b'0', x, y]
                if slashes(len - 5) % 2 == 1 && SPACES.contains(&[*x, *y | 0x20]) =>
            {
                len -= 6
            }
            _ => return len,
        }
    }
}

/// Returns the code points of `raw`, lone surrogates included.
pub fn values(raw: &[u8]) -> impl Iterator<Item = u32> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let point = point(raw, at)?;
        at = point.end;
        Some(point.value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn raw_of(text: &str, ascii: bool) -> Vec<u8> {
        let mut raw = Vec::new();
        for c in text.chars() {
            if ascii && !c.is_ascii() {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    raw.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            } else {
                encode(c.encode_utf8(&mut [0; 4]), &mut raw);
            }
        }
        raw
    }

    /// The expectation, by the plain rule on UTF-16: an end that would split a pair moves inwards.
    fn slices(text: &str, head: usize, tail: usize) -> (String, String) {
        let all: Vec<u16> = text.encode_utf16().collect();
        let mut h = head.min(all.len());
        if h > 0
            && h < all.len()
            && (0xdc00..0xe000).contains(&all[h])
            && (0xd800..0xdc00).contains(&all[h - 1])
        {
            h -= 1;
        }
        let mut t = all.len().saturating_sub(tail);
        if t > 0
            && t < all.len()
            && (0xdc00..0xe000).contains(&all[t])
            && (0xd800..0xdc00).contains(&all[t - 1])
        {
            t += 1;
        }
        (
            String::from_utf16(&all[..h]).unwrap(),
            String::from_utf16(&all[t..]).unwrap(),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn cuts_are_those_of_utf16(text in "([a-z\\\\\"\n]|é|漢|😀|\u{1}){0,220}", head in 0usize..240, tail in 0usize..240, ascii: bool) {
            let raw = raw_of(&text, ascii);
            let (want_head, want_tail) = slices(&text, head, tail);
            prop_assert_eq!(lossy(&raw[..head_end(&raw, head).0]), want_head);
            prop_assert_eq!(lossy(&raw[tail_start(&raw, tail, true).unwrap().0..]), want_tail);
            prop_assert_eq!(units(&raw, 0), text.encode_utf16().count());
            let (end, count) = head_end(&raw, head);
            prop_assert_eq!(count, units(&raw[..end], 0));
            let (start, count) = tail_start(&raw, tail, true).unwrap();
            prop_assert_eq!(count, units(&raw, start));
        }

        #[test]
        fn encode_is_what_serde_reads(text: String) {
            let mut json = vec![b'"'];
            encode(&text, &mut json);
            json.push(b'"');
            prop_assert_eq!(serde_json::from_slice::<String>(&json).unwrap(), text.clone());
            prop_assert_eq!(lossy(&json[1..json.len() - 1]), text);
        }

        /// Any bytes decode as the standard library decodes them.
        #[test]
        fn lossy_is_what_std_reads(pieces in prop::collection::vec(prop_oneof![
            any::<char>().prop_map(|c| c.to_string().into_bytes()),
            prop::collection::vec(0x80u8..=0xff, 0..5),
            prop::sample::select(vec![&b"\xe0\x9f\xbf"[..], b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xc1\xbf", b"\xef\xbf\xbf"]).prop_map(<[u8]>::to_vec),
        ], 0..8)) {
            let raw: Vec<u8> = pieces.concat().into_iter().filter(|b| *b != b'\\').collect();
            prop_assert_eq!(lossy(&raw), String::from_utf8_lossy(&raw));
        }

        /// Checks that text copied between two escapes equals its characters decoded one by one.
        #[test]
        fn lossy_is_its_points(raw in prop::collection::vec(prop_oneof![
            any::<u8>(), prop::sample::select(&b"\\\\\\u\"n\xf0\x9f\x98\x80dD83ce0"[..]),
        ], 0..60)) {
            let points = values(&raw).map(|value| char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER));
            prop_assert_eq!(lossy(&raw), points.collect::<String>());
        }

        /// Any bytes: no panic, and every cut lies in the string.
        #[test]
        fn total(raw: Vec<u8>, n in 0usize..300) {
            prop_assert!(head_end(&raw, n).0 <= raw.len());
            prop_assert!(tail_start(&raw, n, false).unwrap_or_default().0 <= raw.len());
            lossy(&raw);
        }
    }

    #[test]
    fn long_tails_skip_the_beginning() {
        let raw = [vec![b'\\'; 9000], b"n".repeat(9000)].concat();
        assert_eq!(tail_start(&raw, 100, true).unwrap().0, raw.len() - 100);
        let raw = b"\\\\".repeat(5000);
        assert_eq!(tail_start(&raw, 100, true).unwrap().0, raw.len() - 200);
    }

    #[test]
    fn ragged_bytes_count_as_replacements() {
        assert_eq!(units(b"ab\xffcd\xf0\x9f\x98", 0), 6);
    }

    #[test]
    fn blanks() {
        assert!(is_blank(b"") && is_blank(b" \\n\\t\\u00a0"));
        assert!(!is_blank(b" x"));
        assert_eq!(
            [r"a\u0020", r"a\u000A \n", r"a\\u0020", r"\u0009\u002a"]
                .map(|raw| trimmed_len(raw.as_bytes())),
            [1, 1, 8, 12]
        );
    }
}
