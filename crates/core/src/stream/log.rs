//! A log from its lines to its output, even while other processes write to it.
//!
//! The output is made in a second reading, which must find the same bytes as the first. A small log
//! is therefore read once and kept in memory, and a larger one that has grown is copied and read
//! again, as long as none of its output was written.

use super::*;
use crate::{
    dialect::accept::accept,
    engine::{Task, mend_history},
    reader,
    transcript::Transcript,
};

/// A log that grows is copied up to this size.
const LIVE: u64 = 1 << 30;

/// A log.
pub struct Log {
    pub source: Source,
    /// The copy that is read in place of the source, if there is one.
    pub copy: Option<Source>,
    pub found: Detected,
    /// The number of its lines that were written before its kind was known.
    pub lines: Option<u64>,
    /// What was read, until it is pruned.
    pub read: Option<Box<Transcript>>,
    /// What is written, once it was pruned.
    pub output: Option<Box<Pruned>>,
    pub is_written: bool,
}

impl Log {
    /// A log that was not read.
    pub fn new(source: Source, found: Detected) -> Log {
        Log {
            source,
            copy: None,
            found,
            lines: None,
            read: None,
            output: None,
            is_written: false,
        }
    }

    fn reading(&self) -> &Source {
        self.copy.as_ref().unwrap_or(&self.source)
    }

    /// Returns the event that writes the output.
    pub fn output(&self) -> Event<'_> {
        match self.output.as_deref() {
            None => Event::Flush,
            Some(Pruned {
                output: Some(bytes),
                ..
            }) => Event::Write(vec![IoSlice::new(bytes)], bytes, &NOTHING),
            Some(Pruned { edits, .. }) => Event::Copy(Copied {
                source: self.reading(),
                edits,
            }),
        }
    }

    /// Takes the next step; returns false if there is none.
    pub fn step(&mut self, run: &Run<'_>, queue: &mut Queue) -> Result<bool> {
        if self.is_written {
            queue.push_back(Queued::Event(Event::Finish));
            queue.extend(
                self.output
                    .take()
                    .map(|output| Queued::note(Note::Report(Box::new(output.report), None))),
            );
            return Ok(false);
        }
        if self.output.is_some() {
            self.source.unchanged()?;
            queue.extend(self.is_live(run)?.then_some(Queued::Event(Event::Grown)));
            self.is_written = true;
            return Ok(true);
        }
        let read = match self.read.take() {
            Some(read) => *read,
            None => {
                if run.is_seen && self.copy.is_none() {
                    self.copy = self.source.snapshot(LARGE)?;
                }
                let source = self.reading();
                let reading = run.pruner.setup.reading(self.found.format);
                reader::log(source, &reading, run.threads_for(source), run.progress)?
            }
        };
        self.output = self.prune(read, run)?.map(Box::new);
        if self.output.is_some() {
            queue.push_back(Queued::Input);
        } else {
            self.again()?;
        }
        Ok(true)
    }

    /// Prunes what was read; returns `None` if the log has grown and is to be copied and read
    /// again.
    fn prune(&self, read: Transcript, run: &Run<'_>) -> Result<Option<Pruned>> {
        if self.is_live(run)? {
            return Ok(None);
        }
        let (source, found, setup) = (self.reading(), self.found, &*run.pruner.setup());
        accept(&read, found)?;
        let mut pruned = match setup.task {
            Task::Prune => run.record(&Record::Log {
                read: &read,
                source,
                found,
            })?,
            _ => mend_history(read, source, found, setup)?,
        };
        self.source.unchanged()?;
        if let Some(bytes) = &pruned.output {
            pruned.report.output.bytes = bytes.len() as u64;
        }
        Ok((!self.is_live(run)?).then_some(pruned))
    }

    /// Returns whether the log has grown and may be copied.
    fn is_live(&self, run: &Run<'_>) -> Result<bool> {
        Ok(self.reading().is_touched()? && run.is_seen && self.source.size() <= LIVE)
    }

    /// Starts again with a copy, which does not grow.
    pub fn again(&mut self) -> Result<()> {
        self.copy = self.source.snapshot(LIVE)?;
        (self.output, self.is_written) = (None, false);
        Ok(())
    }

    /// Writes the rest of a log that was refused unchanged, as its beginning was written already.
    pub fn whole(self, error: Error, queue: &mut Queue) -> Result<Input> {
        use Error::{Bound, Broken, Fixed, Mismatch, NotUnderstood, Selection, State};
        let is_refused = matches!(
            error,
            NotUnderstood { .. }
                | Broken(_)
                | Mismatch { .. }
                | Bound { .. }
                | Fixed { .. }
                | Selection(_)
                | State(_)
        );
        match self.lines {
            Some(lines) if is_refused => {
                queue.push_back(Queued::Input);
                let notes = vec![Note::Passed(lines + 1, error)];
                Ok(Input::Whole(self.source, notes))
            }
            _ => Err(error),
        }
    }
}
