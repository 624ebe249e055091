//! The flags of `deadhead state`.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum StateCommand {
    /// List the sessions of a state file, or the cuts of one
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
    /// Forget sessions: their clocks and their cuts
    Forget {
        /// State file
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
        /// Sessions to forget
        #[arg(required_unless_present_any = ["older_than", "all"])]
        sessions: Vec<String>,
        /// All whose last call is longer ago than this (30d)
        #[arg(long, value_name = "AGE", conflicts_with_all = ["sessions", "all"])]
        older_than: Option<String>,
        /// All
        #[arg(long, conflicts_with = "sessions")]
        all: bool,
        /// The time that counts as now
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Give the room of what was forgotten back to the disk
    Vacuum {
        /// State file
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
