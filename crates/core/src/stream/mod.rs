//! Processes an input from its first byte to its last, as a stream of events: bytes to write, and
//! results to report.
//!
//! A body, bodies in lines, batches and logs are all read here. The consumer of the events decides
//! where the output is written; nothing is read before the previous events were consumed, so that a
//! line of a pipe is answered before the next one is needed.

mod batch;
mod bodies;
mod early_lines;
mod event;
mod file;
mod lines;
mod log;
mod pipe;

pub use event::{Bytes, Copied, Event, Note, passed};
pub(crate) use file::beginning;

use crate::{
    Error, Result,
    dialect::{Detected, Dialect, Layout},
    engine::{Pruned, Record, Setup},
    input::{MaxInput, ReadBuffer, Source},
    input_kind::{Beginning, InputKind, input_kind},
    json::find,
    outcome::Report,
    pruner::Pruner,
    read_at::ReadAt,
    reader::Progress,
};
use batch::Answer;
use bodies::Bodies;
use lines::Lines;
use log::Log;
use pipe::Pipe;
use std::{
    collections::VecDeque,
    fs::File,
    io,
    io::{IoSlice, Write},
};

/// Prunes records with what is stored about their sessions.
pub trait Sessions: Sync {
    /// Prunes a record, by [`Record::run_in`] with its session.
    ///
    /// # Errors
    /// Those of [`Record::run`], or the session cannot be read or kept.
    fn run(&self, record: &Record<'_>, setup: &Setup) -> Result<Pruned>;
}

/// The events of an input.
pub struct Stream<'a> {
    run: Run<'a>,
    input: Input,
    /// Events that are returned before more is read.
    queue: Queue,
    /// The error that follows the events in the queue.
    error: Option<Error>,
    /// The answer that is being written.
    answer: Answer,
}

/// How an input is processed.
struct Run<'a> {
    pruner: &'a Pruner,
    sessions: Option<&'a dyn Sessions>,
    progress: Progress<'a>,
    threads: usize,
    max_input: MaxInput,
    is_seen: bool,
}

/// An input, as far as it is known.
enum Input {
    /// Finished.
    Done,
    /// Not known yet.
    Unknown(Source),
    /// A pipe whose content is not known yet.
    Pipe(Box<Pipe>),
    /// One document, in memory.
    Document(ReadBuffer),
    /// Bodies, one a line.
    Bodies(Box<Bodies>),
    /// A log.
    Log(Box<Log>),
    /// Written unchanged, and then reported.
    Whole(Source, Vec<Note>),
}

/// Events that borrow nothing, and markers of those that do.
enum Queued {
    Event(Event<'static>),
    /// The line or document with its answer, which may be none.
    Answer(Answer),
    /// Bytes read before.
    Earlier(Vec<u8>),
    /// The output of a log, or the whole input unchanged.
    Input,
}

type Queue = VecDeque<Queued>;

impl Queued {
    fn note(note: Note) -> Queued {
        Queued::Event(Event::Note(note))
    }
}

impl Pruner {
    /// Returns the events of an input: a body, bodies in lines, a batch or a log.
    pub fn stream(&self, source: Source) -> Stream<'_> {
        Stream::new(self, Input::Unknown(source))
    }

    /// Returns the events of a pipe. With `is_filter`, each complete line is answered, whatever it
    /// contains.
    pub fn pipe(&self, pipe: File, is_filter: bool) -> Stream<'_> {
        Stream::new(
            self,
            Input::Pipe(Box::new(Pipe::new(pipe, is_filter, self.format))),
        )
    }

    /// Prunes a log from `source` into `sink` without loading it into memory. Returns its report;
    /// for bodies in lines or in a batch, the report of each. A line that cannot be pruned is
    /// written unchanged and has no report. `source` is empty afterwards.
    ///
    /// # Errors
    /// The source cannot be read, is not understood, or its result would be broken; or the sink
    /// cannot be written.
    pub fn prune_log(&self, source: &mut Source, sink: &mut impl Write) -> Result<Vec<Report>> {
        let mut stream = self.stream(std::mem::replace(source, Source::Memory(Vec::new())));
        let mut reports = Vec::new();
        while let Some(event) = stream.next()? {
            event.write(sink)?;
            if let Event::Note(Note::Report(report, _)) = event {
                reports.push(*report);
            }
        }
        Ok(reports)
    }
}

