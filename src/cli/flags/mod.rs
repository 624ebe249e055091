//! The flags of the commands; those of `replay` and `advise` are in one file. The first line of a field's doc comment is the short help.

mod check;
mod logs;
mod policy;
#[cfg(feature = "proxy")]
mod proxy;
mod prune;
mod small_commands;
mod state;

pub use check::*;
pub use logs::*;
pub use policy::*;
#[cfg(feature = "proxy")]
pub use proxy::*;
pub use prune::*;
pub use small_commands::*;
pub use state::*;

use crate::report::{COLUMNS, ReportFormat, TextStyle, columns, formats, number_format::joined};
use clap::{Args, Subcommand, ValueEnum, builder::PossibleValuesParser, value_parser};
use deadhead_core::{
    input::MaxInput,
    internal::dialect::{is_known_provider, providers},
    settings::{Words, meant, parse_duration},
};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// `auto`, `always` or `never`.
#[derive(Clone, Copy, ValueEnum)]
pub enum AutoChoice {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Returns the words of a choice of the configuration. The schema of the keys has them too, but takes as long to make as a small run.
fn choices<T: Words>() -> PossibleValuesParser {
    PossibleValuesParser::new(T::WORDS)
}

/// Returns the name of a provider that is known.
///
/// # Errors
/// It is not; the nearest name is suggested.
fn provider(name: &str) -> Result<String, String> {
    if is_known_provider(name) {
        return Ok(name.to_owned());
    }
    Err(format!("unknown provider{}", meant(name, providers())))
}

// The one format that programs read.
#[derive(Args)]
pub struct JsonArg {
    /// Print JSON, as --report-format json does
    #[arg(long, help_heading = "Report", conflicts_with = "report_format")]
    json: bool,
}

// The format of a report, of which each command has its own.
#[derive(Args)]
pub struct FormatArgs<F: ValueEnum + Send + Sync + 'static> {
    /// Format of the report
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        default_value_if("json", "true", "json"),
        help_heading = "Report"
    )]
    pub report_format: F,

    #[command(flatten)]
    _json: JsonArg,
}

// How inputs are read.
#[derive(Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Format of the input instead of detecting it; `--format help` lists all
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,

    /// Refuse a log of which a part is missing
    ///
    /// A part is missing if a line names a parent that is not in the input, as in the last lines of a log, or in a piece of a split log.
    /// Without this flag, such a log is read with a warning.
    #[arg(long, hide_short_help = true)]
    pub strict_input: bool,

    /// Largest input to unpack, or to read from a pipe or a device (500M, 4G)
    ///
    /// Default: 1G or 1,000 times the packed size, whichever is more, for a packed input; 4G for a pipe or a device. Bodies that are
    /// answered line by line have no limit. A file that is not packed has a limit only if this is given.
    #[arg(long, value_name = "SIZE", value_parser = MaxInput::parse, hide_short_help = true)]
    pub max_input: Option<MaxInput>,
}

// How the work is done and shown.
#[derive(Args)]
#[command(next_help_heading = "Running")]
pub struct RunningArgs {
    /// Number of threads; 0 is one for each core
    #[arg(
        short,
        long,
        hide_short_help = true,
        value_name = "N",
        default_value_t = 0
    )]
    pub jobs: usize,

    /// Show a progress bar on stderr during long runs
    #[arg(
        long,
        hide_short_help = true,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub progress: AutoChoice,

    /// Colour the text report
    #[arg(
        long,
        hide_short_help = true,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub color: AutoChoice,
}

impl RunningArgs {
    /// The style of a text report to a `terminal` or elsewhere; NO_COLOR is obeyed unless colours are always wanted.
    pub fn style(&self, terminal: bool, verbose: bool) -> TextStyle {
        let is_unset = || std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let colour = match self.color {
            AutoChoice::Always => true,
            AutoChoice::Never => false,
            AutoChoice::Auto => {
                terminal && is_unset() && std::env::var_os("TERM") != Some("dumb".into())
            }
        };
        TextStyle {
            colour,
            verbose,
            columns: columns().filter(|_| terminal).unwrap_or(COLUMNS),
            is_terminal: terminal,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    fn check(command: &Command) {
        command.get_arguments().for_each(check_list);
        command.get_subcommands().for_each(check);
    }

    /// A help that names two values of a flag names all, in their order.
    fn check_list(arg: &Arg) {
        let values: Vec<String> = arg
            .get_possible_values()
            .iter()
            .map(|value| value.get_name().to_owned())
            .collect();
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let named = values.windows(2).any(|two| help.contains(&two.join(", ")));
        assert!(!named || help.contains(&values.join(", ")), "{help}");
    }

    #[test]
    fn lists_in_help_are_those_of_their_tables() {
        let mut command = crate::cli::command();
        command.build();
        check(&command);
    }
}
