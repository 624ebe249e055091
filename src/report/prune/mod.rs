//! The report of a pruned input, and of several inputs together.

mod diff;
mod headline;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod totals;

pub use diff::diff;
pub use totals::Totals;

use super::{document::*, number_format::*, printer::Kind, several::Figures};
use deadhead_core::{
    diagnostics::{CopyTotal, CutRow, Decision, DefectRow, Integrity, NextRequest},
    internal::terminal_text::escape,
    outcome::Report,
};
use serde::Serialize;
use std::collections::BTreeMap;
use tables::*;
use tally::{by_code, by_tool, new_defects};

/// The number of tools that are listed.
const TOOLS: usize = 10;
/// The number of tools that a brief text lists.
const BRIEF_TOOLS: usize = 5;

/// Reports of pruning.
pub enum Pruning {}

impl Kind for Pruning {
    type One = Report;
    type All = Totals;
    const PAGE: &'static str = "Pruning report";

    fn one(report: &Report) -> Document<'_> {
        document(report)
    }

    fn all(totals: &Totals) -> Document<'_> {
        let mut all = Document::new("", headline::of_totals(totals)).titled("Total");
        all.detail(|all| {
            let (before, after) = (totals.before.chars, totals.after.chars);
            all.fact("chars", change(before, after));
            all.fact("bytes", change(totals.bytes_in, totals.bytes_out));
        });
        all
    }

    fn figures(report: &Report) -> Figures {
        let defects: u64 = new_defects(&report.integrity).values().sum();
        let counts = [report.cuts.len(), report.warnings.len()];
        let [cuts, warnings] = counts.map(|count| count as f64);
        let [before, after] = [report.before, report.after].map(|size| size.tokens as f64);
        [before, after, cuts, defects as f64, warnings, 0.0]
    }

    fn columns<'a>() -> Vec<Column<(&'a str, Figures)>> {
        fn count(figure: f64) -> String {
            commas(figure as u64)
        }
        vec![
            ("tokens", Right, |(_, of)| {
                change(of[0] as u64, of[1] as u64)
            }),
            ("change", Right, |(_, of)| growth(of[0], of[1])),
            ("cuts", Right, |(_, of)| count(of[2])),
            ("new defects", Aside, |(_, of)| count(of[3])),
            ("warnings", Right, |(_, of)| count(of[4])),
            ("input", Tail, |(name, _)| name.to_owned()),
        ]
    }

    fn is_worth_a_line(report: &Report) -> bool {
        report.passes.iter().any(|pass| pass.cuts > 0)
    }

    fn has_totals(totals: &Totals) -> bool {
        totals.inputs > 1 || totals.skipped > 0
    }
}

fn document(report: &Report) -> Document<'_> {
    let mut document = Document::new(report.input.path.clone(), headline::of_report(report));
    add_run(&mut document, report);
    document.detail(|more| {
        let (before, after) = (report.before, report.after);
        more.fact("messages", change(before.messages, after.messages));
        more.fact("chars", change(before.chars, after.chars));
        more.fact("bytes", change(report.input.bytes, report.output.bytes));
    });
    add_totals(&mut document, report);
    add_passes(&mut document, report, &by_tool(&report.cuts));
    document.heading("Defects and warnings");
    document.notes("defects", defects(&report.integrity));
    document.warnings(&report.warnings);
    document.detail(|more| add_cuts(more, report));
    document
}

/// Adds the decision of a run and the values on which it is based.
fn add_run(document: &mut Document<'_>, report: &Report) {
    let decision = &report.decision;
    let ran = if decision.ran { "ran" } else { "did not run" };
    let text = format!("{}, {ran}: {}", decision.mode, decision.why);
    document.fact("decision", text);
    if let Some(time) = &decision.last_call {
        let text = format!("{time}, {}", source_of_last_call(decision));
        document.fact("last call", text);
    }
    let (before, after, window) = (report.before, report.after, &report.window);
    let window = format!("{} tokens ({})", commas(window.tokens), window.source);
    let ratios = ratios(before.ratio, after.ratio);
    let by = report.ratio_by.map_or("", |_| " by chars / 4");
    document.fact("window", format!("{window}, ratio {ratios}{by}"));
    document.fact(
        "tokens",
        match report.tokens_source {
            "chars" => "chars / 4",
            source => source,
        },
    );
    if let Some(next) = &report.cache.next_request {
        document.fact("next request", price_of(next));
    }
    if let Some(number) = report.cache.marked {
        let text =
            format!("a mark added to message {number}: the prompt up to there is still cached");
        document.fact("cache", text);
    }
    let input = &report.input;
    let format = format!(
        "{}, {}, {}",
        input.format,
        counted(input.records, "record"),
        counted(input.bytes, "byte")
    );
    document.fact("format", format);
    if let Some(place) = &report.output.planned {
        document.fact("would write", place.clone());
    }
    if let Some(workload) = &report.workload {
        let stack = workload.stack.as_ref().map(|stack| format!(" on {stack}"));
        let stack = stack.unwrap_or_default();
        let text = format!("{}{stack}, {}", workload.name, workload.state);
        document.fact("workload", text);
    }
    if let Some(session) = &report.session {
        let [kept, added, dropped] = [session.kept, session.added, session.dropped].map(commas);
        let text = format!(
            "{} ({}), {kept} cuts kept, {added} new, {dropped} forgotten",
            session.name, session.source
        );
        document.fact("session", text);
    }
    if let Some(stable) = report.prefix_stable {
        let (messages, bytes) = (
            counted(stable.messages, "message"),
            counted(stable.bytes, "byte"),
        );
        document.fact("as before", format!("{messages}, {bytes}"));
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
        document.fact("copies", format!("{cuts}, {bytes} bytes, no tokens"));
    }
    if copies.left > 0 {
        let text = format!("{} kept; --log-copies cuts them", commas(copies.left));
        document.fact("copies", text);
    }
    if let Some(first) = report.first_change {
        let place = match first.message {
            0 => "outside the messages".to_owned(),
            number => format!("message {}", commas(number)),
        };
        let text = format!("{place}, byte {}", commas(first.byte));
        document.fact("first change", text);
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
    let new = ("new in the output", true, new_defects(integrity));
    let old = ("in the input", false, by_code(&integrity.before));
    [new, old]
        .into_iter()
        .filter(|(.., counts)| !counts.is_empty())
        .map(|(what, is_defect, counts)| {
            let texts = counts
                .iter()
                .map(|(code, n)| format!("{code} × {}", commas(*n)));
            Note {
                is_defect,
                what,
                texts: texts.collect(),
            }
        })
}
