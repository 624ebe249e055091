//! The flags of the commands that may run long.

use super::AutoChoice;
use clap::Args;

// How the work is done and shown.
#[derive(Args, Debug)]
pub struct RunningArgs {
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
