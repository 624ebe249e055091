//! The entry point: parses the command line, runs the command and sets the exit code. A closed pipe
//! is not an error.

// Not `forbid`: the macro of `ctor` allows unsafe code in its output.
#![deny(unsafe_code)]

#[cfg(test)]
#[macro_use]
mod row_tests;

mod cli;
mod config;
mod report;

use clap::{
    CommandFactory, FromArgMatches,
    error::{ContextKind, ContextValue, ErrorKind},
};
use cli::{Cli, Verdict};
use std::{env::args_os, mem::ManuallyDrop, process::ExitCode};

fn main() -> ExitCode {
    cli::completions::answer();
    // Freeing the table of flags would take a tenth of the time for a small body.
    let mut command = ManuallyDrop::new(Cli::command());
    let parsed = command
        .try_get_matches_from_mut(args_os())
        .and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    let is_alone = args_os().len() == 1;
    let result = match (cli::formats(args_os()), parsed) {
        (Some(formats), _) => cli::streams::print(formats),
        (_, Ok(cli)) => cli::run(cli),
        (_, Err(_)) if is_alone => cli::welcome::run(),
        (_, Err(error)) => {
            // Only a help has the examples.
            let mut command = cli::command();
            let again = command.try_get_matches_from_mut(args_os());
            let code = usage(&again.err().unwrap_or(error).format(&mut command));
            // An agent takes the exit code of a hook as its answer.
            let is_hook = args_os().nth(1).is_some_and(|name| name == "hook");
            return if is_hook { ExitCode::SUCCESS } else { code };
        }
    };
    match result {
        Ok(verdict) => ExitCode::from(verdict as u8),
        Err(error) if cli::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            cli::stderr_line!("deadhead: {error:#}");
            cli::hints::of_error(&error);
            ExitCode::from(Verdict::Failed as u8)
        }
    }
}

/// Help and version are written to stdout; a mistake is reported in one line with where to look.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        if let Err(error) = cli::streams::stdout() {
            cli::stderr_line!("deadhead: {error}");
            return ExitCode::from(Verdict::Failed as u8);
        }
        let failed = error
            .print()
            .is_err_and(|e| e.kind() != std::io::ErrorKind::BrokenPipe);
        return ExitCode::from(if failed || error.use_stderr() { 2 } else { 0 });
    }
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) {
        cli::stderr_line!("deadhead: {name} is no command; see --help");
        cli::hints::of_command(name);
        return ExitCode::from(Verdict::Failed as u8);
    }
    let text = error.to_string();
    let mut lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_about =
        |line: &str| line.starts_with("Usage:") || line.starts_with("For more information");
    lines.retain(|line| !line.is_empty() && !is_about(line));
    let text = lines
        .join(" ")
        .replace(" tip: ", "; tip: ")
        .replace("invalid digit found in string", "expected a whole number");
    cli::stderr_line!(
        "deadhead: {}; see --help",
        text.trim_start_matches("error: ")
    );
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidArg) {
        cli::hints::of_flag(name);
    }
    ExitCode::from(Verdict::Failed as u8)
}
