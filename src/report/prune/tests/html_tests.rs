//! Reports as a page.

use super::super::super::ReportFormat;
use super::super::super::number_format::change;
use super::super::super::{Printer, TextStyle};
use super::super::{Pruning, Totals};
use super::print;
use deadhead_core::diagnostics::CopyTotal;
use deadhead_core::outcome::Report;
use proptest::prelude::*;

fn page_of(reports: &[Report]) -> String {
    print(ReportFormat::Html, false, reports)
}

/// A report in which all that comes from an input is `name`.
fn named(name: &str) -> Report {
    let mut report = super::pruned();
    let texts = [
        &mut report.input.path,
        &mut report.decision.why,
        &mut report.warnings[0].text,
    ];
    let texts = texts
        .into_iter()
        .chain([&mut report.skipped[0].why, &mut report.passes[0].name]);
    let of_cuts = report.cuts.iter_mut().flat_map(|cut| {
        [
            &mut cut.tool,
            &mut cut.reason,
            cut.call_id.get_or_insert_default(),
        ]
    });
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
    let mut report = super::pruned();
    report.copies = row!(CopyTotal {
        cuts: 17,
        bytes_removed: 4_321,
        left: 1_919
    });
    let page = words(&page_of(&[report.clone()]));
    let text = print(ReportFormat::Text, true, &[report]);
    let numbers = text
        .split(|c: char| !c.is_ascii_digit() && c != ',' && c != '.')
        .filter(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    for number in numbers.map(|n| n.trim_end_matches([',', '.'])) {
        assert!(
            page.contains(number),
            "{number} of {text}\nis not in {page}"
        );
    }
}

#[test]
fn one_page_for_several_inputs_and_for_none() {
    let page = page_of(&[super::pruned(), super::untouched()]);
    assert_eq!(
        ["<!doctype", "</html>", "<h1>", "<details>"].map(|tag| page.matches(tag).count()),
        [1, 1, 1, 2]
    );
    assert!(page.contains("2 inputs: 10,499 → 6,012 tokens (-43 %), 1 trimmed, 2 cleared"));
    let page = page_of(&[super::pruned()]);
    assert!(
        page.contains("<h1>session.jsonl</h1>") && !page.contains("<details>"),
        "{page}"
    );
    let mut failed = Totals::default();
    failed.add_failed();
    let look = TextStyle {
        colour: false,
        verbose: false,
        columns: 80,
        is_terminal: false,
    };
    let mut out = Vec::new();
    let mut printer = Printer::<Pruning>::new(ReportFormat::Html, look, String::new());
    printer.end(&failed, &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    assert!(
        page.contains("1 input, 1 failed") && page.ends_with("</html>\n"),
        "{page}"
    );
}

#[test]
fn many_inputs_are_a_table_of_the_largest() {
    let mut reports = Vec::new();
    for n in 0..3_600 {
        let mut report = if n % 2 == 0 {
            super::pruned()
        } else {
            super::untouched()
        };
        report.input.path = format!("logs/{n}.jsonl");
        (report.before.tokens, report.after.tokens) = (1_000_000, 1_000_000 - n);
        reports.push(report);
    }
    let page = page_of(&reports);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert_eq!(
        (
            page.matches("<details>").count(),
            page.matches(".jsonl</td>").count()
        ),
        (10, 100)
    );
    assert!(
        page.contains("logs/3599.jsonl")
            && page.contains("3,500 more")
            && !page.contains("logs/0.jsonl")
    );
    let sums = reports.iter().fold((0, 0), |sum, report| {
        (sum.0 + report.before.tokens, sum.1 + report.after.tokens)
    });
    assert!(
        page.contains(&change(sums.0, sums.1)),
        "the totals are of all"
    );
}

proptest! {
    #[test]
    fn whatever_the_names_the_tags_are_ours(name in "(\\PC|[<>&\"'/]|[\\x00-\\x1f\\x7f-\\u{9f}]){0,60}") {
        let tags = |page: &str| ['<', '>', '"'].map(|c| page.matches(c).count());
        prop_assert_eq!(tags(&page_of(&[named(&name)])), tags(&page_of(&[named("x")])));
        let several = |name: &str| page_of(&[named(name), named("y")]);
        prop_assert_eq!(tags(&several(&name)), tags(&several("x")));
    }
}
