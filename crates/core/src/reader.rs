//! Reads a history's lines into a sheet, in reused buffers and on as many threads as are wanted.
//!
//! Lines are not searched for first: the walk over a value ends at its line end. A line that is no JSON is found again by
//! its newline, told and left alone; so are blank lines, comments and zero-filled tails. Parts of a file read side by side
//! give the same sheet as one walk over all of it.

mod part;

pub(crate) use part::{complain, written_whole};

use crate::Error;
use crate::config::settings::{Estimator, Scope};
use crate::diagnostics::Warning;
use crate::format::sheet::Sheet;
use crate::format::{Format, Gone, let_go, name_missing, transcript};
use crate::input::{Source, Spool};
use crate::read_at::ReadAt;
use crate::transcript::Transcript;
use part::Part;
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;

/// Bytes of a part that one thread reads at a time.
const PART: u64 = 2 << 20;
/// Warnings about single lines that are kept; the rest is counted.
const WARNINGS: usize = 100;

/// Progress of a reading: bytes done so far are added.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// Reads lines that are not written yet, as [`history`] would.
///
/// # Errors
/// Those of [`history`].
pub fn again(bytes: &dyn ReadAt, format: &'static Format, estimator: Estimator, scope: Scope) -> Result<Transcript, Error> {
    let mut sheet = Sheet::new(estimator);
    one_by_one(bytes, format, false, &|_| {}, &mut sheet)?;
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
        Ok(found) => named(source, format, found),
        Err(Gone) => whole(source, format, estimator, scope, threads, progress),
    }
}

/// Reads all lines and keeps those too that a compaction put out of reach.
fn whole(
    source: &Source,
    format: &'static Format,
    estimator: Estimator,
    scope: Scope,
    threads: usize,
    progress: Progress<'_>,
) -> Result<Transcript, Error> {
    let mut sheet = lines(source, format, estimator, false, threads, progress)?;
    tidy(&mut sheet);
    named(source, format, transcript(format, sheet, scope).map_err(|Gone| Error::Changed)?)
}

/// What was read of `source`, with a warning where parents are missing.
fn named(source: &Source, format: &Format, mut found: Transcript) -> Result<Transcript, Error> {
    name_missing(source, format, &mut found)?;
    Ok(found)
}

/// Reads all lines of a history while they come through a pipe into `spool`, as [`history`] would, and gives what they make.
///
/// # Errors
/// Those of [`history`], and the pipe cannot be read.
pub fn as_it_comes(
    pipe: &File,
    spool: Spool,
    format: &'static Format,
    estimator: Estimator,
    scope: Scope,
) -> Result<(Transcript, Source), Error> {
    let mut sheet = Sheet::new(estimator);
    std::thread::scope(|threads| {
        let mut read = || one_by_one(&spool, format, scope == Scope::Context, &|_| {}, &mut sheet);
        match std::thread::Builder::new().spawn_scoped(threads, || spool.fill(pipe)) {
            Ok(filling) => {
                let read = read();
                filling.join().unwrap_or_else(|_| Err(std::io::Error::other("a thread ended early")))?;
                read
            }
            // No thread is to be had: one thing after the other.
            Err(_) => {
                spool.fill(pipe)?;
                read()
            }
        }
    })?;
    let source = spool.into_source()?;
    tidy(&mut sheet);
    match transcript(format, sheet, scope) {
        Ok(found) => Ok((named(&source, format, found)?, source)),
        Err(Gone) => Ok((whole(&source, format, estimator, scope, 1, &|_| {})?, source)),
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
    let size = source.size();
    let mut sheet = Sheet::new(estimator);
    if threads < 2 || size < 4 * PART {
        one_by_one(source, format, release, progress, &mut sheet)?;
    } else {
        side_by_side(source, format, release, threads, progress, &mut sheet)?;
    }
    Ok(sheet)
}

/// Reads parts of the input one after the other, so that memory does not follow it.
fn one_by_one(bytes: &dyn ReadAt, format: &'static Format, release: bool, progress: Progress<'_>, sheet: &mut Sheet) -> Result<(), Error> {
    let (mut part, mut start) = (Part::new(bytes, format), 0);
    while start < bytes.size() {
        let end = bytes.size().min(start + 8 * PART);
        start = part.read(start, end, sheet)?;
        if release {
            let_go(sheet);
        }
        progress(end);
    }
    Ok(())
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
    let size = source.size();
    let parts = size.div_ceil(PART);
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else {
        // No threads are to be had.
        return one_by_one(source, format, release, progress, sheet);
    };
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
