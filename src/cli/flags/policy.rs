//! The flags that set configuration, and those of `deadhead config`, which shows what they come to.

use clap::{Args, Subcommand};
use std::path::PathBuf;

// Flags that set configuration; shared by all commands that resolve it.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Policy")]
pub struct PolicyArgs {
    /// Start from a named policy; `deadhead config presets` lists them
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// Settings of a workload that the configuration has under `workloads`
    #[arg(long, value_name = "NAME")]
    pub workload: Option<String>,

    /// Configuration file, JSON5; also an OpenClaw configuration as it stands
    ///
    /// Else $DEADHEAD_CONFIG, then $XDG_CONFIG_HOME/deadhead/config.json5 (~/.config where that is not set).
    #[arg(short, long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Set any configuration key; VALUE is JSON5, a bare word a string
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even
    ///
    /// cache-ttl prunes when the last call is at least --ttl ago, adaptive by size alone, aggressive clears all old results,
    /// break-even clears those that save more than the cache costs that the cut breaks.
    /// auto is cache-ttl where the last call is known, else adaptive. off cuts nothing by size; passes that are asked for still run.
    #[arg(long, value_name = "MODE", value_parser = ["auto", "off", "cache-ttl", "adaptive", "aggressive", "break-even"])]
    pub mode: Option<String>,

    /// Age of the last call from which the cache counts as expired (5m, 1h30m)
    #[arg(long, value_name = "DURATION")]
    pub ttl: Option<String>,

    /// Turn passes on, by name and separated by commas; `help` lists them
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub pass: Vec<String>,

    /// Turn passes off
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub no_pass: Vec<String>,

    /// What happens to thinking that a cut before it makes invalid on Claude 5.1 and later
    ///
    /// strip takes it away, but never in an open tool loop: where that would be needed, nothing before it is cut. drop-block
    /// asks the server to drop it, keep leaves it and tells, refuse refuses the input. Claude Code is exempt: thinking in its
    /// logs stays valid, so that none of these does anything there.
    #[arg(long, value_name = "HOW", value_parser = ["strip", "drop-block", "keep", "refuse"])]
    pub thinking: Option<String>,

    /// Model the request will run on; else the input's own
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,

    /// Provider of that model; else the input's own
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,

    /// Context window in tokens; else that of the model, else 200000
    #[arg(long, value_name = "TOKENS")]
    pub context_window: Option<u64>,

    /// How Anthropic is paid; sets the defaults that go with it
    ///
    /// Both set the mode to cache-ttl and the ttl to 1h where nothing else does; `deadhead config show --auth KIND` shows
    /// all that follows.
    #[arg(long, value_name = "KIND", value_parser = ["oauth", "api-key"])]
    pub auth: Option<String>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ConfigCommand {
    /// Print each value and where it comes from
    Show {
        #[command(flatten)]
        policy: Box<PolicyArgs>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a configuration file to start from
    Init,
    /// Print JSON Schemas of the configuration, the report and the replay
    Schema,
    /// List the named policies
    Presets,
}
