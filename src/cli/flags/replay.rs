//! The flags of `deadhead replay`.

use super::LogArgs;
use crate::report::{ReportFormat, formats};
use clap::Args;
use std::path::PathBuf;

/// Formats of a report.
const FORMATS: [(&str, &str); 5] = [
    ("text", "For people, one screen for each log"),
    ("json", "One object; several logs give an array with a last object of totals"),
    ("jsonl", "One object per line"),
    ("markdown", "For an issue or a wiki"),
    ("html", "One page with charts, for a browser"),
];

// What can be asked of `deadhead replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Logs, folders of logs, or patterns; - is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Try each value of a key, in every combination (KEY=VALUE,VALUE)
    ///
    /// May be repeated for several keys. A star marks settings that no other beats in both dollars and regrets.
    #[arg(long, value_name = "KEY=VALUES", help_heading = "Policy")]
    pub sweep: Vec<String>,

    #[command(flatten)]
    pub logs: LogArgs,

    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(&FORMATS), help_heading = "Report")]
    pub report_format: ReportFormat,

    /// List all settings of a --sweep, all days, models and projects
    #[arg(short, long, help_heading = "Report")]
    pub verbose: bool,
}
