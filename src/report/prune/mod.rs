//! The report of a pruned input, and what several inputs came to.
//!
//! On a page each of several inputs has its details while all of them are small; else the page has a table of the [`Largest`], so
//! that it stays readable, and ten thousand bodies need no memory.

mod headline;
mod largest;
mod tally;
#[cfg(test)]
mod tests;
mod totals;

pub use totals::Totals;

use super::chart::Bar;
use super::document::{ALL, Block, Column, Document, Entry, Facts, HTML, MARKDOWN, Note, ROOMY, Side, TABLES, TEXT, Table, Tone, VERBOSE};
use super::html;
use super::number_format::{change, commas, counted, percent, ratios};
use super::printer::Kind;
use deadhead_core::diagnostics::{CutRow, Decision, Integrity, Skip};
use deadhead_core::outcome::Report;
use deadhead_core::terminal_text::fill;
use largest::Largest;
use std::io::{self, Write};
use tally::{by_code, by_tool, new_defects};

/// Tools that text lists.
const TOOLS: usize = 5;
/// Tools that are drawn.
const BARS: usize = 10;
/// Bytes that the details of several inputs may have together on a page.
const DETAILS: usize = 512 << 10;

/// Reports of pruning, and the page that is made of them.
#[derive(Default)]
pub struct Pruning {
    reports: u64,
    /// The details of all inputs, while they are small.
    details: Option<Vec<u8>>,
    largest: Largest,
}

impl Kind for Pruning {
    type One = Report;
    type All = Totals;

    fn one(report: &Report) -> Document<'_> {
        document(report)
    }

    fn all<'a>(&'a self, totals: &'a Totals) -> Document<'a> {
        let sentence = headline::of_totals(totals);
        let mut all = Document { line: sentence.clone(), title: "Total".to_owned(), sentence, ..Document::default() };
        let (before, after) = (totals.before, totals.after);
        let rows =
            [("chars", before.chars, after.chars), ("tokens", before.tokens, after.tokens), ("bytes", totals.bytes_in, totals.bytes_out)];
        all.add(MARKDOWN, sizes(rows.map(|(what, before, after)| [what.to_owned(), commas(before), commas(after)])));
        let share = |what, before, after| if what == "chars" { format!(" ({})", percent(before, after)) } else { String::new() };
        let cards = rows.map(|(what, before, after)| (change(before, after), format!("{what}{}", share(what, before, after))));
        all.add(HTML, Block::Cards(cards.to_vec()));
        if self.reports > 0 && self.details.is_none() {
            self.largest.show(&mut all);
        }
        all
    }

    fn is_notable(report: &Report) -> bool {
        report.passes.iter().any(|pass| pass.cuts > 0)
    }

    fn is_several(totals: &Totals) -> bool {
        totals.inputs > 1
    }

    fn add(&mut self, report: &Report) -> io::Result<()> {
        self.reports += 1;
        self.largest.add(report);
        if self.reports == 1 {
            self.details = Some(Vec::new());
        }
        if let Some(details) = &mut self.details {
            html::article(document(report), details)?;
        }
        self.details.take_if(|details| self.reports > 1 && details.len() > DETAILS);
        Ok(())
    }

    /// Writes the page, with what several inputs came to unless it was one that has its report.
    fn page(&self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        html::open("Pruning report", out)?;
        out.write_all(self.details.as_deref().unwrap_or_default())?;
        if (totals.inputs, self.reports) != (1, 1) {
            html::article(self.all(totals), out)?;
        }
        html::close(out)
    }
}

fn document(report: &Report) -> Document<'_> {
    let sentence = headline::of_report(report);
    let name = report.input.path.clone();
    let mut document = Document { line: format!("{name}: {sentence}"), name, sentence, ..Document::default() };
    let (before, after) = (report.before, report.after);
    let tokens = format!("tokens ({})", tokens_source(report));
    let bytes = (report.input.bytes, report.output.bytes);
    let row = |what: &str, before, after| [what.to_owned(), commas(before), commas(after)];
    document.add(
        MARKDOWN,
        sizes([
            row("messages", before.messages, after.messages),
            row("chars", before.chars, after.chars),
            row(&tokens, before.tokens, after.tokens),
            ["ratio".to_owned(), format!("{:.2}", before.ratio), format!("{:.2}", after.ratio)],
            row("bytes", bytes.0, bytes.1),
        ]),
    );
    let window = format!("of {} tokens ({})", commas(report.window.tokens), report.window.source);
    document.add(
        HTML,
        Block::Cards(vec![
            (change(before.chars, after.chars), format!("chars ({})", percent(before.chars, after.chars))),
            (change(before.tokens, after.tokens), tokens),
            (change(before.messages, after.messages), "messages".to_owned()),
            (ratios(before.ratio, after.ratio), window),
            (change(bytes.0, bytes.1), "bytes".to_owned()),
        ]),
    );
    let tools = by_tool(&report.cuts);
    document.add(ALL, Block::Facts(facts(report, &tools)));
    document.note("defects", defects(&report.integrity));
    let warnings = report.warnings.iter().map(|warning| {
        let line = warning.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        Note { tone: Tone::Warning, what: "", texts: vec![format!("{line}{}", warning.text)] }
    });
    document.note("warnings", warnings.collect());
    tables(report, &tools, &mut document);
    document.add(VERBOSE, Block::Entries(Box::new(report.cuts.iter().map(cut).chain(report.skipped.iter().map(skip)))));
    document
}

