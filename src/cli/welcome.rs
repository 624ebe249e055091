//! `deadhead` without a command: the agents' logs on this machine, and the commands to type next.

use super::*;
use deadhead_core::internal::terminal_text::fill;

/// Columns of a folder or a command.
const COLUMN: usize = 26;

/// Prints the screen.
pub fn run() -> Result<Verdict> {
    let mut text =
        "deadhead cuts old tool output from LLM transcripts,\nso that later requests cost less.\n\n"
            .to_owned();
    let mut folders = known_folders::known_folders(|name| std::env::var_os(name));
    folders.retain(|folder| {
        let Ok(found) = inputs(std::slice::from_ref(&folder.path), None) else {
            return false;
        };
        let bytes: u64 = found
            .files
            .iter()
            .filter_map(|file| file.metadata().ok())
            .map(|found| found.len())
            .sum();
        let files = counted(found.files.len() as u64, "log");
        let name = fill(&escape(&folder.name), COLUMN);
        let (unit, of) = match bytes {
            ..1_000_000 => ("kB", 1_000),
            _ => ("MB", 1_000_000),
        };
        let size = commas(bytes.div_ceil(of));
        text += &format!("  {name}{}: {files}, {size} {unit}\n", folder.agent);
        true
    });
    if folders.is_empty() {
        text += "  No logs of a known agent were found in the home folder.\n";
    }
    text += "\n";
    let mut programs = DIALECTS
        .iter()
        .filter_map(|known| Some(known.session()?.prunes.split_once(" -- ")?.1));
    let is_used = |name: &&str| {
        folders
            .iter()
            .map(|folder| folder.agent.to_lowercase())
            .any(|agent| agent.starts_with(name))
    };
    let agent = programs.find(is_used).unwrap_or("AGENT");
    for (command, about) in [
        ("deadhead advise", "find the policy that saves most"),
        (
            &format!("deadhead run -- {agent}"),
            "run an agent and prune requests",
        ),
        ("deadhead prune -n LOG", "what would be cut, and why"),
        ("deadhead check BODY", "what a provider would refuse"),
    ] {
        text += &format!("  {}{about}\n", fill(command, COLUMN));
    }
    streams::print(text + "\nSee --help for all commands and flags.\n")
}
