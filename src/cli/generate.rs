//! Completions and man pages, from the same clap types as the parser.

use super::atomic_file::{AtomicFile, Terms};
use super::folder;
use super::identity::Reads;
use super::streams;
use super::{Cli, EXIT_CODES, Verdict};
use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use deadhead_core::dialect::DIALECTS;
use deadhead_core::pass::PASSES;
use deadhead_core::settings::presets;
use std::io::Write;
use std::path::Path;

/// Variables that the program reads.
const ENVIRONMENT: [(&str, &str); 3] = [
    ("DEADHEAD_CONFIG", "configuration file where --config names none"),
    ("XDG_CONFIG_HOME", "folder that holds deadhead/config.json5, read where neither of those is given; else ~/.config"),
    ("NO_COLOR", "if set and not empty, no colours unless --color always"),
];

/// Prints the completion script of a shell.
pub fn completions(shell: Shell) -> Result<Verdict> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "deadhead", &mut script);
    streams::print(&script)?;
    Ok(Verdict::Done)
}

/// Prints all man pages, or writes each into its file in `dir`.
pub fn man(dir: Option<&Path>) -> Result<Verdict> {
    let mut root = Cli::command();
    root.build();
    let mut pages = Vec::new();
    collect(&root, "deadhead", &mut pages)?;
    match dir {
        None => pages.iter().try_for_each(|(_, page)| streams::print(page))?,
        Some(dir) => {
            let folder = folder::open(dir).with_context(|| dir.display().to_string())?;
            for (name, page) in &pages {
                let name = format!("{name}.1");
                let mut file = AtomicFile::below(&folder, Path::new(&name), &dir.join(&name), Terms::of_report(&[], Reads::default()))?;
                file.sink.write_all(page)?;
                file.finish()?;
            }
        }
    }
    Ok(Verdict::Done)
}

fn collect(command: &Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    pages.push((name.to_owned(), page(command, name)?));
    for sub in command.get_subcommands().filter(|s| !s.is_hide_set()) {
        collect(sub, &format!("{name}-{}", sub.get_name()), pages)?;
    }
    Ok(())
}

/// One page. The version is on it, a date is not: a page changes when the program does.
fn page(command: &Command, name: &str) -> Result<Vec<u8>> {
    let program = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).title(name).source(program);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut more = Roff::new();
    if name == "deadhead-prune" {
        let passes: Vec<_> = PASSES.iter().map(|p| (p.name, super::prune::about(p))).collect();
        list(&mut more, "PASSES", passes.iter().map(|(name, about)| (*name, &**about)));
        list(&mut more, "FORMATS", DIALECTS.iter().map(|f| (f.name, f.about)));
        list(&mut more, "PRESETS", presets().iter().map(|p| (&*p.name, &*p.about)));
    }
    if matches!(name, "deadhead" | "deadhead-prune" | "deadhead-canary-status") {
        list(&mut more, "EXIT STATUS", EXIT_CODES.into_iter());
    }
    if matches!(name, "deadhead-prune" | "deadhead-config-show") || name.starts_with("deadhead-canary-") {
        list(&mut more, "ENVIRONMENT", ENVIRONMENT.into_iter());
    }
    more.to_writer(&mut page)?;
    Ok(page)
}

/// A section of terms and what they mean.
fn list<'a>(page: &mut Roff, title: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) {
    page.control("SH", [title]);
    for (term, meaning) in rows {
        page.control("TP", []).text([bold(term)]).text([roman(meaning)]);
    }
}