/// Sizes before and after, as a table.
fn sizes<'a>(rows: impl IntoIterator<Item = [String; 3], IntoIter: 'a>) -> Block<'a> {
    let columns = [(ALL, "", Side::Left), (ALL, "before", Side::Right), (ALL, "after", Side::Right)];
    Block::Table(Table::new(&columns, rows.into_iter().map(Vec::from)))
}

/// Where the tokens of a report come from, for people.
fn tokens_source(report: &Report) -> &'static str {
    if report.tokens_source == "recorded" { "recorded" } else { "chars / 4" }
}

/// What there is to know of a run.
fn facts(report: &Report, tools: &[(&str, i128)]) -> Facts {
    let mut facts = Facts::default();
    let (decision, input, mirrors) = (&report.decision, &report.input, report.mirrors);
    let ran = if decision.ran { "ran" } else { "did not run" };
    facts.add(ALL, "decision", format!("{}, {ran}: {}", decision.mode, decision.why));
    if let Some(time) = &decision.last_call {
        facts.add(ROOMY, "last call", format!("{time}, {}", source_of_last_call(decision)));
    }
    let window = format!("{} tokens ({})", commas(report.window.tokens), report.window.source);
    facts.add(TEXT, "window", format!("{window}, ratio {}", ratios(report.before.ratio, report.after.ratio)));
    facts.add(MARKDOWN, "window", window);
    facts.add(TEXT, "tokens", format!("{} ({})", change(report.before.tokens, report.after.tokens), tokens_source(report)));
    facts.add(ROOMY, "format", format!("{}, {}, {}", input.format, counted(input.records, "record"), counted(input.bytes, "byte")));
    facts.add(MARKDOWN, "format", format!("{}, {} records", input.format, commas(input.records)));
    if let Some(workload) = &report.workload {
        let stack = workload.stack.as_ref().map(|stack| format!(" on {stack}")).unwrap_or_default();
        facts.add(ROOMY, "workload", format!("{}{stack}, {}", workload.name, workload.state));
        facts.add(MARKDOWN, "workload", format!("{}, {}", workload.name, workload.state));
    }
    if let Some(session) = &report.session {
        let [kept, added, dropped] = [session.kept, session.added, session.dropped].map(commas);
        let name = format!("{} ({})", session.name, session.source);
        facts.add(ROOMY, "session", format!("{name}, {kept} kept, {added} new, {dropped} forgotten"));
        facts.add(MARKDOWN, "session", format!("{name}, {kept} cuts kept, {added} new, {dropped} forgotten"));
    }
    if let Some(stable) = report.prefix_stable {
        facts.add(ROOMY, "as before", format!("{}, {}", counted(stable.messages, "message"), counted(stable.bytes, "byte")));
        facts.add(MARKDOWN, "as before", format!("{} messages, {} bytes", commas(stable.messages), commas(stable.bytes)));
    }
    let row = |name: &str, cuts: u64, removed: i64, unit: &str| {
        format!("{} {:>10} {:>18}", fill(name, 16), counted(cuts, "cut"), format!("{} {unit}", commas(removed)))
    };
    let left = |n: u64| if n == 0 { String::new() } else { format!("  {} left", commas(n)) };
    facts.list(TEXT, "passes", report.passes.iter().map(|p| row(&p.name, p.cuts, p.chars_removed, "chars") + &left(p.skipped)));
    let bytes = format!("{} bytes, no tokens", commas(mirrors.bytes_removed));
    let copies = format!("{} left alone; --mirrors cuts them", counted(mirrors.left, "copy"));
    let cut = (mirrors.cuts > 0).then(|| row("copies", mirrors.cuts, mirrors.bytes_removed, "bytes") + "  no tokens");
    facts.list(TEXT, "mirrors", cut.into_iter().chain((mirrors.left > 0).then(|| copies.clone())));
    if mirrors.cuts > 0 {
        facts.add(HTML, "mirrors", format!("{}, {bytes}", counted(mirrors.cuts, "cut")));
        facts.add(MARKDOWN, "mirrors", format!("{} cut, {bytes}", commas(mirrors.cuts)));
    }
    if mirrors.left > 0 {
        facts.add(HTML, "mirrors", copies);
    }
    let tools = tools.iter().take(TOOLS).map(|&(tool, chars)| (fill(named(tool), 27), format!("{} chars", commas(chars))));
    facts.list(TEXT, "top tools", tools.map(|(tool, chars)| format!("{tool} {chars:>18}")));
    if let Some(first) = report.first_change {
        for (media, number) in [(HTML, commas(first.message)), (TEXT, first.message.to_string()), (MARKDOWN, first.message.to_string())] {
            let place = if first.message == 0 { "outside the messages".to_owned() } else { format!("message {number}") };
            facts.add(media, "first change", format!("{place}, byte {}", commas(first.byte)));
        }
    }
    facts
}

