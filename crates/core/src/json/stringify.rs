//! The length of a value as `JSON.stringify` prints it, which is the size that OpenClaw uses for a
//! call's arguments.
//!
//! The value is not printed. White space is removed, numbers and escapes count as JavaScript spells
//! them, and of a key that occurs twice the last value counts, as it does after `JSON.parse`.

use super::{Cursor, Id, IdMap, Kind, Scanned, find, text};
use memchr::memmem;

/// Levels that are measured exactly: of a deeper container the bytes count. Node 20 prints no value
/// of 5,000 levels.
const DEEPEST: usize = 1_000;

/// Returns the length in UTF-16 units of the next value as `JSON.stringify` prints it.
///
/// # Errors
/// The value is malformed.
pub fn length(cursor: &mut Cursor<'_>) -> Scanned<usize> {
    let mut total = 0;
    let mut levels: Vec<Level> = Vec::new();
    loop {
        let opened = match cursor.kind()? {
            _ if levels.len() > DEEPEST => None,
            Kind::Object => Some((cursor.enter_object()?, true)),
            Kind::Array => Some((cursor.enter_array()?, false)),
            _ => None,
        };
        match opened {
            Some((members, is_object)) => levels.push(Level {
                members,
                is_object,
                ..Level::default()
            }),
            None => total += scalar(cursor)?,
        }
        // Here the cursor is behind a value or at the beginning of a container.
        loop {
            let Some(level) = levels.last_mut() else {
                return Ok(total);
            };
            total -= level.replaced(total);
            if level.is_object {
                if let Some(key) = cursor.key(&mut level.members)? {
                    (level.key, level.since) = (Id::of(&key), total);
                    level.count += 1;
                    total += quoted(&key) + 1;
                    break;
                }
            } else if cursor.element(&mut level.members)? {
                level.count += 1;
                break;
            }
            total += 2 + level.count.saturating_sub(1);
            levels.pop();
        }
    }
}

/// A container that is being read.
#[derive(Default)]
struct Level {
    members: super::Members,
    is_object: bool,
    /// The key whose value is being read.
    key: Id,
    /// The total before the current member.
    since: usize,
    /// The number of members that count.
    count: usize,
    /// The keys and sizes of the members.
    sizes: IdMap<usize>,
}

impl Level {
    /// Records the size of the member that just ended; returns the size of an earlier member with
    /// the same key.
    fn replaced(&mut self, total: usize) -> usize {
        let key = std::mem::take(&mut self.key);
        if key.is_none() {
            return 0;
        }
        let earlier = self.sizes.insert(key, total - self.since);
        self.count -= usize::from(earlier.is_some());
        earlier.unwrap_or(0)
    }
}

/// Returns the length of a decoded key with its quotes.
fn quoted(key: &[u8]) -> usize {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if key.iter().all(is_plain) {
        return key.len() + 2;
    }
    let units = |c: char| c.len_utf16() + escape(u32::from(c));
    let key = String::from_utf8_lossy(key);
    2 + key.chars().map(units).sum::<usize>()
}

fn scalar(cursor: &mut Cursor<'_>) -> Scanned<usize> {
    match cursor.kind()? {
        Kind::String => {
            let found = cursor.text()?;
            // `\/` is the one escape of two bytes that JavaScript does not print. (`\\` before a
            // slash is a false positive.)
            Ok(
                2 + if found.plain && memmem::find(found.raw, br"\/").is_none() {
                    found.raw.len()
                } else {
                    found.units + longer(found.raw)
                },
            )
        }
        Kind::Number => {
            let span = cursor.skip_span()?;
            Ok(number(span.of(cursor.record_bytes())))
        }
        Kind::Object | Kind::Array => Ok(cursor.skip_span()?.len()),
        Kind::False => cursor.skip().map(|_| 5),
        _ => cursor.skip().map(|_| 4),
    }
}

/// Returns by how many units the printed string is longer than the text: the escapes that
/// JavaScript adds.
fn longer(raw: &[u8]) -> usize {
    let (mut more, mut at) = (0, 0);
    while let Some(found) = find(b'\\', &raw[at..])
        && let Some(point) = text::point(raw, at + found)
    {
        more += escape(point.value);
        at = point.end;
    }
    more
}

/// Returns by how many units the escape of a code point is longer than itself; 0 if JavaScript
/// prints it as it is.
fn escape(value: u32) -> usize {
    match value {
        0x22 | 0x5c | 8 | 9 | 10 | 12 | 13 => 1,
        0..0x20 | 0xd800..0xe000 => 5,
        _ => 0,
    }
}

/// Returns the length of the nearest double as JavaScript prints it.
fn number(raw: &[u8]) -> usize {
    let digits = raw.strip_prefix(b"-").unwrap_or(raw);
    if digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit) && raw != b"-0" {
        return raw.len();
    }
    let value: f64 = std::str::from_utf8(raw)
        .ok()
        .and_then(|t| t.parse().ok())
        .unwrap_or(0.0);
    if value == 0.0 {
        return 1;
    }
    if value.is_infinite() {
        return 4; // null
    }
    let shortest = format!("{:e}", value.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let k = mantissa.bytes().filter(u8::is_ascii_digit).count() as i64;
    let n = exponent.parse::<i64>().unwrap_or(0) + 1;
    let length = if k <= n && n <= 21 {
        n
    } else if 0 < n && n <= 21 {
        k + 1
    } else if -6 < n && n <= 0 {
        2 - n + k
    } else {
        let point = i64::from(k > 1);
        k + point + 2 + (n - 1).abs().to_string().len() as i64
    };
    length as usize + usize::from(value < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths that node 20 prints for `JSON.stringify(JSON.parse(text)).length`.
    #[test]
    fn as_node_prints() {
        for (text, want) in [
            (r#"{ "a" : [ 1 , 2.50 , -0 ] }"#, r#"{"a":[1,2.5,0]}"#.len()),
            ("{}", 2),
            ("[]", 2),
            ("[[],{}]", 7),
            ("\"\\u0041\\/\\n\\u0007\"", r#""A/\n\u0007""#.len()),
            (r#""a\/b\n""#, r#""a/b\n""#.len()),
            (r#""a\\/b\n""#, r#""a\\/b\n""#.len()),
            (r#""\ud83d\ude00""#, 4),
            (r#""\ud83d x""#, 10),
            (r#"{"k":1,"j":2,"k":"long"}"#, r#"{"k":"long","j":2}"#.len()),
            (
                r#"{"k":{"a":1,"a":22},"k":{"a":1}}"#,
                r#"{"k":{"a":1}}"#.len(),
            ),
            ("1e21", 5),
            ("123456789012345678901", 21),
            ("1e-7", 4),
            ("0.000001", 8),
            ("1.5e300", 8),
            ("1e400", 4),
            ("-1.25", 5),
            ("100000000000000000000", 21),
            ("12345678901234567890", 20),
            ("5e-324", 6),
            ("\"漢😀\"", 5),
            ("true", 4),
            ("false", 5),
            ("null", 4),
            (r#"{"a\nb":1}"#, r#"{"a\nb":1}"#.len()),
        ] {
            assert_eq!(
                length(&mut Cursor::new(text.as_bytes())),
                Ok(want),
                "{text}"
            );
        }
    }

    #[test]
    fn depth_is_no_matter() {
        let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        assert_eq!(length(&mut Cursor::new(&deep)), Ok(200_000));
    }
}
