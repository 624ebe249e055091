//! Processes one input: carries out the events that the library emits, and reports the result.

use super::atomic_file::AtomicFile;
use super::output::{Sink, SkipWritten};
use super::session_state::SessionState;
use anyhow::{Context, Result};
use deadhead_core::Pruner;
use deadhead_core::input::MaxInput;
use deadhead_core::stream::{Event, Note, Sessions, Stream};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fs::File;
use std::io::{self, Write};

/// The shared context of a run's inputs.
pub struct Job {
    /// The pruner of the inputs.
    pub pruner: Pruner,
    /// The state that is kept between runs.
    pub session_state: Option<SessionState>,
    /// Threads for one large file; 0 is one for each core.
    pub threads: usize,
    /// The limit on the bytes that are read of an input.
    pub max_input: MaxInput,
    /// Whether somebody sees what is written.
    pub writes: bool,
}

impl Job {
    /// Does what the events of an input ask for. `open` opens the output when there is something to write; `note` takes the rest.
    /// Returns the output that is in its place then, if that is a file.
    pub fn run<'a>(
        &'a self,
        stream: Stream<'a>,
        open: &mut dyn FnMut() -> Result<OpenOutput>,
        note: &mut dyn FnMut(Note),
    ) -> Result<Option<File>> {
        let sessions = self.session_state.as_ref().map(|session_state| session_state as &dyn Sessions);
        let mut stream = stream.sessions(sessions).threads(self.threads).max_input(self.max_input).seen(self.writes);
        let (mut opened, mut placed): (Option<OpenOutput>, _) = (None, None);
        while let Some(event) = stream.next()? {
            let has_grown = matches!(event, Event::Grown);
            match event {
                Event::Note(found) => note(found),
                Event::Finish => placed = opened.take().map_or(Ok(None), |opened| self.finish(opened))?,
                Event::Behind(written) => {
                    if let OpenOutput::Stream(sink) = sink_of(&mut opened, open)? {
                        let behind = std::mem::replace(sink, Sink::Nowhere);
                        *sink = Sink::SkipWritten(Box::new(SkipWritten::new(behind, written)));
                    }
                }
                Event::Write(mut slices) => sink_of(&mut opened, open)?.write(|sink| sink.write_slices(&mut slices))?,
                Event::Flush => sink_of(&mut opened, open)?.write(Sink::flush)?,
                Event::Copy(copied) => {
                    sink_of(&mut opened, open)?.write(|sink| sink.splice(copied.source, copied.edits, copied.threads))?;
                }
                _ => {}
            }
            if has_grown && opened.as_ref().is_some_and(|opened| !opened.is_out()) {
                opened = None;
                stream.again()?;
            }
        }
        Ok(placed)
    }

    /// Flushes a stream, puts a file in its place. In a pipe nobody waits for the disk: a sync for each request is too dear.
    fn finish(&self, mut opened: OpenOutput) -> Result<Option<File>> {
        match opened {
            OpenOutput::Stream(_) => opened.write(Sink::flush).map(|()| None),
            OpenOutput::File(file) => {
                if let Some(session_state) = self.session_state.as_ref().filter(|_| !file.is_stream()) {
                    session_state.sync()?;
                }
                file.place()
            }
        }
    }
}

/// The output, which is opened where it is not yet.
fn sink_of<'o>(opened: &'o mut Option<OpenOutput>, open: &mut dyn FnMut() -> Result<OpenOutput>) -> Result<&'o mut OpenOutput> {
    Ok(match opened {
        Some(opened) => opened,
        none => none.insert(open()?),
    })
}

/// A pool of so many threads, or of this one where the system has no others to give.
pub fn pool(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.or_else(|_| Ok(ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?))
}

/// An open destination.
pub enum OpenOutput {
    /// Stdout, or nowhere.
    Stream(Sink),
    /// A file that appears when it is finished.
    File(Box<AtomicFile>),
}

impl OpenOutput {
    /// Writes to the sink. An error names the output.
    fn write<T>(&mut self, write: impl FnOnce(&mut Sink) -> io::Result<T>) -> Result<T> {
        let sink = match self {
            OpenOutput::Stream(sink) => sink,
            OpenOutput::File(file) => &mut file.sink,
        };
        let done = write(sink);
        done.or_else(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Err(deadhead_core::Error::Changed.into()),
            _ => Err(error).with_context(|| self.cannot_write()),
        })
    }

    fn cannot_write(&self) -> String {
        match self {
            OpenOutput::Stream(_) => "stdout: cannot write".to_owned(),
            OpenOutput::File(file) => file.cannot_write(),
        }
    }

    /// Whether somebody may have seen what was written.
    pub fn is_out(&self) -> bool {
        match self {
            OpenOutput::Stream(_) => true,
            OpenOutput::File(file) => file.is_stream(),
        }
    }
}
