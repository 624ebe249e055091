//! The flags of `deadhead state`.

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
            long,
            alias = "report-format",
            value_name = "FORMAT",
            default_value = "table"
        )]
        format: AuditFormat,
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
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AuditFormat {
    /// A line for each request, and the sums
    #[value(alias = "text")]
    Table,
    /// Comma-separated values with a line of names
    Csv,
    /// One JSON object per line
    Jsonl,
}
