//! The flags of `deadhead advise`.

use super::{AutoChoice, PolicyArgs};
use crate::report::{ReportFormat, formats};
use clap::Args;
use deadhead_core::input::MaxInput;
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

    /// Count only requests from this day or time on
    #[arg(long, value_name = "TIME", help_heading = "Input")]
    pub since: Option<String>,

    /// Count only requests before this day or time
    #[arg(long, value_name = "TIME", help_heading = "Input")]
    pub until: Option<String>,

    /// Format of the logs instead of detecting it; `--format help` lists all
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    /// Largest input to unpack, or to read from a pipe or a device (500M, 4G)
    #[arg(long, value_name = "SIZE", value_parser = MaxInput::parse, hide_short_help = true, help_heading = "Input")]
    pub max_input: Option<MaxInput>,

    /// Refuse a log of which a part is missing
    #[arg(long, hide_short_help = true, help_heading = "Input")]
    pub strict_input: bool,

    /// Write the report to this file instead of to stdout
    #[arg(short = 'o', long = "output", visible_alias = "report", value_name = "FILE", help_heading = "Report")]
    pub report: Option<PathBuf>,

    /// How the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(&FORMATS), help_heading = "Report")]
    pub report_format: ReportFormat,

    /// List all policies that were tried
    #[arg(short, long, help_heading = "Report")]
    pub verbose: bool,

    #[command(flatten)]
    pub policy: PolicyArgs,

    /// Threads to use; 0 is one for each core
    #[arg(short, long, hide_short_help = true, value_name = "N", default_value_t = 0, help_heading = "Running")]
    pub jobs: usize,

    /// Show a progress bar on stderr when the work lasts
    #[arg(long, hide_short_help = true, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    pub progress: AutoChoice,

    /// Colour the text report
    #[arg(long, hide_short_help = true, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    pub color: AutoChoice,
}
