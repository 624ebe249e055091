//! Completions and man pages, from the same clap types as the parser.

use super::{Cli, Verdict};
use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use std::io::Write;
use std::path::Path;

/// Prints the completion script of a shell.
pub fn completions(shell: Shell) -> Result<Verdict> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "deadhead", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Verdict::Done)
}

/// Prints all man pages, or writes each into its file in `dir`.
pub fn man(dir: Option<&Path>) -> Result<Verdict> {
    let mut root = Cli::command();
    root.build();
    let mut pages = Vec::new();
    collect(&root, "deadhead", &mut pages)?;
    match dir {
        None => pages.iter().try_for_each(|(_, page)| std::io::stdout().write_all(page))?,
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
            for (name, page) in &pages {
                let path = dir.join(format!("{name}.1"));
                std::fs::write(&path, page).with_context(|| path.display().to_string())?;
            }
        }
    }
    Ok(Verdict::Done)
}

fn collect(command: &Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    let mut page = Vec::new();
    // The version is on the pages, a date is not: pages change when the program does.
    clap_mangen::Man::new(command.clone()).title(name).render(&mut page)?;
    pages.push((name.to_owned(), page));
    for sub in command.get_subcommands().filter(|s| !s.is_hide_set()) {
        collect(sub, &format!("{name}-{}", sub.get_name()), pages)?;
    }
    Ok(())
}
