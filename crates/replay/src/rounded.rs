//! Numbers as reports write them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serializer;
use std::borrow::Cow;

pub fn rounded(value: f64, parts: f64) -> f64 {
    // Adding zero turns a negative zero into a positive one.
    (value * parts).round() / parts + 0.0
}

/// Writes a number without its fraction.
pub struct RoundedNumber;

impl RoundedNumber {
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(value.round().max(0.0) as u64)
    }
}

impl JsonSchema for RoundedNumber {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RoundedNumber".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        u64::json_schema(generator)
    }
}

pub fn thousandths<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value, 1e3))
}

pub fn dollars<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value, 1e6))
}
