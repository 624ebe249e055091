//! Reads a body: bytes, text, or a value of `json`. The output is of the same type, and the same object if nothing is cut.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

/// A body, in the kind that it came in.
pub enum Input<'py> {
    /// Bytes, which are read where they lie.
    Bytes(Bound<'py, PyBytes>),
    /// Text, by the UTF-8 that Python keeps of it.
    Text(Bound<'py, PyString>),
    /// A value of `json`, and its text.
    Value(Bound<'py, PyAny>, Bound<'py, PyString>),
}

impl<'py> Input<'py> {
    /// Takes a body.
    pub fn of(body: &Bound<'py, PyAny>) -> PyResult<Input<'py>> {
        if let Ok(bytes) = body.cast::<PyBytes>() {
            return Ok(Input::Bytes(bytes.clone()));
        }
        if let Ok(text) = body.cast::<PyString>() {
            return Ok(Input::Text(text.clone()));
        }
        if body.is_instance_of::<PyDict>() || body.is_instance_of::<PyList>() {
            let options = PyDict::new(body.py());
            options.set_item("allow_nan", false)?;
            options.set_item("separators", (",", ":"))?;
            let text = body
                .py()
                .import("json")?
                .call_method("dumps", (body,), Some(&options))?;
            return Ok(Input::Value(body.clone(), text.cast_into()?));
        }
        Err(PyTypeError::new_err(
            "a body is bytes, a str, a dict or a list",
        ))
    }

    /// Its bytes.
    pub fn bytes(&self) -> PyResult<&[u8]> {
        match self {
            Input::Bytes(bytes) => Ok(bytes.as_bytes()),
            Input::Text(text) | Input::Value(_, text) => Ok(text.to_str()?.as_bytes()),
        }
    }

    /// Returns the output in the type of the input; the input itself where there are no new bytes.
    pub fn answer(self, new: Option<Vec<u8>>) -> PyResult<Py<PyAny>> {
        Ok(match (self, new) {
            (Input::Bytes(body), None) => body.into_any().unbind(),
            (Input::Text(body), None) => body.into_any().unbind(),
            (Input::Value(body, _), None) => body.unbind(),
            (Input::Bytes(body), Some(new)) => PyBytes::new(body.py(), &new).into_any().unbind(),
            (Input::Text(body), Some(new)) => {
                PyString::from_bytes(body.py(), &new)?.into_any().unbind()
            }
            (Input::Value(body, _), Some(new)) => body
                .py()
                .import("json")?
                .call_method1("loads", (PyBytes::new(body.py(), &new),))?
                .unbind(),
        })
    }
}
