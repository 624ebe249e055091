//! The command line: the commands as clap types, and the exit code of a run. [`flags`] has the flags of each.

mod advise;
mod atomic_file;
mod audit;
mod canary;
mod check;
pub mod completions;
mod configuration;
mod emit;
mod flags;
mod folder;
mod fork;
mod gateway_output;
mod generate;
pub mod hints;
mod hook;
mod identity;
mod in_order;
mod inputs;
mod job;
mod judge;
mod known_folders;
mod linux;
mod list;
mod logs;
mod names;
#[cfg(feature = "proxy")]
mod notes;
mod output;
mod outputs;
mod pager;
mod paired;
mod policy_test;
mod process;
mod progress;
#[cfg(feature = "proxy")]
mod proxy;
mod prune;
mod replay;
mod reporter;
mod selection;
mod session_state;
mod sidecar;
mod slim;
mod spoken;
mod state;
mod statusline;
pub mod streams;
mod temporary;
mod times;
mod too_long;
mod tried;
mod unchanged;
mod undo;
pub mod welcome;
mod whole_session;
mod why;

// What several commands share: they take it by `use super::*`.
use crate::{
    config::flag,
    report::{
        ReportFormat,
        document::{Document, Left, Name, Right, Table, Text},
        number_format::{change, commas, counted, joined, resized},
        printed,
    },
};
use anyhow::{Context, Result, anyhow, bail, ensure};
use atomic_file::{AtomicFile, Kind, WriteOptions, cannot_write, is_same_place};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use deadhead_core::{
    Error, Pruner,
    input::{MaxInput, Source},
    internal::{
        dialect::{DIALECTS, Dialect},
        read_at::ReadAt,
        report::Detail,
        terminal_text::escape,
    },
    outcome::Report,
    settings::Settings,
    stream::{Note, threads},
};
use flags::*;
use identity::{Identity, Privacy, ReadFiles};
use inputs::{Inputs, inputs, is_dash, open_input, text, text_of};
use job::Job;
use logs::in_memory;
use output::{PlainFile, Sink};
use outputs::{Outputs, RequestedOutputs, report_output};
pub use prune::formats;
use reporter::{failed, place_of};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use state::pretty;
use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File, Metadata},
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf, absolute},
    sync::Arc,
    time::Duration,
};
use streams::{Stderr, file_of, stdout};
use unchanged::Work;

/// `eprintln!` that does not panic when nobody listens. A message is one line, whatever ids and paths it quotes.
macro_rules! stderr_line {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let line = deadhead_core::internal::terminal_text::escape(&format!($($words)*)) + "\n";
        let _ = crate::cli::streams::Stderr.write_all(line.as_bytes());
    }};
}
pub(crate) use stderr_line;

/// Prune LLM transcripts.
///
/// deadhead reads session logs (*.jsonl) and request bodies, cuts old tool output, writes the same format back, and reports what
/// was cut and why. Inputs are never changed.
#[derive(Parser)]
#[command(
    name = "deadhead",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands in the groups of the help, in the order in which a new user needs them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("See what you have", &["advise", "replay", "statusline"]),
    ("Cut", &["prune", "emit", "slim", "fork", "undo", "show"]),
    ("Agents", &["run", "proxy", "hook"]),
    ("Check", &["check", "test"]),
    (
        "More",
        &[
            "config",
            "judge",
            "canary",
            "state",
            "completions",
            "man",
            "help",
        ],
    ),
];

