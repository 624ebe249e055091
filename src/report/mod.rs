//! The account of a run as text, Markdown, HTML, JSON and JSON lines.

mod chart;
mod figures;
mod headline;
mod html;
mod hypertext;
mod json;
mod jsonl;
mod largest;
mod markdown;
mod markup;
mod page;
mod renderer;
pub mod replay;
#[cfg(test)]
mod samples;
mod tally;
mod text;
mod totals;

pub use renderer::{Renderer, ReportFormat};
pub use totals::Totals;
