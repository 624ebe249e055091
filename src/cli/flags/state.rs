//! The flags of `deadhead state`.

use crate::cli::examples;
use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum StateCommand {
    /// List the sessions of a state file, or the cuts of one session
    #[command(after_help = examples::STATE_SHOW)]
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
    /// Forget sessions with their cuts and times
    #[command(after_help = examples::STATE_FORGET)]
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
    #[command(after_help = examples::STATE_VACUUM)]
    Vacuum {
        /// State file
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
