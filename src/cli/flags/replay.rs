//! The flags of `deadhead replay`.

use super::{AutoChoice, PolicyArgs};
use crate::report::{ReportFormat, formats};
use clap::Args;
use deadhead_core::input::MaxInput;
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
    ///
    /// Default: 1G or 1,000 times the packed size, whichever is more, for a packed input; 4G for a pipe or a device. Bodies that are
    /// answered line by line have no limit. A file that is not packed has a limit only if this is given.
    #[arg(long, value_name = "SIZE", value_parser = MaxInput::parse, hide_short_help = true, help_heading = "Input")]
    pub max_input: Option<MaxInput>,

    /// Refuse a log of which a part is missing
    ///
    /// A part is missing if a line names a parent that is not in the input, as in the last lines of a log, or in a piece of a split log.
    /// Without this flag, such a log is replayed with a warning.
    #[arg(long, hide_short_help = true, help_heading = "Input")]
    pub strict_input: bool,

    /// Write the report to this file instead of stdout
    #[arg(short = 'o', long = "output", visible_alias = "report", value_name = "FILE", help_heading = "Report")]
    pub report: Option<PathBuf>,

    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(&FORMATS), help_heading = "Report")]
    pub report_format: ReportFormat,

    /// List all settings of a --sweep, all days, models and projects
    #[arg(short, long, help_heading = "Report")]
    pub verbose: bool,

    #[command(flatten)]
    pub policy: PolicyArgs,

    /// Number of threads; 0 is one for each core
    #[arg(short, long, hide_short_help = true, value_name = "N", default_value_t = 0, help_heading = "Running")]
    pub jobs: usize,

    /// Show a progress bar on stderr during long runs
    #[arg(long, hide_short_help = true, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    pub progress: AutoChoice,

    /// Colour the text report
    #[arg(long, hide_short_help = true, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    pub color: AutoChoice,
}
