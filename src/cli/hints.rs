//! What to type instead of a word that is not known, in a line that begins with `hint:`.

use super::{Cli, stderr_line};
use clap::CommandFactory;
use deadhead_core::settings::{ConfigError, nearest};
use std::path::Path;

/// Words of other programs for what a command does here.
const MEANT: [(&str, &str); 5] = [
    ("explain", "prune --why SELECTOR LOG"),
    ("diff", "prune -n --diff LOG"),
    ("stats", "replay LOG"),
    ("report", "prune -n LOG"),
    ("wrap", "run -- AGENT"),
];

/// For a word in the place of a command.
pub fn of_command(word: &str) {
    let mut at = Cli::command();
    for argument in std::env::args().skip(1) {
        if let Some(below) = at.find_subcommand(&argument) {
            at = below.clone();
        }
    }
    let is_top = at.get_name() == "deadhead";
    let meant = MEANT.iter().find(|(known, _)| is_top && *known == word);
    let near = || nearest(word, at.get_subcommands().map(clap::Command::get_name));
    let typed = if is_top && (Path::new(word).exists() || word.contains(['.', '/'])) {
        Some(format!("deadhead prune {word}"))
    } else if let Some((_, command)) = meant {
        Some(format!("deadhead {command}"))
    } else if is_top {
        near().map(|name| format!("deadhead {name}"))
    } else {
        near().map(|name| format!("deadhead {} {name}", at.get_name()))
    };
    typed.into_iter().for_each(say);
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

fn say(text: String) {
    stderr_line!("hint: {text}");
}
