//! The flags of `deadhead judge`.

use super::*;

// What can be asked of `deadhead judge`.
#[derive(Args)]
pub struct JudgeArgs {
    /// Session logs; in directories, *.jsonl
    #[arg(value_name = "LOG", required = true)]
    pub logs: Vec<PathBuf>,

    /// Command for the shell that reads a body on stdin and writes the provider's answer to stdout
    #[arg(long, value_name = "CMD")]
    pub command: String,

    /// Number of requests to ask, of all logs together; each is asked four times
    #[arg(long, value_name = "N", default_value = "10", value_parser = value_parser!(u32).range(1..))]
    pub requests: u32,

    /// Longest wait for an answer
    #[arg(long, value_name = "DUR", default_value = "120s", value_parser = parse_duration)]
    pub timeout: u64,

    /// Ask; without it, only say how many calls and tokens that would be
    #[arg(long)]
    pub yes: bool,

    /// Print the report as JSON
    #[arg(long, help_heading = "Report")]
    pub json: bool,

    /// Format of the logs instead of detecting it; `deadhead emit --format help` lists those that requests can be made of
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    #[command(flatten)]
    pub policy: PolicyArgs,
}
