//! The flags of the commands, one file a command. The first line of a field's doc comment is the short help.

mod advise;
mod canary;
mod check;
mod logs;
mod policy;
mod prune;
mod replay;
mod running;
mod state;

pub use advise::AdviseArgs;
pub use canary::{CanaryArgs, CanaryCommand};
pub use check::CheckArgs;
pub use logs::LogArgs;
pub use policy::{ConfigCommand, PolicyArgs};
pub use prune::{ChoiceArgs, PruneArgs};
pub use replay::ReplayArgs;
pub use running::RunningArgs;
pub use state::{AuditFormat, StateCommand};

use clap::ValueEnum;

/// Returns the name of a setting in texts: its flag.
pub fn name(setting: &str) -> String {
    setting.chars().fold("--".to_owned(), |flag, c| match c.is_ascii_uppercase() {
        true => format!("{flag}-{}", c.to_ascii_lowercase()),
        false => format!("{flag}{c}"),
    })
}

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
            AutoChoice::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }
}
