//! Man pages, from the same clap types as the parser.

use super::{prune::known, *};
use clap::Command;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

/// Prints all man pages, or writes each into its file in `dir`.
pub fn man(dir: Option<&Path>) -> Result<Verdict> {
    let mut root = command();
    root.build();
    let mut pages = Vec::new();
    collect(&root, &[], &mut pages)?;
    match dir {
        None => pages
            .iter()
            .try_for_each(|(_, page)| streams::print(page).map(drop))?,
        Some(dir) => {
            folder::make(dir).with_context(|| dir.display().to_string())?;
            for (name, page) in &pages {
                let mut file = AtomicFile::new(
                    &dir.join(format!("{name}.1")),
                    WriteOptions::of_report(ReadFiles::default()),
                )?;
                file.sink.write_all(page)?;
                file.finish()?;
            }
        }
    }
    Ok(Verdict::Done)
}

/// The page of a command, with those of the commands below it. `others` are the pages of the
/// commands above and beside it.
fn collect<'a>(
    command: &'a Command,
    others: &[&'a str],
    pages: &mut Vec<(&'a str, Vec<u8>)>,
) -> Result<()> {
    let name = name_of(command);
    let below: Vec<&str> = subcommands(command).map(name_of).collect();
    let page = page(command, name, &[others, &below].concat())?;
    pages.push((name, page));
    for sub in subcommands(command) {
        let beside = below.iter().filter(|other| **other != name_of(sub));
        let others: Vec<&str> = [&name].into_iter().chain(beside).copied().collect();
        collect(sub, &others, pages)?;
    }
    Ok(())
}

/// The name of a page, with those of the commands above.
fn name_of(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

/// The commands that have a page: all but `help`.
fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
}

/// One page. The version is on it, a date is not: a page changes when the program does.
fn page(command: &Command, name: &str, others: &[&str]) -> Result<Vec<u8>> {
    let program = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    // A flag that the short help leaves out has its place in the manual.
    let man = Man::new(command.clone().mut_args(|arg| arg.hide_short_help(false)))
        .title(name)
        .source(program);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut more = Roff::new();
    let mut list = |title, rows: Vec<(&str, String)>| {
        more.control("SH", [title]);
        for (term, meaning) in rows {
            more.control("TP", [])
                .text([bold(term)])
                .text([roman(meaning)]);
        }
    };
    if command.has_subcommands() {
        let about = |sub: &Command| sub.get_about().unwrap_or_default().to_string();
        let commands = subcommands(command).map(|sub| (sub.get_name(), about(sub)));
        list("COMMANDS", commands.collect());
    }
    if name == "deadhead-prune" {
        list("PASSES", known("pass"));
        list("FORMATS", known("format"));
        list("PRESETS", known("preset"));
    }
    let help = help();
    let rows = |section| {
        help[section]
            .lines()
            .filter_map(|line| line.trim_start().split_once("  "))
            .map(|(term, text)| (term, text.to_owned()))
            .collect()
    };
    if matches!(
        name,
        "deadhead" | "deadhead-prune" | "deadhead-canary-status"
    ) {
        list("EXIT STATUS", rows("deadhead"));
    }
    if matches!(name, "deadhead-prune" | "deadhead-config-show")
        || name.starts_with("deadhead-canary-")
    {
        list("ENVIRONMENT", rows("environment"));
    }
    examples(&mut more, command);
    see_also(&mut more, others);
    more.to_writer(&mut page)?;
    Ok(page)
}

/// The examples that the help ends with: comments are paragraphs, commands are set as they are
/// typed.
fn examples(page: &mut Roff, command: &Command) {
    page.control("SH", ["EXAMPLES"]);
    let text = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    for line in text.lines().skip(1).map(str::trim) {
        match line.strip_prefix("# ") {
            Some(comment) => page.control("PP", []).text([roman(format!("{comment}:"))]),
            None => page
                .control("PP", [])
                .control("RS", ["4"])
                .control("nf", [])
                .text([roman(line)])
                .control("fi", [])
                .control("RE", []),
        };
    }
}

/// The pages of other commands.
fn see_also(page: &mut Roff, others: &[&str]) {
    page.control("SH", ["SEE ALSO"]);
    for (i, other) in others.iter().enumerate() {
        let end = if i + 1 < others.len() { "(1)," } else { "(1)" };
        page.text([bold(*other), roman(end)]);
    }
}
