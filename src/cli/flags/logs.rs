//! The flags of the commands that count the requests of logs.

use super::*;

// What is read of logs, and how the work is done.
#[derive(Args)]
pub struct LogArgs {
    /// Count only requests from this day or time on
    #[arg(long, value_name = "TIME", help_heading = "Input")]
    pub since: Option<String>,

    /// Count only requests before this day or time
    #[arg(long, value_name = "TIME", help_heading = "Input")]
    pub until: Option<String>,

    #[command(flatten)]
    pub input: InputArgs,

    /// Write the report to this file instead of stdout
    #[arg(
        short = 'o',
        long = "output",
        visible_alias = "report",
        value_name = "FILE",
        help_heading = "Report"
    )]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub shown: FormatArgs<ReportFormat>,

    /// List all policies, days, models and projects
    #[arg(short, long, help_heading = "Report")]
    pub verbose: bool,

    #[command(flatten)]
    pub policy: PolicyArgs,

    #[command(flatten)]
    pub running: RunningArgs,
}

// What can be asked of `deadhead replay`.
#[derive(Args)]
pub struct ReplayArgs {
    /// Logs, folders of logs, or patterns; - is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Try each value of a key, in every combination (KEY=VALUE,VALUE)
    ///
    /// May be repeated for several keys. A star marks settings that no other beats in both dollars and cuts that are needed again.
    #[arg(long, value_name = "KEY=VALUES", help_heading = "Policy")]
    pub sweep: Vec<String>,

    /// Results shortened before they enter the context, as `deadhead hook --max-chars N` does: what would that have saved?
    ///
    /// No cache is broken, as each result is short from its first request on. Errors stay whole. With a policy, that comes on top: its own
    /// steps (edits) do not run.
    #[arg(long, value_name = "N", conflicts_with_all = ["mode", "sweep"], help_heading = "Policy")]
    pub at_entry: Option<u32>,

    /// Simulate each policy also where every request is cut from the whole history again, as without --state
    ///
    /// OpenClaw pruned so until September 2026. Cuts come and go, and each change makes the rest of the cached prompt invalid. The time
    /// of this simulation grows with the square of the requests between two compactions.
    #[arg(long, help_heading = "Policy")]
    pub transient: bool,

    #[command(flatten)]
    pub logs: LogArgs,
}

// What can be asked of `deadhead advise`.
#[derive(Args)]
pub struct AdviseArgs {
    /// Logs, folders of logs, or patterns; without any, the folders in which agents keep their logs
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write the configuration of the best policy to this file, with the figures in its comment
    ///
    /// Where no policy pays, the file turns pruning off.
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub write: Option<PathBuf>,

    /// Let --write replace a file that is there already
    #[arg(long, requires = "write", help_heading = "Policy")]
    pub force: bool,

    /// Read all logs; without it, of more than 200 a sample is read
    ///
    /// The sample has a log of each time, a large one rather than a small one. The same logs give the same sample.
    #[arg(long)]
    pub all: bool,

    #[command(flatten)]
    pub logs: LogArgs,
}
