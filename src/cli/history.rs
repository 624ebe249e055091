//! A history from its lines to its output, whatever others write to it meanwhile.
//!
//! What is written comes from a second reading, which must find what the first one found. So a small log is read once and kept,
//! and a larger one that turns out to have grown is copied and read anew, as long as nobody has seen its output.

use super::job::{Job, LARGE, Opened, Told, threads_for};
use super::progress::Part;
use anyhow::Result;
use deadhead_core::engine::{self, Pruned, Record, Task};
use deadhead_core::format::Detected;
use deadhead_core::format::accept::accept;
use deadhead_core::input::Source;
use deadhead_core::read_at::ReadAt;
use deadhead_core::reader;
use deadhead_core::transcript::Transcript;
use std::io::{self, Write};

/// Bytes up to which a log that grows is copied.
const LIVE: u64 = 1 << 30;

/// Reads a history and prunes it.
pub fn run(
    source: &Source,
    found: Detected,
    job: &Job,
    progress: &Part<'_>,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    let mut copy = if job.writes { source.snapshot(LARGE)? } else { None };
    loop {
        let reading = copy.as_ref().unwrap_or(source);
        match attempt(reading, source, found, job, progress, open, told)? {
            Attempt::Done => return Ok(()),
            Attempt::Again => copy = source.snapshot(LIVE)?,
        }
    }
}

/// What became of a history.
pub enum Attempt {
    /// It is written.
    Done,
    /// It grew while it was read, and nothing is out yet: a copy of it does not grow.
    Again,
}

fn attempt(
    reading: &Source,
    source: &Source,
    found: Detected,
    job: &Job,
    progress: &Part<'_>,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<Attempt> {
    let settings = &job.setup.settings;
    let threads = threads_for(reading, job);
    let transcript =
        reader::history(reading, found.format, settings.context_pruning.estimator, settings.scope, threads, &|done| progress.at(done))?;
    spliced(transcript, reading, source, found, job, open, told)
}

/// Prunes a history that was read and writes it. `source` is the input that `reading` is, or is a copy of.
pub fn spliced(
    transcript: Transcript,
    reading: &Source,
    source: &Source,
    found: Detected,
    job: &Job,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<Attempt> {
    // Whether it is worth beginning anew, with a copy.
    let is_live = || Ok::<bool, deadhead_core::Error>(reading.is_touched()? && job.writes && source.size() <= LIVE);
    if is_live()? {
        return Ok(Attempt::Again);
    }
    accept(&transcript, found)?;
    let Pruned { mut report, edits, output, .. } = match job.setup.task {
        Task::Repair => engine::repair_history(transcript, reading, found.format, &job.setup)?,
        Task::Check => engine::check_history(transcript, reading, found, &job.setup)?,
        Task::Prune => {
            let record = Record::Log { read: &transcript, source: reading, found };
            let pruned = match &job.recall {
                Some(recall) => recall.run(&record, &job.setup)?,
                None => record.run(&job.setup)?,
            };
            drop(transcript);
            pruned
        }
    };
    source.unchanged()?;
    if is_live()? {
        return Ok(Attempt::Again);
    }
    let mut opened = open()?;
    if let Some(output) = output {
        opened.sink().write_all(&output)?;
        report.output.bytes = output.len() as u64;
    } else {
        opened.sink().splice(reading, &edits, threads_for(reading, job)).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => deadhead_core::Error::Changed.into(),
            _ => anyhow::Error::from(error),
        })?;
    }
    source.unchanged()?;
    if !opened.is_out() && is_live()? {
        return Ok(Attempt::Again);
    }
    job.finish(opened)?;
    told(Told::Whole(Box::new(report)));
    Ok(Attempt::Done)
}
