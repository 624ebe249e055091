//! The command line: the commands, as clap's types, and how a run of one ends. [`flags`] has what each can be asked.

mod atomic_file;
mod canary;
mod check;
mod configuration;
mod flags;
mod folder;
mod gateway_output;
mod generate;
mod identity;
mod in_order;
mod inputs;
mod job;
mod list;
mod log;
mod names;
mod output;
mod outputs;
mod privacy;
mod process;
mod progress;
mod prune;
mod remember;
mod replay;
mod reporter;
mod selection;
mod state;
pub mod streams;
mod temporary;
mod times;

use anyhow::Result;
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use flags::{CanaryArgs, CanaryCommand, CheckArgs, ChoiceArgs, ConfigCommand, PolicyArgs, PruneArgs, ReplayArgs, StateCommand, When};
use std::path::PathBuf;

/// `eprintln!` that does not panic when nobody listens. A message is one line, whatever ids and paths it quotes.
macro_rules! tell {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let line = deadhead_core::terminal_text::escape(&format!($($words)*)) + "\n";
        let _ = crate::cli::streams::Stderr.write_all(line.as_bytes());
    }};
}
pub(crate) use tell;

/// Prune LLM transcripts.
///
/// Session histories (*.jsonl) and request bodies go in, the same JSON comes out with spent tool output cut, and a report
/// says what was cut and why. Inputs are never written to.
#[derive(Debug, Parser)]
#[command(name = "deadhead", version, max_term_width = 100, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_long_help = exit_codes())]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Exit codes and what they say, for the help and the man pages.
const EXIT_CODES: [(&str, &str); 4] = [
    ("0", "done"),
    ("1", "--exit-code, and something was (or would be) cut; check found defects; a workload is breached"),
    ("2", "bad usage, or an input that cannot be read or is invalid"),
    ("3", "the result would break the transcript, and was not written"),
];

fn exit_codes() -> String {
    EXIT_CODES.iter().fold("Exit codes:".to_owned(), |text, (code, meaning)| format!("{text}\n  {code}  {meaning}"))
}

// The flags of a command are only put together when it is the one that was asked for. What is said of a command stands here:
// a doc comment on the type of its flags would take that place then.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Prune histories and request bodies; without FILE, or with -, read stdin
    ///
    /// Data goes to stdout, the report to stderr. A pipe of bodies, one a line, is answered line by line, so that this can
    /// stand as a filter beside a gateway.
    #[command(after_long_help = exit_codes())]
    Prune(Box<PruneArgs>),
    /// Report what a provider would refuse; --repair writes a repaired copy
    ///
    /// Each defect has a code, a place, what the provider answers as far as it is known, and how to repair it. Exit code 0 means that
    /// there is none, 1 that there is one, 2 that an input cannot be read. Histories are held to their pairs of calls and
    /// results.
    #[command(after_long_help = exit_codes())]
    Check(Box<CheckArgs>),
    /// What a policy would have saved over recorded sessions, in tokens and money
    ///
    /// Each request of a log is sent again in mind, as its agent sent it: without pruning, with the policy as OpenClaw ran it,
    /// where each request starts from the whole history, and as this program runs it, where what was cut stays cut. The
    /// provider's cache is simulated by its rules, and the outcome held against what the provider counted. Reads the logs of
    /// OpenClaw, Claude Code, Codex and Copilot CLI; directories are walked. Nothing is written but the report.
    #[command(after_long_help = exit_codes())]
    Replay(Box<ReplayArgs>),
    /// Show, write and describe the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Look at a state file, forget sessions, give room back
    #[command(subcommand)]
    State(StateCommand),
    /// The quality gate of a workload: scores, where it stands, back into service
    ///
    /// Once enough scores of answers to pruned requests are in, and their mean is below the workload's floor, its requests
    /// pass through untouched until somebody resets it. All of it is kept in the state file.
    #[command(subcommand)]
    Canary(CanaryCommand),
    /// Print a completion script for a shell
    Completions {
        /// Shell to complete for
        shell: Shell,
    },
    /// Print the man pages, or write them into a directory
    Man {
        /// Directory to write deadhead.1 and a page for each command into
        dir: Option<PathBuf>,
    },
}

/// How a run ended, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// 0
    Done,
    /// 1: `--exit-code`, and something was cut; or defects were found.
    Cut,
    /// 2
    Failed,
    /// 3: the result would have been broken.
    Refused,
}

/// Runs what was typed.
///
/// # Errors
/// Anything that ends the whole run; single inputs are told on the way and count in the verdict.
pub fn run(cli: Cli) -> Result<Verdict> {
    match cli.command {
        Command::Prune(args) => prune::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Config(command) => configuration::run(command),
        Command::State(command) => state::run(command),
        Command::Canary(command) => canary::run(command),
        Command::Completions { shell } => generate::completions(shell),
        Command::Man { dir } => generate::man(dir.as_deref()),
    }
}

/// Whether an error is that nobody listens any more, which ends a run quietly.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe))
}
