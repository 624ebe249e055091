//! The report as one page, for a browser or a printer: what the text report says, with every cut and what was left.
//!
//! Of several inputs each has its details while all of them are small; else the page has a table of the [`Largest`], so that it
//! stays readable, and ten thousand bodies need no memory.

use super::chart::{Bar, bars};
use super::figures::{change, commas, counted, in_message, percent, place, ratios};
use super::hypertext::{Side, close, escape, open, table};
use super::largest::Largest;
use super::tally::{by_code, by_tool, new_defects};
use super::text::source_of_last_call;
use super::{Totals, headline};
use deadhead_core::diagnostics::{CutRow, Integrity, Skip};
use deadhead_core::outcome::Report;
use std::io::{self, Write};

/// Tools that are drawn.
const TOOLS: usize = 10;

/// Bytes that the details of several inputs may have together.
const DETAILS: usize = 512 << 10;

/// A page that is being made.
#[derive(Default)]
pub(super) struct Page {
    reports: u64,
    /// The details of all inputs, while they are small.
    details: Option<Vec<u8>>,
    largest: Largest,
}

impl Page {
    /// Adds a report.
    pub(super) fn one(&mut self, report: &Report) -> io::Result<()> {
        self.reports += 1;
        self.largest.add(report);
        if self.reports == 1 {
            self.details = Some(Vec::new());
        }
        if let Some(details) = &mut self.details {
            article(report, details)?;
        }
        self.details.take_if(|details| self.reports > 1 && details.len() > DETAILS);
        Ok(())
    }

    /// Writes the page, with what several inputs came to unless it was one that has its report.
    pub(super) fn end(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(open("Pruning report").as_bytes())?;
        out.write_all(self.details.as_deref().unwrap_or_default())?;
        if (totals.inputs, self.reports) != (1, 1) {
            let (before, after) = (totals.before, totals.after);
            writeln!(out, "<article>\n<h1>Total</h1>\n<p>{}</p>", escape(&headline::of_totals(totals)))?;
            cards(
                out,
                &[
                    (change(before.chars, after.chars), format!("chars ({})", percent(before.chars, after.chars))),
                    (change(before.tokens, after.tokens), "tokens".to_owned()),
                    (change(totals.bytes_in, totals.bytes_out), "bytes".to_owned()),
                ],
            )?;
            if self.reports > 0 && self.details.is_none() {
                self.largest.write(out)?;
            }
            writeln!(out, "</article>")?;
        }
        out.write_all(close().as_bytes())
    }
}

/// Writes the details of one input.
fn article(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (before, after) = (report.before, report.after);
    writeln!(out, "<article>\n<h1>{}</h1>", escape(&report.input.path))?;
    writeln!(out, "<p>{}</p>", escape(&headline::of_report(report)))?;
    cards(
        out,
        &[
            (change(before.chars, after.chars), format!("chars ({})", percent(before.chars, after.chars))),
            (change(before.tokens, after.tokens), format!("tokens ({})", headline::tokens_source(report))),
            (change(before.messages, after.messages), "messages".to_owned()),
            (ratios(before.ratio, after.ratio), format!("of {} tokens ({})", commas(report.window.tokens), report.window.source)),
            (change(report.input.bytes, report.output.bytes), "bytes".to_owned()),
        ],
    )?;
    facts(report, out)?;
    integrity(&report.integrity, out)?;
    for warning in &report.warnings {
        let line = warning.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        writeln!(out, "<p class=\"warn\">{}</p>", escape(&format!("{line}{}", warning.text)))?;
    }
    passes(report, out)?;
    tools(&report.cuts, out)?;
    cuts(&report.cuts, out)?;
    skips(&report.skipped, out)?;
    writeln!(out, "</article>")
}

fn cards(out: &mut dyn Write, cards: &[(String, String)]) -> io::Result<()> {
    writeln!(out, "<div class=\"cards\">")?;
    for (figure, what) in cards {
        writeln!(out, "<div class=\"card\"><b>{}</b><span class=\"soft\">{}</span></div>", escape(figure), escape(what))?;
    }
    writeln!(out, "</div>")
}

