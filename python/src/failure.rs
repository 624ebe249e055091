//! Errors of the engine as exceptions of `deadhead.errors`, with the place in the input.

use deadhead_core::{Error, Result};
use pyo3::{exceptions::PyOSError, prelude::*};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

/// The code of Linux for a folder in place of a file.
const IS_A_DIRECTORY: i32 = 21;

/// Calls the engine while Python may go on. A fault of its own is an exception like others: whoever
/// fails open does so then, too.
pub fn called<T: Send>(
    py: Python<'_>,
    path: Option<&Path>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    let fault = "a fault of deadhead's own, please report it; nothing was changed";
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let done = done.map_err(|_| named(py, "Error", fault, [None; 3]))?;
    done.map_err(|error| failure(py, &error, path))
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
        Error::Io(_) if path.is_some_and(Path::is_dir) => return system(py, IS_A_DIRECTORY, path),
        // What is no code of the system's is about the content, such as an archive that is cut off.
        Error::Io(error) if let Some(code) = error.raw_os_error() => return system(py, code, path),
        error if error.is_refusal() => "RefusedError",
        _ => "InputError",
    };
    let place = match error {
        Error::Json {
            line, column, byte, ..
        } => [Some(*line), Some(*column), Some(*byte)],
        Error::NotUnderstood { line, .. } => [Some(*line), None, None],
        Error::Missing(missing) => [Some(missing.line.into()), None, None],
        _ => [None; 3],
    };
    named(py, class, &text, place)
}

/// The system's own error, as `open` of Python raises it.
fn system(py: Python<'_>, code: i32, path: Option<&Path>) -> PyErr {
    let text = py
        .import("os")
        .and_then(|os| os.call_method1("strerror", (code,))?.extract::<String>());
    match text {
        Ok(text) => PyOSError::new_err((code, text, path.map(|path| path.as_os_str().to_owned()))),
        Err(error) => error,
    }
}

/// The exception of this name in `deadhead.errors`.
pub fn named(
    py: Python<'_>,
    class: &str,
    text: &str,
    [line, column, byte]: [Option<u64>; 3],
) -> PyErr {
    let made = py
        .import("deadhead.errors")
        .and_then(|errors| errors.getattr(class)?.call1((text, line, column, byte)));
    made.map_or_else(|error| error, PyErr::from_value)
}
