//! The flags of `deadhead prune`.

use super::{PolicyArgs, When};
use clap::Args;
use deadhead_core::input::MaxInput;
use std::path::PathBuf;

// What can be asked of `deadhead prune`.
#[derive(Args, Debug)]
pub struct PruneArgs {
    /// Histories and bodies to prune; - is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write here instead of to stdout (one input)
    ///
    /// The file appears whole or not at all. A name that ends with .gz or .zst is packed. An output that is an input, also
    /// by link, is refused, and so is one that is the configuration or a file of selectors.
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Write each input into this directory
    ///
    /// An input that was found in a folder keeps its path below that folder. A file that was named is written under its name; equal
    /// names get their parent folders as well. An output that has not changed is left alone. The directory itself is never
    /// read as input.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out_dir: Option<PathBuf>,

    /// Write no pruned JSON; the report goes to stdout
    ///
    /// All else is the same run: the same passes, the same checks, the same report.
    #[arg(short = 'n', long, conflicts_with_all = ["output", "out_dir"], help_heading = "Output")]
    pub dry_run: bool,

    /// Write the report to this file (- is stdout, with -o, --out-dir or -n)
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub report: Option<PathBuf>,

    /// How the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Report")]
    pub report_format: crate::report::ReportFormat,

    /// No report and no warnings on stderr; errors are still told
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Report")]
    pub quiet: bool,

    /// List every cut in the text report
    #[arg(short, long, help_heading = "Report")]
    pub verbose: bool,

    /// Exit with 1 if something was, or would be, cut
    #[arg(long, help_heading = "Report")]
    pub exit_code: bool,

    /// Format of the input, else told by its content; `help` lists them
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    /// Walk directories for *.jsonl, but not for trajectories and checkpoints
    #[arg(short, long, help_heading = "Input")]
    pub recursive: bool,

    /// What counts: the context that would be sent next, or all lines
    #[arg(long, value_name = "SCOPE", value_parser = ["context", "file"], help_heading = "Input")]
    pub scope: Option<String>,

    /// Refuse a log of which a part is missing
    ///
    /// A part is missing where a line names a parent that is not in the input: the last lines of a log alone, or one of the pieces
    /// that it was split into. Without this flag such a log is a warning.
    #[arg(long, help_heading = "Input")]
    pub strict_input: bool,

    /// Cut what a log repeats of the results for the screen as well: saves bytes, no tokens
    #[arg(long = "log-copies", alias = "mirrors", help_heading = "Input")]
    pub mirrors: bool,

    /// Largest input to unpack, or to read from a pipe or a device (500M, 4G)
    ///
    /// Default: 1G or 1,000 times the packed size, whichever is more, for a packed input; 4G for a pipe or a device. Bodies that are
    /// answered line by line have no limit. A file that is not packed has a limit only if this is given.
    #[arg(long, value_name = "SIZE", value_parser = MaxInput::parse, help_heading = "Input")]
    pub max_input: Option<MaxInput>,

    #[command(flatten)]
    pub choice: ChoiceArgs,

    #[command(flatten)]
    pub policy: PolicyArgs,

    /// Mechanics that the caller has beside this one: auto-route, compress, structured-output
    ///
    /// The report's `composition` says which of them must rest: auto-route if turn-drop or rag-rerank may cut, the others if
    /// one of them did.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = ["auto-route", "compress", "structured-output"], help_heading = "Composition")]
    pub compose: Vec<String>,

    /// A mechanic that has changed the request's content already: turn-drop and rag-rerank rest
    #[arg(long, value_name = "NAME", help_heading = "Composition")]
    pub already_mutated: Option<String>,

    /// Write the header that tells what turn-drop and rag-rerank removed to this file, a line for each request
    #[arg(long, value_name = "FILE", help_heading = "Composition")]
    pub emit_header: Option<PathBuf>,

    /// Name of that header
    #[arg(long, value_name = "NAME", value_parser = header_name, help_heading = "Composition")]
    pub header_name: Option<String>,

