//! The flags of `deadhead emit`.

use super::*;

// What can be asked of `deadhead emit`.
#[derive(Args)]
pub struct EmitArgs {
    /// Session log; - is stdin
    #[arg(value_name = "LOG")]
    pub log: PathBuf,

    /// Write the request behind line N instead of the last one
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub line: Option<usize>,

    /// Format of the log instead of detecting it; `--format help` lists those that requests can be made of
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    #[command(flatten)]
    pub policy: PolicyArgs,
}
