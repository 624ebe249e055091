//! Finds the value, record or line around a place of an input, and the nearest byte that is not
//! white space.

use crate::{
    json::{Cursor, bom},
    read_at::Window,
};
use std::{io, ops::Range};

/// Bytes read at first for a value of unknown length.
const WINDOW: u64 = 16 << 10;

/// Returns the range of the value that begins at `start`, or after white space there.
///
/// # Errors
/// The input cannot be read any more, or nothing contains the byte.
pub fn value_at(window: &mut Window<'_>, start: u64) -> io::Result<Range<u64>> {
    let (size, mut length) = (window.size(), WINDOW);
    loop {
        let end = size.min(start.saturating_add(length));
        let bytes = window.get(start, end)?;
        let mut cursor = Cursor::new(bytes);
        let from = cursor.next_at();
        match cursor.skip() {
            // A number at the end of the window may continue behind it.
            Ok(_) if cursor.at() < bytes.len() || end == size => {
                return Ok(start + from as u64..start + cursor.at() as u64);
            }
            Err(error) if !error.open || end == size => {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            _ => length *= 4,
        }
    }
}

/// Returns the record that contains byte `at` in a file of lines.
///
/// # Errors
/// The input cannot be read any more, or nothing contains the byte.
pub fn record_around(window: &mut Window<'_>, at: u64) -> io::Result<Range<u64>> {
    let (mut start, mut length) = (at, WINDOW);
    let mut line = loop {
        let from = start.saturating_sub(length);
        match memchr::memrchr(b'\n', window.get(from, start)?) {
            Some(newline) => break from + newline as u64 + 1,
            None if from == 0 => break 0,
            None => (start, length) = (from, length * 2),
        }
    };
    if line == 0 {
        line = bom(window.get(0, window.size().min(3))?) as u64;
    }
    loop {
        let record = value_at(window, line)?;
        if record.end > at {
            return Ok(record);
        }
        line = record.end;
    }
}

/// Returns the line of a record with its line end or, if something else is on that line, the record
/// alone.
///
/// # Errors
/// The input cannot be read any more.
pub fn line_of(window: &mut Window<'_>, record: &Range<u64>) -> io::Result<Range<u64>> {
    let blank = |byte| matches!(byte, Some(b' ' | b'\t' | b'\r'));
    let Range { mut start, mut end } = *record;
    while start > 0 && blank(window.byte(start - 1)?) {
        start -= 1;
    }
    while blank(window.byte(end)?) {
        end += 1;
    }
    let begins = start == 0 || window.byte(start - 1)? == Some(b'\n');
    Ok(match window.byte(end)? {
        Some(b'\n') if begins => start..end + 1,
        None if begins => start..end,
        _ => record.clone(),
    })
}

/// Returns the last byte before `at` that is not white space, and its index.
///
/// # Errors
/// The input cannot be read any more.
pub fn before(window: &mut Window<'_>, mut at: u64) -> io::Result<Option<(u64, u8)>> {
    while at > 0 {
        at -= 1;
        if let Some(byte) = window.byte(at)?.filter(|byte| !is_space(*byte)) {
            return Ok(Some((at, byte)));
        }
    }
    Ok(None)
}

/// Returns the first byte from `at` on that is not white space, and its index.
///
/// # Errors
/// The input cannot be read any more.
pub fn after(window: &mut Window<'_>, mut at: u64) -> io::Result<Option<(u64, u8)>> {
    while let Some(byte) = window.byte(at)? {
        if !is_space(byte) {
            return Ok(Some((at, byte)));
        }
        at += 1;
    }
    Ok(None)
}

/// Returns the line end of the line at `at`, or that of the line before it if the line at `at` is
/// the last and has no end.
///
/// # Errors
/// The input cannot be read any more.
pub fn line_end(window: &mut Window<'_>, at: u64) -> io::Result<&'static [u8]> {
    let (mut start, mut end) = (at, None);
    while start < window.size() && end.is_none() {
        let to = window.size().min(start + WINDOW);
        end = memchr::memchr(b'\n', window.get(start, to)?).map(|i| start + i as u64);
        start = to;
    }
    start = at;
    while start > 0 && end.is_none() {
        let from = start.saturating_sub(WINDOW);
        end = memchr::memrchr(b'\n', window.get(from, start)?).map(|i| from + i as u64);
        start = from;
    }
    let before = end
        .and_then(|end| end.checked_sub(1))
        .map(|at| window.byte(at))
        .transpose()?;
    Ok(if before.flatten() == Some(b'\r') {
        b"\r\n"
    } else {
        b"\n"
    })
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines() {
        let texts = [
            ("{}\r\n{}", 4, "\r\n"),
            ("{}\r\n{}", 0, "\r\n"),
            ("{}\r\n{}\n", 4, "\n"),
            ("\n{}", 2, "\n"),
            ("{}", 1, "\n"),
        ];
        for (text, at, want) in texts {
            assert_eq!(
                line_end(&mut Window::new(&text.as_bytes()), at).unwrap(),
                want.as_bytes(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn records_and_lines() {
        let text =
            b"\xef\xbb\xbf{\"n\":1} \n{\"a\":1}\n  {\"message\":{\"b\":2}}  \r\n{}{}\n{\"last\":0}";
        let (bytes, place) = (&text[..], |part: &str| {
            let at = text
                .windows(part.len())
                .position(|w| w == part.as_bytes())
                .unwrap() as u64;
            at..at + part.len() as u64
        });
        let mut window = Window::new(&bytes);
        for (inside, record, line) in [
            ("1} ", r#"{"n":1}"#, r#"{"n":1}"#),
            (
                "b",
                r#"{"message":{"b":2}}"#,
                "  {\"message\":{\"b\":2}}  \r\n",
            ),
            ("}{}", "{}", "{}"),
            ("last", r#"{"last":0}"#, r#"{"last":0}"#),
        ] {
            let (record, at) = (place(record), place(inside).start);
            assert_eq!(record_around(&mut window, at).unwrap(), record, "{inside}");
            assert_eq!(
                line_of(&mut window, &record).unwrap(),
                place(line),
                "{inside}"
            );
        }
        assert_eq!(
            (
                before(&mut window, 12).unwrap(),
                after(&mut window, 10).unwrap()
            ),
            (Some((9, b'}')), Some((12, b'{')))
        );
        assert!(value_at(&mut window, 0).is_err() && before(&mut window, 0).unwrap().is_none());
    }
}
