//! The flags of the commands that count the requests of logs.

use super::{PolicyArgs, RunningArgs};
use clap::Args;
use deadhead_core::input::MaxInput;
use std::path::PathBuf;

// What is read of logs, and how the work is done.
#[derive(Args, Debug)]
pub struct LogArgs {
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

    #[command(flatten)]
    pub policy: PolicyArgs,

    #[command(flatten)]
    pub running: RunningArgs,
}
