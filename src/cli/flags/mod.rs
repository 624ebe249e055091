//! The flags of the commands; those of `replay` and `advise` are in one file. The first line of a field's doc comment is the short help.

mod canary;
mod check;
mod logs;
mod policy;
mod prune;
mod state;

pub use canary::{CanaryArgs, CanaryCommand};
pub use check::CheckArgs;
pub use logs::{AdviseArgs, LogArgs, ReplayArgs};
pub use policy::{ConfigCommand, PolicyArgs};
pub use prune::{ChoiceArgs, PruneArgs};
pub use state::{AuditFormat, StateCommand};

use clap::{Args, ValueEnum};

/// `auto`, `always` or `never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AutoChoice {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl AutoChoice {
    /// Whether to colour what is written, to a `terminal` or elsewhere; NO_COLOR is obeyed unless it is always.
    pub fn colours(self, terminal: bool) -> bool {
        match self {
            AutoChoice::Always => true,
            AutoChoice::Never => false,
            AutoChoice::Auto => {
                terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        }
    }
}

// How the work is done and shown.
#[derive(Args, Debug)]
pub struct RunningArgs {
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

    /// Show a progress bar on stderr during long runs
    #[arg(
        long,
        hide_short_help = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Running"
    )]
    pub progress: AutoChoice,

    /// Colour the text report
    #[arg(
        long,
        hide_short_help = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Running"
    )]
    pub color: AutoChoice,
}
