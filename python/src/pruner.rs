//! `deadhead.Pruner`, `deadhead.check`, `deadhead.repair`.

use crate::{
    clock,
    config::{Given, config, given},
    failure::{called, failure},
    input::Input,
    outcome::{Outcome, value},
    state::{State, locked},
};
use deadhead_core::{
    Config, Error, Pruner as Engine, Request, Result, Source,
    internal::{engine::Task, report::Detail},
    request::{Output, Route},
    settings::{Mode, Settings},
    stream::Sessions,
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

/// Prunes bodies and logs by one configuration. Threads may share it.
///
/// `config` is JSON5 text, a mapping, or the path of a file (a PathLike). `preset` names policies,
/// separated by commas. `state` is the state file that sessions are kept in.
#[pyclass(frozen, module = "deadhead")]
pub struct Pruner {
    engine: Engine,
    state: Option<Arc<State>>,
    made: Made,
    /// The engines of workloads of the configuration that calls have named.
    workloads: Mutex<HashMap<String, Engine>>,
}

/// The arguments of a pruner, from which another process can make it again. A file of settings is
/// included as its text.
struct Made {
    /// The name of the configuration in errors, and its text.
    config: Option<(String, String)>,
    state: Option<PathBuf>,
    preset: Option<String>,
    workload: Option<String>,
    format: Option<String>,
}

impl Made {
    /// The engine for a workload.
    fn engine(&self, workload: Option<&str>, py: Python<'_>) -> PyResult<Engine> {
        let (config_of, preset) = (self.config.as_ref(), self.preset.as_deref());
        let config = config(config_of, preset, workload, py)?;
        made(py, config, Task::Prune, self.format.as_deref())
    }
}

/// The engine for a task, and for inputs of the format that is named.
fn made(
    py: Python<'_>,
    config: impl Into<Config>,
    task: Task,
    format: Option<&str>,
) -> PyResult<Engine> {
    let engine = deadhead_retrieval::pruner(config.into()).map(|engine| engine.to(task));
    let named = engine.and_then(|engine| match format {
        Some(name) => engine.format(name),
        None => Ok(engine),
    });
    named.map_err(|error| failure(py, &error, None))
}

/// A call: the engine with its settings and its time, and the names of its session and workload.
struct Call {
    engine: Engine,
    state: Option<Arc<State>>,
    session: Option<String>,
    workload: Option<String>,
}

impl Call {
    /// Does work of the engine with what the state file knows of the session.
    fn run(
        &self,
        work: impl FnOnce(&Engine, Option<&dyn Sessions>) -> Result<Output>,
    ) -> Result<Output> {
        let Some(state) = &self.state else {
            return work(&self.engine, None);
        };
        let _used = State::used();
        let sessions = state.of(self.session.as_deref(), self.workload.as_deref())?;
        work(&self.engine, Some(&sessions))
    }
}

/// Prunes values, all at one time, without a report: to make one takes longer than to cut a small
/// body.
#[pyclass(frozen, module = "deadhead._engine")]
pub struct Values(Call);

#[pymethods]
impl Values {
    /// Returns the output for a body: the same object where nothing is cut.
    fn __call__(&self, body: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let input = Input::of(body)?;
        let bytes = input.bytes()?;
        let work = || self.0.run(|engine, sessions| engine.bytes(sessions, bytes));
        let done = called(body.py(), None, work)?;
        input.answer(done.bytes)
    }
}

impl Pruner {
    fn call(
        &self,
        py: Python<'_>,
        now: Given<'_>,
        last_call: Given<'_>,
        session: Option<String>,
        workload: Option<String>,
    ) -> PyResult<Call> {
        if session.as_ref().is_some_and(|name| name.trim().is_empty()) {
            return Err(PyValueError::new_err("session is a name"));
        }
        if self.state.is_none() && session.is_some() {
            return Err(PyValueError::new_err(
                "a session needs a state file: Pruner(state=…)",
            ));
        }
        let mut engine = self.engine_of(workload.as_deref(), py)?;
        if let Some(now) = now {
            engine = engine.at(clock::time(&now)?);
        }
        if let Some(last_call) = last_call {
            let last_call = clock::last_call(&last_call)?;
            engine = engine.with(|setup| setup.clock.last_call = Some(last_call));
        }
        Ok(Call {
            engine,
            state: self.state.clone(),
            session,
            workload: workload.or_else(|| self.made.workload.clone()),
        })
    }

    /// The engine for a workload that a call names; without a name, the pruner's own.
    fn engine_of(&self, workload: Option<&str>, py: Python<'_>) -> PyResult<Engine> {
        let Some(name) = workload.filter(|name| self.made.workload.as_deref() != Some(name)) else {
            return Ok(self.engine.clone());
        };
        if let Some(engine) = locked(&self.workloads).get(name) {
            return Ok(engine.clone());
        }
        let engine = self.made.engine(Some(name), py)?;
        locked(&self.workloads).insert(name.to_owned(), engine.clone());
        Ok(engine)
    }
}

#[pymethods]
impl Pruner {
    /// Reads the configuration, and opens the state file if one is named.
    #[new]
    #[pyo3(signature = (config=None, *, state=None, preset=None, workload=None, format=None))]
    fn new(
        py: Python<'_>,
        config: Given<'_>,
        state: Option<PathBuf>,
        preset: Option<String>,
        workload: Option<String>,
        format: Option<String>,
    ) -> PyResult<Pruner> {
        let fail = |error: Error| failure(py, &error, None);
        // It stays that file, whatever folder the process, or the one that it is carried to, works
        // in.
        let path = state.map(std::path::absolute).transpose();
        let path = path.map_err(|error| fail(Error::Io(error)))?;
        let made = Made {
            config: given(config)?,
            state: path,
            preset,
            workload,
            format,
        };
        let engine = made.engine(made.workload.as_deref(), py)?;
        let timeout = Duration::from_millis(engine.setup().settings.state.timeout_ms);
        let path = made.state.clone();
        let state = path.map(|path| py.detach(|| State::new(path, timeout)));
        Ok(Pruner {
            engine,
            state: state.transpose().map_err(fail)?.map(Arc::new),
            made,
            workloads: Mutex::default(),
        })
    }

    /// Returns the arguments for a pickle.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((Option<&str>,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        for (name, value) in [
            ("preset", &self.made.preset),
            ("workload", &self.made.workload),
            ("format", &self.made.format),
        ] {
            named.set_item(name, value.as_deref())?;
        }
        named.set_item("state", self.made.state.as_deref())?;
        Ok(((self.made.config.as_ref().map(|(_, text)| &**text),), named))
    }

    /// For the values of a column, at one time: now, unless it is named.
    #[pyo3(signature = (now=None))]
    fn _values(&self, now: Given<'_>) -> PyResult<Values> {
        let now = match now {
            Some(now) => clock::time(&now)?,
            None => self.engine.setup().clock.now,
        };
        let engine = self.engine.at(now);
        Ok(Values(Call {
            engine: engine.with(|setup| setup.detail = Detail::Totals),
            state: self.state.clone(),
            session: None,
            workload: self.made.workload.clone(),
        }))
    }

    /// Whether it keeps sessions.
    #[getter]
    fn has_state(&self) -> bool {
        self.state.is_some()
    }

    /// The names of the configuration's workloads.
    #[getter]
    fn workloads(&self) -> Vec<String> {
        let workloads = &self.engine.setup().settings.workloads;
        workloads.keys().cloned().collect()
    }

    /// Prunes a request body (bytes, str, or a dict), a list of messages, or a log in memory.
    ///
    /// Times are datetimes with a zone, or seconds since 1970; for `last_call`, a timedelta is an
    /// age. `session` names the session in the state file; without a name, the body's own user,
    /// cache key or beginning does. `workload` names one of the configuration's workloads, instead
    /// of that of the pruner; `model` the model, where the body names none.
    #[pyo3(signature = (body, *, now=None, last_call=None, session=None, workload=None, model=None))]
    fn prune(
        &self,
        body: &Bound<'_, PyAny>,
        now: Given<'_>,
        last_call: Given<'_>,
        session: Option<String>,
        workload: Option<String>,
        model: Option<String>,
    ) -> PyResult<Outcome> {
        let call = self.call(body.py(), now, last_call, session, workload)?;
        answered(Input::of(body)?, body.py(), |input| {
            let request = Request {
                body: input,
                model,
                provider: None,
                window: None,
            };
            call.run(|engine, sessions| request.prune(engine, sessions))
        })
    }

    /// Prunes the log in a file, which is only read. Its keyword arguments are those of `prune`.
    #[pyo3(signature = (path, *, now=None, last_call=None, session=None, workload=None))]
    fn prune_log(
        &self,
        py: Python<'_>,
        path: PathBuf,
        now: Given<'_>,
        last_call: Given<'_>,
        session: Option<String>,
        workload: Option<String>,
    ) -> PyResult<Outcome> {
        let call = self.call(py, now, last_call, session, workload)?;
        let done = called(py, Some(&path), || {
            let source = Source::open(&path).map_err(Error::Io)?;
            call.run(|engine, sessions| engine.source(sessions, source))
        })?;
        let mut reports = done.reports.iter();
        let changed = reports.any(|report| report.first_change.is_some());
        let body = PyBytes::new(py, &done.bytes.unwrap_or_default()).into_any();
        Ok(Outcome::new(
            body.unbind(),
            changed,
            done.reports,
            done.passed,
        ))
    }
}