impl<'a> Stream<'a> {
    fn new(pruner: &'a Pruner, input: Input) -> Stream<'a> {
        let (progress, max_input): (Progress<'a>, _) = (&|_| {}, MaxInput::default());
        let run = Run {
            pruner,
            sessions: None,
            progress,
            threads: 1,
            max_input,
            is_seen: true,
        };
        Stream {
            run,
            input,
            queue: Queue::new(),
            error: None,
            answer: Answer::default(),
        }
    }

    /// Prunes records with the stored sessions.
    #[must_use]
    pub fn sessions(mut self, sessions: Option<&'a dyn Sessions>) -> Stream<'a> {
        self.run.sessions = sessions;
        self
    }

    /// Sets the number of threads that read a large log; 0 means one for each core.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Stream<'a> {
        self.run.threads = threads;
        self
    }

    /// Limits the number of bytes read from a pipe.
    #[must_use]
    pub fn max_input(mut self, most: MaxInput) -> Stream<'a> {
        self.run.max_input = most;
        self
    }

    /// Sets the function to which progress in reading a log is reported.
    #[must_use]
    pub fn progress(mut self, progress: Progress<'a>) -> Stream<'a> {
        self.run.progress = progress;
        self
    }

    /// Sets whether the output is used: if not, a log that grows meanwhile is read only once.
    #[must_use]
    pub fn seen(mut self, is_seen: bool) -> Stream<'a> {
        self.run.is_seen = is_seen;
        self
    }

    /// Returns the next event; `None` at the end of the input.
    ///
    /// # Errors
    /// The input cannot be read, is not understood, or its result would be broken.
    #[expect(
        clippy::should_implement_trait,
        reason = "an event borrows from the stream"
    )]
    pub fn next(&mut self) -> Result<Option<Event<'_>>> {
        while self.queue.is_empty() {
            if let Some(error) = self.error.take() {
                self.input = Input::Done;
                return Err(error);
            }
            match self.step() {
                Ok(()) if matches!(self.input, Input::Done) && self.queue.is_empty() => {
                    return Ok(None);
                }
                Ok(()) => {}
                Err(error) => self.error = Some(error),
            }
        }
        let Some(queued) = self.queue.pop_front() else {
            return Ok(None);
        };
        let line = match &self.input {
            Input::Document(bytes) => bytes,
            Input::Bodies(bodies) => bodies.line(),
            _ => &[],
        };
        Ok(Some(match queued {
            Queued::Event(event) => event,
            Queued::Answer(answer) => {
                self.answer = answer;
                Event::Write(self.answer.slices(line)?, line, &self.answer.edits)
            }
            Queued::Earlier(bytes) => {
                self.answer = Answer {
                    output: Some(bytes),
                    ..Answer::default()
                };
                let earlier = self.answer.output.as_deref().unwrap_or_default();
                Event::Write(vec![IoSlice::new(earlier)], earlier, &NOTHING)
            }
            Queued::Input => match &self.input {
                Input::Log(log) => log.output(),
                Input::Whole(source, _) => Event::Copy(Copied {
                    source,
                    edits: &NOTHING,
                }),
                _ => Event::Flush,
            },
        }))
    }

    /// Reads the log again in its present state, instead of continuing after [`Event::Grown`].
    ///
    /// # Errors
    /// It cannot be read any more.
    pub fn again(&mut self) -> Result<()> {
        if let Input::Log(log) = &mut self.input {
            log.again()
        } else {
            Ok(())
        }
    }

    /// Continues until there is an event or the input has ended.
    fn step(&mut self) -> Result<()> {
        let (run, queue) = (&self.run, &mut self.queue);
        self.input = match std::mem::replace(&mut self.input, Input::Done) {
            Input::Done | Input::Document(_) => Input::Done,
            Input::Pipe(pipe) => pipe.step(run, queue)?,
            Input::Unknown(source) => file::detect(source, run, queue)?,
            Input::Bodies(mut bodies) => match bodies.step(run, queue)? {
                true => Input::Bodies(bodies),
                false => Input::Done,
            },
            Input::Log(mut log) => match log.step(run, queue) {
                Ok(true) => Input::Log(log),
                Ok(false) => Input::Done,
                Err(error) => log.whole(error, queue)?,
            },
            Input::Whole(source, notes) => {
                source.unchanged()?;
                queue.push_back(Queued::Event(Event::Finish));
                queue.extend(notes.into_iter().map(Queued::note));
                Input::Done
            }
        };
        Ok(())
    }
}

/// Edits that change nothing.
static NOTHING: std::sync::LazyLock<crate::edit::Edits> =
    std::sync::LazyLock::new(crate::edit::Edits::default);

impl Run<'_> {
    /// Prunes a record, with its session if there are sessions.
    fn record(&self, record: &Record<'_>) -> Result<Pruned> {
        let setup = &*self.pruner.setup();
        self.sessions
            .map_or_else(|| record.run(setup), |sessions| sessions.run(record, setup))
    }

    /// Returns the number of threads that a source is worth.
    fn threads_for(&self, source: &Source) -> usize {
        if source.size() < LARGE {
            1
        } else {
            threads(self.threads, usize::MAX)
        }
    }
}

/// A file of at least this many bytes is read by several threads.
const LARGE: u64 = 16 << 20;
/// The maximum number of threads.
const MOST: usize = 512;

/// Returns the number of threads for `inputs` pieces of work: `asked`, or the number of processors
/// for 0, but no thread without its piece, and never more than 512. Asking the system takes longer
/// than a small input does.
pub fn threads(asked: usize, inputs: usize) -> usize {
    let wanted = if asked > 0 {
        asked
    } else {
        std::thread::available_parallelism().map_or(1, usize::from)
    };
    wanted.min(inputs).clamp(1, MOST)
}
