//! A log from its lines to its output, even while other processes write to it.
//!
//! The output is made in a second reading, which must find the same bytes as the first. A small log is therefore read once and kept in
//! memory, and a larger one that has grown is copied and read again, as long as none of its output was written.

use super::{Copied, Event, Input, LARGE, NOTHING, Note, Queue, Queued, Run};
use crate::Error;
use crate::dialect::Detected;
use crate::dialect::accept::accept;
use crate::edit::Edits;
use crate::engine::{Pruned, Record, Task, check_history, repair_history};
use crate::input::Source;
use crate::outcome::Report;
use crate::read_at::ReadAt;
use crate::reader;
use crate::transcript::Transcript;
use std::io::IoSlice;

/// A log that grows is copied up to this size.
const LIVE: u64 = 1 << 30;

/// A log.
pub(super) struct Log {
    source: Source,
    /// The copy that is read in place of the source, if there is one.
    copy: Option<Source>,
    found: Detected,
    /// The number of its lines that were written before its kind was known.
    lines: Option<u64>,
    state: State,
}

/// The progress of the log.
enum State {
    /// Not opened.
    New,
    /// Not read.
    Unread,
    /// Read.
    Read(Box<Transcript>),
    /// Pruned, and being written.
    Pruned(Box<Output>),
    /// Written.
    Written(Box<Output>),
    /// Finished.
    Done,
}

/// The output of the log.
struct Output {
    report: Report,
    edits: Edits,
    /// The output, if it does not consist of the input and the edits.
    bytes: Option<Vec<u8>>,
}

impl Log {
    pub(super) fn new(source: Source, found: Detected) -> Log {
        Log {
            source,
            copy: None,
            found,
            lines: None,
            state: State::New,
        }
    }

    /// Continues with a log that was read. `lines` of its lines were written already.
    pub(super) fn of(read: Transcript, source: Source, found: Detected, lines: Option<u64>) -> Log {
        Log {
            source,
            copy: None,
            found,
            lines,
            state: State::Read(Box::new(read)),
        }
    }

    fn reading(&self) -> &Source {
        self.copy.as_ref().unwrap_or(&self.source)
    }

    /// Returns the event that writes the output.
    pub(super) fn output(&self, run: &Run<'_>) -> Event<'_> {
        let (State::Pruned(output) | State::Written(output)) = &self.state else {
            return Event::Flush;
        };
        match &output.bytes {
            Some(bytes) => Event::Write(vec![IoSlice::new(bytes)], bytes, &NOTHING),
            None => Event::Copy(Copied {
                source: self.reading(),
                edits: &output.edits,
                threads: run.threads_for(self.reading()),
            }),
        }
    }

    /// Takes the next step; returns false if there is none.
    pub(super) fn step(&mut self, run: &Run<'_>, queue: &mut Queue) -> Result<bool, Error> {
        self.state = match std::mem::replace(&mut self.state, State::Done) {
            State::New => {
                self.copy = if run.is_seen {
                    self.source.snapshot(LARGE)?
                } else {
                    None
                };
                State::Unread
            }
            State::Unread => {
                let (source, reading) =
                    (self.reading(), run.pruner.setup.reading(self.found.format));
                State::Read(Box::new(reader::log(
                    source,
                    &reading,
                    run.threads_for(source),
                    run.progress,
                )?))
            }
            State::Read(read) => match self.prune(*read, run)? {
                None => self.anew()?,
                Some(output) => {
                    queue.push_back(Queued::Log);
                    State::Pruned(Box::new(output))
                }
            },
            State::Pruned(output) => {
                self.source.unchanged()?;
                queue.extend(self.is_live(run)?.then_some(Queued::Event(Event::Grown)));
                State::Written(output)
            }
            State::Written(output) => {
                queue.extend([
                    Queued::Event(Event::Finish),
                    Queued::note(Note::Report(Box::new(output.report), None)),
                ]);
                return Ok(false);
            }
            State::Done => return Ok(false),
        };
        Ok(true)
    }

    /// Prunes what was read; returns `None` if the log has grown and is to be copied and read again.
    fn prune(&self, read: Transcript, run: &Run<'_>) -> Result<Option<Output>, Error> {
        if self.is_live(run)? {
            return Ok(None);
        }
        let (reading, found, setup) = (self.reading(), self.found, &*run.pruner.setup());
        accept(&read, found)?;
        let Pruned {
            mut report,
            edits,
            output: bytes,
            ..
        } = match setup.task {
            Task::Prune => run.record(&Record::Log {
                read: &read,
                source: reading,
                found,
            })?,
            Task::Check => check_history(read, reading, found, setup)?,
            Task::Repair => repair_history(read, reading, found.format, setup)?,
        };
        self.source.unchanged()?;
        if let Some(bytes) = &bytes {
            report.output.bytes = bytes.len() as u64;
        }
        Ok((!self.is_live(run)?).then_some(Output {
            report,
            edits,
            bytes,
        }))
    }

    /// Returns whether the log has grown and may be copied.
    fn is_live(&self, run: &Run<'_>) -> Result<bool, Error> {
        Ok(self.reading().is_touched()? && run.is_seen && self.source.size() <= LIVE)
    }

    fn anew(&mut self) -> Result<State, Error> {
        self.copy = self.source.snapshot(LIVE)?;
        Ok(State::Unread)
    }

    /// Starts again with a copy, which does not grow.
    pub(super) fn again(&mut self) -> Result<(), Error> {
        self.state = self.anew()?;
        Ok(())
    }

    /// Writes the rest of a log that was refused unchanged, as its beginning was written already.
    pub(super) fn whole(&mut self, error: Error, queue: &mut Queue) -> Result<Input, Error> {
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
                queue.push_back(Queued::Whole);
                let source = std::mem::replace(&mut self.source, Source::Memory(Vec::new()));
                Ok(Input::Whole(source, vec![Note::Passed(lines + 1, error)]))
            }
            _ => Err(error),
        }
    }
}
