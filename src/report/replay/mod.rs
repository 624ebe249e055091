//! The report of a replayed log, and what several logs came to.

mod policies;
mod words;

use super::chart::Bar;
use super::document::{ALL, BRIEF, Block, Document, Facts, HTML, LISTS, MARKDOWN, Side, Style, TABLES, TEXT, Table, VERBOSE};
use super::html;
use super::number_format::{capital, commas, counted, dollars, growth, share, thousands};
use super::printer::{Kind, ReportFormat};
use deadhead_core::terminal_text::{fill, shorten};
use deadhead_replay::account::Closing;
use deadhead_replay::regret::RegretKind;
use deadhead_replay::summary::{Group, Replay, Sums, Totals};
use std::io::{self, Write};
use std::path::Path;

/// Tools that have a row, or are drawn.
const TOOLS: usize = 10;
/// Groups, and examples of regrets, that text lists unless it is to list all.
const GROUPS: usize = 8;
const EXAMPLES: usize = 2;

/// The formats of `--report-format` of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReplayFormat {
    /// For people, one screen for each log
    Text,
    /// One object; several logs give an array with a last object of totals
    Json,
    /// One object a line
    Jsonl,
    /// For an issue or a wiki
    Markdown,
    /// One page with its pictures in it, for a browser
    Html,
}

impl From<ReplayFormat> for ReportFormat {
    fn from(format: ReplayFormat) -> ReportFormat {
        match format {
            ReplayFormat::Text => ReportFormat::Text,
            ReplayFormat::Json => ReportFormat::Json,
            ReplayFormat::Jsonl => ReportFormat::Jsonl,
            ReplayFormat::Markdown => ReportFormat::Markdown,
            ReplayFormat::Html => ReportFormat::Html,
        }
    }
}

/// Reports of replays, and the page that is made of them.
#[derive(Default)]
pub struct Replays(Vec<Log>);

/// A log on the page: its path, its headline, and the blocks of its report.
struct Log {
    path: String,
    sentence: String,
    blocks: Vec<u8>,
}

impl Kind for Replays {
    type One = Replay;
    type All = Closing;
    const NAME: Option<&'static str> = Some("replay");

