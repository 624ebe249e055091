//! The flags of `deadhead prune`.

use super::*;
use deadhead_core::settings::Scope;

// What can be asked of `deadhead prune`.
#[derive(Args)]
pub struct PruneArgs {
    /// Session logs and request bodies to prune, folders of logs, or patterns; - is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write to this file instead of stdout (one input)
    ///
    /// The file appears complete or not at all. A file whose name ends with .gz or .zst is packed. The output must not be an input,
    /// the configuration or a file of selectors, also not through a link.
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "out_dir",
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,

    /// Write each pruned input into this directory
    ///
    /// An input that was found in a folder keeps its path below that folder. A file that was given by name keeps its name; equal
    /// names get their parent folders as well. An input is skipped if its output is newer and the settings, the folder of the
    /// inputs and the program's version are those of the last run, and if the time cannot have changed what is cut; --force
    /// processes it again. With --state, --sidecar, --emit-header, --emit-response-fields or --exit-code nothing is skipped. An output that has
    /// not changed is not rewritten. What is in the directory already is not read as input beside other files, and no file is removed.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out_dir: Option<PathBuf>,

    /// Keep what is cut in this file, so that `deadhead undo` can put it back
    ///
    /// Runs add to the file; equal texts are kept once. It is packed, and readable for its owner only. No output gets its name before
    /// the file holds what was cut from it. `deadhead show` prints a cut text; {ref} in a placeholder is its name.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sidecar: Option<PathBuf>,

    /// Write no pruned JSON; print the report to stdout
    ///
    /// Everything else is the same run: the same passes, the same checks, the same report. With --out-dir, it names the outputs that
    /// would be written, and counts the inputs that would be skipped.
    #[arg(short = 'n', long, conflicts_with = "output", help_heading = "Output")]
    pub dry_run: bool,

    /// Print what each cut changes, as a unified diff after the report (with -n)
    ///
    /// At a terminal, the pager of the environment shows it ($PAGER, else less).
    #[arg(
        long,
        requires = "dry_run",
        conflicts_with_all = ["list", "why"],
        help_heading = "Output"
    )]
    pub diff: bool,

    /// Write the report to this file (- is stdout; needs -o, --out-dir or -n)
    #[arg(
        long,
        value_name = "FILE",
        hide_short_help = true,
        help_heading = "Report"
    )]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub shown: FormatArgs<ReportFormat>,

    /// Print no report and no warnings; errors are still printed
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Report")]
    pub quiet: bool,

    /// List every cut in the text report
    #[arg(short, long, help_heading = "Report")]
    pub verbose: bool,

    /// Exit with code 1 if something was cut, or would be
    #[arg(long, hide_short_help = true, help_heading = "Report")]
    pub exit_code: bool,

    #[command(flatten)]
    pub input: InputArgs,

    /// Read the names of further inputs from this file, one in a line (- is stdin)
    ///
    /// Names that end with zero bytes, as `find -print0` writes them, may have line breaks in them. Lines may end with CRLF; a name ends
    /// with CR only if there is such a file. A list without a name is no error: nothing is done.
    #[arg(
        long,
        value_name = "FILE",
        hide_short_help = true,
        help_heading = "Input"
    )]
    pub files_from: Option<PathBuf>,

    /// Search folders for logs, as is done without it
    #[arg(
        short,
        long = "recursive",
        hide_short_help = true,
        help_heading = "Input"
    )]
    _recursive: bool,

    /// Messages to count and prune: the context that would be sent next, or the whole file
    #[arg(long, value_parser = choices::<Scope>(), hide_short_help = true, help_heading = "Input")]
    pub scope: Option<String>,

    /// Cut a log's copies of results for the screen as well: saves bytes, no tokens
    #[arg(long, alias = "mirrors", help_heading = "Input")]
    pub log_copies: bool,

    #[command(flatten)]
    pub choice: ChoiceArgs,

    #[command(flatten)]
    pub policy: PolicyArgs,

    /// Other tools of the caller that change a request: auto-route, compress, structured-output
    ///
    /// The report's `composition` says which of them must be skipped: auto-route if turn-drop or rag-rerank may cut, the others if
    /// one of these passes did.
    #[arg(long, hide_short_help = true, value_name = "LIST", value_delimiter = ',', value_parser = ["auto-route", "compress", "structured-output"], help_heading = "Composition")]
    pub compose: Vec<String>,

    /// Another tool has already changed the request: skip turn-drop and rag-rerank
    #[arg(
        long,
        hide_short_help = true,
        value_name = "NAME",
        help_heading = "Composition"
    )]
    pub already_mutated: Option<String>,

    /// Write an HTTP header with what turn-drop and rag-rerank removed to this file, one line per request
    #[arg(
        long,
        hide_short_help = true,
        value_name = "FILE",
        help_heading = "Composition"
    )]
    pub emit_header: Option<PathBuf>,

    /// Write what the server would have answered about edits that were applied here to this file, one line of JSON per request
    ///
    /// A gateway adds the members to the answer: {"context_management":{"applied_edits":[…]}}. See --context-management apply.
    #[arg(
        long,
        hide_short_help = true,
        value_name = "FILE",
        help_heading = "Composition"
    )]
    pub emit_response_fields: Option<PathBuf>,

    /// Name of the header that --emit-header writes
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = header_name, help_heading = "Composition")]
    pub header_name: Option<String>,

    /// Append one line of JSON to this file for each request that was cut
    ///
    /// Several processes may write to one file: lines are never mixed.
    #[arg(
        long,
        hide_short_help = true,
        value_name = "FILE",
        help_heading = "Composition"
    )]
    pub log: Option<PathBuf>,

    /// Current time: RFC 3339, or seconds or milliseconds since 1970 [default: the system's clock]
    #[arg(
        long,
        hide_short_help = true,
        value_name = "TIME",
        help_heading = "Clock"
    )]
    pub now: Option<String>,

    /// Time or age of the last call (59m); else the input's or the state file's
    #[arg(long, value_name = "TIME|AGE", help_heading = "Clock")]
    pub last_call: Option<String>,

    /// Treat the provider's cache as expired
    #[arg(long, help_heading = "Clock")]
    pub assume_cold: bool,

    /// Keep the cuts of each session in this file, and make them again
    ///
    /// The next run of the same session makes the same cuts again, byte for byte, so that the provider's cached prompt stays valid. It
    /// makes new cuts only when the cache has expired (mode cache-ttl) or when they pay (mode break-even). The file is an SQLite
    /// database; it is created if it does not exist, readable for its owner only, and may be used by many processes at once. New
    /// cuts are stored before any output is written.
    #[arg(long, value_name = "FILE", help_heading = "State")]
    pub state: Option<PathBuf>,

    /// Name of the session; else it is taken from the input
    ///
    /// That is the session id of a log; metadata.user_id or prompt_cache_key of a body; else a digest of the system prompt and the first
    /// user message. The report names which was used.
    #[arg(
        long,
        value_name = "NAME",
        requires = "state",
        hide_short_help = true,
        help_heading = "State"
    )]
    pub session: Option<String>,

    /// If the state file cannot be used, pass inputs through unpruned instead of failing
    #[arg(
        long,
        requires = "state",
        hide_short_help = true,
        help_heading = "State"
    )]
    pub state_optional: bool,

    /// Deployment of the workload (any name), if the quality gate keeps scores of several
    #[arg(long, hide_short_help = true, value_name = "ID", requires_all = ["workload", "state"], help_heading = "State")]
    pub stack: Option<String>,

    #[command(flatten)]
    pub running: RunningArgs,
}

