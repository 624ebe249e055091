//! Reports of `prune`, `replay` and `advise` as text, Markdown, HTML, JSON and JSON lines.
//!
//! [`prune`], [`replay`] and [`advise`] build a [`document`] once from the result of a run; three renderers draw its blocks as text,
//! Markdown and HTML. JSON is the run's own data.

pub mod advise;
mod chart;
mod command;
pub mod document;
mod html;
pub mod json;
mod markdown;
pub mod number_format;
mod printer;
pub mod prune;
pub mod replay;
mod several;
mod text;

pub use command::{HOOK, HOOKED, agent_command, commands, proxy_command, quoted};
pub use html::escape;
pub use printer::{Printer, ReportFormat, formats};
pub use text::{COLUMNS, TextStyle, columns, headline, printed};

// What reports have in common.
use document::*;
use number_format::*;

/// The name of the policy that the configuration and the flags make.
pub const CONFIGURED: &str = "as configured";
