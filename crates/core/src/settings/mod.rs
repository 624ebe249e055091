//! Settings: every configuration key, the presets, and the merging of layers with the source of
//! each value.
//!
//! The fields of [`Settings`] are the only statement of a key; [`keys`], error texts and the JSON
//! Schema are read from them. A [`Layer`] is what one source says; [`resolve`] puts layers together
//! into settings, which the passes read, and into rows with provenance. Presets and known models
//! are data. Nothing in here reads a file or the environment, so that the same input and
//! configuration mean the same on any machine, and a wrong value is an error that says what is
//! expected.

pub mod context_management;
mod duration;
mod error;
mod file;
mod keys;
mod kinds;
mod layer;
mod maps;
pub mod models;
mod openclaw;
pub mod patterns;
mod presets;
pub mod price_table;
mod section;
mod steps;

pub use duration::{format_duration, parse_duration, spoken_duration, units};
pub use error::{ConfigError, meant, nearest, plain};
pub use file::{file, parse, workloads};
pub use keys::*;
pub use kinds::{word, words};
pub use layer::{Key, Layer, Resolved, Row, keys, names_under, resolve, schema};
pub use maps::Chosen;
pub use models::window;
pub use openclaw::is_openclaw;
pub use presets::{OWN, Preset, Vectors, decided, listing, preset, presets};
pub use section::Words;
pub use steps::{Amount, Keep, ListPlace, Measure, Size, Stop, TEMPLATE_NAMES, Unit};