/// What there is to know of the run, as a table of words.
fn facts(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let decision = &report.decision;
    let ran = if decision.ran { "ran" } else { "did not run" };
    let mut facts = vec![("decision", format!("{}, {ran}: {}", decision.mode, decision.why))];
    if let Some(time) = &decision.last_call {
        facts.push(("last call", format!("{time}, {}", source_of_last_call(decision))));
    }
    facts.push((
        "format",
        format!("{}, {}, {}", report.input.format, counted(report.input.records, "record"), counted(report.input.bytes, "byte")),
    ));
    if let Some(workload) = &report.workload {
        let stack = workload.stack.as_ref().map(|stack| format!(" on {stack}")).unwrap_or_default();
        facts.push(("workload", format!("{}{stack}, {}", workload.name, workload.state)));
    }
    if let Some(session) = &report.session {
        let counts = [(session.kept, "kept"), (session.added, "new"), (session.dropped, "forgotten")];
        let counts: String = counts.iter().map(|(n, what)| format!(", {} {what}", commas(*n))).collect();
        facts.push(("session", format!("{} ({}){counts}", session.name, session.source)));
    }
    if let Some(stable) = report.prefix_stable {
        facts.push(("as before", format!("{}, {}", counted(stable.messages, "message"), counted(stable.bytes, "byte"))));
    }
    let mirrors = report.mirrors;
    if mirrors.cuts > 0 {
        facts.push(("mirrors", format!("{}, {} bytes, no tokens", counted(mirrors.cuts, "cut"), commas(mirrors.bytes_removed))));
    }
    if mirrors.left > 0 {
        facts.push(("mirrors", format!("{} left alone; --mirrors cuts them", counted(mirrors.left, "copy"))));
    }
    if let Some(first) = report.first_change {
        facts.push(("first change", format!("{}, byte {}", in_message(first.message, &commas(first.message)), commas(first.byte))));
    }
    table(out, &[("", Side::Left), ("", Side::Text)], facts.into_iter().map(|(label, text)| [label.to_owned(), text]))
}

fn integrity(integrity: &Integrity, out: &mut dyn Write) -> io::Result<()> {
    let (new, old) = (new_defects(integrity), by_code(&integrity.before));
    for (what, class, counts) in [("new in the output", "bad", new), ("in the input", "warn", old)] {
        if counts.is_empty() {
            continue;
        }
        let counts = counts.iter().map(|(code, n)| format!("{code} × {}", commas(*n))).collect::<Vec<_>>().join(", ");
        writeln!(out, "<p class=\"{class}\">Defects {what}: {}</p>", escape(&counts))?;
    }
    Ok(())
}

fn passes(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if report.passes.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Passes</h2>")?;
    let columns = [("pass", Side::Left), ("cuts", Side::Right), ("chars removed", Side::Right), ("left", Side::Right)];
    let rows = report.passes.iter();
    table(out, &columns, rows.map(|pass| [pass.name.clone(), commas(pass.cuts), commas(pass.chars_removed), commas(pass.skipped)]))
}

fn tools(cuts: &[CutRow], out: &mut dyn Write) -> io::Result<()> {
    let tools = by_tool(cuts);
    if tools.is_empty() {
        return Ok(());
    }
    let drawn = tools.into_iter().take(TOOLS).map(|(tool, chars)| Bar {
        label: if tool.is_empty() { "(none)".to_owned() } else { tool.to_owned() },
        text: format!("{} chars", commas(chars)),
        value: chars as f64,
        part: 0.0,
        class: "nowbar",
    });
    let drawn = bars(&drawn.collect::<Vec<_>>(), "Chars removed, by tool");
    writeln!(out, "<h2>Chars removed, by tool</h2>\n<div class=\"wide\">{drawn}</div>")
}

fn cuts(cuts: &[CutRow], out: &mut dyn Write) -> io::Result<()> {
    if cuts.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Cuts</h2>")?;
    let columns = [
        ("message", Side::Left),
        ("line", Side::Right),
        ("tool", Side::Name),
        ("call", Side::Name),
        ("before", Side::Right),
        ("after", Side::Right),
        ("action", Side::Left),
        ("pass", Side::Left),
        ("reason", Side::Text),
    ];
    let rows = cuts.iter().map(|cut| {
        let linked = if cut.linked { ", linked" } else { "" };
        [
            place(cut.message, cut.part),
            cut.line.to_string(),
            cut.tool.clone(),
            cut.call_id.clone().unwrap_or_default(),
            commas(cut.chars_before),
            commas(cut.chars_after),
            format!("{}{linked}", cut.action),
            cut.pass.to_owned(),
            cut.reason.clone(),
        ]
    });
    table(out, &columns, rows)
}

