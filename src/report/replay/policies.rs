//! The policies of a replay beside each other: as lines, as a table, as bars.

use super::super::chart::Bar;
use super::super::document::{BRIEF, Block, Column, Document, HTML, MARKDOWN, Side, Style, TABLES, TEXT, Table, VERBOSE};
use super::super::number_format::{commas, dollars, growth, thousands};
use deadhead_core::terminal_text::fill;
use deadhead_replay::summary::{PolicyRow, Sums, Totals};

/// Policies that are listed, or drawn; of more those that no other beats.
const ROWS: usize = 12;

/// Adds the policies to a report.
pub fn add<'a>(document: &mut Document<'a>, sums: &'a Sums) {
    document.add(HTML, Block::Heading("Cost by policy"));
    document.add(HTML, Block::Bars("Dollars by policy", bars(sums)));
    let rows = sums.policies.iter().map(|policy| {
        let (best, cuts) = (policy.pareto && sums.policies.len() > 2, [commas(policy.cuts), commas(policy.regret.cuts)]);
        cells(sums, &name_of(policy), &policy.totals, cuts, [policy.pareto, best])
    });
    let none = cells(sums, "no pruning", &sums.baseline, ["-".to_owned(), "-".to_owned()], [false, false]);
    document.add(TABLES, Block::Table(Table::new(&COLUMNS, [none].into_iter().chain(rows)).plain()));
    if sums.policies.len() > ROWS {
        document.add(BRIEF, Block::Lines(lines(sums, true)));
        document.add(VERBOSE, Block::Lines(lines(sums, false)));
    } else {
        document.add(TEXT, Block::Lines(lines(sums, false)));
    }
    let (before, after) = (sums.baseline.misses(), sums.pruned.misses());
    let missed = format!("Prompts that were not in the cache: without pruning {before}; pruned {after}.");
    document.add(HTML, Block::Paragraph(Style::Plain, missed));
    if sums.policies.len() > 2 {
        document.add(HTML, Block::Paragraph(Style::Soft, format!("★ {BEST}.")));
    }
}

/// What sets a policy apart.
const BEST: &str = "none is cheaper without more regrets, nor less regretted for less";

/// The columns of the table.
const COLUMNS: [Column; 15] = [
    (TABLES, "policy", Side::First),
    (TABLES, "dollars", Side::Right),
    (TABLES, "change", Side::Right),
    (MARKDOWN, "cache reads", Side::Right),
    (HTML, "read", Side::Right),
    (MARKDOWN, "written", Side::Right),
    (HTML, "written", Side::Right),
    (HTML, "uncached", Side::Right),
    (MARKDOWN, "misses", Side::Right),
    (TABLES, "peak", Side::Right),
    (TABLES, "cuts", Side::Right),
    (TABLES, "regrets", Side::Right),
    (HTML, "misses", Side::Right),
    (MARKDOWN, "Pareto", Side::Left),
    (HTML, "", Side::Best),
];

fn cells(sums: &Sums, name: &str, totals: &Totals, cuts: [String; 2], [pareto, best]: [bool; 2]) -> Vec<String> {
    let (read, written, uncached) = (totals.cache_read, totals.cache_write, totals.uncached);
    let [cuts, regrets] = cuts;
    let yes = |is: bool| if is { "yes".to_owned() } else { String::new() };
    vec![
        name.to_owned(),
        dollars(totals.usd),
        growth(sums.baseline.usd, totals.usd),
        thousands(read),
        thousands(read),
        thousands(written + uncached),
        thousands(written),
        thousands(uncached),
        totals.misses(),
        thousands(totals.peak),
        cuts,
        regrets,
        commas(totals.missed()),
        yes(pareto),
        yes(best),
    ]
}

/// The same as lines with their head; of many policies those that no other beats.
fn lines(sums: &Sums, are_best: bool) -> Vec<String> {
    let line = |name: &str, totals: &Totals, cuts: String, regret: String| {
        let change = growth(sums.baseline.usd, totals.usd);
        columns(name, &[dollars(totals.usd), change, commas(totals.missed()), thousands(totals.peak), cuts, regret])
    };
    let mut lines = vec![columns("  policy", &["dollars", "change", "misses", "peak", "cuts", "regret"].map(str::to_owned))];
    lines.push(line("  no pruning", &sums.baseline, "-".to_owned(), "-".to_owned()));
    let mut rows: Vec<_> = sums.policies.iter().filter(|row| !are_best || row.pareto).collect();
    if sums.policies.len() > 6 {
        rows.sort_by(|a, b| a.totals.usd.total_cmp(&b.totals.usd));
    }
    for policy in rows {
        let mark = if policy.pareto && sums.policies.len() > 2 { "* " } else { "  " };
        let regret = format!("{:.0} %", policy.regret.rate * 100.0);
        lines.push(line(&format!("{mark}{}", name_of(policy)), &policy.totals, commas(policy.cuts), regret));
    }
    if sums.policies.len() > 2 {
        let others = sums.policies.iter().filter(|row| !row.pareto).count();
        let hidden = if are_best { format!("; {others} others with -v") } else { String::new() };
        lines.push(format!("  * {BEST}{hidden}"));
    }
    lines
}

fn columns(name: &str, cells: &[String; 6]) -> String {
    let widths = [10, 9, 8, 9, 7, 8];
    let right: String = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
    format!("{}{right}", fill(name, 29))
}

fn bars(sums: &Sums) -> Vec<Bar> {
    let bar = |label: String, totals: &Totals, class| Bar {
        text: format!("{} ({})", dollars(totals.usd), growth(sums.baseline.usd, totals.usd)),
        value: totals.usd,
        part: 0.0,
        label,
        class,
    };
    let class = |row: &PolicyRow| if row.manner == "transient" { "otherbar" } else { "nowbar" };
    let rows = sums.policies.iter().filter(|row| sums.policies.len() <= ROWS || row.pareto);
    let rows = rows.map(|row| bar(name_of(row), &row.totals, class(row)));
    [bar("no pruning".to_owned(), &sums.baseline, "wasbar")].into_iter().chain(rows).collect()
}

fn name_of(row: &PolicyRow) -> String {
    if row.manner == "transient" { format!("{}, transient", row.name) } else { row.name.clone() }
}
