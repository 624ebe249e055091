//! Reads a history's lines into a sheet, in reused buffers and on as many threads as are wanted.
//!
//! Lines are not searched for first: the walk over a value ends at its line end. A line that is no JSON is found again by
//! its newline, told and left alone; so are blank lines, comments and zero-filled tails. Parts of a file read side by side
//! give the same sheet as one walk over all of it.

use crate::Error;
use crate::config::settings::{Estimator, Scope};
use crate::format::sheet::Sheet;
use crate::format::{Format, Gone, let_go, transcript};
use crate::input::{Room, Source};
use crate::json::{Cursor, ScanError, find};
use crate::plan::Texts;
use crate::report::Warning;
use crate::transcript::Transcript;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;

/// Bytes of a buffer; a longer line makes it grow.
const BUFFER: usize = 256 << 10;
/// Bytes of a part that one thread reads at a time.
const PART: u64 = 2 << 20;
/// Warnings about single lines that are kept; the rest is counted.
const WARNINGS: usize = 100;

/// Progress of a reading: bytes done so far are added.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// Bytes that can be read by position: an input, or an output that is not written yet.
pub trait Bytes {
    /// How many there are.
    fn size(&self) -> u64;

    /// Reads at `start` until `buffer` is full or the bytes end; returns how many.
    ///
    /// # Errors
    /// Reading fails.
    fn read_at(&self, start: u64, buffer: &mut [u8]) -> std::io::Result<usize>;

    /// All of them, where they lie in memory.
    fn held(&self) -> Option<&[u8]> {
        None
    }
}

impl Bytes for Source {
    fn size(&self) -> u64 {
        Texts::size(self)
    }

    fn read_at(&self, start: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        Source::read_at(self, start, buffer)
    }

    fn held(&self) -> Option<&[u8]> {
        match self {
            Source::Memory(bytes) => Some(bytes),
            Source::File(_) => None,
        }
    }
}

/// Reads lines that are not written yet, as [`history`] would.
///
/// # Errors
/// Those of [`history`].
pub fn again(bytes: &dyn Bytes, format: &'static Format, estimator: Estimator, scope: Scope) -> Result<Transcript, Error> {
    let mut sheet = Sheet::new(estimator);
    let (mut part, mut start) = (Part::new(bytes, format), 0);
    while start < bytes.size() {
        start = part.read(start, bytes.size(), &mut sheet)?;
    }
    transcript(format, sheet, scope).map_err(|Gone| Error::Changed)
}

/// Reads all lines of `source` and reduces them to the effective context.
///
/// # Errors
/// Reading fails, the file shrank, or a line is longer than 4 GiB.
pub fn history(
    source: &Source,
    format: &'static Format,
    estimator: Estimator,
    scope: Scope,
    threads: usize,
    progress: Progress<'_>,
) -> Result<Transcript, Error> {
    let mut sheet = lines(source, format, estimator, scope == Scope::Context, threads, progress)?;
    tidy(&mut sheet);
    match transcript(format, sheet, scope) {
        Ok(found) => Ok(found),
        Err(Gone) => {
            let mut sheet = lines(source, format, estimator, false, threads, progress)?;
            tidy(&mut sheet);
            transcript(format, sheet, scope).map_err(|Gone| Error::Changed)
        }
    }
}

/// Reads all lines of a history and keeps them all, whether in the context or not.
///
/// # Errors
/// A line is longer than 4 GiB, or reading fails.
pub fn everything(source: &Source, format: &'static Format, estimator: Estimator) -> Result<Sheet, Error> {
    let mut sheet = lines(source, format, estimator, false, 1, &|_| {})?;
    tidy(&mut sheet);
    Ok(sheet)
}

/// Keeps the first of many warnings, and says how many more there were.
pub(crate) fn tidy(sheet: &mut Sheet) {
    if sheet.warnings.len() > WARNINGS {
        let more = sheet.warnings.len() - WARNINGS;
        sheet.warnings.truncate(WARNINGS);
        sheet.warnings.push(Warning::new(format!("{more} more warnings about single lines")));
    }
}