fn skips(skipped: &[Skip], out: &mut dyn Write) -> io::Result<()> {
    if skipped.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Left</h2>")?;
    let columns = [("message", Side::Left), ("pass", Side::Left), ("why", Side::Text)];
    table(out, &columns, skipped.iter().map(|skip| [place(skip.message, skip.part), skip.pass.to_owned(), skip.why.clone()]))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{self, print};
    use super::super::{ReportFormat, Totals};
    use super::Page;
    use deadhead_core::outcome::Report;
    use proptest::prelude::*;

    fn html(reports: &[Report]) -> String {
        print(ReportFormat::Html, 0, reports)
    }

    /// A report in which all that comes from an input is `name`.
    fn named(name: &str) -> Report {
        let mut report = samples::pruned();
        let texts = [&mut report.input.path, &mut report.decision.why, &mut report.warnings[0].text];
        let texts = texts.into_iter().chain([&mut report.skipped[0].why, &mut report.passes[0].name]);
        let of_cuts = report.cuts.iter_mut().flat_map(|cut| [&mut cut.tool, &mut cut.reason, cut.call_id.get_or_insert_default()]);
        texts.chain(of_cuts).for_each(|text| name.clone_into(text));
        report
    }

    /// Text without its tags, styles and entities.
    fn words(page: &str) -> String {
        let body = page.split_once("<body>").unwrap().1;
        let mut text = String::new();
        for piece in body.split('<') {
            text += piece.split_once('>').map_or(piece, |(_, after)| after);
            text.push(' ');
        }
        text
    }

    #[test]
    fn all_numbers_of_the_text_report_are_there() {
        let mut report = samples::pruned();
        report.mirrors = deadhead_core::diagnostics::MirrorTotal { cuts: 17, bytes_removed: 4_321, left: 1_919 };
        let page = words(&html(&[report.clone()]));
        let text = print(ReportFormat::Text, 1, &[report]);
        let numbers =
            text.split(|c: char| !c.is_ascii_digit() && c != ',' && c != '.').filter(|n| n.starts_with(|c: char| c.is_ascii_digit()));
        for number in numbers.map(|n| n.trim_end_matches([',', '.'])) {
            assert!(page.contains(number), "{number} of {text}\nis not in {page}");
        }
    }

    #[test]
    fn one_page_for_several_inputs_and_for_none() {
        let page = html(&[samples::pruned(), samples::untouched()]);
        assert_eq!((page.matches("<!doctype").count(), page.matches("</html>").count(), page.matches("<article>").count()), (1, 1, 3));
        assert!(page.contains("2 inputs: 41,999 → 24,051 chars (-43 %), 1 trimmed, 2 cleared"));
        assert_eq!(html(&[samples::pruned()]).matches("<article>").count(), 1);
        let mut out = Vec::new();
        let mut failed = Totals::default();
        failed.add_failed();
        Page::default().end(&failed, &mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(page.contains("1 input, 1 failed") && page.ends_with("</html>\n"), "{page}");
    }

    #[test]
    fn many_inputs_are_a_table_of_the_largest() {
        let mut reports = Vec::new();
        for n in 0..3_600 {
            let mut report = if n % 2 == 0 { samples::pruned() } else { samples::untouched() };
            report.input.path = format!("logs/{n}.jsonl");
            (report.before.chars, report.after.chars) = (1_000_000, 1_000_000 - n);
            reports.push(report);
        }
        let page = html(&reports);
        assert!(page.len() < 1_000_000, "{} bytes", page.len());
        assert_eq!((page.matches("<article>").count(), page.matches(".jsonl</td>").count()), (1, 100));
        assert!(page.contains("logs/3599.jsonl") && page.contains("3,500 inputs more") && !page.contains("logs/0.jsonl"));
        let sums = reports.iter().fold((0, 0), |sum, report| (sum.0 + report.before.chars, sum.1 + report.after.chars));
        assert!(page.contains(&super::change(sums.0, sums.1)), "the totals are of all");
    }

    proptest! {
        #[test]
        fn whatever_the_names_the_tags_are_ours(name in "(\\PC|[<>&\"'/]|[\\x00-\\x1f\\x7f-\\u{9f}]){0,60}") {
            let tags = |page: &str| ['<', '>', '"'].map(|c| page.matches(c).count());
            prop_assert_eq!(tags(&html(&[named(&name)])), tags(&html(&[named("x")])));
            let rows = |name: &str| {
                let mut largest = super::Largest::default();
                largest.add(&named(name));
                let mut out = Vec::new();
                largest.write(&mut out).unwrap();
                String::from_utf8(out).unwrap()
            };
            prop_assert_eq!(tags(&rows(&name)), tags(&rows("x")));
        }
    }
}
