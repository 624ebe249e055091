//! The flags of `deadhead fork`.

use super::*;

// What can be asked of `deadhead fork`.
#[derive(Args)]
pub struct ForkArgs {
    /// Session log; - is stdin
    #[arg(value_name = "LOG")]
    pub log: PathBuf,

    /// Only check whether the agent would load the log; exit with 1 if a rule fails
    #[arg(long)]
    pub verify: bool,

    /// Write to this file instead of one beside the log
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "verify",
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,

    /// Write into this directory, under the name that the agent looks for
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["output", "verify"],
        help_heading = "Output"
    )]
    pub out_dir: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long, help_heading = "Report")]
    pub json: bool,

    /// Print nothing
    #[arg(short, long, help_heading = "Report")]
    pub quiet: bool,

    /// Format of the log instead of detecting it
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    /// Treat the provider's cache as expired
    #[arg(long)]
    pub assume_cold: bool,

    #[command(flatten)]
    pub policy: PolicyArgs,
}
