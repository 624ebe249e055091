//! The flags of `deadhead undo` and `deadhead show`.

use super::*;

// What can be asked of `deadhead undo`.
#[derive(Args)]
pub struct UndoArgs {
    /// Output of `deadhead prune --sidecar`; - is stdin
    #[arg(value_name = "PRUNED")]
    pub pruned: PathBuf,

    /// File that was given to `deadhead prune --sidecar`
    #[arg(long, value_name = "FILE")]
    pub sidecar: PathBuf,

    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Beginning of the SHA-256 of the input, if several inputs had the same output
    #[arg(long, value_name = "SHA256", hide_short_help = true)]
    pub input: Option<String>,
}

// What can be asked of `deadhead show`.
#[derive(Args)]
pub struct ShowArgs {
    /// Name of the text
    #[arg(value_name = "REF")]
    pub name: String,

    /// File that was given to `deadhead prune --sidecar`
    #[arg(long, value_name = "FILE")]
    pub sidecar: PathBuf,
}