/// Reads all lines. With `release`, what a compaction puts out of reach is let go on the way.
fn lines(
    source: &Source,
    format: &'static Format,
    estimator: Estimator,
    release: bool,
    threads: usize,
    progress: Progress<'_>,
) -> Result<Sheet, Error> {
    let size = Texts::size(source);
    let mut sheet = Sheet::new(estimator);
    if threads < 2 || size < 4 * PART {
        let mut part = Part::new(source, format);
        let mut start = 0;
        // In parts here too, so that memory does not follow the file.
        while start < size {
            let end = size.min(start + 8 * PART);
            start = part.read(start, end, &mut sheet)?;
            if release {
                let_go(&mut sheet);
            }
            progress(end);
        }
        return Ok(sheet);
    }
    side_by_side(source, format, release, threads, progress, &mut sheet)?;
    Ok(sheet)
}

/// Reads parts of the file on several threads and joins them in order as they come.
fn side_by_side(
    source: &Source,
    format: &'static Format,
    release: bool,
    threads: usize,
    progress: Progress<'_>,
    sheet: &mut Sheet,
) -> Result<(), Error> {
    let size = Texts::size(source);
    let parts = size.div_ceil(PART);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| Error::Io(std::io::Error::other(e)))?;
    let (next, estimator) = (AtomicU64::new(0), sheet.estimator);
    // A few parts may wait for their turn; beyond that the readers do.
    let (give, take) = sync_channel::<(u64, Result<Sheet, Error>)>(threads * 4);
    pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let (give, next) = (give.clone(), &next);
            scope.spawn(move |_| {
                let mut part = Part::new(source, format);
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= parts {
                        return;
                    }
                    let mut sheet = Sheet::new(estimator);
                    let read = part.read_owned(i * PART, size.min((i + 1) * PART), &mut sheet).map(|()| sheet);
                    if give.send((i, read)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(give);
        let mut early = BTreeMap::new();
        let mut wanted = 0;
        for (i, read) in take {
            early.insert(i, read);
            while let Some(read) = early.remove(&wanted) {
                sheet.append(read?);
                wanted += 1;
                if release && wanted % 16 == 0 {
                    let_go(sheet);
                }
                progress(size.min(wanted * PART));
            }
        }
        Ok(())
    })
}

/// A reader of the lines that begin in a part of the file, with its buffer.
struct Part<'a> {
    source: &'a dyn Bytes,
    format: &'static Format,
    buffer: Room,
}

