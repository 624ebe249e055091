//! The flags of `deadhead check`.

use crate::report::{ReportFormat, formats};
use clap::Args;
use deadhead_core::input::MaxInput;
use std::path::PathBuf;

/// Formats of a list of defects.
const FORMATS: [(&str, &str); 3] = [
    ("text", "For people: a line for each defect, with the provider's answer and the mend below it"),
    ("json", "One object for an input; several inputs, or bodies in lines, give an array"),
    ("jsonl", "One object a line"),
];

// What can be asked of `deadhead check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Histories and bodies to check; - is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write a repaired copy to stdout; what is found goes to stderr
    ///
    /// Results without a call and second results are deleted, calls without a result answered by a neutral text, results moved
    /// next to their call, ids that are used twice made different, neighbours of one role merged where that is refused, empty
    /// texts and tool_calls deleted. Only what was broken changes, and the copy is read and checked again; the exit code
    /// says whether defects are left. A defect whose mend does not end with (--repair) is reported and stays.
    #[arg(long, help_heading = "Output")]
    pub repair: bool,

    /// Write the repaired copy here instead of to stdout (one input)
    #[arg(short, long, value_name = "FILE", requires = "repair", conflicts_with = "out_dir", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Write each repaired copy into this directory, in the place that `deadhead prune --out-dir` gives it
    #[arg(long, value_name = "DIR", requires = "repair", help_heading = "Output")]
    pub out_dir: Option<PathBuf>,

    /// How defects are listed
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(&FORMATS), help_heading = "Report")]
    pub report_format: ReportFormat,

    /// Print nothing; the exit code says it
    #[arg(short, long, help_heading = "Report")]
    pub quiet: bool,

    /// Model the request will run on; else the input's own
    ///
    /// What a provider refuses may depend on it. A Gemini or Converse body names no model; what cannot be told without it is a
    /// warning.
    #[arg(long, value_name = "ID", help_heading = "Input")]
    pub model: Option<String>,

    /// Provider of that model; else what the input's format and model say
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub provider: Option<String>,

    /// Format of the input, else told by its content; `help` lists them
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    /// Walk directories for *.jsonl
    #[arg(short, long, help_heading = "Input")]
    pub recursive: bool,

    /// What counts: the context that would be sent next, or all lines
    #[arg(long, value_name = "SCOPE", value_parser = ["context", "file"], help_heading = "Input")]
    pub scope: Option<String>,

    /// Largest input to unpack, or to read from a pipe or a device (500M, 4G)
    ///
    /// Default: 1G or 1,000 times the packed size, whichever is more, for a packed input; 4G for a pipe or a device. Bodies that are
    /// answered line by line have no limit. A file that is not packed has a limit only if this is given.
    #[arg(long, value_name = "SIZE", value_parser = MaxInput::parse, help_heading = "Input")]
    pub max_input: Option<MaxInput>,

    /// Refuse a log of which a part is missing
    ///
    /// A part is missing where a line names a parent that is not in the input: the last lines of a log alone, or one of the pieces
    /// that it was split into. Without this flag such a log is a warning.
    #[arg(long, help_heading = "Input")]
    pub strict_input: bool,
}
