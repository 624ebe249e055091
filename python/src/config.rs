//! Reads `config`: nothing, JSON5 text, a mapping, or the path of a file.

use crate::failure::{failure, named};
use deadhead_core::{
    Config, Error,
    internal::pass::check_names,
    settings::{self, ConfigError, Layer, Resolved, price_table},
};
use pyo3::{exceptions::PyTypeError, prelude::*};
use std::path::{Path, PathBuf};

/// An argument that may be left out.
pub type Given<'py> = Option<Bound<'py, PyAny>>;

/// The configuration that was given: its text, and what errors call it.
pub fn given(value: Given<'_>) -> PyResult<Option<(String, String)>> {
    let value = value.filter(|value| !value.is_none());
    value.as_ref().map(text).transpose()
}

/// The configuration from its layers, in the order of the command: configuration, workload, and the
/// name of a preset, which replaces those that they name and lies under them.
pub fn config(
    given: Option<&(String, String)>,
    preset: Option<&str>,
    workload: Option<&str>,
    py: Python<'_>,
) -> PyResult<Config> {
    let fail = |error: ConfigError| failure(py, &Error::Config(error), None);
    let mut layers = Vec::new();
    if let Some((name, text)) = given {
        layers.push(settings::file(name, text).map_err(fail)?);
    }
    let workloads = settings::workloads(&layers).map_err(fail)?;
    if let Some(name) = workload {
        layers.push(of_workload(py, name, &workloads)?);
    }
    if let Some(name) = preset {
        let mut layer = Layer::new("preset");
        layer.put("preset", "preset", &name.into()).map_err(fail)?;
        layers.push(layer);
    }
    let mut resolved: Resolved = settings::resolve(&layers).map_err(fail)?;
    let replay = &mut resolved.settings.replay;
    if let Some(prices) = &replay.prices {
        let folder = given.and_then(|(name, _)| Path::new(name).parent());
        let path = folder.unwrap_or(Path::new("")).join(prices);
        let rows = std::fs::read_to_string(&path)
            .map_err(|error| failure(py, &Error::Io(error), Some(&path)))?;
        let table = price_table::table(&path.display().to_string(), &rows);
        replay.table = table.map_err(fail)?.into();
    }
    let passes = &resolved.settings.passes;
    let named = passes.on.iter().chain(&passes.off);
    let known = check_names(deadhead_retrieval::passes(), named);
    known.map_err(|error| failure(py, &error, None))?;
    Ok(resolved.into())
}

fn of_workload(py: Python<'_>, name: &str, known: &[(String, Layer)]) -> PyResult<Layer> {
    if let Some((_, layer)) = known.iter().find(|(own, _)| own == name) {
        return Ok(layer.clone());
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| &**name).collect();
    let known = match names.join(", ") {
        none if none.is_empty() => "the configuration has none".to_owned(),
        names => format!("workloads: {names}"),
    };
    let text = format!("unknown workload {name} ({known})");
    Err(named(py, "ConfigError", &text, [None; 3]))
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
    let py = value.py();
    if let Ok(text) = value.extract::<String>() {
        if !text.contains('{') && !text.trim().is_empty() {
            let what =
                "config is JSON5 text; name a file by a path such as pathlib.Path('config.json5')";
            return Err(named(py, "ConfigError", what, [None; 3]));
        }
        return Ok(("config".to_owned(), text));
    }
    if value.hasattr("__fspath__")? {
        let path: PathBuf = value.extract()?;
        let text = std::fs::read_to_string(&path)
            .map_err(|error| failure(py, &Error::Io(error), Some(&path)))?;
        return Ok((path.display().to_string(), text));
    }
    if value.hasattr("keys")? {
        let copy = py.import("builtins")?.call_method1("dict", (value,))?;
        let text = py.import("json")?.call_method1("dumps", (copy,))?;
        return Ok(("config".to_owned(), text.extract()?));
    }
    Err(PyTypeError::new_err(
        "config is JSON5 text, a mapping, or a path such as pathlib.Path('config.json5')",
    ))
}
