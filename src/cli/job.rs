//! Processes one input: carries out the events that the library emits, and reports the result.

use super::*;
use deadhead_core::{
    internal::edit::Edits,
    stream::{Event, Sessions, Stream},
};
use std::io::sink;

/// The shared context of a run's inputs.
pub struct Job {
    /// The pruner of the inputs.
    pub pruner: Pruner,
    /// The state that is kept between runs.
    pub session_state: Option<session_state::SessionState>,
    /// Where what is cut is kept.
    pub sidecar: Option<sidecar::Sidecar>,
    /// Threads for one large file; 0 is one for each core.
    pub threads: usize,
    /// The limit on the bytes that are read of an input.
    pub max_input: MaxInput,
    /// Whether a person sees what is written.
    pub writes: bool,
}

impl Job {
    /// Returns the run with another policy, which writes nothing.
    pub fn with_preset(&self, policy: &PolicyArgs, name: &str) -> Result<Job> {
        let settings = configuration::of(&policy.with_preset(name))?
            .resolved
            .settings;
        Ok(Job {
            pruner: self.pruner.clone().with(|setup| setup.settings = settings),
            session_state: None,
            sidecar: None,
            writes: false,
            ..*self
        })
    }

    /// Carries out the events of an input. `open` opens the output when there is something to
    /// write; `note` takes reports and notes. Returns the output in its place, if it is a file.
    pub fn run<'a>(
        &'a self,
        stream: Stream<'a>,
        open: &mut dyn FnMut() -> Result<AtomicFile>,
        note: &mut dyn FnMut(Note),
    ) -> Result<Option<File>> {
        let sessions = self
            .session_state
            .as_ref()
            .map(|session_state| session_state as &dyn Sessions);
        let mut stream = stream
            .sessions(sessions)
            .threads(self.threads)
            .max_input(self.max_input)
            .seen(self.writes);
        let (mut opened, mut placed): (Option<AtomicFile>, _) = (None, None);
        let new_cuts = || self.sidecar.is_some().then(sidecar::Cuts::default);
        let mut cuts = new_cuts();
        while let Some(event) = stream.next()? {
            let has_grown = matches!(event, Event::Grown);
            match event {
                Event::Note(found) => note(found),
                Event::Finish => {
                    if let (Some(sidecar), Some(cuts)) = (&self.sidecar, cuts.take()) {
                        sidecar.keep(cuts)?;
                    }
                    placed = opened
                        .take()
                        .map_or(Ok(None), |opened| self.finish(opened))?
                }
                Event::Behind(written) => {
                    cuts = new_cuts();
                    let output = sink_of(&mut opened, open)?;
                    let behind = std::mem::replace(&mut output.sink, Sink::Nowhere(sink()));
                    output.sink = Sink::Stream(Box::new(output::SkipWritten {
                        sink: behind,
                        written,
                        seen: 0,
                    }));
                }
                Event::Write(slices, input, edits) => {
                    add(&mut cuts, &input, edits)?;
                    sink_of(&mut opened, open)?
                        .write(|sink| slices.iter().try_for_each(|slice| sink.write_all(slice)))?;
                }
                Event::Flush => sink_of(&mut opened, open)?.write(Sink::flush)?,
                Event::Copy(copied) => {
                    add(&mut cuts, copied.source, copied.edits)?;
                    sink_of(&mut opened, open)?
                        .write(|sink| sink.splice(copied.source, copied.edits))?;
                }
                _ => {}
            }
            if has_grown && opened.as_ref().is_some_and(|opened| !opened.is_stream()) {
                (opened, cuts) = (None, new_cuts());
                stream.again()?;
            }
        }
        Ok(placed)
    }

    /// Flushes a stream, or puts a file in its place. A pipe does not wait for the disk: a sync for
    /// each request costs too much.
    fn finish(&self, opened: AtomicFile) -> Result<Option<File>> {
        if let Some(session_state) = self.session_state.as_ref().filter(|_| !opened.is_stream()) {
            session_state.sync()?;
        }
        opened.place()
    }
}

/// Notes the cuts in a piece of the input.
fn add(cuts: &mut Option<sidecar::Cuts>, input: &dyn ReadAt, edits: &Edits) -> Result<()> {
    let Some(cuts) = cuts else { return Ok(()) };
    Ok(cuts.add(input, edits).map_err(Error::Io)?)
}

/// Returns the output, which is opened if it is not open yet.
fn sink_of<'o>(
    opened: &'o mut Option<AtomicFile>,
    open: &mut dyn FnMut() -> Result<AtomicFile>,
) -> Result<&'o mut AtomicFile> {
    Ok(match opened {
        Some(opened) => opened,
        none => none.insert(open()?),
    })
}
