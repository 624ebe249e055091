//! Completions: a shell runs the program with `COMPLETE` set, and it answers with flags, and with
//! the values that it knows by name.
//!
//! The parser takes any name, since a configuration may define it, or an error says more than a
//! list. So the names are given to a copy of the commands from which only completions are made.

use super::{prune::known, *};
use clap::{Arg, Command};
use clap_complete::{
    Shell,
    engine::{ArgValueCandidates, CompletionCandidate},
    env::{CompleteEnv, Shells},
};
use deadhead_core::settings::keys;

/// The line that zsh runs where it finds the script in its path of functions, at the first
/// completion.
const AUTOLOADED: &str = "[[ $funcstack[1] == _deadhead ]] && _clap_dynamic_completer_deadhead\n";

/// Answers a shell, and ends the process then.
pub fn answer() {
    CompleteEnv::with_factory(|| with_names(command())).complete();
}

/// Prints the script that makes a shell ask the program.
pub fn run(shell: Shell) -> Result<Verdict> {
    let (shells, mut script) = (Shells::builtins(), Vec::new());
    if let Some(completer) = shells.completer(&shell.to_string()) {
        completer.write_registration(
            "COMPLETE",
            "deadhead",
            "deadhead",
            "deadhead",
            &mut script,
        )?;
    }
    if shell == Shell::Zsh {
        script.extend(AUTOLOADED.bytes());
    }
    streams::print(script)
}

/// A command whose flags know their values.
fn with_names(mut command: Command) -> Command {
    command.build();
    command.mut_args(with_values).mut_subcommands(with_names)
}

fn with_values(arg: Arg) -> Arg {
    let flag = arg.get_long().unwrap_or_default();
    let values: Vec<(String, String)> = match flag {
        _ if !arg.get_possible_values().is_empty() => return arg,
        "set" | "sweep" => keys()
            .iter()
            .map(|key| (format!("{}=", key.path), String::new()))
            .collect(),
        _ => known(flag)
            .into_iter()
            .map(|(name, about)| (name.to_owned(), about))
            .collect(),
    };
    if values.is_empty() {
        return arg;
    }
    let arg = match flag {
        // A replay takes several.
        "preset" => arg.value_delimiter(','),
        _ => arg,
    };
    let candidate = |(name, help): &(String, String)| {
        CompletionCandidate::new(name).help((!help.is_empty()).then(|| help.into()))
    };
    arg.add(ArgValueCandidates::new(move || {
        values.iter().map(candidate).collect()
    }))
}
