//! What each command can be asked, a file a command. The first line of a field's doc comment is the short help.

mod canary;
mod check;
mod policy;
mod prune;
mod replay;
mod state;

pub use canary::{CanaryArgs, CanaryCommand};
pub use check::CheckArgs;
pub use policy::{ConfigCommand, PolicyArgs};
pub use prune::{ChoiceArgs, PruneArgs};
pub use replay::ReplayArgs;
pub use state::StateCommand;

use clap::ValueEnum;

/// `auto`, `always` or `never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
