//! `deadhead.Pruner`, `deadhead.check`, `deadhead.repair`.

use crate::clock;
use crate::config::{config, given};
use crate::failure::{called, failure};
use crate::input::Input;
use crate::outcome::{Outcome, value};
use crate::run::{self, Output};
use crate::state::State;
use crate::values::Values;
use deadhead_core::internal::cache_policy::LastCall;
use deadhead_core::internal::engine::Task;
use deadhead_core::settings::{Mode, Settings};
use deadhead_core::stream::Sessions;
use deadhead_core::{Error, Source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Prunes bodies and logs by one configuration. Threads may share it.
#[pyclass(frozen, module = "deadhead")]
pub struct Pruner {
    engine: deadhead_core::Pruner,
    state: Option<Arc<State>>,
    made: Made,
}

/// The arguments of a pruner, from which another process can make it again. A file of settings is included as its text.
struct Made {
    config: Option<String>,
    state: Option<PathBuf>,
    names: [(&'static str, Option<String>); 3],
}

/// The time and the session of a call.
struct Call {
    now: Option<i64>,
    last_call: Option<LastCall>,
    session: Option<String>,
}

impl Call {
    fn of(now: Option<&Bound<'_, PyAny>>, last_call: Option<&Bound<'_, PyAny>>, session: Option<String>) -> PyResult<Call> {
        if session.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err(PyValueError::new_err("session is a name"));
        }
        Ok(Call { now: now.map(clock::time).transpose()?, last_call: last_call.map(clock::last_call).transpose()?, session })
    }
}

impl Pruner {
    /// Calls the engine, which is for this call what `call` says.
    fn run(
        &self,
        call: &Call,
        work: impl FnOnce(&deadhead_core::Pruner, Option<&dyn Sessions>) -> Result<Output, Error>,
    ) -> Result<Output, Error> {
        let mut engine = Cow::Borrowed(&self.engine);
        if let Some(now) = call.now {
            engine = Cow::Owned(engine.at(now));
        }
        if let Some(last_call) = call.last_call {
            engine = Cow::Owned(engine.with(|setup| setup.clock.last_call = Some(last_call)));
        }
        run::in_session(&engine, self.state.as_deref(), call.session.as_deref(), work)
    }

    fn needs_state(&self, call: &Call) -> PyResult<()> {
        match (&self.state, &call.session) {
            (None, Some(_)) => Err(PyValueError::new_err("a session needs a state file: Pruner(state=…)")),
            _ => Ok(()),
        }
    }
}

#[pymethods]
impl Pruner {
    /// Reads the configuration, and opens the state file if one is named.
    #[new]
    #[pyo3(signature = (config=None, *, state=None, preset=None, workload=None, format=None))]
    fn new(
        py: Python<'_>,
        config: Option<Bound<'_, PyAny>>,
        state: Option<PathBuf>,
        preset: Option<&str>,
        workload: Option<&str>,
        format: Option<&str>,
    ) -> PyResult<Pruner> {
        let fail = |error: Error| failure(py, &error, None);
        let given = given(config.as_ref())?;
        let engine = deadhead_core::Pruner::new(self::config(given.as_ref(), preset, workload, py)?).map_err(fail)?;
        let engine = format.map_or_else(|| Ok(engine.clone()), |name| engine.format(name)).map_err(fail)?;
        let timeout = Duration::from_millis(engine.setup().settings.state.timeout_ms);
        // It stays that file, whatever folder the process, or the one that it is carried to, works in.
        let path = state.map(std::path::absolute).transpose().map_err(|error| fail(Error::Io(error)))?;
        let state = path
            .clone()
            .map(|path| py.detach(|| State::new(path, timeout, workload.map(str::to_owned))))
            .transpose()
            .map_err(fail)?
            .map(Arc::new);
        let owned = |name: Option<&str>| name.map(str::to_owned);
        let names = [("preset", owned(preset)), ("workload", owned(workload)), ("format", owned(format))];
        Ok(Pruner { engine, state, made: Made { config: given.map(|(_, text)| text), state: path, names } })
    }

    /// Returns the arguments for a pickle.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((Option<&str>,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        for (name, value) in &self.made.names {
            named.set_item(name, value.as_deref())?;
        }
        named.set_item("state", self.made.state.as_deref())?;
        Ok(((self.made.config.as_deref(),), named))
    }

    /// For the values of a column, at one time: now, unless it is named.
    #[pyo3(signature = (now=None))]
    fn _values(&self, now: Option<Bound<'_, PyAny>>) -> PyResult<Values> {
        let now = now.map_or_else(|| Ok(self.engine.setup().clock.now), |now| clock::time(&now))?;
        Ok(Values::new(&self.engine.at(now), self.state.clone()))
    }

    /// Whether it keeps sessions.
    #[getter]
    fn has_state(&self) -> bool {
        self.state.is_some()
    }

    /// Prunes a body, or whatever else a file for the command may hold.
    #[pyo3(signature = (body, *, now=None, last_call=None, session=None))]
    fn prune(
        &self,
        body: &Bound<'_, PyAny>,
        now: Option<Bound<'_, PyAny>>,
        last_call: Option<Bound<'_, PyAny>>,
        session: Option<String>,
    ) -> PyResult<Outcome> {
        let call = Call::of(now.as_ref(), last_call.as_ref(), session)?;
        self.needs_state(&call)?;
        answered(Input::of(body)?, body.py(), |input| self.run(&call, |engine, sessions| run::bytes(engine, sessions, input)))
    }

    /// Prunes what a file holds, by its path.
    #[pyo3(signature = (path, *, now=None, last_call=None, session=None))]
    fn prune_log(
        &self,
        py: Python<'_>,
        path: PathBuf,
        now: Option<Bound<'_, PyAny>>,
        last_call: Option<Bound<'_, PyAny>>,
        session: Option<String>,
    ) -> PyResult<Outcome> {
        let call = Call::of(now.as_ref(), last_call.as_ref(), session)?;
        self.needs_state(&call)?;
        let done = called(py, Some(&path), || {
            let source = Source::open(&path).map_err(Error::Io)?;
            self.run(&call, |engine, sessions| run::source(engine, sessions, source))
        })?;
        let changed = done.reports.iter().any(|report| report.first_change.is_some());
        let body = PyBytes::new(py, &done.bytes.unwrap_or_default()).into_any().unbind();
        Ok(Outcome::new(body, changed, done.reports, done.passed))
    }
}

