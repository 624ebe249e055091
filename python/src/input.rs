//! Reads a body: bytes, text, or a value of `json`. The output is of the same type, and the same
//! object if nothing is cut.

use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyBytes, PyDict, PyList, PyString},
};

/// A body, in the kind that it came in.
pub struct Input<'py> {
    body: Bound<'py, PyAny>,
    /// Of a value of `json`, its text.
    text: Option<Bound<'py, PyString>>,
}

impl<'py> Input<'py> {
    /// Takes a body.
    pub fn of(body: &Bound<'py, PyAny>) -> PyResult<Input<'py>> {
        let py = body.py();
        let text = if body.is_instance_of::<PyBytes>() || body.is_instance_of::<PyString>() {
            None
        } else if body.is_instance_of::<PyDict>() || body.is_instance_of::<PyList>() {
            let options = PyDict::new(py);
            options.set_item("allow_nan", false)?;
            options.set_item("separators", (",", ":"))?;
            let json = py.import("json")?;
            let text = json.call_method("dumps", (body,), Some(&options))?;
            Some(text.cast_into()?)
        } else {
            return Err(PyTypeError::new_err(
                "a body is bytes, a str, a dict or a list",
            ));
        };
        let body = body.clone();
        Ok(Input { body, text })
    }

    /// Its bytes: they are read where they lie, those of a text by the UTF-8 that Python keeps of
    /// it.
    pub fn bytes(&self) -> PyResult<&[u8]> {
        if let Ok(bytes) = self.body.cast::<PyBytes>() {
            return Ok(bytes.as_bytes());
        }
        let text = match &self.text {
            Some(text) => text,
            None => self.body.cast()?,
        };
        Ok(text.to_str()?.as_bytes())
    }

    /// Returns the output in the type of the input; the input itself where there are no new bytes.
    pub fn answer(self, new: Option<Vec<u8>>) -> PyResult<Py<PyAny>> {
        let Some(new) = new else {
            return Ok(self.body.unbind());
        };
        let py = self.body.py();
        let answer = if self.body.is_instance_of::<PyString>() {
            PyString::from_bytes(py, &new)?.into_any()
        } else if self.text.is_some() {
            let json = py.import("json")?;
            json.call_method1("loads", (PyBytes::new(py, &new),))?
        } else {
            PyBytes::new(py, &new).into_any()
        };
        Ok(answer.unbind())
    }
}
