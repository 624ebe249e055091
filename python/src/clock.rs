//! Python times: aware datetimes, and seconds since 1970 as `time.time()` returns them.

use deadhead_core::internal::cache_policy::LastCall;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
};

/// Milliseconds since 1970.
pub fn time(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    if let Ok(seconds) = value.extract::<f64>() {
        return millis(seconds);
    }
    if !value.hasattr("timestamp")? {
        return Err(PyTypeError::new_err(
            "a time is a datetime with a time zone, or seconds since 1970",
        ));
    }
    if value.call_method0("utcoffset")?.is_none() {
        return Err(PyValueError::new_err(
            "a datetime needs a time zone: datetime.now(timezone.utc)",
        ));
    }
    millis(value.call_method0("timestamp")?.extract()?)
}

/// A time, or a timedelta: so long ago.
pub fn last_call(value: &Bound<'_, PyAny>) -> PyResult<LastCall> {
    if value.hasattr("total_seconds")? {
        let age = millis(value.call_method0("total_seconds")?.extract()?)?;
        return u64::try_from(age).map(LastCall::Ago).map_err(|_| {
            PyValueError::new_err("the last call is in the past: a timedelta of 0 or more")
        });
    }
    time(value).map(LastCall::At)
}

fn millis(seconds: f64) -> PyResult<i64> {
    let millis = (seconds * 1000.0).round();
    // From here on an i64 has no such number.
    if millis.abs() < 9e18 {
        Ok(millis as i64)
    } else {
        Err(PyValueError::new_err("the time is out of range"))
    }
}
