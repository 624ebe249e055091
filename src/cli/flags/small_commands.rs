//! The flags of commands that have few of their own: emit, fork, hook, judge, test, undo, show and slim.

use super::*;
use crate::cli::hook::AGENTS;
use clap::builder::PossibleValuesParser;

// What can be asked of `deadhead emit`.
#[derive(Args)]
pub struct EmitArgs {
    /// Session log; - is stdin
    pub log: PathBuf,

    /// Write the request behind line N instead of the last one
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub line: Option<usize>,

    /// Format of the log instead of detecting it; `--format help` lists those that requests can be made of
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    #[command(flatten)]
    pub policy: PolicyArgs,
}

// What can be asked of `deadhead fork`.
#[derive(Args)]
pub struct ForkArgs {
    /// Session log; - is stdin
    pub log: PathBuf,

    /// Only check whether the agent would load the log; exit with 1 if a rule fails
    #[arg(long)]
    pub verify: bool,

    /// Write no session; print what would be cut
    #[arg(short = 'n', long, conflicts_with_all = ["verify", "output", "out_dir"], help_heading = "Output")]
    pub dry_run: bool,

    /// Write to this file instead of one beside the log
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "verify",
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,

    /// Write into this directory, under the name that the agent looks for
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["output", "verify"],
        help_heading = "Output"
    )]
    pub out_dir: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long, help_heading = "Report")]
    pub json: bool,

    /// Print nothing
    #[arg(short, long, help_heading = "Report")]
    pub quiet: bool,

    /// Format of the log instead of detecting it; `--format help` lists those that it can be
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    /// Treat the provider's cache as expired
    #[arg(long)]
    pub assume_cold: bool,

    #[command(flatten)]
    pub policy: PolicyArgs,
}

// What can be asked of `deadhead hook`.
#[derive(Args)]
pub struct HookArgs {
    /// Agent whose event is on stdin
    #[arg(value_parser = PossibleValuesParser::new(AGENTS.iter().map(|agent| agent.name)))]
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

    /// Format of the logs instead of detecting it; `--format help` lists those that requests can be made of
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    #[command(flatten)]
    pub policy: PolicyArgs,
}

// What can be asked of `deadhead test`.
#[derive(Args)]
pub struct TestArgs {
    /// File of tests (JSON5): `{tests: [{name: 'small', maxTokens: 50000}]}`
    pub tests: PathBuf,

    /// Logs and request bodies to prune; in directories, *.jsonl
    #[arg(value_name = "LOG", required = true)]
    pub logs: Vec<PathBuf>,

    #[command(flatten)]
    pub shown: FormatArgs<TestFormat>,

    /// Format of the inputs instead of detecting it; `--format help` lists all
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    /// Treat the provider's cache as expired
    #[arg(long, help_heading = "Clock")]
    pub assume_cold: bool,

    /// Current time: RFC 3339, or seconds or milliseconds since 1970 [default: the system's clock]
    #[arg(long, value_name = "TIME", help_heading = "Clock")]
    pub now: Option<String>,

    #[command(flatten)]
    pub policy: PolicyArgs,
}

/// Formats of the report of `deadhead test`.
#[derive(Clone, Copy, ValueEnum)]
pub enum TestFormat {
    /// A line for each test and input
    Text,
    /// One object
    Json,
    /// JUnit XML, for CI
    Junit,
}

// What can be asked of `deadhead undo`.
#[derive(Args)]
pub struct UndoArgs {
    /// Output of `deadhead prune --sidecar`; - is stdin
    pub pruned: PathBuf,

    /// File that was given to `deadhead prune --sidecar`
    #[arg(long, value_name = "FILE")]
    pub sidecar: PathBuf,

    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Beginning of the SHA-256 of the input, if several inputs had the same output
    #[arg(long, value_name = "SHA256", hide_short_help = true)]
    pub input: Option<String>,
}

// What can be asked of `deadhead show`.
#[derive(Args)]
pub struct ShowArgs {
    /// Name of the text
    #[arg(value_name = "REF")]
    pub name: String,

    /// File that was given to `deadhead prune --sidecar`
    #[arg(long, value_name = "FILE")]
    pub sidecar: PathBuf,
}

// What can be asked of `deadhead statusline`.
#[derive(Args)]
pub struct StatuslineArgs {
    /// Read the log before the line is printed, however long that takes
    #[arg(long)]
    pub wait: bool,

    /// Read this log for the next line, and print nothing
    #[arg(long, value_name = "LOG", hide = true)]
    pub refresh: Option<PathBuf>,

    #[command(flatten)]
    pub policy: PolicyArgs,
}

// What can be asked of `deadhead slim`.
#[derive(Args)]
pub struct SlimArgs {
    /// Session logs, or folders with them; - is stdin
    #[arg(value_name = "LOG")]
    pub logs: Vec<PathBuf>,

    /// Write to this file instead of stdout (one log)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Write each log into this directory
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "output",
        help_heading = "Output"
    )]
    pub out_dir: Option<PathBuf>,

    /// Write no log; print the report to stdout
    #[arg(
        short = 'n',
        long,
        conflicts_with_all = ["output", "out_dir"],
        help_heading = "Output"
    )]
    pub dry_run: bool,

    /// Write the report to this file instead of stderr
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub shown: FormatArgs<SlimFormat>,

    /// Write no report
    #[arg(short, long, help_heading = "Report")]
    pub quiet: bool,

    /// Format of the logs instead of detecting it; `--format help` lists those that they can be
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    /// Number of threads; 0 is one for each core
    #[arg(
        short,
        long,
        hide_short_help = true,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Running"
    )]
    pub jobs: usize,
}

/// How a report is written.
#[derive(Clone, Copy, ValueEnum)]
pub enum SlimFormat {
    /// A few lines for each log
    Text,
    /// A document for each log
    Json,
}
