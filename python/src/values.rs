//! The values of a column, many of them, of which no report is wanted.

use crate::failure::called;
use crate::input::Input;
use crate::run;
use crate::state::State;
use deadhead_core::Pruner;
use deadhead_core::internal::report::Detail;
use pyo3::prelude::*;
use std::sync::Arc;

/// Prunes values, all at one time, without a report: to make one takes longer than to cut a small body.
#[pyclass(frozen, module = "deadhead._engine")]
pub struct Values {
    engine: Pruner,
    state: Option<Arc<State>>,
    workload: Option<String>,
}

impl Values {
    /// For the values of a column; `engine` has their time.
    pub fn new(engine: &Pruner, state: Option<Arc<State>>, workload: Option<String>) -> Values {
        Values {
            engine: engine.with(|setup| setup.detail = Detail::Totals),
            state,
            workload,
        }
    }
}

#[pymethods]
impl Values {
    /// Returns the output for a body: the same object where nothing is cut.
    fn __call__(&self, body: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let input = Input::of(body)?;
        let bytes = input.bytes()?;
        let (state, names) = (self.state.as_deref(), (None, self.workload.as_deref()));
        let done = called(body.py(), None, || {
            run::in_session(&self.engine, state, names, |engine, sessions| {
                engine.bytes(sessions, bytes)
            })
        })?;
        input.answer(done.bytes)
    }
}