    /// Append a line of JSON to this file for each request that was cut
    ///
    /// Lines are whole also where several processes write to one file.
    #[arg(long, value_name = "FILE", help_heading = "Composition")]
    pub log: Option<PathBuf>,

    /// The time that counts as now: RFC 3339, or seconds or milliseconds since 1970
    #[arg(long, value_name = "TIME", help_heading = "Clock")]
    pub now: Option<String>,

    /// When the last call was: a time, or an age such as 59m
    #[arg(long, value_name = "TIME|AGE", help_heading = "Clock")]
    pub last_call: Option<String>,

    /// Take the provider's cache as expired
    #[arg(long, help_heading = "Clock")]
    pub assume_cold: bool,

    /// Keep the clock of each session, and its cuts, in this file between runs
    ///
    /// A run stores when it was, and what it cut. The next run of the same session makes the same cuts again, byte for byte,
    /// and makes new ones only when the last call is at least --ttl ago. The file is an SQLite database, made where there is
    /// none, readable for its owner only; many processes may use it at once. What is new is stored before anything is written.
    #[arg(long, value_name = "FILE", help_heading = "State")]
    pub state: Option<PathBuf>,

    /// Name of the session; else told by the input
    ///
    /// Else the session id of a history; metadata.user_id or prompt_cache_key of a body; a digest of system prompt and first
    /// user message. The report names what was used.
    #[arg(long, value_name = "NAME", requires = "state", help_heading = "State")]
    pub session: Option<String>,

    /// Pass inputs through unpruned where the state file cannot be used, instead of failing
    #[arg(long, requires = "state", help_heading = "State")]
    pub state_optional: bool,

    /// The stack that the workload runs on, where canaries are kept for several
    #[arg(long, value_name = "ID", requires_all = ["workload", "state"], help_heading = "State")]
    pub stack: Option<String>,

    /// Threads to use; 0 is one for each core
    #[arg(short, long, value_name = "N", default_value_t = 0, help_heading = "Running")]
    pub jobs: usize,

    /// Show a progress bar on stderr when the work lasts
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    pub progress: When,

    /// Colour the text report
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Running")]
    pub color: When,
}

// Pruning by hand.
#[derive(Args, Debug)]
#[command(next_help_heading = "Selection")]
pub struct ChoiceArgs {
    /// Take this away, with all that depends on it; may be given several times
    ///
    /// 7 a message, 7/0 or 7/0,2 parts of it, 3-9 a range, tool:ID a call with its results, tool:GLOB@name calls by tool,
    /// resource:PATH every version of a file, ephemeral:ID a call unless it holds a file, other:7/0 a part unless it is a call or
    /// a result, @FILE selectors from a file, one a line. Messages count from 1, parts from 0, both as in the input; --list
    /// shows them. All are looked up before anything is cut: one that names nothing, or takes what must stay, ends the run.
    /// The clock is not asked; add --mode off for this and nothing else.
    #[arg(long, value_name = "SEL")]
    pub select: Vec<String>,

    /// Why, for the report
    #[arg(long, value_name = "TEXT", requires = "select")]
    pub reason: Option<String>,

    /// Go on without selectors that name nothing, and leave what must stay
    #[arg(long, requires = "select")]
    pub lenient: bool,

    /// Take what is protected, too
    #[arg(long, requires = "select")]
    pub force: bool,

    /// List what can be selected, and prune nothing
    ///
    /// A line for each part: its selector, what it is, its tool, chars, tokens, age in turns of the user, and why it stays if
    /// it does. In a terminal it is cut to the width; into a pipe goes all of it, for fzf and the like. --report-format json
    /// and jsonl list it as JSON.
    #[arg(long, conflicts_with_all = ["select", "output", "out_dir", "report", "exit_code"])]
    pub list: bool,
}

/// A header's name as HTTP has it (RFC 9110, 5.1): with anything else a line of the header would not be one.
fn header_name(name: &str) -> Result<String, &'static str> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match !name.is_empty() && name.bytes().all(is_token) {
        true => Ok(name.to_owned()),
        false => Err("expected letters, digits and hyphens such as x-context-pruned"),
    }
}
