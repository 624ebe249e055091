//! Loads the configuration: presets, files, workloads and flags as layers of settings; and
//! implements `deadhead config`.
//!
//! Layers, the last wins: built in → smart defaults (where it is known how Anthropic is paid) →
//! preset → configuration file → workload → flags → `--set` → `--sweep`. No key is defined here:
//! the fields of the settings are the keys.

mod include;
mod schema;
mod show;
mod sources;

pub use include::{Expanded, IncludeContext, expand};
pub use schema::schema;
pub use show::{init, show};
pub use sources::{Sources, flag, resolve};
