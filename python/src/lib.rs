//! The engine for Python: the module `deadhead._engine`.
//!
//! It is the call from outside, [`deadhead_core::Pruner`], in Python's terms: bytes in, bytes out,
//! the report as an object. The lock of the interpreter is released while the engine works.

#![forbid(unsafe_code)]

mod clock;
mod config;
mod failure;
mod input;
mod outcome;
mod pruner;
mod replay;
mod state;

/// The module.
#[pyo3::pymodule(gil_used = false)]
mod _engine {
    #[pymodule_export]
    use crate::outcome::{_result, Outcome};
    #[pymodule_export]
    use crate::pruner::{Pruner, check, repair, route};
    #[pymodule_export]
    use crate::replay::replay;
    #[pymodule_export]
    use crate::state::{_after_fork, _before_fork};

    /// Adds the version.
    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        pyo3::types::PyModuleMethods::add(module, "__version__", env!("CARGO_PKG_VERSION"))
    }
}