    fn one(replay: &Replay) -> Document<'_> {
        let (path, sentence) = (&replay.input.path, words::headline(&replay.sums));
        let line = format!("{}: {sentence}", shorten(&file_name(path), 60));
        let mut one = Document { line, title: "Replay of ".to_owned(), name: path.clone(), sentence, ..Document::default() };
        let log = format!("{}, {}", replay.input.format, replay.model.as_deref().unwrap_or("model unknown"));
        let span = |time: fn(&str) -> String| match (&replay.from, &replay.to) {
            (Some(from), Some(to)) => format!("{log}, {} to {}", time(from), time(to)),
            _ => log.clone(),
        };
        let spark = words::sparkline(&replay.timeline);
        let peaks = [&replay.sums.baseline, &replay.sums.pruned].map(|totals| thousands(totals.peak));
        let mut facts = Facts::default();
        facts.add(TEXT, "log", span(words::minute));
        facts.list(TEXT, "context", [spark.clone(), format!("peak {} tokens, pruned {}", peaks[0], peaks[1])]);
        one.add(TEXT, Block::Facts(facts));
        one.add(MARKDOWN, Block::Paragraph(Style::Code, spark));
        one.add(HTML, Block::Paragraph(Style::Soft, span(str::to_owned)));
        let mut warnings = Facts::default();
        for warning in &replay.warnings {
            one.add(HTML, Block::Paragraph(Style::Warning, warning.clone()));
            warnings.warn("warning", warning.clone());
        }
        add_sums(&mut one, &replay.sums, Some(replay));
        one.add(LISTS, Block::Facts(warnings));
        one
    }

    fn all<'a>(&'a self, closing: &'a Closing) -> Document<'a> {
        let (title, sentence) = (counted(closing.inputs, "log"), words::headline(&closing.sums));
        let failed = if closing.failed > 0 { format!(", {} failed", closing.failed) } else { String::new() };
        let mut all = Document { line: format!("{title}{failed}: {sentence}"), title, sentence, ..Document::default() };
        add_sums(&mut all, &closing.sums, None);
        let mut facts = Facts::default();
        let sums = &closing.sums;
        for (list, heading, title, groups) in [
            ("days", "Days", "day", &sums.days),
            ("models", "Models", "model", &sums.models),
            ("projects", "Projects", "project", &sums.projects),
        ] {
            add_groups(&mut all, heading, title, groups);
            list_groups(&mut facts, list, groups);
        }
        all.add(TEXT, Block::Facts(facts));
        all
    }

    fn is_notable(_: &Replay) -> bool {
        true
    }

    fn is_several(closing: &Closing) -> bool {
        closing.inputs + closing.failed > 1
    }

    fn add(&mut self, replay: &Replay) -> io::Result<()> {
        let mut log = Log { path: replay.input.path.clone(), sentence: words::headline(&replay.sums), blocks: Vec::new() };
        html::blocks(Self::one(replay), &mut log.blocks)?;
        self.0.push(log);
        Ok(())
    }

    fn page(&self, closing: &Closing, out: &mut dyn Write) -> io::Result<()> {
        let is_several = Self::is_several(closing);
        let title = match &self.0[..] {
            [one] if !is_several => format!("Replay of {}", file_name(&one.path)),
            logs => format!("Replay of {}", counted(logs.len() as u64, "log")),
        };
        html::open(&title, out)?;
        writeln!(out, "<h1>{}</h1>", html::escape(&title))?;
        if is_several {
            html::blocks(self.all(closing), out)?;
        }
        for log in &self.0 {
            match is_several {
                true => html::details(&log.path, &log.sentence, &log.blocks, out)?,
                false => out.write_all(&log.blocks)?,
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
    let trust = words::trust(sums);
    document.add(MARKDOWN, Block::Paragraph(Style::Plain, format!("Trust: {trust}.")));
    add_tools(document, sums);
    document.add(TEXT, Block::Facts(facts(sums, replay, &trust)));
    add_regrets(document, sums);
    document.add(HTML, Block::Heading("How far to trust this"));
    document.add(HTML, Block::Paragraph(Style::Plain, format!("{}.", capital(&trust))));
    let Some(replay) = replay else { return };
    let (tokens, cache) = (&replay.tokens, &replay.cache);
    let fit = format!(
        "{:.2}{} chars a token, fitted to {}; {} tokens beyond the messages; a prompt lies {} tokens off. \
         The cache keeps a prompt for {} s. Prices: {} {}",
        tokens.chars_per_token,
        tokens.error.map(|error| format!(" ± {error:.2}")).unwrap_or_default(),
        counted(tokens.requests, "request"),
        thousands(tokens.overhead),
        thousands(tokens.residual),
        commas(cache.lifetime),
        cache.source.trim_start_matches("https://"),
        cache.date
    );
    document.add(HTML, Block::Paragraph(Style::Soft, fit));
}

fn facts(sums: &Sums, replay: Option<&Replay>, trust: &str) -> Facts {
    let mut facts = Facts::default();
    if sums.baseline.above_tier > 0 {
        let (before, after) = (sums.baseline.above_tier, sums.pruned.above_tier);
        facts.add(ALL, "tier", format!("{} above a price tier, pruned {}", counted(before, "request"), commas(after)));
    }
    facts.list(ALL, "misses", [format!("without pruning {}", sums.baseline.misses()), format!("pruned {}", sums.pruned.misses())]);
    facts.add(ALL, "trust", trust.to_owned());
    if let Some(tokens) = replay.map(|replay| &replay.tokens) {
        let fitted = match tokens.error {
            Some(error) => format!(
                "{:.2} ± {error:.2} chars a token, fitted to {}; {} beyond the messages",
                tokens.chars_per_token,
                counted(tokens.requests, "request"),
                thousands(tokens.overhead)
            ),
            None => format!("{:.2} chars a token", tokens.chars_per_token),
        };
        facts.add(ALL, "tokens", fitted);
    }
    list_regrets(&mut facts, sums);
    let all: f64 = sums.tools.iter().map(|tool| tool.tokens).sum();
    let of_all = |tokens: f64| share(tokens / all.max(1.0)).trim_start_matches('+').to_owned();
    let tools = sums.tools.iter().take(5).map(|tool| format!("{} {} ({})", tool.name, thousands(tool.tokens), of_all(tool.tokens)));
    let tools: Vec<String> = tools.collect();
    facts.add(ALL, "tools", if tools.is_empty() { "no results".to_owned() } else { format!("tokens of results: {}", tools.join(", ")) });
    facts
}

fn cards(sums: &Sums) -> Vec<(String, String)> {
    let against = |totals: &Totals| growth(sums.baseline.usd, totals.usd);
    let mut cards = vec![
        (dollars(sums.baseline.usd), format!("{} without pruning", counted(sums.requests, "request"))),
        (dollars(sums.pruned.usd), format!("pruned, {}", against(&sums.pruned))),
    ];
    cards.extend(sums.transient.as_ref().map(|transient| (dollars(transient.usd), format!("transient, {}", against(transient)))));
    cards.push((thousands(sums.pruned.peak), format!("tokens at most, {} without", thousands(sums.baseline.peak))));
    cards.extend(sums.truth.simulated.error.map(|error| (share(error), "simulated beside recorded".to_owned())));
    cards
}

fn add_tools<'a>(document: &mut Document<'a>, sums: &'a Sums) {
    let tools = sums.tools.iter().take(TOOLS);
    let drawn = tools.clone().map(|tool| Bar {
        label: named(&tool.name).to_owned(),
        text: format!("{} in {}, {} cut", thousands(tool.tokens), counted(tool.results, "result"), thousands(tool.cut)),
        value: tool.tokens,
        part: tool.cut,
        class: "wasbar",
    });
    document.add(HTML, Block::Heading("Tools by the tokens of their results"));
    document.add(HTML, Block::Bars("Tokens by tool", drawn.collect()));
    let columns = [(ALL, "tool", Side::Left), (ALL, "results", Side::Right), (ALL, "tokens", Side::Right), (ALL, "cut", Side::Right)];
    let rows = tools.map(|tool| vec![tool.name.clone(), commas(tool.results), thousands(tool.tokens), thousands(tool.cut)]);
    document.add(MARKDOWN, Block::Table(Table::new(&columns, rows)));
}

fn add_regrets<'a>(document: &mut Document<'a>, sums: &'a Sums) {
    let Some(policy) = sums.policies.iter().find(|row| row.manner == "sticky") else { return };
    let regret = &policy.regret;
    let of_all = format!("{} of {} ({:.0} %)", commas(regret.cuts), counted(policy.cuts, "cut"), regret.rate * 100.0);
    let text = format!("{of_all} were wanted later: {} read again, {} quoted.", regret.read_again, regret.quoted);
    document.add(HTML, Block::Heading("Regret"));
    document.add(HTML, Block::Paragraph(Style::Plain, text));
    if regret.examples.is_empty() {
        return;
    }
    let columns = [("line", Side::Right), ("tool", Side::Left), ("pass", Side::Left), ("wanted by", Side::Right), ("for", Side::Quote)];
    let rows = regret.examples.iter().map(|example| {
        let (line, by) = (example.line.to_string(), format!("line {}", example.by));
        vec![line, example.tool.clone(), example.pass.to_owned(), by, format!("{}\t{}", why(example.why), example.what)]
    });
    document.add(HTML, Block::Table(Table::new(&columns.map(|(title, side)| (HTML, title, side)), rows).plain()));
}

