//! Settings: every configuration key, the presets, and the merging of layers with the source of each value.
//!
//! The fields of [`Settings`] are the only statement of a key; [`keys`], error texts and the JSON Schema are read from them. A
//! [`Layer`] is what one source says; [`resolve`] puts layers together into settings, which the passes read, and into rows with
//! provenance. Presets and known models are data. Nothing in here reads a file or the environment, so that the same input and
//! configuration mean the same on any machine, and a wrong value is an error that says what is expected.

mod amounts;
mod chosen;
pub mod context_management;
mod duration;
pub mod emitted;
mod error;
mod file;
mod json5_text;
mod keys;
mod kinds;
mod layer;
mod maps;
pub mod models;
mod openclaw;
pub mod patterns;
mod presets;
pub mod price_table;
mod removed;
mod steps;
mod table;

pub use amounts::{Amount, Keep, Measure, Size, Stop, Unit};
pub use chosen::Chosen;
pub use duration::{format_duration, parse_duration, spoken_duration, units};
pub use error::{ConfigError, meant, nearest, plain};
pub use file::{file, workloads};
pub use json5_text::parse;
pub use keys::*;
pub use kinds::{word, words, words_of};
pub use layer::{Layer, Resolved, Row, resolve};
pub use models::window;
pub use openclaw::is_openclaw;
pub use presets::{OWN, Preset, Vectors, decided, listing, preset, presets};
pub use removed::{instead, removed};
pub use steps::{ListPlace, TEMPLATE_NAMES};
pub use table::{Key, keys, names_under, schema};
