//! The result of a call.

use deadhead_core::{Error, Report, naming, stream};
use pyo3::{exceptions::PyValueError, prelude::*, sync::PyOnceLock};
use serde::Serialize;

/// The arguments of [`_result`].
type Pickled = (Py<PyAny>, bool, Vec<(u64, String)>, Py<PyAny>, usize);

/// A body or a log as it comes out, with its report.
#[pyclass(frozen, generic, name = "Result", module = "deadhead")]
pub struct Outcome {
    /// The output: the body itself where nothing is cut.
    #[pyo3(get)]
    body: Py<PyAny>,
    /// Whether it differs from what came in.
    #[pyo3(get)]
    changed: bool,
    /// Lines or requests that came out as they came, and why.
    #[pyo3(get)]
    passed: Vec<(u64, String)>,
    reports: Vec<Report>,
    cuts: usize,
    /// The reports as objects, made when they are asked for.
    made: PyOnceLock<Py<PyAny>>,
}

impl Outcome {
    /// Makes an outcome from the output, the reports, and the inputs that passed through with an
    /// error.
    pub fn new(
        body: Py<PyAny>,
        changed: bool,
        reports: Vec<Report>,
        passed: Vec<(u64, Error)>,
    ) -> Outcome {
        let said = |(place, error): (u64, Error)| (place, stream::passed(&error, naming::plain));
        Outcome {
            body,
            changed,
            passed: passed.into_iter().map(said).collect(),
            cuts: reports.iter().map(|report| report.cuts.len()).sum(),
            reports,
            made: PyOnceLock::new(),
        }
    }
}

/// Restores a result from the parts in its pickle.
#[pyfunction]
pub fn _result(
    py: Python<'_>,
    body: Py<PyAny>,
    changed: bool,
    passed: Vec<(u64, String)>,
    reports: Py<PyAny>,
    cuts: usize,
) -> PyResult<Outcome> {
    let made = PyOnceLock::new();
    made.get_or_init(py, || reports);
    Ok(Outcome {
        body,
        changed,
        passed,
        reports: Vec::new(),
        cuts,
        made,
    })
}

#[pymethods]
impl Outcome {
    /// The report (schema 1).
    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let reports = self.reports(py)?.into_bound(py);
        match reports.len()? {
            1 => Ok(reports.get_item(0)?.unbind()),
            0 => Err(PyValueError::new_err(
                "there is no report: the input was empty",
            )),
            n => Err(PyValueError::new_err(format!(
                "there are {n} bodies, each with its report: see reports"
            ))),
        }
    }

    /// The report of each body, where the input holds several.
    #[getter]
    fn reports(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let made = self.made.get_or_try_init(py, || value(py, &self.reports));
        Ok(made?.clone_ref(py))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled)> {
        let parts = (
            self.body.clone_ref(py),
            self.changed,
            self.passed.clone(),
            self.reports(py)?,
            self.cuts,
        );
        Ok((py.import("deadhead._engine")?.getattr("_result")?, parts))
    }

    fn __repr__(&self) -> String {
        format!("<deadhead.Result: {} cuts>", self.cuts)
    }
}

/// Converts data to objects of Python, through the JSON that serde writes.
pub fn value(py: Python<'_>, data: &impl Serialize) -> PyResult<Py<PyAny>> {
    let text =
        serde_json::to_string(data).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(py.import("json")?.call_method1("loads", (text,))?.unbind())
}