impl<'a> Part<'a> {
    fn new(source: &'a dyn Bytes, format: &'static Format) -> Part<'a> {
        Part { source, format, buffer: Room::default() }
    }

    /// Reads the lines that begin in `start..end`, where a line may have begun before `start`: that one is another's.
    fn read_owned(&mut self, start: u64, end: u64, sheet: &mut Sheet) -> Result<(), Error> {
        let mut from = start;
        if start > 0 {
            let mut near = [0; 4096];
            // From the byte before, so that a line that begins at `start` is ours.
            from -= 1;
            loop {
                let n = self.source.read_at(from, &mut near)?;
                match find(b'\n', &near[..n]) {
                    Some(i) => {
                        from += i as u64 + 1;
                        break;
                    }
                    None if n == 0 => return Ok(()),
                    None => from += n as u64,
                }
            }
        }
        if from < end { self.read(from, end, sheet).map(|_| ()) } else { Ok(()) }
    }

    /// Reads the lines that begin in `start..end`, a line beginning at `start`; returns where the next one begins.
    fn read(&mut self, start: u64, end: u64, sheet: &mut Sheet) -> Result<u64, Error> {
        if let Some(bytes) = self.source.held() {
            return self.walk(bytes, 0, start, end, sheet);
        }
        let size = self.source.size();
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.grow(BUFFER, 0);
        let (mut base, mut filled) = (start, 0);
        let outcome = loop {
            let n = self.source.read_at(base + filled as u64, &mut buffer[filled..])?;
            let last = base + (filled + n) as u64 >= size;
            if n == 0 && !last {
                break Err(Error::Changed);
            }
            // Only whole lines are walked: one that goes on beyond the buffer would be walked twice.
            let whole = if last { Some(filled + n) } else { memchr::memrchr(b'\n', &buffer[filled..filled + n]).map(|i| filled + i + 1) };
            filled += n;
            if let Some(whole) = whole {
                let next = self.walk(&buffer[..whole], base, base, end, sheet)?;
                if last || next >= end {
                    break Ok(next);
                }
                buffer.copy_within(whole..filled, 0);
                (base, filled) = (base + whole as u64, filled - whole);
            }
            if filled == buffer.len() {
                if buffer.len() >= u32::MAX as usize {
                    break Err(Error::TooLong);
                }
                buffer.grow((filled * 2).min(u32::MAX as usize), filled);
            }
        };
        if buffer.len() <= 4 * BUFFER {
            self.buffer = buffer;
        }
        outcome
    }

    /// Reads the lines of `bytes`, whole lines that stand at `base` in the input, from `start` on while they begin before
    /// `end`; returns where the next one begins.
    fn walk(&self, bytes: &[u8], base: u64, start: u64, end: u64, sheet: &mut Sheet) -> Result<u64, Error> {
        let mut cursor = Cursor::lines(bytes, (start - base) as usize);
        let mut line = cursor.at();
        while line < bytes.len() && base + (line as u64) < end {
            if line == 0 && base == 0 && bytes.starts_with(b"\xef\xbb\xbf") {
                cursor.go_to(3);
            }
            let mark = sheet.mark();
            if let Err(error) = one_line(&mut cursor, base, self.format, sheet) {
                sheet.rollback(mark);
                let from = error.at.clamp(line, bytes.len());
                let found = find(b'\n', &bytes[from..]).map(|i| from + i);
                let line_end = found.unwrap_or(bytes.len());
                complain(&bytes[line..line_end], base + line as u64, line, &error, found.is_none(), sheet);
                cursor.go_to(line_end);
            }
            if cursor.at() - line > u32::MAX as usize {
                return Err(Error::TooLong);
            }
            sheet.lines += 1;
            line = (cursor.at() + 1).min(bytes.len());
            cursor.go_to(line);
        }
        Ok(base + line as u64)
    }
}

/// Reads the values of one line and leaves the cursor at its end.
fn one_line(cursor: &mut Cursor<'_>, base: u64, format: &Format, sheet: &mut Sheet) -> Result<(), ScanError> {
    let mut values = 0;
    while !cursor.at_end() {
        let at = cursor.at();
        sheet.begin(base + at as u64, sheet.lines + 1);
        (format.read)(cursor, sheet)?;
        values += 1;
    }
    if values > 1 {
        sheet.warnings.push(Warning::at(sheet.lines + 1, format!("{values} records on one line")));
    }
    Ok(())
}

/// Tells about a line that is no JSON: the one after those that the sheet counts.
pub(crate) fn complain(bytes: &[u8], start: u64, line_at: usize, error: &ScanError, last: bool, sheet: &mut Sheet) {
    let text = bytes.trim_ascii();
    let what = if text.starts_with(b"//") || text.starts_with(b"#") {
        "a comment, passed through".to_owned()
    } else if !text.is_empty() && text.iter().all(|&b| b == 0) {
        "zero bytes, passed through".to_owned()
    } else {
        let column = error.at.saturating_sub(line_at) + 1;
        let torn = if last && error.open { "torn line, passed through: " } else { "malformed line, passed through: " };
        format!("{torn}{error} at column {column} (byte {})", start + (column as u64 - 1))
    };
    sheet.warnings.push(Warning::at(sheet.lines + 1, what));
}
