//! The report of a replayed log, and what several logs came to.

mod policies;
mod sentences;

use super::chart::Bar;
use super::document::{ALL, BRIEF, Block, Column, Document, HTML, LISTS, MARKDOWN, Side, TABLES, TEXT, Tone, VERBOSE};
use super::html;
use super::number_format::{capital, commas, counted, dollars, growth, share, thousands};
use super::printer::Kind;
use deadhead_core::terminal_text::{fill, shorten};
use deadhead_replay::regret::RegretKind;
use deadhead_replay::report::ClosingSums;
use deadhead_replay::summary::{Example, Group, Replay, Sums, ToolRow, Totals};
use std::io::{self, Write};
use std::path::Path;

/// Tools that have a row, or are drawn.
const TOOLS: usize = 10;
/// Groups that text lists unless it is to list all.
const GROUPS: usize = 8;
/// Examples of regrets that text lists, and where it is to list all.
const EXAMPLES: [usize; 2] = [2, 5];

/// Reports of replays, and of each for the page its path, its headline and its blocks.
#[derive(Default)]
pub struct Replays(Vec<(String, String, Vec<u8>)>);

impl Kind for Replays {
    type One = Replay;
    type All = ClosingSums;
    const NAME: Option<&'static str> = Some("replay");

    fn one(replay: &Replay) -> Document<'_> {
        let (path, sentence) = (&replay.input.path, sentences::headline(&replay.sums));
        let line = format!("{}: {sentence}", shorten(&file_name(path), 60));
        let mut one = Document { line, title: "Replay of ".to_owned(), name: path.clone(), sentence, ..Document::default() };
        let log = format!("{}, {}", replay.input.format, replay.model.as_deref().unwrap_or("model unknown"));
        let span = |time: fn(&str) -> String| match (&replay.from, &replay.to) {
            (Some(from), Some(to)) => format!("{log}, {} to {}", time(from), time(to)),
            _ => log.clone(),
        };
        let spark = sentences::sparkline(&replay.timeline);
        let peaks = [&replay.sums.baseline, &replay.sums.pruned].map(|totals| thousands(totals.peak));
        one.fact(TEXT, "log", span(sentences::minute));
        one.facts(TEXT, "context", [spark.clone(), format!("peak {} tokens, pruned {}", peaks[0], peaks[1])]);
        one.paragraph(MARKDOWN, Tone::Code, spark);
        one.paragraph(HTML, Tone::Detail, span(str::to_owned));
        replay.warnings.iter().for_each(|warning| one.paragraph(HTML, Tone::Warning, warning.clone()));
        add_sums(&mut one, &replay.sums, Some(replay));
        replay.warnings.iter().for_each(|warning| one.add(LISTS, Block::Fact(Tone::Warning, "warning", warning.clone())));
        one
    }

    fn all<'a>(&'a self, closing: &'a ClosingSums) -> Document<'a> {
        let (title, sentence) = (counted(closing.inputs, "log"), sentences::headline(&closing.sums));
        let failed = if closing.failed > 0 { format!(", {} failed", closing.failed) } else { String::new() };
        let mut all = Document { line: format!("{title}{failed}: {sentence}"), title, sentence, ..Document::default() };
        add_sums(&mut all, &closing.sums, None);
        let sums = &closing.sums;
        if let Some(warning) = sums.unpriced_warning() {
            all.add(LISTS, Block::Fact(Tone::Warning, "warning", warning.clone()));
            all.paragraph(HTML, Tone::Warning, warning);
        }
        add_groups(&mut all, ["days", "Days", "day"], &sums.days);
        add_groups(&mut all, ["models", "Models", "model"], &sums.models);
        add_groups(&mut all, ["projects", "Projects", "project"], &sums.projects);
        all
    }

    fn inputs(closing: &ClosingSums) -> u64 {
        closing.inputs + closing.failed
    }

    fn add(&mut self, replay: &Replay) -> io::Result<()> {
        let mut blocks = Vec::new();
        html::blocks(Self::one(replay), &mut blocks)?;
        self.0.push((replay.input.path.clone(), sentences::headline(&replay.sums), blocks));
        Ok(())
    }

    fn page(&self, closing: &ClosingSums, out: &mut dyn Write) -> io::Result<()> {
        let is_several = Self::inputs(closing) > 1;
        let title = match &self.0[..] {
            [(path, ..)] if !is_several => format!("Replay of {}", file_name(path)),
            logs => format!("Replay of {}", counted(logs.len() as u64, "log")),
        };
        html::open(&title, out)?;
        writeln!(out, "<h1>{}</h1>", html::escape(&title))?;
        if is_several {
            html::blocks(self.all(closing), out)?;
        }
        for (path, sentence, blocks) in &self.0 {
            match is_several {
                true => html::details(&format!("{path}: {sentence}"), blocks, out)?,
                false => out.write_all(blocks)?,
            }
        }
        html::close(out)
    }
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or(path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Adds everything that there is of one log and of all alike.
fn add_sums<'a>(document: &mut Document<'a>, sums: &'a Sums, replay: Option<&'a Replay>) {
    document.add(HTML, Block::Cards(cards(sums)));
    if let Some(replay) = replay {
        document.add(HTML, Block::Heading("Context at each call, in tokens"));
        document.add(HTML, Block::Context("Tokens of the prompt at each call, without and with pruning", &replay.timeline));
    }
    policies::add(document, sums);
    let trust = sentences::trust(sums);
    document.paragraph(MARKDOWN, Tone::Plain, format!("Trust: {trust}."));
    document.fact(TEXT, "trust", trust.clone());
    if let Some(replay) = replay {
        document.fact(TEXT, "tokens", sentences::fit(replay));
    }
    add_tools(document, sums);
    add_regrets(document, sums);
    document.fact(TEXT, "tools", sentences::tools(sums));
    document.add(HTML, Block::Heading("How far to trust this"));
    document.paragraph(HTML, Tone::Plain, format!("{}.", capital(&trust)));
    if let Some(replay) = replay {
        document.paragraph(HTML, Tone::Detail, sentences::fit_and_cache(replay));
    }
}

