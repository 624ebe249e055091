//! The report of a pruned input, and of several inputs together.
//!
//! On a page each of several inputs has its details while all of them are small; else the page has a table of the [`Largest`], so
//! that it stays readable, and ten thousand bodies need no memory.

mod diff;
mod headline;
mod largest;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod totals;

pub use diff::diff;
pub use totals::Totals;

use super::{chart::Bar, document::*, html, number_format::*, printer::Kind};
use deadhead_core::{
    diagnostics::{CopyTotal, CutRow, Decision, DefectRow, Integrity, NextRequest},
    internal::terminal_text::escape,
    outcome::Report,
};
use largest::Largest;
use serde::Serialize;
use std::collections::BTreeMap;
use tables::*;
use tally::{by_code, by_tool, new_defects};

/// The number of tools that text lists.
const TOOLS: usize = 5;
/// The maximum size of the details of several inputs on a page, in bytes.
const DETAILS: usize = 512 << 10;

/// Reports of pruning, and their page.
#[derive(Default)]
pub struct Pruning {
    reports: u64,
    /// The details of all inputs, while they are small.
    details: Option<String>,
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
        let mut all = Document {
            line: sentence.clone(),
            title: "Total".to_owned(),
            sentence,
            ..Document::default()
        };
        let (before, after) = (totals.before, totals.after);
        let sizes = [
            size("chars", before.chars, after.chars),
            size("tokens", before.tokens, after.tokens),
            size("bytes", totals.bytes_in, totals.bytes_out),
        ];
        add_sizes(&mut all, sizes, [0, 1, 2]);
        let has_page = self.reports > 0 && self.details.is_none();
        self.largest.show(&mut all, has_page);
        all
    }

    fn brief(report: &Report) -> Option<String> {
        report
            .passes
            .iter()
            .any(|pass| pass.cuts > 0)
            .then(|| line(report, &headline::of_report(report)))
    }

    fn has_totals(totals: &Totals) -> bool {
        totals.inputs > 1 || totals.skipped > 0
    }

    fn sum(&mut self, report: &Report) {
        self.largest.add(report);
    }

    fn add(&mut self, report: &Report) {
        self.reports += 1;
        self.largest.add(report);
        if self.reports == 1 {
            self.details = Some(String::new());
        }
        if let Some(details) = &mut self.details {
            *details += &html::article(document(report));
        }
        self.details
            .take_if(|details| self.reports > 1 && details.len() > DETAILS);
    }

    /// Returns the page, with the totals unless there is one input with a report.
    fn page(&self, totals: &Totals) -> String {
        let mut articles = self.details.clone().unwrap_or_default();
        if (totals.inputs, self.reports) != (1, 1) {
            articles += &html::article(self.all(totals));
        }
        html::page("Pruning report", &articles)
    }
}

fn line(report: &Report, sentence: &str) -> String {
    format!("{}: {sentence}", report.input.path)
}

fn document(report: &Report) -> Document<'_> {
    let sentence = headline::of_report(report);
    let (name, line) = (report.input.path.clone(), line(report, &sentence));
    let mut document = Document {
        line,
        name,
        sentence,
        ..Document::default()
    };
    let (before, after, window) = (report.before, report.after, &report.window);
    let tokens = format!("tokens ({})", tokens_source(report));
    let by = ratio_by(report);
    let sizes = [
        size("messages", before.messages, after.messages),
        size("chars", before.chars, after.chars),
        size(&tokens, before.tokens, after.tokens),
        [
            format!("ratio{by}"),
            format!("{:.2}", before.ratio),
            format!("{:.2}", after.ratio),
            ratios(before.ratio, after.ratio),
            format!(
                "of {} tokens ({}){by}",
                commas(window.tokens),
                window.source
            ),
        ],
        size("bytes", report.input.bytes, report.output.bytes),
    ];
    add_sizes(&mut document, sizes, [1, 2, 0, 3, 4]);
    add_run(&mut document, report);
    add_totals(&mut document, report);
    add_passes(&mut document, report, &by_tool(&report.cuts));
    document.notes("defects", defects(&report.integrity));
    document.warnings(ALL, &report.warnings);
    add_cuts(&mut document, report);
    let entries = report
        .cuts
        .iter()
        .map(cut)
        .chain(report.skipped.iter().map(skip));
    document.add(VERBOSE, Block::Entries(Box::new(entries)));
    document
}

/// A size: its label, before, after, and both with their label on a card.
type Size = [String; 5];

fn size(what: &str, before: u64, after: u64) -> Size {
    let label = match what {
        "chars" => format!("chars ({})", percent(before, after)),
        _ => what.to_owned(),
    };
    let change = change(before, after);
    [
        what.to_owned(),
        commas(before),
        commas(after),
        change,
        label,
    ]
}

