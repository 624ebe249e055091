//! Reads the lines that begin in a part of an input, one after the other.

use super::{Dialect, TranscriptBuilder, Warning};
use crate::{
    Error, Result,
    dialect::builder::Level,
    input::ReadBuffer,
    json::{Cursor, ScanError, Scanned, bom, find, locate::is_value},
    read_at::ReadAt,
    transcript::{DamagedLine, TruncatedRecord},
};

/// The initial size of a buffer, which grows for a longer line.
const BUFFER: usize = 256 << 10;
/// The number of bytes after which a line is tested for being JSON at all.
const LONG: usize = 4 * BUFFER;
/// With this many bytes behind it, an error is not caused by the end of the buffer.
const BEYOND: usize = 64;

/// A reader of the lines that begin in a part of the file.
pub struct Part<'a> {
    pub source: &'a dyn ReadAt,
    pub format: &'static Dialect,
}

impl Part<'_> {
    /// Reads the lines that begin in `start..end`. A line that begins before `start` belongs to
    /// another part.
    pub fn read_owned(&self, start: u64, end: u64, builder: &mut TranscriptBuilder) -> Result<()> {
        let mut from = start;
        if start > 0 {
            let mut near = [0; 4096];
            // Starts one byte earlier, to see whether a line begins at `start`.
            from -= 1;
            loop {
                let n = self.source.read_at(from, &mut near)?;
                match find(b'\n', &near[..n]) {
                    Some(i) => {
                        from += i as u64 + 1;
                        break;
                    }
                    None if n == 0 || from >= end => return Ok(()),
                    None => from += n as u64,
                }
            }
        }
        if from < end {
            self.read(from, end, builder).map(|_| ())
        } else {
            Ok(())
        }
    }

    /// Reads the lines that begin in `start..end`, where a line begins at `start`; returns where
    /// the next line begins.
    pub fn read(&self, start: u64, end: u64, builder: &mut TranscriptBuilder) -> Result<u64> {
        if let Some(bytes) = self.source.in_memory() {
            return self.walk(bytes, 0, start, end, builder);
        }
        let mut buffer = ReadBuffer::default();
        buffer.grow(BUFFER);
        let mut base = start;
        loop {
            let filled = buffer.len();
            let space = buffer.room() - filled;
            let at = base + filled as u64;
            let n = buffer.read(space, |space| self.source.read_at(at, space))?;
            let last = at + n as u64 >= self.source.size();
            if n == 0 && !last {
                return Err(Error::Changed);
            }
            // Only whole lines are parsed, as an incomplete one would be parsed again.
            let whole = if last {
                Some(buffer.len())
            } else {
                memchr::memrchr(b'\n', &buffer[filled..]).map(|i| filled + i + 1)
            };
            if let Some(whole) = whole {
                let next = self.walk(&buffer[..whole], base, base, end, builder)?;
                if last || next >= end {
                    return Ok(next);
                }
                buffer.remove(whole);
                base += whole as u64;
            }
            let filled = buffer.len();
            if filled == buffer.room() {
                // The zero-filled end of a sparse file may have any length, so that a line that is
                // not JSON is not loaded.
                if (LONG..2 * LONG).contains(&filled)
                    && let Some(error) = mistake(&buffer)
                {
                    base = self.pass_over(base, &error, builder)?;
                    buffer.remove(filled);
                    if base >= end || base >= self.source.size() {
                        return Ok(base);
                    }
                    continue;
                }
                if filled >= u32::MAX as usize {
                    return Err(Error::TooLong);
                }
                buffer.grow((filled * 2).min(u32::MAX as usize));
            }
        }
    }

    /// Skips a line that is not JSON; returns where the next line begins.
    fn pass_over(
        &self,
        start: u64,
        error: &ScanError,
        builder: &mut TranscriptBuilder,
    ) -> Result<u64> {
        let (mut at, mut is_zero, mut begins_as_comment) = (start, true, false);
        let mut buffer = vec![0; BUFFER];
        loop {
            let n = self.source.read_at(at, &mut buffer)?;
            let newline = find(b'\n', &buffer[..n]);
            let line = &buffer[..newline.unwrap_or(n)];
            begins_as_comment |= at == start && is_comment(line);
            is_zero &= line.iter().fold(0, |all, byte| all | byte) == 0;
            if newline.is_some() || at + n as u64 >= self.source.size() {
                // The bytes that show what kind of line it is.
                let kind: &[u8] = if is_zero {
                    b"\0"
                } else if begins_as_comment {
                    b"//"
                } else {
                    b"?"
                };
                complain(kind, start, 0, error, newline.is_none(), builder);
                builder.lines += 1;
                return Ok(at + newline.map_or(n, |i| i + 1) as u64);
            }
            if n == 0 {
                return Err(Error::Changed);
            }
            at += n as u64;
        }
    }

    /// Reads those of the whole lines in `bytes` that begin in `start..end`; `base` is the index of
    /// `bytes` in the input. Returns where the next line begins.
    fn walk(
        &self,
        bytes: &[u8],
        base: u64,
        start: u64,
        end: u64,
        builder: &mut TranscriptBuilder,
    ) -> Result<u64> {
        let mut cursor = Cursor::lines(bytes, (start - base) as usize);
        let mut line = cursor.at();
        while line < bytes.len() && base + (line as u64) < end {
            if line == 0 && base == 0 {
                cursor.go_to(bom(bytes));
            }
            let mark = builder.mark();
            if let Err(error) = one_line(&mut cursor, base, self.format, builder) {
                builder.rollback(mark);
                let from = error.at.clamp(line, bytes.len());
                let found = find(b'\n', &bytes[from..]).map(|i| from + i);
                let line_end = found.unwrap_or(bytes.len());
                // In one that only lacks its end, what looks like a record may be a part of it.
                let is_whole = bytes[from..line_end].trim_ascii().is_empty();
                let behind = whole_behind(&bytes[line..line_end]).filter(|_| !is_whole);
                let behind = behind.map(|at| line + at);
                if let Some(behind) = behind {
                    let range = base + line as u64..base + behind as u64;
                    builder.torn_before.push((builder.lines + 1, range));
                }
                let line_end = behind.unwrap_or(line_end);
                complain(
                    &bytes[line..line_end],
                    base + line as u64,
                    line,
                    &error,
                    found.is_none() && behind.is_none(),
                    builder,
                );
                cursor.go_to(line_end);
                if behind.is_some() {
                    line = line_end;
                    continue;
                }
            }
            if cursor.at() - line > u32::MAX as usize {
                return Err(Error::TooLong);
            }
            builder.lines += 1;
            line = (cursor.at() + 1).min(bytes.len());
            cursor.go_to(line);
        }
        Ok(base + line as u64)
    }
}

