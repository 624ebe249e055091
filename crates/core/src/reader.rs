//! Reads a log's lines into a builder, in reused buffers and on several threads.
//!
//! Lines are not searched for first: the walk over a value ends at its line end. A line that is not
//! JSON is reported and skipped up to its newline; so are blank lines, comments and zero-filled
//! tails. Parts of a file that are read in parallel give the same builder as one walk over all of
//! it.

mod part;

pub use part::{complain, record, written_whole};

use crate::{
    Error, Result,
    diagnostics::Warning,
    dialect::{Dialect, builder::TranscriptBuilder, name_missing, release_entries, transcript},
    input::{Source, Spool},
    read_at::ReadAt,
    settings::{Estimator, Scope},
    transcript::{Records, Transcript},
};
use part::Part;
use std::{
    collections::BTreeMap,
    fs::File,
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::sync_channel,
    },
};

/// Bytes of a part that one thread reads at a time.
const PART: u64 = 2 << 20;
/// The number of warnings about single lines that are kept; others are only counted.
const WARNINGS: usize = 100;

/// Called with the number of bytes read since the last call.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// The options for reading a log.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Its format.
    pub format: &'static Dialect,
    /// The estimator that weighs the texts.
    pub estimator: Estimator,
    /// The messages to read: those of the context or all of the file.
    pub scope: Scope,
    /// Whether to record where records lie and how they name each other, which removing records
    /// requires.
    pub table: bool,
}

impl Reading {
    /// Returns the options without a table of records.
    pub fn new(format: &'static Dialect, estimator: Estimator, scope: Scope) -> Reading {
        Reading {
            format,
            estimator,
            scope,
            table: false,
        }
    }

    /// An empty builder for it.
    pub fn builder(&self) -> TranscriptBuilder {
        let mut builder = TranscriptBuilder::new(self.estimator);
        builder.table = self.table.then(|| Records::new(self.format.references));
        builder
    }
}

/// Reads all lines of a log, which may not be written yet, and reduces them to the effective
/// context.
///
/// # Errors
/// Reading fails, the file shrank, or a line is longer than 4 GiB.
pub fn log(
    source: &dyn ReadAt,
    reading: &Reading,
    threads: usize,
    progress: Progress<'_>,
) -> Result<Transcript> {
    // All messages are kept if one that was let go is needed.
    for release in [reading.scope == Scope::Context, false] {
        let builder = lines(source, reading, release, threads, progress)?;
        if let Some(found) = context(source, reading, builder)? {
            return Ok(found);
        }
    }
    Err(Error::Changed)
}

/// Returns the context of what was read, with a warning if the log names parents that it does not
/// contain; `None` if an entry that was let go is needed.
fn context(
    source: &dyn ReadAt,
    reading: &Reading,
    mut builder: TranscriptBuilder,
) -> Result<Option<Transcript>> {
    limit_warnings(&mut builder);
    let Ok(mut found) = transcript(reading.format, builder, reading.scope) else {
        return Ok(None);
    };
    name_missing(source, reading.format, &mut found)?;
    Ok(Some(found))
}

/// Like [`log`], for a history that is still written to a pipe and is copied to `spool`. Returns
/// the copy, too.
///
/// # Errors
/// Those of [`log`], and the pipe cannot be read.
pub fn from_pipe(pipe: &File, spool: Spool, reading: &Reading) -> Result<(Transcript, Source)> {
    let builder = std::thread::scope(|threads| {
        let read = || one_by_one(&spool, reading, reading.scope == Scope::Context, &|_| {});
        match std::thread::Builder::new().spawn_scoped(threads, || spool.fill(pipe)) {
            Ok(filling) => {
                let read = read();
                filling
                    .join()
                    .unwrap_or_else(|_| Err(std::io::Error::other("a thread ended early")))?;
                read
            }
            // Without a thread, the pipe is copied first and then read.
            Err(_) => {
                spool.fill(pipe)?;
                read()
            }
        }
    })?;
    let source = spool.into_source()?;
    let found = match context(&source, reading, builder)? {
        Some(found) => found,
        None => log(&source, reading, 1, &|_| {})?,
    };
    Ok((found, source))
}

/// Reads all lines of a history and keeps all messages, also those outside the context.
///
/// # Errors
/// A line is longer than 4 GiB, or reading fails.
pub fn everything(source: &dyn ReadAt, reading: &Reading) -> Result<TranscriptBuilder> {
    let mut builder = lines(source, reading, false, 1, &|_| {})?;
    limit_warnings(&mut builder);
    Ok(builder)
}

/// Keeps the first warnings and replaces the others by their number.
pub fn limit_warnings(builder: &mut TranscriptBuilder) {
    if builder.warnings.len() > WARNINGS {
        let more = builder.warnings.len() - WARNINGS;
        builder.warnings.truncate(WARNINGS);
        builder.warnings.push(Warning::new(format!(
            "{more} more warnings about single lines"
        )));
    }
}

/// Reads one part after the other, so that memory does not grow with the input. With `release`,
/// messages before a compaction are freed while reading.
fn one_by_one(
    bytes: &dyn ReadAt,
    reading: &Reading,
    release: bool,
    progress: Progress<'_>,
) -> Result<TranscriptBuilder> {
    let mut builder = reading.builder();
    let part = Part {
        source: bytes,
        format: reading.format,
    };
    let mut start = 0;
    while start < bytes.size() {
        let end = bytes.size().min(start + 8 * PART);
        start = part.read(start, end, &mut builder)?;
        if release {
            release_entries(&mut builder);
        }
        progress(end);
    }
    Ok(builder)
}

/// Like [`one_by_one`], but reads the parts of a large file on several threads and joins them in
/// the order of the file.
fn lines(
    source: &dyn ReadAt,
    reading: &Reading,
    release: bool,
    threads: usize,
    progress: Progress<'_>,
) -> Result<TranscriptBuilder> {
    let size = source.size();
    let parts = size.div_ceil(PART);
    let pool = (threads > 1 && size >= 4 * PART)
        .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    // If no thread could be started, this one reads.
    let Some(Ok(pool)) = pool else {
        return one_by_one(source, reading, release, progress);
    };
    let (mut builder, next) = (reading.builder(), AtomicU64::new(0));
    // Bounds the parts that are read before their turn.
    let (give, take) = sync_channel::<(u64, Result<TranscriptBuilder>)>(threads * 4);
    pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let (give, next) = (give.clone(), &next);
            scope.spawn(move |_| {
                let format = reading.format;
                let part = Part { source, format };
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= parts {
                        return;
                    }
                    let mut builder = reading.builder();
                    let read = part
                        .read_owned(i * PART, size.min((i + 1) * PART), &mut builder)
                        .map(|()| builder);
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
                builder.append(read?);
                wanted += 1;
                if release && wanted % 16 == 0 {
                    release_entries(&mut builder);
                }
                progress(size.min(wanted * PART));
            }
        }
        Ok(builder)
    })
}