fn list_regrets(facts: &mut Facts, sums: &Sums) {
    let Some(policy) = sums.policies.iter().find(|row| row.manner == "sticky") else { return };
    let regret = &policy.regret;
    let passes: Vec<String> = regret.passes.iter().map(|(name, (cuts, bad))| format!("{name} {bad} of {cuts}")).collect();
    let text = match policy.cuts {
        0 => "nothing was cut".to_owned(),
        cuts => format!(
            "{} of {}: {} read again, {} quoted ({})",
            commas(regret.cuts),
            counted(cuts, "cut"),
            regret.read_again,
            regret.quoted,
            passes.join(", ")
        ),
    };
    facts.add(ALL, "regret", text);
    for (at, example) in regret.examples.iter().take(5).enumerate() {
        let text = format!("line {} {}, cut; line {} {} {}", example.line, example.tool, example.by, why(example.why), example.what);
        facts.add(if at < EXAMPLES { TEXT } else { VERBOSE }, "", shorten(&text, 64));
    }
}

fn why(kind: RegretKind) -> &'static str {
    if kind == RegretKind::ReadAgain { "reads again" } else { "quotes" }
}

fn add_groups<'a>(document: &mut Document<'a>, heading: &'static str, title: &'static str, groups: &'a [Group]) {
    let columns = [
        (MARKDOWN, title, Side::Left),
        (HTML, "", Side::First),
        (TABLES, "requests", Side::Right),
        (TABLES, "no pruning", Side::Right),
        (TABLES, "pruned", Side::Right),
        (HTML, "change", Side::Right),
    ];
    let rows = groups.iter().map(|group| {
        let change = growth(group.baseline, group.pruned);
        let name = named(&group.name).to_owned();
        vec![group.name.clone(), name, commas(group.requests), dollars(group.baseline), dollars(group.pruned), change]
    });
    document.add(HTML, Block::Heading(heading));
    document.add(TABLES, Block::Table(Table::new(&columns, rows).plain()));
}

fn list_groups(facts: &mut Facts, label: &'static str, groups: &[Group]) {
    for (at, group) in groups.iter().enumerate() {
        let (before, after) = (dollars(group.baseline), dollars(group.pruned));
        let requests = counted(group.requests, "request");
        let text = format!("{} {before:>8} → {after:>8}  {requests}", fill(named(&group.name), 28));
        facts.add(if at < GROUPS { TEXT } else { VERBOSE }, if at == 0 { label } else { "" }, text);
    }
    if groups.len() > GROUPS {
        facts.add(BRIEF, "", format!("{} more with -v", groups.len() - GROUPS));
    }
}

fn named(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}