/// Returns where in a line a whole record begins, behind another one that was not written to its
/// end: an agent that died in the middle of a record begins the next one there.
fn whole_behind(line: &[u8]) -> Option<usize> {
    let opening = &line[..=find(b':', line)?];
    let places = memchr::memmem::find_iter(&line[1..], opening).take(TORN);
    let mut places = places.map(|at| at + 1);
    places.find(|at| opening.starts_with(b"{\"") && is_value(&line[*at..]))
}

/// Returns the error of a line that cannot become JSON by what follows.
fn mistake(begun: &[u8]) -> Option<ScanError> {
    let mut cursor = Cursor::lines(begun, 0);
    while !cursor.at_end() {
        if let Err(error) = cursor.skip() {
            return Some(error).filter(|error| !error.open && error.at + BEYOND < begun.len());
        }
    }
    None
}

/// Reads the values of one line and leaves the cursor at its end.
fn one_line(
    cursor: &mut Cursor<'_>,
    base: u64,
    format: &Dialect,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    let (line, mut values) = (cursor.at(), 0);
    while !cursor.at_end() {
        record(cursor, base, format, builder)?;
        values += 1;
    }
    if let Some(table) = builder.table.as_mut().filter(|_| values == 1) {
        let bytes = cursor.bytes();
        let end = cursor.at() + usize::from(cursor.at() < bytes.len());
        if line == 0 || bytes[line - 1] == b'\n' {
            table.fills(base + line as u64, base + end as u64);
        }
    }
    if values > 1 {
        builder.warnings.push(Warning::at(
            builder.lines + 1,
            format!("{values} records on one line"),
        ));
    }
    Ok(())
}

