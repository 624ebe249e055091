//! Reports of `prune` and `replay` as text, Markdown, HTML, JSON and JSON lines.
//!
//! [`prune`] and [`replay`] build a [`document`] once from what a run came to; three renderers know how one looks and nothing of
//! runs. JSON is the run's own data.

mod chart;
mod document;
mod html;
pub mod json;
mod markdown;
mod number_format;
mod printer;
pub mod prune;
pub mod replay;
mod text;

pub use printer::{Printer, ReportFormat, formats};
pub use text::Look;