// Pruning by hand.
#[derive(Args)]
#[command(next_help_heading = "Selection")]
pub struct ChoiceArgs {
    /// Remove this part with everything that depends on it; may be repeated
    ///
    /// 7 is a message, 7/0 or 7/0,2 parts of it, 3-9 a range, tool:ID a call with its results, tool:GLOB@name the calls of tools,
    /// resource:PATH every version of a file, ephemeral:ID a call unless it read or wrote a file, other:7/0 a part unless it is a call
    /// or a result, @FILE selectors from a file, one per line. Messages are counted from 1, parts from 0, as in the input; --list
    /// shows them. A selector that matches nothing, or that matches protected content, is an error (exit 2) before anything is cut.
    /// The state of the cache does not matter. Add --mode off to cut only what you select.
    #[arg(long, value_name = "SEL")]
    pub select: Vec<String>,

    /// Reason for the selection, for the report
    #[arg(long, value_name = "TEXT", requires = "select", hide_short_help = true)]
    pub reason: Option<String>,

    /// Skip selectors that match nothing or match protected content
    #[arg(long, requires = "select", hide_short_help = true)]
    pub lenient: bool,

    /// Remove protected content too (--select); process unchanged inputs again (--out-dir)
    #[arg(long, hide_short_help = true)]
    pub force: bool,

    /// List the parts that can be selected, and prune nothing
    ///
    /// One line per part: its selector, kind, tool, chars, tokens, age in user turns, and the reason if it is protected. In a terminal
    /// the lines are cut to the width; a pipe gets whole lines, for fzf or grep. --report-format json and jsonl print JSON.
    #[arg(long, conflicts_with_all = ["select", "output", "out_dir", "report", "exit_code"])]
    pub list: bool,

    /// Say what cuts the parts that SELECTOR names, or why they are kept; writes no pruned JSON
    ///
    /// SELECTOR is one that --list prints: a message, a part of it, or tool:ID. The input must be one log or body.
    #[arg(long, value_name = "SELECTOR", conflicts_with_all = ["list", "output", "out_dir"], help_heading = "Report")]
    pub why: Option<String>,
}

/// A header's name as HTTP has it (RFC 9110, 5.1): with anything else a line of the header would not be one.
fn header_name(name: &str) -> Result<String, &'static str> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if !name.is_empty() && name.bytes().all(is_token) {
        Ok(name.to_owned())
    } else {
        Err("expected letters, digits and hyphens such as x-context-pruned")
    }
}
