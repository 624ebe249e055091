//! The flags of `deadhead canary`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum CanaryCommand {
    /// Store a score, or a file of them
    ///
    /// Without --score, lines such as {"score":0.9} are read from FILE or stdin, with "workload", "arm" and "stack" where they
    /// differ from what the flags say. All are stored or none.
    Record {
        #[command(flatten)]
        which: CanaryArgs,
        /// The score; higher is better
        #[arg(long, value_name = "X", allow_negative_numbers = true, conflicts_with = "file")]
        score: Option<f64>,
        /// Whether it is of an answer to a pruned request, or of one left alone
        #[arg(long, value_name = "ARM", default_value = "pruned", value_parser = ["pruned", "control"])]
        arm: String,
        /// The time that counts as now
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
        /// Lines of scores; - is stdin
        file: Option<PathBuf>,
    },
    /// Where a workload stands: exit code 1 when it is retired, or would be
    Status {
        #[command(flatten)]
        which: CanaryArgs,
        /// Print JSON, with all that happened to the workload
        #[arg(long)]
        json: bool,
    },
    /// Take a workload back into service: only newer scores count from now on
    Reset {
        #[command(flatten)]
        which: CanaryArgs,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// The time that counts as now
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
    },
}

// Which workload, and where its scores are.
#[derive(Args, Debug)]
pub struct CanaryArgs {
    /// State file
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// Workload of the configuration
    #[arg(long, value_name = "NAME")]
    pub workload: Option<String>,
    /// Stack, where there are several
    #[arg(long, value_name = "ID")]
    pub stack: Option<String>,
    /// Configuration file, JSON5
    #[arg(short, long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}