/// Reads the next value, which begins in the line behind those that the builder has counted; `base`
/// is the index of the cursor's bytes in the input.
pub fn record(
    cursor: &mut Cursor<'_>,
    base: u64,
    format: &Dialect,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    let (at, before) = (cursor.begin_record(), builder.messages.len());
    builder.begin(base + at as u64, builder.lines + 1);
    (format.read)(cursor, builder)?;
    if let Some(table) = &mut builder.table {
        let messages = builder.messages.get(before..).unwrap_or_default();
        table.add(cursor.bytes(), at..cursor.at(), base, messages);
    }
    Ok(())
}

/// Adds a warning about a line that is not JSON. Its number is one more than the lines that the
/// builder has counted.
pub fn complain(
    bytes: &[u8],
    start: u64,
    line_at: usize,
    error: &ScanError,
    last: bool,
    builder: &mut TranscriptBuilder,
) {
    let text = bytes.trim_ascii();
    let what = if is_comment(text) {
        "a comment, passed through".to_owned()
    } else if !text.is_empty() && text.iter().all(|&b| b == 0) {
        "zero bytes, passed through".to_owned()
    } else {
        let column = error.at.saturating_sub(line_at) + 1;
        let is_torn = last && error.open;
        if !is_torn {
            builder.damaged.get_or_insert(DamagedLine {
                line: builder.lines + 1,
                column: column as u64,
                byte: start + (column as u64 - 1),
                error: *error,
            });
        }
        let torn = if is_torn {
            "torn line, passed through: "
        } else {
            "malformed line, passed through: "
        };
        format!(
            "{torn}{error} at column {column} (byte {})",
            start + (column as u64 - 1)
        )
    };
    if is_element(text) {
        builder.not_understood(
            Level::Message,
            "a comma behind a record, as in a JSON array,".to_owned(),
        );
    }
    builder.torn = torn_at(bytes)
        .map(|at| TruncatedRecord {
            line: builder.lines + 1,
            start: start + at as u64,
        })
        .or(builder.torn);
    builder.warnings.push(Warning::at(builder.lines + 1, what));
}

fn is_comment(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    text.starts_with(b"//") || text.starts_with(b"#")
}

/// Returns whether a line is an element of an array: a whole value and a comma.
fn is_element(line: &[u8]) -> bool {
    line.strip_suffix(b",")
        .is_some_and(|value| is_value(value.strip_prefix(b"[").unwrap_or(value)))
}

/// Returns the offset in a line of a record that was not written completely, or of zero bytes in
/// its place.
fn torn_at(line: &[u8]) -> Option<usize> {
    let end = line
        .iter()
        .rposition(|byte| !matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n'))
        .map_or(0, |last| last + 1);
    let (written, zeros) = (&line[..end], line[end..].contains(&0));
    let mut cursor = Cursor::new(written);
    while !cursor.at_end() {
        let from = cursor.at();
        if let Err(error) = cursor.skip() {
            return (error.open && written[from] == b'{').then_some(from);
        }
    }
    zeros.then_some(end)
}

/// The number of incomplete lines at the end that an interrupted agent may leave.
const TORN: usize = 3;

/// Returns the length of the whole lines in `bytes`, which a torn line followed: without further
/// torn lines at the end. `None` if more lines are torn than an interrupted agent leaves, or if no
/// line is left: that is other damage.
pub fn written_whole(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    for _ in 0..TORN {
        let text = bytes[..end].trim_ascii_end();
        let line = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
        let Some(torn) = torn_at(&text[line..]) else {
            return Some(end).filter(|_| !text.is_empty());
        };
        end = line + torn;
    }
    None
}
