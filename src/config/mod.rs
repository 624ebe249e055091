//! Configuration: keys, layers with provenance, presets as data.

pub mod settings;
