//! What lies at a place of the input and around it: the value, the record, the line, the next byte that says something.

use crate::Error;
use crate::json::Cursor;
use crate::read_at::Texts;
use std::ops::Range;

/// Bytes read at first for a value of unknown length.
const WINDOW: u64 = 16 << 10;

/// The value that begins at `start`, or after white space there.
pub fn value(texts: &dyn Texts, start: u64) -> Result<(Range<u64>, Vec<u8>), Error> {
    let mut length = WINDOW;
    loop {
        let end = texts.size().min(start.saturating_add(length));
        let bytes = texts.read(start, end)?;
        let mut cursor = Cursor::new(&bytes);
        cursor.peek();
        let from = cursor.at();
        match cursor.skip() {
            // What ends with the bytes may go on behind them.
            Ok(_) if cursor.at() < bytes.len() || end == texts.size() => {
                return Ok((start + from as u64..start + cursor.at() as u64, bytes[from..cursor.at()].to_vec()));
            }
            Err(error) if !error.open || end == texts.size() => return Err(Error::Changed),
            _ => length *= 4,
        }
    }
}

/// The record of a file of lines that holds the byte at `at`.
pub fn record_around(texts: &dyn Texts, at: u64) -> Result<(Range<u64>, Vec<u8>), Error> {
    let mut start = at;
    let mut window = WINDOW;
    let line = loop {
        let from = start.saturating_sub(window);
        let bytes = texts.read(from, start)?;
        match memchr::memrchr(b'\n', &bytes) {
            Some(newline) => break from + newline as u64 + 1,
            None if from == 0 => break 0,
            None => (start, window) = (from, window * 2),
        }
    };
    let mut from = line;
    loop {
        let (range, bytes) = value(texts, from)?;
        if range.end > at {
            return Ok((range, bytes));
        }
        from = range.end;
    }
}

/// The line of a record, with its line end, where nothing else stands on it; else the record alone.
pub fn line_of(texts: &dyn Texts, record: &Range<u64>) -> Result<(u64, u64), Error> {
    let blank = |byte| matches!(byte, Some(b' ' | b'\t' | b'\r'));
    let (mut start, mut end) = (record.start, record.end);
    while start > 0 && blank(byte_at(texts, start - 1)?) {
        start -= 1;
    }
    while blank(byte_at(texts, end)?) {
        end += 1;
    }
    let begins = start == 0 || byte_at(texts, start - 1)? == Some(b'\n');
    match byte_at(texts, end)? {
        Some(b'\n') if begins => Ok((start, end + 1)),
        None if begins => Ok((start, end)),
        _ => Ok((record.start, record.end)),
    }
}

/// The last byte before `at` that is no white space, with its place.
pub fn before(texts: &dyn Texts, mut at: u64) -> Result<Option<(u64, u8)>, Error> {
    while at > 0 {
        at -= 1;
        match byte_at(texts, at)? {
            Some(b' ' | b'\t' | b'\r' | b'\n') => {}
            other => return Ok(other.map(|byte| (at, byte))),
        }
    }
    Ok(None)
}

/// The first byte from `at` on that is no white space, with its place.
pub fn after(texts: &dyn Texts, mut at: u64) -> Result<Option<(u64, u8)>, Error> {
    while let Some(byte) = byte_at(texts, at)? {
        if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            return Ok(Some((at, byte)));
        }
        at += 1;
    }
    Ok(None)
}

/// How the line at `at` ends, or the one before it where it is the last and has no end.
pub fn line_end(texts: &dyn Texts, at: u64) -> Result<&'static [u8], Error> {
    let (mut start, mut end) = (at, None);
    while start < texts.size() && end.is_none() {
        let bytes = texts.read(start, texts.size().min(start + WINDOW))?;
        end = memchr::memchr(b'\n', &bytes).map(|i| start + i as u64);
        start += bytes.len() as u64;
    }
    start = at;
    while start > 0 && end.is_none() {
        let bytes = texts.read(start.saturating_sub(WINDOW), start)?;
        start -= bytes.len() as u64;
        end = memchr::memrchr(b'\n', &bytes).map(|i| start + i as u64);
    }
    let cr = end.is_some_and(|end| end > 0) && byte_at(texts, end.unwrap_or(1) - 1)? == Some(b'\r');
    Ok(if cr { b"\r\n" } else { b"\n" })
}

/// The byte at `at`, if the input is as long as that.
pub fn byte_at(texts: &dyn Texts, at: u64) -> Result<Option<u8>, Error> {
    if at >= texts.size() { Ok(None) } else { Ok(texts.read(at, at + 1)?.first().copied()) }
}

/// Where the record that begins at `start` ends.
///
/// # Errors
/// The input cannot be read any more.
pub fn record_end(texts: &dyn Texts, start: u64) -> Result<u64, Error> {
    Ok(value(texts, start)?.0.end)
}
