//! Runs the engine, without Python types: a single body is read in place, other inputs are processed like those of the command line.

use crate::state::State;
use deadhead_core::stream::{Event, Note, Sessions};
use deadhead_core::{Error, Pruner, Report, Source};
use std::borrow::Cow;

/// The output of the engine.
pub struct Output {
    /// New bytes; none where the input comes out as it came.
    pub bytes: Option<Vec<u8>>,
    /// A report for each body, or for the log.
    pub reports: Vec<Report>,
    /// Lines, or requests of a batch, that came out as they came.
    pub passed: Vec<(u64, Error)>,
}

/// Does what is to be done with an input in memory.
pub fn bytes(
    pruner: &Pruner,
    sessions: Option<&dyn Sessions>,
    input: &[u8],
) -> Result<Output, Error> {
    // What fails takes that way too, so that its error is the command's.
    let alone = pruner.body(input, |record, setup| {
        sessions.map_or_else(|| record.run(setup), |sessions| sessions.run(record, setup))
    });
    if let Ok(Some(outcome)) = alone {
        let bytes = match outcome.bytes {
            Cow::Borrowed(_) => None,
            Cow::Owned(new) => Some(new),
        };
        return Ok(Output {
            bytes,
            reports: vec![outcome.report],
            passed: Vec::new(),
        });
    }
    let mut done = source(pruner, sessions, Source::Memory(input.to_vec()))?;
    done.bytes = done.bytes.filter(|new| new != input);
    Ok(done)
}

/// Does what is to be done with a file.
pub fn source(
    pruner: &Pruner,
    sessions: Option<&dyn Sessions>,
    source: Source,
) -> Result<Output, Error> {
    let (mut out, mut reports, mut passed) = (Vec::new(), Vec::new(), Vec::new());
    let mut stream = pruner.stream(source).sessions(sessions).threads(0);
    while let Some(event) = stream.next()? {
        event.write(&mut out)?;
        match event {
            Event::Grown => {
                out.clear();
                stream.again()?;
            }
            Event::Note(Note::Report(report, _)) => reports.push(*report),
            Event::Note(Note::Passed(place, error)) => passed.push((place, error)),
            _ => {}
        }
    }
    Ok(Output {
        bytes: Some(out),
        reports,
        passed,
    })
}

/// Does work of the engine with what a state file knows of a session, in a request of a workload.
pub fn in_session(
    engine: &Pruner,
    state: Option<&State>,
    (session, workload): (Option<&str>, Option<&str>),
    work: impl FnOnce(&Pruner, Option<&dyn Sessions>) -> Result<Output, Error>,
) -> Result<Output, Error> {
    let state = state.map(|state| state.of(session, workload)).transpose()?;
    work(engine, state.as_ref().map(|state| state as &dyn Sessions))
}