/// Where the time of the last call was found, in words.
fn source_of_last_call(decision: &Decision) -> &str {
    match decision.last_call_source.as_deref() {
        Some("flag") => "from --last-call",
        Some("state") => "from the state file",
        Some("marker") => "from the cache-ttl marker",
        Some("assistant") => "from the newest assistant record",
        Some(other) => other,
        None => "source unknown",
    }
}

fn defects(integrity: &Integrity) -> Vec<Note> {
    let found =
        [("new in the output", Tone::Defect, new_defects(integrity)), ("in the input", Tone::OldDefect, by_code(&integrity.before))];
    let notes = found.into_iter().filter(|(.., counts)| !counts.is_empty()).map(|(what, tone, counts)| {
        let texts = counts.iter().map(|(code, n)| format!("{code} × {}", commas(*n)));
        Note { tone, what, texts: texts.collect() }
    });
    notes.collect()
}

/// Passes, tools, cuts, and what was left.
fn tables<'a>(report: &'a Report, tools: &[(&str, i128)], document: &mut Document<'a>) {
    if !report.passes.is_empty() {
        document.add(HTML, Block::Heading("Passes"));
        let columns = [("pass", Side::Left), ("cuts", Side::Right), ("chars removed", Side::Right), ("left", Side::Right)];
        let rows = report.passes.iter().map(|p| vec![p.name.clone(), commas(p.cuts), commas(p.chars_removed), commas(p.skipped)]);
        document.add(TABLES, Block::Table(Table::new(&columns.map(|(title, side)| (ALL, title, side)), rows)));
    }
    let drawn = tools.iter().take(BARS).map(|&(tool, chars)| Bar {
        label: named(tool).to_owned(),
        text: format!("{} chars", commas(chars)),
        value: chars as f64,
        part: 0.0,
        class: "nowbar",
    });
    let drawn: Vec<Bar> = drawn.collect();
    if !drawn.is_empty() {
        document.add(HTML, Block::Heading("Chars removed, by tool"));
        document.add(HTML, Block::Bars("Chars removed, by tool", drawn));
    }
    if !report.cuts.is_empty() {
        document.add(HTML, Block::Heading("Cuts"));
        document.add(TABLES, Block::Table(Table::new(&CUTS, report.cuts.iter().map(cells))));
    }
    if !report.skipped.is_empty() {
        document.add(HTML, Block::Heading("Left"));
        let columns = [(ALL, "message", Side::Place), (ALL, "pass", Side::Left), (ALL, "why", Side::Text)];
        let rows = report.skipped.iter().map(|skip| vec![place(skip.message, skip.part), skip.pass.to_owned(), skip.why.clone()]);
        document.add(HTML, Block::Table(Table::new(&columns, rows)));
    }
}

/// The columns of the cuts.
const CUTS: [Column; 9] = [
    (ALL, "message", Side::Place),
    (ALL, "line", Side::Right),
    (ALL, "tool", Side::Name),
    (ALL, "call", Side::Name),
    (ALL, "before", Side::Right),
    (ALL, "after", Side::Right),
    (ALL, "action", Side::Left),
    (HTML, "pass", Side::Left),
    (ALL, "reason", Side::Text),
];

fn cells(cut: &CutRow) -> Vec<String> {
    vec![
        place(cut.message, cut.part),
        cut.line.to_string(),
        cut.tool.clone(),
        cut.call_id.clone().unwrap_or_default(),
        commas(cut.chars_before),
        commas(cut.chars_after),
        action(cut),
        cut.pass.to_owned(),
        cut.reason.clone(),
    ]
}

fn cut(cut: &CutRow) -> Entry {
    Entry {
        lead: format!("{}  line {}", in_words(cut.message, cut.part), cut.line),
        name: format!("{} {}", cut.tool, cut.call_id.as_deref().unwrap_or_default()),
        tail: format!("{}  {}", change(cut.chars_before, cut.chars_after), action(cut)),
        reason: Some(cut.reason.clone()),
    }
}

fn skip(skip: &Skip) -> Entry {
    let lead = format!("{}  left by {}: {}", in_words(skip.message, skip.part), skip.pass, skip.why);
    Entry { lead, ..Entry::default() }
}

fn action(cut: &CutRow) -> String {
    format!("{}{}", cut.action, if cut.linked { ", linked" } else { "" })
}

/// Where something is: its message and part; what stands outside the messages has no message.
fn place(message: u32, part: u32) -> String {
    if message == 0 { format!("outside/{part}") } else { format!("{message}/{part}") }
}

/// The same in a sentence.
fn in_words(message: u32, part: u32) -> String {
    format!("{}{}", if message == 0 { "" } else { "message " }, place(message, part))
}

fn named(tool: &str) -> &str {
    if tool.is_empty() { "(none)" } else { tool }
}