/// Adds sizes: a table, and cards in another order.
fn add_sizes<const N: usize>(document: &mut Document<'_>, sizes: [Size; N], order: [usize; N]) {
    let cards = order.map(|at| (sizes[at][3].clone(), sizes[at][4].clone()));
    let columns = vec![
        (ALL, "", Left),
        (ALL, "before", Right),
        (ALL, "after", Right),
    ];
    let rows = Box::new(sizes.into_iter().map(Vec::from));
    document.add(MARKDOWN, Block::Table(Table { columns, rows }));
    document.add(HTML, Block::Cards(cards.to_vec()));
}

/// Returns the source of a report's tokens, for people.
fn tokens_source(report: &Report) -> &'static str {
    match report.tokens_source {
        "chars" => "chars / 4",
        source => source,
    }
}

/// Returns what follows a ratio that is not the tokens' share of the window.
fn ratio_by(report: &Report) -> &'static str {
    report.ratio_by.map_or("", |_| " by chars / 4")
}

/// Adds the decision of a run and the values on which it is based.
fn add_run(document: &mut Document<'_>, report: &Report) {
    let decision = &report.decision;
    let ran = if decision.ran { "ran" } else { "did not run" };
    let text = format!("{}, {ran}: {}", decision.mode, decision.why);
    document.field(ALL, "decision", text);
    if let Some(time) = &decision.last_call {
        let text = format!("{time}, {}", source_of_last_call(decision));
        document.field(ALL, "last call", text);
    }
    let (before, after, window) = (report.before, report.after, &report.window);
    let window = format!("{} tokens ({})", commas(window.tokens), window.source);
    let ratios = ratios(before.ratio, after.ratio);
    let by = ratio_by(report);
    document.field(ALL, "window", format!("{window}, ratio {ratios}{by}"));
    let tokens = change(before.tokens, after.tokens);
    let tokens = format!("{tokens} ({})", tokens_source(report));
    document.field(TEXT, "tokens", tokens);
    if let Some(next) = &report.cache.next_request {
        document.field(ALL, "next request", price_of(next));
    }
    if let Some(number) = report.cache.marked {
        let text =
            format!("a mark added to message {number}: the prompt up to there is still cached");
        document.field(ALL, "cache", text);
    }
    let input = &report.input;
    let format = format!(
        "{}, {}, {}",
        input.format,
        counted(input.records, "record"),
        counted(input.bytes, "byte")
    );
    document.field(ALL, "format", format);
    if let Some(place) = &report.output.planned {
        document.field(ALL, "would write", place.clone());
    }
    if let Some(workload) = &report.workload {
        let stack = workload.stack.as_ref().map(|stack| format!(" on {stack}"));
        let stack = stack.unwrap_or_default();
        let text = format!("{}{stack}, {}", workload.name, workload.state);
        document.field(ALL, "workload", text);
    }
    if let Some(session) = &report.session {
        let [kept, added, dropped] = [session.kept, session.added, session.dropped].map(commas);
        let text = format!(
            "{} ({}), {kept} cuts kept, {added} new, {dropped} forgotten",
            session.name, session.source
        );
        document.field(ALL, "session", text);
    }
    if let Some(stable) = report.prefix_stable {
        let (messages, bytes) = (
            counted(stable.messages, "message"),
            counted(stable.bytes, "byte"),
        );
        document.field(ALL, "as before", format!("{messages}, {bytes}"));
    }
}

/// Returns the change of the next request's input price that the cuts cause.
fn price_of(next: &NextRequest) -> String {
    let again = match next.cached_again {
        0 => String::new(),
        tokens => format!(", {} tokens cached again", commas(tokens)),
    };
    let (before, after) = (next.usd_before, next.usd_after);
    let [from, to] = [before, after].map(dollars);
    let growth = growth(before, after);
    format!("input {from} → {to} ({growth}){again}; `deadhead replay` counts the session")
}

/// Adds what was cut from copies, and where the output first differs.
fn add_totals(document: &mut Document<'_>, report: &Report) {
    let copies = report.copies;
    if copies.cuts > 0 {
        let (cuts, bytes) = (counted(copies.cuts, "cut"), commas(copies.bytes_removed));
        document.field(ALL, "copies", format!("{cuts}, {bytes} bytes, no tokens"));
    }
    if copies.left > 0 {
        let text = format!("{} kept; --log-copies cuts them", commas(copies.left));
        document.field(ALL, "copies", text);
    }
    if let Some(first) = report.first_change {
        let place = match first.message {
            0 => "outside the messages".to_owned(),
            number => format!("message {}", commas(number)),
        };
        let text = format!("{place}, byte {}", commas(first.byte));
        document.field(ALL, "first change", text);
    }
}

/// Returns the source of the time of the last call, in words.
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

fn defects(integrity: &Integrity) -> impl Iterator<Item = Note> {
    let new = ("new in the output", Defect, new_defects(integrity));
    let old = ("in the input", OldDefect, by_code(&integrity.before));
    [new, old]
        .into_iter()
        .filter(|(.., counts)| !counts.is_empty())
        .map(|(what, kind, counts)| {
            let texts = counts
                .iter()
                .map(|(code, n)| format!("{code} × {}", commas(*n)));
            Note {
                kind,
                what,
                texts: texts.collect(),
            }
        })
}