fn cards(sums: &Sums) -> Vec<(String, String)> {
    let against = |totals: &Totals| growth(sums.baseline.usd, totals.usd);
    let mut cards = vec![
        (dollars(sums.baseline.usd), format!("{} without pruning", counted(sums.requests, "request"))),
        (dollars(sums.pruned.usd), format!("pruned, {}", against(&sums.pruned))),
    ];
    cards.extend(sums.transient.as_ref().map(|transient| (dollars(transient.usd), format!("transient, {}", against(transient)))));
    cards.push((thousands(sums.pruned.peak), format!("tokens at most, {} without", thousands(sums.baseline.peak))));
    cards.extend(sums.calibration.simulated.error.map(|error| (share(error), "simulated beside recorded".to_owned())));
    cards
}

fn add_tools<'a>(document: &mut Document<'a>, sums: &'a Sums) {
    let tools = sums.tools.iter().take(TOOLS);
    let bar = |tool: &ToolRow| {
        let text = format!("{} in {}, {} cut", thousands(tool.tokens), counted(tool.results, "result"), thousands(tool.cut));
        Bar { part: tool.cut, ..Bar::new("wasbar", named(&tool.name), text, tool.tokens) }
    };
    document.add(HTML, Block::Heading("Tools by the tokens of their results"));
    document.add(HTML, Block::Bars("Tokens by tool", tools.clone().map(bar).collect()));
    let columns: [Column<&ToolRow>; 4] = [
        (ALL, "tool", Side::Left, |tool| tool.name.clone()),
        (ALL, "results", Side::Right, |tool| commas(tool.results)),
        (ALL, "tokens", Side::Right, |tool| thousands(tool.tokens)),
        (ALL, "cut", Side::Right, |tool| thousands(tool.cut)),
    ];
    document.table(MARKDOWN, tools, &columns);
}

fn add_regrets<'a>(document: &mut Document<'a>, sums: &'a Sums) {
    let Some(policy) = sums.policies.iter().find(|row| row.manner == "sticky") else { return };
    let regret = &policy.regret;
    let (bad, cuts) = (commas(regret.cuts), counted(policy.cuts, "cut"));
    let why = format!("{} read again, {} quoted", regret.read_again, regret.quoted);
    document.add(HTML, Block::Heading("Regret"));
    document.paragraph(HTML, Tone::Plain, format!("{bad} of {cuts} ({:.0} %) were wanted later: {why}.", regret.rate * 100.0));
    if !regret.examples.is_empty() {
        let columns: [Column<&Example>; 5] = [
            (HTML, "line", Side::First, |example| example.line.to_string()),
            (HTML, "tool", Side::Left, |example| example.tool.clone()),
            (HTML, "pass", Side::Left, |example| example.pass.to_owned()),
            (HTML, "wanted by", Side::Right, |example| format!("line {}", example.by)),
            (HTML, "for", Side::Quote, |example| format!("{}\t{}", verb(example), example.what)),
        ];
        document.table(HTML, &regret.examples, &columns);
    }
    let passes: Vec<String> = regret.passes.iter().map(|(name, (cuts, bad))| format!("{name} {bad} of {cuts}")).collect();
    let text = format!("{bad} of {cuts}: {why} ({})", passes.join(", "));
    document.fact(TEXT, "regret", if policy.cuts == 0 { "nothing was cut".to_owned() } else { text });
    for (at, example) in regret.examples.iter().take(EXAMPLES[1]).enumerate() {
        let text = format!("line {} {}, cut; line {} {} {}", example.line, example.tool, example.by, verb(example), example.what);
        document.fact(if at < EXAMPLES[0] { TEXT } else { VERBOSE }, "", shorten(&text, 64));
    }
}

fn verb(example: &Example) -> &'static str {
    if example.why == RegretKind::ReadAgain { "reads again" } else { "quotes" }
}

/// Days, models or projects, by what a list, a heading and a column are called.
fn add_groups<'a>(document: &mut Document<'a>, [label, heading, title]: [&'static str; 3], groups: &'a [Group]) {
    let columns: [Column<&Group>; 6] = [
        (MARKDOWN, title, Side::Left, |group| group.name.clone()),
        (HTML, "", Side::First, |group| named(&group.name).to_owned()),
        (TABLES, "requests", Side::Right, |group| commas(group.requests)),
        (TABLES, "no pruning", Side::Right, |group| dollars(group.baseline)),
        (TABLES, "pruned", Side::Right, |group| dollars(group.pruned)),
        (HTML, "change", Side::Right, |group| growth(group.baseline, group.pruned)),
    ];
    document.add(HTML, Block::Heading(heading));
    document.table(TABLES, groups, &columns);
    for (at, group) in groups.iter().enumerate() {
        let (before, after) = (dollars(group.baseline), dollars(group.pruned));
        let text = format!("{} {before:>8} → {after:>8}  {}", fill(named(&group.name), 28), counted(group.requests, "request"));
        document.fact(if at < GROUPS { TEXT } else { VERBOSE }, if at == 0 { label } else { "" }, text);
    }
    if groups.len() > GROUPS {
        document.fact(BRIEF, "", format!("{} more with -v", groups.len() - GROUPS));
    }
}

fn named(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}
