//! The flags of `deadhead state` and `deadhead canary`.

use super::*;

#[derive(Subcommand)]
#[command(defer = true)]
pub enum StateCommand {
    /// List the sessions of a state file, or the cuts of one session
    Show {
        /// State file
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
        /// List the cuts of this session
        session: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List what was done to the requests of a workload
    ///
    /// Each line is a request: the passes that cut, and what that saved. A request is stored if `deadhead prune` runs with --state and --workload. It is forgotten with its session, or by its age
    /// (`deadhead state forget`). "sticky" are the cuts of earlier requests that were made again. Dollars are what the part of the
    /// prompt behind the first new cut costs at the provider's cache without the cuts and with them; there are none without a price.
    Audit {
        /// State file
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
        /// Workload whose requests are listed
        #[arg(long, value_name = "NAME")]
        workload: String,
        /// List the requests since this time or age (2026-01-31T12:00:00Z, 7d); else all
        #[arg(long, value_name = "TIME|AGE")]
        since: Option<String>,
        /// Format of the list
        #[arg(
            long = "format",
            alias = "report-format",
            default_value = "table",
            default_value_if("json", "true", "jsonl")
        )]
        report_format: AuditFormat,
        #[command(flatten)]
        _json: JsonArg,
        /// Current time, for an age [default: the system's clock]
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
    },
    /// Forget sessions with their cuts, times and requests
    Forget {
        /// State file
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
        /// Sessions to forget
        #[arg(required_unless_present_any = ["older_than", "all"])]
        sessions: Vec<String>,
        /// Forget all sessions whose last call is longer ago than this (30d)
        #[arg(long, value_name = "AGE", conflicts_with_all = ["sessions", "all"])]
        older_than: Option<String>,
        /// Forget all sessions
        #[arg(long, conflicts_with = "sessions")]
        all: bool,
        /// Current time [default: the system's clock]
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Return the space of forgotten sessions to the disk
    Vacuum {
        /// State file
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Formats of `deadhead state audit`.
#[derive(Clone, Copy, ValueEnum)]
pub enum AuditFormat {
    /// A line for each request, and the sums
    #[value(alias = "text")]
    Table,
    /// One JSON object per line
    Jsonl,
}

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
        #[arg(long, default_value = "pruned", value_parser = ["pruned", "control"])]
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
