//! The result of a call.

use deadhead_core::Report;
use deadhead_core::stream::passed;
use deadhead_core::{Error, naming};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use serde::Serialize;

/// A body or a log as it comes out, with its report.
#[pyclass(frozen, generic, name = "Result", module = "deadhead")]
pub struct Outcome {
    /// What comes out: the body itself where nothing is cut.
    #[pyo3(get)]
    body: Py<PyAny>,
    /// Whether it differs from what came in.
    #[pyo3(get)]
    changed: bool,
    reports: Vec<Report>,
    passed: Vec<(u64, Error)>,
    /// The reports as objects, made when they are asked for.
    made: PyOnceLock<Py<PyAny>>,
}

impl Outcome {
    /// What comes out, and what is said of it.
    pub fn new(body: Py<PyAny>, changed: bool, reports: Vec<Report>, passed: Vec<(u64, Error)>) -> Outcome {
        Outcome { body, changed, reports, passed, made: PyOnceLock::new() }
    }
}

#[pymethods]
impl Outcome {
    /// The report (schema 1).
    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.reports.len() {
            1 => Ok(self.reports(py)?.bind(py).get_item(0)?.unbind()),
            0 => Err(PyValueError::new_err("there is no report: the input was empty")),
            n => Err(PyValueError::new_err(format!("there are {n} bodies, each with its report: see reports"))),
        }
    }

    /// The report of each body, where the input holds several.
    #[getter]
    fn reports(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.made.get_or_try_init(py, || value(py, &self.reports))?.clone_ref(py))
    }

    /// Lines or requests that came out as they came, and why.
    #[getter]
    fn passed(&self) -> Vec<(u64, String)> {
        self.passed.iter().map(|(place, error)| (*place, passed(error, naming::plain))).collect()
    }

    fn __repr__(&self) -> String {
        let cuts: usize = self.reports.iter().map(|report| report.cuts.len()).sum();
        format!("<deadhead.Result: {cuts} cuts>")
    }
}

/// What serde writes, as objects of Python.
pub fn value(py: Python<'_>, data: &impl Serialize) -> PyResult<Py<PyAny>> {
    let text = serde_json::to_string(data).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(py.import("json")?.call_method1("loads", (text,))?.unbind())
}
