//! Errors of the engine as exceptions of `deadhead.errors`, with the place in the input.

use deadhead_core::Error;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Calls the engine while Python may go on. A fault of its own is an exception like others: whoever fails open does so then, too.
pub fn called<T: Send>(py: Python<'_>, path: Option<&Path>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(done) => done.map_err(|error| failure(py, &error, path)),
        Err(_) => Err(named(py, "Error", "a fault of deadhead's own, please report it; nothing was changed", (None, None, None))),
    }
}

/// The exception for an error of the engine; `path` is the file that it is about.
pub fn failure(py: Python<'_>, error: &Error, path: Option<&Path>) -> PyErr {
    let text = match path {
        Some(path) if error.has_place() => format!("{}:{error}", path.display()),
        Some(path) => format!("{}: {error}", path.display()),
        None => error.to_string(),
    };
    let class = match error {
        Error::Config(_) | Error::NoFormat { .. } | Error::UnknownPass { .. } => "ConfigError",
        Error::State(_) => "StateError",
        Error::Io(error) => {
            let text = path.map_or_else(|| error.to_string(), |_| text);
            return error.raw_os_error().map_or_else(|| PyOSError::new_err(text.clone()), |code| PyOSError::new_err((code, text.clone())));
        }
        error if error.is_refusal() => "RefusedError",
        _ => "InputError",
    };
    let place = match error {
        Error::Json { line, column, byte, .. } => (Some(*line), Some(*column), Some(*byte)),
        Error::NotUnderstood { line, .. } => (Some(*line), None, None),
        Error::Missing(missing) => (Some(missing.line.into()), None, None),
        _ => (None, None, None),
    };
    named(py, class, &text, place)
}

/// The exception of this name in `deadhead.errors`.
pub fn named(py: Python<'_>, class: &str, text: &str, place: (Option<u64>, Option<u64>, Option<u64>)) -> PyErr {
    let made = py.import("deadhead.errors").and_then(|errors| errors.getattr(class)?.call1((text, place.0, place.1, place.2)));
    made.map_or_else(|error| error, PyErr::from_value)
}
