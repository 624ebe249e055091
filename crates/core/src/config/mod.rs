//! Configuration: what can be set, by whom, and where each value comes from.
//!
//! Layers, the last wins: built in → smart defaults (where it is known how Anthropic is paid) → preset → configuration
//! file → flags → `--set`. [`resolve`] puts them together into [`Settings`], which the passes read, and into rows with
//! provenance, which `config show` prints. The keys are one table ([`keys`]), presets and known models are data. Nothing
//! in here reads a file or the environment by itself (`include` is given both), and a wrong value is an error that says what is expected.

mod duration;
mod error;
mod file;
mod include;
mod init;
mod json5_text;
pub mod keys;
mod kind;
mod layers;
mod maps;
pub mod models;
mod openclaw;
pub mod patterns;
pub mod presets;
mod replay_schema;
mod report_schema;
mod schema;
pub mod settings;
mod shapes;
mod show;
mod values;
mod words;

pub use duration::{format_duration, parse_duration};
pub use error::ConfigError;
pub use include::{Expanded, Surroundings, expand};
pub use init::init;
pub use kind::Kind;
pub use layers::{Resolved, Row, Sources, resolve};
pub use models::window;
pub use schema::schema;
pub use settings::{Auth, Settings};
pub use show::show;
pub use words::Word;
