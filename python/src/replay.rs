//! `deadhead.replay`: the savings of a policy over a recorded session.

use crate::{
    config::{Given, config, given},
    failure::{called, failure},
    outcome::value,
};
use deadhead_core::{
    Error, Result, Source,
    internal::{
        dialect::{Layout, accept::accept},
        input_kind::{Beginning, InputKind, input_kind},
        json::IdSet,
        read_at::ReadAt,
    },
};
use deadhead_replay::{
    report::{Range, build},
    session::Session,
    simulation::{Policy, Retention},
    summary::Replay,
};
use pyo3::prelude::*;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Replays a log under a configuration, or under each of some presets: the object that `deadhead
/// replay --report-format json` prints.
#[pyfunction]
#[pyo3(signature = (path, *, config=None, presets=Vec::new()))]
pub fn replay(
    py: Python<'_>,
    path: PathBuf,
    config: Given<'_>,
    presets: Vec<String>,
) -> PyResult<Py<PyAny>> {
    let given = given(config)?;
    let mut names: Vec<_> = presets.iter().map(|name| Some(&**name)).collect();
    if names.is_empty() {
        names.push(None);
    }
    let mut policies = Vec::new();
    for preset in names {
        let engine = deadhead_retrieval::pruner(self::config(given.as_ref(), preset, None, py)?)
            .map_err(|error| failure(py, &error, None))?;
        policies.push(Policy {
            name: preset.unwrap_or("as configured").to_owned(),
            flags: Vec::new(),
            settings: engine.setup().settings.clone(),
            retention: Retention::Sticky,
        });
    }
    value(py, &called(py, Some(&path), || replayed(&path, &policies))?)
}

fn replayed(path: &Path, policies: &[Policy]) -> Result<Replay> {
    let source = Source::open(path).map_err(Error::Io)?;
    if source.size() > u64::from(u32::MAX) {
        return Err(Error::TooLong);
    }
    let buffer = source.into_memory()?;
    let found = match input_kind(&buffer, true, None)? {
        Beginning::Kind(InputKind::Log(found) | InputKind::Document(found))
            if found.format.layout == Layout::History =>
        {
            found
        }
        _ => {
            return Err(Error::Io(io::Error::other(
                "is no history: a replay needs the log of an agent",
            )));
        }
    };
    let session = Session::read(buffer.to_vec(), found.format)?;
    accept(&session.transcript, found)?;
    let counts = Range::default().counts(&session, &mut IdSet::default());
    build(&session, &path.display().to_string(), policies, &counts)
}
