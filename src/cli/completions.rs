//! Completion scripts: what clap makes of the commands, with the values that the program knows by name.
//!
//! The parser takes any name, since a configuration may define it, or an error says more than a list. So the names are given to a copy
//! of the commands from which only the scripts are made. Clap completes one word after a flag; where a flag takes a list, or a key that a
//! value follows, the script gets a mark instead, which is replaced by code of the shell.

use super::{Cli, Verdict, streams};
use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use deadhead_core::internal::dialect::DIALECTS;
use deadhead_core::settings::{keys, presets};
use deadhead_retrieval::passes;

/// Prints the completion script of a shell.
pub fn run(shell: Shell) -> Result<Verdict> {
    let mut root = Cli::command();
    root.build();
    let mut marks = Vec::new();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_names(root, &mut marks), "deadhead", &mut script);
    let script = marks.iter().fold(String::from_utf8(script)?, |script, mark| mark.replaced(&script, shell));
    streams::print(script.as_bytes())?;
    Ok(Verdict::Done)
}

/// A command whose flags know their values.
fn with_names(command: Command, marks: &mut Vec<Mark>) -> Command {
    // It alone takes several presets.
    let is_replay = command.get_name() == "replay";
    command.mut_args(|arg| with_values(arg, is_replay, marks)).mut_subcommands(|command| with_names(command, marks))
}

fn with_values(arg: Arg, is_replay: bool, marks: &mut Vec<Mark>) -> Arg {
    let stated = arg.get_possible_values();
    let (values, kind): (Vec<PossibleValue>, _) = match arg.get_long() {
        Some("preset") => (presets().iter().map(|preset| value(&preset.name, &preset.about)).collect(), is_replay.then_some(Kind::List)),
        Some("pass" | "no-pass") => (passes().iter().map(|pass| value(pass.name, &super::prune::about(pass))).collect(), Some(Kind::List)),
        Some("compose") => (stated, Some(Kind::List)),
        Some("format") if stated.is_empty() => (DIALECTS.iter().map(|format| value(format.name, format.about)).collect(), None),
        Some("set" | "sweep") => (keys().iter().map(|key| value(&format!("{}=", key.path), "")).collect(), Some(Kind::Key)),
        _ => return arg,
    };
    let Some(kind) = kind else { return arg.value_parser(PossibleValuesParser::new(values)) };
    let name = format!("@{}@", arg.get_long().unwrap_or_default());
    let mark = PossibleValuesParser::new([PossibleValue::new(kept(name.clone()))]);
    if !marks.iter().any(|mark| mark.name == name) {
        marks.push(Mark { name, kind, values });
    }
    arg.value_parser(mark)
}

fn value(name: &str, help: &str) -> PossibleValue {
    PossibleValue::new(kept(name.to_owned())).help(kept(help.to_owned()))
}

/// A text for clap, which takes those that last as long as the process.
fn kept(text: String) -> &'static str {
    text.leak()
}

/// The values of a flag that are not one word each.
enum Kind {
    /// Several, with commas between them.
    List,
    /// A value follows without a space.
    Key,
}

/// A word in a script that is replaced by code.
struct Mark {
    name: String,
    kind: Kind,
    values: Vec<PossibleValue>,
}

impl Mark {
    fn replaced(&self, script: &str, shell: Shell) -> String {
        let Mark { name, kind, .. } = self;
        let names = self.values.iter().map(PossibleValue::get_name).collect::<Vec<_>>().join(" ");
        match (shell, kind) {
            (Shell::Bash, Kind::List) => script.replace(
                &format!("compgen -W \"{name}\" -- \"${{cur}}\""),
                &format!("compgen -P \"${{cur%\"${{cur##*,}}\"}}\" -W \"{names}\" -- \"${{cur##*,}}\""),
            ),
            (Shell::Bash, Kind::Key) => {
                let end = " -- \"${cur}\"))";
                script.replace(&format!("\"{name}\"{end}"), &format!("\"{names}\"{end}\n                    compopt -o nospace"))
            }
            (Shell::Zsh, Kind::List) => script.replace(&format!("({name})"), &format!("{{_values -s , values {}}}", self.in_zsh())),
            (Shell::Zsh, Kind::Key) => script.replace(&format!("({name})"), &format!("{{compadd -S \"\" - {names}}}")),
            // A key has no space behind it there.
            (Shell::Fish, Kind::List) => {
                let function = format!("__fish_deadhead_{}", name.trim_matches('@').replace('-', "_"));
                let script = script.replace(&format!("\"{name}\\t''\""), &format!("\"(__fish_complete_list , {function})\""));
                format!("{script}function {function}\n    printf '%s\\t%s\\n'{}\nend\n", self.in_fish())
            }
            (Shell::Fish, Kind::Key) => {
                let rows = self.values.iter().map(|value| format!("{}\\t''", value.get_name())).collect::<Vec<_>>();
                script.replace(&format!("{name}\\t''"), &rows.join("\n"))
            }
            _ => script.to_owned(),
        }
    }

    /// The values as `_values` of zsh takes them, within a word in single quotes in which a colon separates.
    fn in_zsh(&self) -> String {
        let help = |value: &PossibleValue| {
            let mut help = value.get_help().map(ToString::to_string).unwrap_or_default();
            for special in ["\\", "\"", "$", "`", "[", "]", ":"] {
                help = help.replace(special, &format!("\\{special}"));
            }
            if help.is_empty() { help } else { format!("[{}]", help.replace('\'', "'\\''")) }
        };
        self.values.iter().map(|value| format!("\"{}{}\"", value.get_name(), help(value))).collect::<Vec<_>>().join(" ")
    }

    /// The values with their help, as words of fish.
    fn in_fish(&self) -> String {
        let word = |text: &str| format!(" '{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
        let help = |value: &PossibleValue| value.get_help().map(ToString::to_string).unwrap_or_default();
        self.values.iter().map(|value| word(value.get_name()) + &word(&help(value))).collect()
    }
}
