//! The flags of `deadhead check`.

use super::*;

/// Formats of a list of defects.
const FORMATS: [(&str, &str); 3] = [
    (
        "text",
        "For people: a line for each defect, then the provider's answer and the repair",
    ),
    (
        "json",
        "One object per input; several inputs, or bodies in lines, give an array",
    ),
    ("jsonl", "One object per line"),
];

// What can be asked of `deadhead check`.
#[derive(Args)]
pub struct CheckArgs {
    /// Session logs and request bodies to check, folders of logs, or patterns; - is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write a repaired copy to stdout; defects are listed on stderr
    ///
    /// Results without a call and second results are removed, calls without a result get a neutral result, results are moved
    /// to their calls, ids that are used twice are renamed, neighbours of one role are joined where the provider refuses them, empty
    /// texts and empty tool_calls are removed. Only defects are changed. The copy is read and checked again; the exit code
    /// says whether defects are left. A defect whose advice does not end with (--repair) is reported and stays.
    #[arg(long, help_heading = "Output")]
    pub repair: bool,

    /// Write the repaired copy to this file instead of stdout (one input)
    #[arg(
        short,
        long,
        value_name = "FILE",
        requires = "repair",
        conflicts_with = "out_dir",
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,

    /// Write each repaired copy into this directory, with the path that `deadhead prune --out-dir` gives it
    #[arg(long, value_name = "DIR", requires = "repair", help_heading = "Output")]
    pub out_dir: Option<PathBuf>,

    /// Format of the list of defects
    #[arg(long, value_name = "FORMAT", default_value = "text", default_value_if("json", "true", "json"), value_parser = formats(&FORMATS), help_heading = "Report")]
    pub report_format: ReportFormat,

    #[command(flatten)]
    _json: JsonArg,

    /// Version of Anthropic's API that the requests name in their header, such as 2026-10-21
    #[arg(
        long,
        value_name = "DATE",
        help_heading = "Input",
        hide_short_help = true
    )]
    pub api_version: Option<String>,

    /// The provider's error: the defect of which it speaks is listed first; - is stdin
    ///
    /// The error names a place (`messages.243`, `input[4]`), a call's id, or the rule in the provider's words. If nothing is found of
    /// which it speaks, what stands at that place is printed.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        help_heading = "Report"
    )]
    pub error: Option<String>,

    /// Print nothing; only the exit code says whether there are defects
    #[arg(short, long, help_heading = "Report")]
    pub quiet: bool,

    /// Model that the request is for; else the one that the input names
    ///
    /// What a provider refuses may depend on the model. Gemini and Converse bodies name none; a rule that depends on an unknown model
    /// gives a warning.
    #[arg(long, value_name = "ID", help_heading = "Input")]
    pub model: Option<String>,

    /// Provider of that model; else it follows from the format and the model
    #[arg(long, value_name = "NAME", value_parser = provider, help_heading = "Input")]
    pub provider: Option<String>,

    #[command(flatten)]
    pub input: InputArgs,

    /// Search folders for logs, as is done without it
    #[arg(
        short,
        long = "recursive",
        hide_short_help = true,
        help_heading = "Input"
    )]
    _recursive: bool,

    /// Messages to check: the context that would be sent next, or the whole file
    #[arg(long, value_parser = ["context", "file"], hide_short_help = true, help_heading = "Input")]
    pub scope: Option<String>,
}