/// Runs the engine on an input and returns the outcome as an object of Python. Other threads of Python may run meanwhile.
fn answered(input: Input<'_>, py: Python<'_>, work: impl FnOnce(&[u8]) -> Result<Output, Error> + Send) -> PyResult<Outcome> {
    let bytes = input.bytes()?;
    let done = called(py, None, || work(bytes))?;
    let changed = done.bytes.is_some();
    Ok(Outcome::new(input.answer(done.bytes)?, changed, done.reports, done.passed))
}

/// The engine for a task that prunes nothing.
fn engine(
    py: Python<'_>,
    task: Task,
    format: Option<&str>,
    model: Option<&str>,
    provider: Option<&str>,
) -> PyResult<deadhead_core::Pruner> {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    settings.model = model.map(str::to_owned);
    settings.provider = provider.map(str::to_owned);
    let engine = deadhead_core::Pruner::new(settings.into()).map(|engine| engine.to(task));
    let named = engine.and_then(|engine| format.map_or_else(|| Ok(engine.clone()), |name| engine.format(name)));
    named.map_err(|error| failure(py, &error, None))
}

/// Lists what a provider would refuse of a body or a log.
#[pyfunction]
#[pyo3(signature = (body, *, format=None, model=None, provider=None))]
pub fn check(body: &Bound<'_, PyAny>, format: Option<&str>, model: Option<&str>, provider: Option<&str>) -> PyResult<Py<PyAny>> {
    let (py, input) = (body.py(), Input::of(body)?);
    let engine = engine(py, Task::Check, format, model, provider)?;
    let bytes = input.bytes()?;
    let done = called(py, None, || run::bytes(&engine, None, bytes))?;
    value(py, &done.reports.iter().flat_map(|report| &report.integrity.before).collect::<Vec<_>>())
}

/// Repairs what a provider would refuse of a body or a log.
#[pyfunction]
#[pyo3(signature = (body, *, format=None, model=None, provider=None))]
pub fn repair(body: &Bound<'_, PyAny>, format: Option<&str>, model: Option<&str>, provider: Option<&str>) -> PyResult<Outcome> {
    let engine = engine(body.py(), Task::Repair, format, model, provider)?;
    answered(Input::of(body)?, body.py(), |input| run::bytes(&engine, None, input))
}
