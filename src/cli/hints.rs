//! What to type instead of a word that is not known, in a line that begins with `hint:`.

use super::*;
use deadhead_core::settings::{ConfigError, nearest};

/// Words of other programs for what a command does here.
const MEANT: [(&str, &str); 6] = [
    ("explain", "prune --why SELECTOR LOG"),
    ("diff", "prune -n --diff LOG"),
    ("stats", "replay LOG"),
    ("report", "prune -n LOG"),
    ("wrap", "run -- AGENT"),
    ("version", "--version"),
];

/// For a word in the place of a command.
pub fn of_command(word: &str) {
    let (mut at, mut typed) = (command(), "deadhead".to_owned());
    for argument in std::env::args_os().skip(1) {
        if let Some(below) = at.find_subcommand(&argument) {
            typed = format!("{typed} {}", argument.display());
            at = below.clone();
        }
    }
    let meant = MEANT.iter().find(|(known, _)| *known == word);
    let rest = match meant {
        Some((_, command)) => Some((*command).to_owned()),
        None if word.contains(['.', '/']) || Path::new(word).exists() => {
            Some(format!("prune {word}"))
        }
        None => nearest(word, at.get_subcommands().map(clap::Command::get_name)),
    };
    if let Some(rest) = rest {
        say(format!("{typed} {rest}"));
    }
}

/// For a flag.
pub fn of_flag(flag: &str) {
    let format = flag.strip_prefix("--").unwrap_or_default();
    if ["json", "jsonl", "html", "markdown", "text"].contains(&format) {
        say(format!("--report-format {format}"));
    }
}

/// For an error of a run.
pub fn of_error(error: &anyhow::Error) {
    let is_preset = |cause: &(dyn std::error::Error + 'static)| {
        matches!(
            cause.downcast_ref(),
            Some(ConfigError::UnknownPreset { .. })
        )
    };
    if error.chain().any(is_preset) {
        say(
            "deadhead config presets describes them; deadhead advise tries them on your logs"
                .into(),
        );
    }
}

/// Prints a hint.
pub fn say(text: String) {
    stderr_line!("hint: {text}");
}
