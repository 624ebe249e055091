//! The flags of `deadhead hook`.

use super::*;
use crate::cli::hook::AGENTS;
use clap::builder::PossibleValuesParser;

// What can be asked of `deadhead hook`.
#[derive(Args)]
pub struct HookArgs {
    /// Agent whose event is on stdin
    #[arg(value_name = "AGENT", value_parser = PossibleValuesParser::new(AGENTS.iter().map(|agent| agent.name)))]
    pub agent: String,

    /// Largest text that stays whole, in chars (UTF-16 units); half of it is kept at each end of a larger one
    ///
    /// Default: 8,000 for searches and shells, 24,000 for files and pages, 16,000 for agents and other tools.
    #[arg(long, value_name = "N")]
    pub max_chars: Option<u32>,

    /// Keep what is cut in this file, so that the agent can print it with `deadhead show`
    #[arg(long, value_name = "FILE")]
    pub sidecar: Option<PathBuf>,
}
