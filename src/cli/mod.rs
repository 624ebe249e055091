//! The command line: what can be typed, as clap's types. The first line of a doc comment is the short help.

mod account;
mod batch;
mod body_lines;
mod canary;
mod check;
mod configuration;
mod files;
mod generate;
mod job;
mod list;
mod output;
mod progress;
mod prune;
mod remember;
mod replay;
mod selection;
mod shape;
mod state;
mod surfaces;
mod times;

use anyhow::Result;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// `eprintln!` that does not panic when nobody listens.
macro_rules! tell {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($words)*);
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
    ("3", "the result would break the transcript; nothing was written"),
];

fn exit_codes() -> String {
    EXIT_CODES.iter().fold("Exit codes:".to_owned(), |text, (code, meaning)| format!("{text}\n  {code}  {meaning}"))
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prune histories and request bodies; without FILE, or with -, read stdin
    ///
    /// Data goes to stdout, the report to stderr. A pipe of bodies, one a line, is answered line by line, so that this can
    /// stand as a filter beside a gateway.
    #[command(after_long_help = exit_codes())]
    Prune(Box<PruneArgs>),
    /// Report what a provider would refuse; --repair writes a mended copy
    ///
    /// Each defect has a code, a place, what the provider answers as far as it is known, and a mend. Exit code 0 means that
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

/// What can be asked of `deadhead prune`.
#[derive(Args, Debug)]
struct PruneArgs {
    /// Histories and bodies to prune; - is stdin
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write here instead of to stdout (one input)
    ///
    /// The file appears whole or not at all. A name that ends with .gz or .zst is packed. An output that is an input, also
    /// by link, is refused.
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write each input under its own name into this directory
    ///
    /// Inputs of equal names get their parent folders as well.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out_dir: Option<PathBuf>,

    /// Write no pruned JSON; the report goes to stdout
    ///
    /// All else is the same run: the same passes, the same checks, the same report.
    #[arg(short = 'n', long, conflicts_with_all = ["output", "out_dir"], help_heading = "Output")]
    dry_run: bool,

    /// Write the report to this file (- is stdout, with -o, --out-dir or -n)
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    report: Option<PathBuf>,

    /// How the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Report")]
    report_format: deadhead::report::ReportFormat,

    /// No report and no warnings on stderr; errors are still told
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Report")]
    quiet: bool,

    /// List every cut in the text report
    #[arg(short, long, help_heading = "Report")]
    verbose: bool,

    /// Exit with 1 if something was, or would be, cut
    #[arg(long, help_heading = "Report")]
    exit_code: bool,

    /// Format of the input, else told by its content; `help` lists them
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    format: Option<String>,

    /// Walk directories for *.jsonl, but not for trajectories and checkpoints
    #[arg(short, long, help_heading = "Input")]
    recursive: bool,

    /// What counts: the context that would be sent next, or all lines
    #[arg(long, value_name = "SCOPE", value_parser = ["context", "file"], help_heading = "Input")]
    scope: Option<String>,

    /// Cut what a log repeats of the results for the screen as well: saves bytes, no tokens
    #[arg(long, help_heading = "Input")]
    mirrors: bool,

    #[command(flatten)]
    choice: ChoiceArgs,

    #[command(flatten)]
    policy: PolicyArgs,

    /// Mechanics that the caller has beside this one: auto-route, compress, structured-output
    ///
    /// The report's `composition` says which of them must rest: auto-route if turn-drop or rag-rerank may cut, the others if
    /// one of them did.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = ["auto-route", "compress", "structured-output"], help_heading = "Composition")]
    compose: Vec<String>,

    /// A mechanic that has changed the request's content already: turn-drop and rag-rerank rest
    #[arg(long, value_name = "NAME", help_heading = "Composition")]
    already_mutated: Option<String>,

    /// Write the header that tells what turn-drop and rag-rerank removed to this file, a line for each request
    #[arg(long, value_name = "FILE", help_heading = "Composition")]
    emit_header: Option<PathBuf>,

    /// Name of that header
    #[arg(long, value_name = "NAME", help_heading = "Composition")]
    header_name: Option<String>,

    /// Append a line of JSON to this file for each request that was cut
    ///
    /// Lines are whole also where several processes write to one file.
    #[arg(long, value_name = "FILE", help_heading = "Composition")]
    log: Option<PathBuf>,

    /// The time that counts as now: RFC 3339, or seconds or milliseconds since 1970
    #[arg(long, value_name = "TIME", help_heading = "Clock")]
    now: Option<String>,

    /// When the last call was: a time, or an age such as 59m
    #[arg(long, value_name = "TIME|AGE", help_heading = "Clock")]
    last_call: Option<String>,

    /// Take the provider's cache as expired
    #[arg(long, help_heading = "Clock")]
    assume_cold: bool,

    /// Keep the clock of each session, and its cuts, in this file between runs
    ///
    /// A run stores when it was, and what it cut. The next run of the same session makes the same cuts again, byte for byte,
    /// and makes new ones only when the last call is at least --ttl ago. The file is an SQLite database, made where there is
    /// none, readable for its owner only; many processes may use it at once. What is new is stored before anything is written.
    #[arg(long, value_name = "FILE", help_heading = "State")]
    state: Option<PathBuf>,

    /// Name of the session; else told by the input
    ///
    /// Else the session id of a history; metadata.user_id or prompt_cache_key of a body; a digest of system prompt and first
    /// user message. The report names what was used.
    #[arg(long, value_name = "NAME", requires = "state", help_heading = "State")]
    session: Option<String>,

    /// Pass inputs through unpruned where the state file cannot be used, instead of failing
    #[arg(long, requires = "state", help_heading = "State")]
    state_optional: bool,

    /// The stack that the workload runs on, where canaries are kept for several
    #[arg(long, value_name = "ID", requires_all = ["workload", "state"], help_heading = "State")]
    stack: Option<String>,

    /// Threads to use; 0 is one for each core
    #[arg(short, long, value_name = "N", default_value_t = 0, help_heading = "Running")]
    jobs: usize,

    /// Show a progress bar on stderr when the work lasts
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    progress: When,

    /// Colour the text report
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    color: When,
}

/// Pruning by hand.
#[derive(Args, Debug)]
#[command(next_help_heading = "Selection")]
struct ChoiceArgs {
    /// Take this away, with all that depends on it; may be given several times
    ///
    /// 7 a message, 7/0 or 7/0,2 parts of it, 3-9 a range, tool:ID a call with its results, tool:GLOB@name calls by tool,
    /// resource:PATH every version of a file, ephemeral:ID a call unless it holds a file, other:7/0 a part unless it is a call or
    /// a result, @FILE selectors from a file, one a line. Messages count from 1, parts from 0, both as in the input; --list
    /// shows them. All are looked up before anything is cut: one that names nothing, or takes what must stay, ends the run.
    /// The clock is not asked; add --mode off for this and nothing else.
    #[arg(long, value_name = "SEL")]
    select: Vec<String>,

    /// Why, for the report
    #[arg(long, value_name = "TEXT", requires = "select")]
    reason: Option<String>,

    /// Go on without selectors that name nothing, and leave what must stay
    #[arg(long, requires = "select")]
    lenient: bool,

    /// Take what is protected, too
    #[arg(long, requires = "select")]
    force: bool,

    /// List what can be selected, and prune nothing
    ///
    /// A line for each part: its selector, what it is, its tool, chars, tokens, age in turns of the user, and why it stays if
    /// it does. In a terminal it is cut to the width; into a pipe goes all of it, for fzf and the like. --report-format json
    /// and jsonl list it as JSON.
    #[arg(long, conflicts_with_all = ["select", "output", "out_dir", "report", "exit_code"])]
    list: bool,
}

/// What can be asked of `deadhead check`.
#[derive(Args, Debug)]
struct CheckArgs {
    /// Histories and bodies to check; - is stdin
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write a mended copy to stdout; what is found goes to stderr
    ///
    /// Results without a call and second results are deleted, calls without a result answered by a neutral text, results moved
    /// next to their call, ids that are used twice made different, empty texts and empty tool_calls deleted. Nothing else
    /// changes, and the copy is read and checked again; the exit code says whether defects are left. Bodies and
    /// histories are mended; what no code's line marks (--repair) is told and stays.
    #[arg(long, help_heading = "Output")]
    repair: bool,

    /// Write the mended copy here instead of to stdout (one input)
    #[arg(short, long, value_name = "FILE", requires = "repair", conflicts_with = "out_dir", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write each mended copy under its input's own name into this directory
    #[arg(long, value_name = "DIR", requires = "repair", help_heading = "Output")]
    out_dir: Option<PathBuf>,

    /// How defects are listed
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Report")]
    report_format: check::ListFormat,

    /// Print nothing; the exit code says it
    #[arg(short, long, help_heading = "Report")]
    quiet: bool,

    /// Format of the input, else told by its content; `help` lists them
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    format: Option<String>,

    /// Walk directories for *.jsonl
    #[arg(short, long, help_heading = "Input")]
    recursive: bool,

    /// What counts: the context that would be sent next, or all lines
    #[arg(long, value_name = "SCOPE", value_parser = ["context", "file"], help_heading = "Input")]
    scope: Option<String>,
}

/// What can be asked of `deadhead replay`.
#[derive(Args, Debug)]
struct ReplayArgs {
    /// Logs, folders of logs, or patterns; - is stdin
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Try each value of a key, every way with the others (KEY=VALUE,VALUE)
    ///
    /// May be given several times. Settings that no other beats in both dollars and regrets are marked.
    #[arg(long, value_name = "KEY=VALUES", help_heading = "Policy")]
    sweep: Vec<String>,

    /// Count only requests from this day or time on
    #[arg(long, value_name = "TIME", help_heading = "Input")]
    since: Option<String>,

    /// Count only requests before this day or time
    #[arg(long, value_name = "TIME", help_heading = "Input")]
    until: Option<String>,

    /// Format of the logs, else told by their content; `help` lists them
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    format: Option<String>,

    /// Write the report to this file instead of to stdout
    #[arg(short = 'o', long = "output", visible_alias = "report", value_name = "FILE", help_heading = "Report")]
    report: Option<PathBuf>,

    /// How the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Report")]
    report_format: deadhead::report::replay::ReplayFormat,

    /// List all settings of a grid, all days, models and projects
    #[arg(short, long, help_heading = "Report")]
    verbose: bool,

    #[command(flatten)]
    policy: PolicyArgs,

    /// Threads to use; 0 is one for each core
    #[arg(short, long, value_name = "N", default_value_t = 0, help_heading = "Running")]
    jobs: usize,

    /// Show a progress bar on stderr when the work lasts
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    progress: When,

    /// Colour the text report
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    color: When,
}

/// Flags that set configuration; shared by all commands that resolve it.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Policy")]
struct PolicyArgs {
    /// Start from a named policy; `deadhead config presets` lists them
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    /// Settings of a workload that the configuration has under `workloads`
    #[arg(long, value_name = "NAME")]
    workload: Option<String>,

    /// Configuration file, JSON5; also an OpenClaw configuration as it stands
    ///
    /// Else $DEADHEAD_CONFIG, then $XDG_CONFIG_HOME/deadhead/config.json5 (~/.config where that is not set).
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Set any configuration key; VALUE is JSON5, a bare word a string
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// When to prune: auto, off, cache-ttl, adaptive or aggressive
    ///
    /// cache-ttl prunes when the last call is at least --ttl ago, adaptive by size alone, aggressive clears all old results.
    /// auto is cache-ttl where the last call is known, else adaptive.
    #[arg(long, value_name = "MODE", value_parser = ["auto", "off", "cache-ttl", "adaptive", "aggressive"])]
    mode: Option<String>,

    /// Age of the last call from which the cache counts as expired (5m, 1h30m)
    #[arg(long, value_name = "DURATION")]
    ttl: Option<String>,

    /// Turn passes on, by name and separated by commas; `help` lists them
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pass: Vec<String>,

    /// Turn passes off
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    no_pass: Vec<String>,

    /// What happens to thinking that a cut before it makes invalid on Claude 5.1 and later
    ///
    /// strip takes it away, but never in an open tool loop: where that would be needed, nothing before it is cut. drop-block
    /// asks the server to drop it, keep leaves it and tells, refuse refuses the input.
    #[arg(long, value_name = "HOW", value_parser = ["strip", "drop-block", "keep", "refuse"])]
    thinking: Option<String>,

    /// Model the request will run on; else the input's own
    #[arg(long, value_name = "ID")]
    model: Option<String>,

    /// Provider of that model; else the input's own
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,

    /// Context window in tokens; else that of the model, else 200000
    #[arg(long, value_name = "TOKENS")]
    context_window: Option<u64>,

    /// How Anthropic is paid; sets the defaults that go with it
    ///
    /// Both set the mode to cache-ttl and the ttl to 1h where nothing else does; `deadhead config show --auth KIND` shows
    /// all that follows.
    #[arg(long, value_name = "KIND", value_parser = ["oauth", "api-key"])]
    auth: Option<String>,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
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

#[derive(Debug, Subcommand)]
enum StateCommand {
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

#[derive(Debug, Subcommand)]
enum CanaryCommand {
    /// Store a score, or a file of them
    ///
    /// Without --score, lines such as {"score":0.9} are read from FILE or stdin, with "workload", "arm" and "stack" where they
    /// differ from what the flags say. All are stored or none.
    Record {
        #[command(flatten)]
        which: CanaryArgs,
        /// The score; higher is better
        #[arg(long, value_name = "X", allow_negative_numbers = true, conflicts_with = "file")]
        score: Option<f64>,
        /// Whether it is of an answer to a pruned request, or of one left alone
        #[arg(long, value_name = "ARM", default_value = "pruned", value_parser = ["pruned", "control"])]
        arm: String,
        /// The time that counts as now
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
        /// Lines of scores; - is stdin
        file: Option<PathBuf>,
    },
    /// Where a workload stands: exit code 1 when it is retired, or would be
    Status {
        #[command(flatten)]
        which: CanaryArgs,
        /// Print JSON, with all that happened to the workload
        #[arg(long)]
        json: bool,
    },
    /// Take a workload back into service: only newer scores count from now on
    Reset {
        #[command(flatten)]
        which: CanaryArgs,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// The time that counts as now
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
    },
}

/// Which workload, and where its scores are.
#[derive(Args, Debug)]
struct CanaryArgs {
    /// State file
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Workload of the configuration
    #[arg(long, value_name = "NAME")]
    workload: Option<String>,
    /// Stack, where there are several
    #[arg(long, value_name = "ID")]
    stack: Option<String>,
    /// Configuration file, JSON5
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// `auto`, `always` or `never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
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
