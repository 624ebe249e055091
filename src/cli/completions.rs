//! Completion scripts: what clap makes of the commands, with the values that the program knows by name.
//!
//! The parser takes any name, since a configuration may define it, or an error says more than a list. So the names are given to a copy
//! of the commands from which only the scripts are made.

use super::{Cli, Verdict, streams};
use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use deadhead_core::internal::dialect::DIALECTS;
use deadhead_core::internal::pass::PASSES;
use deadhead_core::settings::{keys, presets};

/// Prints the completion script of a shell.
pub fn run(shell: Shell) -> Result<Verdict> {
    let mut root = Cli::command();
    root.build();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_names(root), "deadhead", &mut script);
    let lines = String::from_utf8(script)?;
    let lines: String = lines.lines().map(|line| without_space(line, shell) + "\n").collect();
    streams::print(lines.as_bytes())?;
    Ok(Verdict::Done)
}

/// A command whose flags know their values.
fn with_names(command: Command) -> Command {
    command.mut_args(with_values).mut_subcommands(with_names)
}

fn with_values(arg: Arg) -> Arg {
    let names: Vec<PossibleValue> = match arg.get_long() {
        Some("preset") => presets().iter().map(|preset| value(&preset.name, &preset.about)).collect(),
        Some("pass" | "no-pass") => PASSES.iter().map(|pass| value(pass.name, &super::prune::about(pass))).collect(),
        Some("format") if arg.get_possible_values().is_empty() => DIALECTS.iter().map(|format| value(format.name, format.about)).collect(),
        Some("set" | "sweep") => keys().iter().map(|key| PossibleValue::new(kept(format!("{}=", key.path)))).collect(),
        _ => return arg,
    };
    arg.value_parser(PossibleValuesParser::new(names))
}

fn value(name: &str, help: &str) -> PossibleValue {
    PossibleValue::new(kept(name.to_owned())).help(kept(help.to_owned()))
}

/// A text for clap, which takes those that last as long as the process.
fn kept(text: String) -> &'static str {
    text.leak()
}

/// A line of a script such that a key is followed by its value and no space. Fish knows that by itself.
fn without_space(line: &str, shell: Shell) -> String {
    let is_list_of_keys = line.contains("breakEven.minTokens=");
    match shell {
        Shell::Bash if is_list_of_keys => format!("{line}\n                    compopt -o nospace"),
        Shell::Zsh if is_list_of_keys => match line.rsplit_once(":(").and_then(|(spec, keys)| Some((spec, keys.split_once(')')?))) {
            Some((spec, (keys, end))) => format!("{spec}:{{compadd -S \"\" - {keys}}}{end}"),
            None => line.to_owned(),
        },
        _ => line.to_owned(),
    }
}
