//! The flags of `deadhead advise`.

use super::LogArgs;
use crate::report::{ReportFormat, formats};
use clap::Args;
use std::path::PathBuf;

/// Formats of a report.
const FORMATS: [(&str, &str); 5] = [
    ("text", "For people, five lines"),
    ("json", "One object, with every policy that was tried"),
    ("jsonl", "The same on one line"),
    ("markdown", "For an issue or a wiki"),
    ("html", "One page with charts, for a browser"),
];

// What can be asked of `deadhead advise`.
#[derive(Args, Debug)]
pub struct AdviseArgs {
    /// Logs, folders of logs, or patterns; without any, the folders in which agents keep their logs
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write the configuration of the best policy to this file, with the figures in its comment
    ///
    /// Where no policy pays, the file turns pruning off.
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub write: Option<PathBuf>,

    /// Let --write replace a file that is there already
    #[arg(long, requires = "write", help_heading = "Policy")]
    pub force: bool,

    #[command(flatten)]
    pub logs: LogArgs,

    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(&FORMATS), help_heading = "Report")]
    pub report_format: ReportFormat,

    /// List all policies that were tried
    #[arg(short, long, help_heading = "Report")]
    pub verbose: bool,
}
