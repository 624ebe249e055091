//! The flags of `deadhead slim`.

use super::*;

// What can be asked of `deadhead slim`.
#[derive(Args)]
pub struct SlimArgs {
    /// Session logs, or folders with them; - is stdin
    #[arg(value_name = "LOG")]
    pub logs: Vec<PathBuf>,

    /// Write to this file instead of stdout (one log)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Write each log into this directory
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "output",
        help_heading = "Output"
    )]
    pub out_dir: Option<PathBuf>,

    /// Write no log; print the report to stdout
    #[arg(
        short = 'n',
        long,
        conflicts_with_all = ["output", "out_dir"],
        help_heading = "Output"
    )]
    pub dry_run: bool,

    /// Write the report to this file instead of stderr
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub report: Option<PathBuf>,

    /// Format of the report
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Report"
    )]
    pub report_format: SlimFormat,

    /// Write no report
    #[arg(short, long, help_heading = "Report")]
    pub quiet: bool,

    /// Format of the logs instead of detecting it
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    /// Number of threads; 0 is one for each core
    #[arg(
        short,
        long,
        hide_short_help = true,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Running"
    )]
    pub jobs: usize,
}

/// How a report is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SlimFormat {
    /// A few lines for each log
    Text,
    /// A document for each log
    Json,
}
