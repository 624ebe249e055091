//! The flags of `deadhead canary`.

use super::*;

#[derive(Subcommand)]
#[command(defer = true)]
pub enum CanaryCommand {
    /// Store a score, or a file of scores
    ///
    /// Without --score, lines such as {"score":0.9} are read from FILE or stdin, with "workload", "arm" and "stack" where these
    /// differ from the flags. Either all lines are stored or none.
    Record {
        #[command(flatten)]
        which: CanaryArgs,
        /// Score of an answer; higher is better
        #[arg(
            long,
            value_name = "X",
            allow_negative_numbers = true,
            conflicts_with = "file"
        )]
        score: Option<f64>,
        /// Whether the request was pruned, or left unpruned for comparison
        #[arg(long, value_name = "ARM", default_value = "pruned", value_parser = ["pruned", "control"])]
        arm: String,
        /// Current time [default: the system's clock]
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
        /// Lines of scores; - is stdin
        file: Option<PathBuf>,
    },
    /// Print the state of a workload; exit code 1 if it is breached
    Status {
        #[command(flatten)]
        which: CanaryArgs,
        /// Print JSON, with the history of the workload
        #[arg(long)]
        json: bool,
    },
    /// Prune a breached workload again; only newer scores count from now on
    Reset {
        #[command(flatten)]
        which: CanaryArgs,
        /// Reason, kept with the history
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Current time [default: the system's clock]
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
    },
}

// Which workload, and where its scores are.
#[derive(Args)]
pub struct CanaryArgs {
    /// State file
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// Workload in the configuration
    #[arg(long, value_name = "NAME")]
    pub workload: Option<String>,
    /// Deployment of the workload (any name), if scores of several are kept
    #[arg(long, value_name = "ID")]
    pub stack: Option<String>,
    /// Configuration file, JSON5
    #[arg(short, long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}