/// Runs the engine on an input and returns the outcome as an object of Python. Other threads of
/// Python may run meanwhile.
fn answered(
    input: Input<'_>,
    py: Python<'_>,
    work: impl FnOnce(&[u8]) -> Result<Output> + Send,
) -> PyResult<Outcome> {
    let bytes = input.bytes()?;
    let done = called(py, None, || work(bytes))?;
    let changed = done.bytes.is_some();
    let body = input.answer(done.bytes)?;
    Ok(Outcome::new(body, changed, done.reports, done.passed))
}

/// The engine for a task that prunes nothing.
fn engine(
    py: Python<'_>,
    task: Task,
    format: Option<&str>,
    model: Option<&str>,
    provider: Option<&str>,
) -> PyResult<Engine> {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    settings.model = model.map(str::to_owned);
    settings.provider = provider.map(str::to_owned);
    made(py, settings, task, format)
}

/// Lists what a provider would refuse of a body or a log.
#[pyfunction]
#[pyo3(signature = (body, *, format=None, model=None, provider=None))]
pub fn check(
    body: &Bound<'_, PyAny>,
    format: Option<&str>,
    model: Option<&str>,
    provider: Option<&str>,
) -> PyResult<Py<PyAny>> {
    let (py, input) = (body.py(), Input::of(body)?);
    let engine = engine(py, Task::Check, format, model, provider)?;
    let bytes = input.bytes()?;
    let done = called(py, None, || engine.bytes(None, bytes))?;
    let reports = done.reports.iter();
    let defects = reports.flat_map(|report| &report.integrity.before);
    value(py, &defects.collect::<Vec<_>>())
}

/// Repairs what a provider would refuse of a body or a log.
#[pyfunction]
#[pyo3(signature = (body, *, format=None, model=None, provider=None))]
pub fn repair(
    body: &Bound<'_, PyAny>,
    format: Option<&str>,
    model: Option<&str>,
    provider: Option<&str>,
) -> PyResult<Outcome> {
    let engine = engine(body.py(), Task::Repair, format, model, provider)?;
    answered(Input::of(body)?, body.py(), |input| {
        engine.bytes(None, input)
    })
}

/// The model that the path of a request to a provider names, if its body is a transcript to prune.
#[pyfunction]
pub fn route(method: &str, path: &str) -> Option<(Option<String>,)> {
    let route = Route::of(method, path).filter(|route| route.what != "summary")?;
    Some((route.model,))
}