/// The commands and their flags, with the examples and exit codes of help.txt at the end of the help.
pub fn command() -> clap::Command {
    let command = with_help(Cli::command(), "deadhead", &help());
    let about = |name: &str| match command
        .find_subcommand(name)
        .and_then(clap::Command::get_about)
    {
        Some(about) => about.to_string(),
        None => "Print this message or the help of a command".to_owned(),
    };
    // Headings as clap draws its own; it takes the colours away where there is no terminal.
    let groups: String = GROUPS
        .iter()
        .map(|(heading, names)| {
            let rows: String = names
                .iter()
                .map(|name| format!("  \u{1b}[1m{name:11}\u{1b}[0m  {}\n", about(name)))
                .collect();
            format!("\u{1b}[1;4m{heading}:\u{1b}[0m\n{rows}\n")
        })
        .collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\u{1b}[1;4mOptions:\u{1b}[0m\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

fn with_help(
    mut command: clap::Command,
    name: &str,
    all: &HashMap<&str, &'static str>,
) -> clap::Command {
    if let Some(long) = all.get(name) {
        command = match long.split_once("\n\n") {
            Some((examples, _)) => command.after_help(examples).after_long_help(*long),
            None => command.after_help(*long),
        };
    }
    command.mut_subcommands(|below| {
        let name = format!("{name} {}", below.get_name());
        with_help(below, &name, all)
    })
}

/// Returns the sections of help.txt by their names. That of a command has its name, its examples and its exit codes.
fn help() -> HashMap<&'static str, &'static str> {
    let named = include_str!("help.txt")
        .split("\n== ")
        .filter_map(|section| section.split_once('\n'));
    named.map(|(name, text)| (name, text.trim_end())).collect()
}

// The flags of a command are only put together when it is the one that was asked for. A command is described here:
// a doc comment on the type of its flags would take that place then.
#[derive(Subcommand)]
#[command(defer = true)]
enum Command {
    /// Cut old tool output from session logs and request bodies (without FILE: stdin)
    ///
    /// By default, large old tool results are shortened once the context fills 30 % of the window, and the oldest are replaced by a note
    /// at 50 %, if the provider's cache has expired or the time of the last call is unknown. --preset and --mode choose another policy. The pruned JSON is
    /// written to stdout, the report to stderr. Bodies in a pipe, one per line, are answered line by line, so that a gateway can run this as
    /// a filter process.
    Prune(Box<PruneArgs>),
    /// Report what a provider would refuse; --repair writes a repaired copy
    ///
    /// Each defect has a code, a place, the provider's answer if it is known, and the repair. The exit code is 0 without defects, 1 with
    /// defects, 2 if an input cannot be read. Of session logs, the pairs of calls and results are checked.
    Check(Box<CheckArgs>),
    /// Compute what a policy would have saved over recorded sessions, in tokens and money
    ///
    /// Simulates every request of a log: without pruning, and with the policy where what was cut stays cut (as `deadhead prune --state`
    /// does). "Needed again" counts cuts whose content was used later: the file was read again, or the model quoted the cut text; the control says how
    /// often results are that were not cut. Reads logs of every
    /// agent that `--format help` lists, also in directories. Writes nothing but the report.
    Replay(Box<ReplayArgs>),
    /// Say which policy would have saved most on your own logs, and how sure that is
    ///
    /// Replays every preset and some settings of break-even over named logs, or over those in the known folders of agents. Half of
    /// the sessions choose the policy, the other half measures it. The best policy has most left if every text that is needed again
    /// is paid for once more. The answer says what was spent, what the best policy and the configuration in force would have saved, what
    /// that is at worst and for each agent, and the command to use. Nothing is written but the report and the file of --write.
    Advise(Box<AdviseArgs>),
    /// Write the next request of a session log as a body of its provider
    ///
    /// The body is the request that the agent would send next, or the one behind --line, in the form of the API that it called: Anthropic's
    /// Messages, OpenAI's Responses or chat completions. The flags of a policy prune it; without one nothing is cut. What a log does not
    /// hold is left out and named on stderr: the system prompt, and of the tools all but the names of those that were called. What the
    /// provider would refuse is repaired, as `deadhead check --repair` does.
    Emit(Box<EmitArgs>),
    /// Ask a model for its next step with whole and with pruned prompts
    ///
    /// Takes requests of session logs for which the policy cuts something, spread over all logs and the same ones in each run. Each is
    /// written as a body (as `deadhead emit` does), whole and pruned, and CMD is asked twice with each: a body on its stdin, and on its
    /// stdout the whole answer (Anthropic message, OpenAI chat completion or response; no stream). A step is the tool of the first call and
    /// what that is about: a path, a command, else its first text; or that it calls no tool. How often two whole prompts lead to the same
    /// step is the model's own noise; the interval is that of the difference of both shares. CMD may cost money: nothing is asked
    /// without --yes.
    Judge(Box<JudgeArgs>),
    /// Test a policy: compare what it makes of logs with assertions in a file
    ///
    /// Each test is about all inputs, or those whose paths match its `file` (with `*`): `maxTokens` are left at most, `minSaved` percent of
    /// the tokens are cut at least, parts are `kept` or `cut` (selectors as of --why, also tool:GLOB@name and resource:PATH), of tools
    /// no call is left (`noTool`). A selector that names nothing fails. The answers are those of `deadhead prune --why`. Nothing is written.
    Test(Box<TestArgs>),
    /// Put back what `deadhead prune --sidecar` cut, byte for byte
    ///
    /// The output must be as it was written: its SHA-256 finds what was cut from it, and the SHA-256 of the input is compared before
    /// anything is written. Of a packed input, what was packed is written.
    Undo(UndoArgs),
    /// Print a text that was cut, by the name that {ref} put into its placeholder
    ///
    /// Any beginning of the SHA-256 of the text names it, if it is that of one text only.
    Show(ShowArgs),
    /// Shorten a tool's result before it enters the context, as a hook of an agent
    ///
    /// Reads the event PostToolUse (of Gemini CLI: AfterTool) from stdin and answers with head and tail of texts that are too large, in the
    /// shape of the tool. Results of edits and errors stay whole. Codex and Gemini CLI take one text as the reason of a block or a
    /// denial, so that a result with images stays as it is. Whatever fails, the exit code is 0 and the result stays as it is.
    Hook(HookArgs),
    /// Print a line about the session for the agent's screen
    ///
    /// Reads what Claude Code says to a status line command from stdin, and prints the tokens of the context and their share of the window,
    /// the dollars of the session, what pruning would save of each further request, and the cause and the price of the last cache miss. The
    /// log is read by a process of its own, so that the line is there at once, and says what the last reading found. What is not known is
    /// left out, and the exit code is 0. The policy is break-even-safe unless a flag or the configuration chooses another one.
    Statusline(Box<StatuslineArgs>),
    /// Remove from session logs what their next requests do not hold
    ///
    /// Messages before the newest compaction and on other branches go, copies for the screen, and what belonged to turns that are gone.
    /// What an agent needs to load the log stays. The SHA-256 of the context, all that the agent would send next, is computed before and
    /// after; where they differ nothing is written. Inputs are never changed.
    Slim(SlimArgs),
    /// Write a pruned copy of a session that its agent loads, under a new id
    ///
    /// The copy is pruned by the policy that a flag chooses, and whole without one. What the provider would refuse is repaired, the ids of the
    /// session are new, and links to lines that the log does not contain are removed. The file has the name that the agent looks for and
    /// lies beside the log, unless -o or --out-dir names another place. Nothing else in the agent's folders is touched. The last line of
    /// the report is the command to go on with. The rules by which agents load sessions, which --verify checks, are json, session-id,
    /// file-name, parents, context and pairs.
    Fork(Box<ForkArgs>),
    /// Run an agent, and prune its requests on their way to the model
    ///
    /// Starts a proxy on a free port of this machine, sets what makes the agent use it in the agent's environment and arguments, and runs
    /// it. The terminal, the signals and the exit code are the agent's. Its configuration is not changed. At its end, three lines on stderr
    /// say what was saved. Known agents are claude, codex, gemini, opencode, qwen and copilot; any other program gets ANTHROPIC_BASE_URL,
    /// OPENAI_BASE_URL and GOOGLE_GEMINI_BASE_URL. The policy is break-even-safe unless a flag or the configuration chooses another one.
    #[cfg(feature = "proxy")]
    Run(Box<RunArgs>),
    /// Prune the requests of several clients on their way to their providers
    ///
    /// Bodies of known routes are pruned; everything else, and all answers, pass byte for byte. What cannot be pruned, or not in time,
    /// passes as it came, with a line on stderr. Without --upstream, the path of a request says which provider it is for; its first segment
    /// may name one, as in /mistral/v1/chat/completions. A path may begin with /s/NAME to name a session. /healthz and /metrics are the
    /// proxy's own. SIGTERM ends it after the requests that it has. The policy is break-even-safe unless a flag or the configuration
    /// chooses another one.
    #[cfg(feature = "proxy")]
    Proxy(Box<ProxyArgs>),
    /// Wait for the end of a run, and end its agent
    #[cfg(feature = "proxy")]
    #[command(hide = true)]
    Guard,
    /// Show, write and describe the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// List or forget the sessions of a state file; list the requests of a workload
    #[command(subcommand)]
    State(StateCommand),
    /// Quality gate of a workload: store scores, print the state, reset
    ///
    /// If the mean score of answers to pruned requests is below the workload's floor, its requests pass through unpruned until you reset
    /// it. Scores and state are in the state file.
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

/// The outcome of a run, as an exit code.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// 0
    #[default]
    Done,
    /// 1: `--exit-code`, and something was cut; or defects were found.
    Cut,
    /// 2
    Failed,
    /// 3: the result would have been broken.
    Refused,
}

impl Verdict {
    /// Makes it another that is worse.
    fn raise(&mut self, other: Verdict) {
        *self = other.max(*self);
    }
}

/// Runs what was typed.
///
/// # Errors
/// Anything that ends the whole run; single inputs are reported on the way and count in the verdict.
pub fn run(cli: Cli) -> Result<Verdict> {
    use Command::*;
    match cli.command {
        Prune(mut args) => prune::run(&mut args),
        Check(args) => check::run(&args),
        Replay(args) => replay::run(&args),
        Advise(args) => advise::run(&args),
        Emit(args) => emit::run(&args),
        Hook(args) => Ok(hook::run(&args)),
        Judge(args) => judge::run(&args),
        Test(args) => policy_test::run(&args),
        Undo(args) => undo::run(&args),
        Show(args) => undo::show(&args),
        Statusline(args) => statusline::run(&args),
        Slim(args) => slim::run(&args),
        Fork(args) => fork::run(&args),
        #[cfg(feature = "proxy")]
        Run(args) => proxy::run(&args),
        #[cfg(feature = "proxy")]
        Proxy(args) => proxy::serve(&args),
        #[cfg(feature = "proxy")]
        Guard => {
            deadhead_proxy::guard().map_err(anyhow::Error::from_boxed)?;
            Ok(Verdict::Done)
        }
        Config(command) => configuration::run(command),
        State(command) => state::run(command),
        Canary(command) => canary::run(command),
        Completions { shell } => completions::run(shell),
        Man { dir } => generate::man(dir.as_deref()),
    }
}

/// Whether an error is that nobody listens any more, which ends a run quietly.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let shown = command
            .get_subcommands()
            .filter(|below| !below.is_hide_set());
        let mut known: Vec<&str> = shown.map(clap::Command::get_name).chain(["help"]).collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        known.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, known);
    }
}
