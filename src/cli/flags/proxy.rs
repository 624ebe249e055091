//! The flags of `deadhead proxy` and `deadhead run`.

use super::*;
use std::ffi::OsString;

// How bodies are read and pruned on their way.
#[derive(Args)]
#[command(next_help_heading = "Requests")]
pub struct PassingArgs {
    /// Address that all requests go to; else the provider whose path it is
    ///
    /// A path in it comes before that of a request, such as /v1/messages; a /v1 that both have counts once. A client cannot choose the address: what its target and its headers say of a host is
    /// not looked at.
    #[arg(long, value_name = "URL")]
    pub upstream: Option<String>,

    /// Keep the cuts of each session in this file; else in memory, for the 10,000 sessions used last
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Largest body to prune, in bytes; larger ones pass as they come
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 64 << 20,
        hide_short_help = true
    )]
    pub max_body: usize,

    /// Longest wait of a request to be pruned, in milliseconds; then it passes as it came
    #[arg(long, value_name = "MS", default_value_t = 250, hide_short_help = true)]
    pub max_wait: u64,

    /// Cut nothing; the last lines and /metrics say what would have been cut
    ///
    /// What would be known of a session is kept in memory, and --state is not written. With DEADHEAD_OFF=1 in the environment nothing is
    /// even looked at.
    #[arg(long)]
    pub shadow: bool,

    #[command(flatten)]
    pub policy: PolicyArgs,
}

// What can be asked of `deadhead proxy`.
#[derive(Args)]
#[command(next_help_heading = "Requests")]
pub struct ProxyArgs {
    /// Address or port to listen at; an address that is no loopback address needs --token-file
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8484")]
    pub listen: String,

    /// File with a token that clients send in the header x-deadhead-token
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    /// Header that names the session of a request, before those of known agents
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub session_header: Option<String>,

    /// Header that names the workload of a request, one of the configuration
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub workload_header: Option<String>,

    #[command(flatten)]
    pub passing: PassingArgs,
}

// What can be asked of `deadhead run`.
#[derive(Args)]
pub struct RunArgs {
    /// Program to run, with its arguments
    #[arg(
        value_name = "AGENT",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub command: Vec<OsString>,

    /// Do not tell Claude Code that it asks its own provider
    ///
    /// Behind another address it leaves out what saves tokens: a part of its prompt that all users share in the cache, tool search, and
    /// others. Where requests go to api.anthropic.com, _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1 and ENABLE_TOOL_SEARCH=true are set,
    /// unless they are set already.
    #[arg(long, hide_short_help = true)]
    pub no_first_party: bool,

    #[command(flatten)]
    pub passing: PassingArgs,
}
