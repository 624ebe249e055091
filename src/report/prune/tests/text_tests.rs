//! Reports as text.

use super::super::super::{ReportFormat, TextStyle};
use super::{defect, print, render};
use deadhead_core::diagnostics::Warning;
use deadhead_core::internal::terminal_text::width;
use deadhead_core::outcome::Report;
use proptest::prelude::*;

fn text(verbose: bool, reports: &[Report]) -> String {
    print(ReportFormat::Text, verbose, reports)
}

const PRUNED: &str = "\
session.jsonl: 10,250 → 5,763 tokens (-44 %), 1 trimmed, 2 cleared, last call 47 m ago
  decision     cache-ttl, ran: the last call is older than the ttl of 5 m
  last call    2026-01-02T03:04:05Z, from the newest assistant record
  window       200,000 tokens (default), ratio 0.52 → 0.29
  tokens       chars / 4
  format       openclaw, 120 records, 60,200 bytes
  workload     chat, active
  session      s1 (history), 0 cuts kept, 3 new, 0 forgotten
  as before    11 messages, 9,031 bytes
  first change message 12, byte 9,031
  pass        cuts  chars removed  left
  soft-trim      1          5,925     1
  hard-clear     2         12,023     0
  top tools  chars removed
  read              11,967
  exec               5,981
  defects      in the input: E04 × 1
  warnings     line 120: the last line is torn and passes through
               the format is ambiguous
";

const SIZES: &str = "  messages     80
  chars        41,000 → 23,052
  bytes        60,200 → 42,100
";

const VERBOSE: &str = "  message  line  before  after  action         pass        tool
     12/0    24   9,012  3,087  trim           soft-trim   exec
    call_abc
    older than the newest 3 assistant turns
     14/0    28  12,000     33  clear          hard-clear  read
    call_def
    older than the newest 3 assistant turns
     15/0    30      89     33  clear, linked  hard-clear  exec
    call_ghi
    older than the newest 3 assistant turns
  message  left by    why
     10/1  soft-trim  it holds an image
";

const UNTOUCHED: &str = "\
-:1: 249 tokens, nothing cut: the window is not full enough
  decision     adaptive, ran: the window is not full enough
  window       200,000 tokens (default), ratio 0.00
  tokens       chars / 4
  format       anthropic, 3 records, 1,000 bytes
";

#[test]
fn a_pruned_session() {
    assert_eq!(text(false, &[super::pruned()]), PRUNED);
}

#[test]
fn verbose_lists_every_cut_and_skip() {
    let (before, behind) = PRUNED.split_at(PRUNED.find("  first change").unwrap());
    let all = format!("{before}{SIZES}{behind}{VERBOSE}");
    assert_eq!(text(true, &[super::pruned()]), all);
}

#[test]
fn several_inputs_end_with_a_sum() {
    let expected = format!(
        "{UNTOUCHED}{PRUNED}2 inputs: 10,499 → 6,012 tokens (-43 %), 1 trimmed, 2 cleared\n"
    );
    assert_eq!(
        text(false, &[super::untouched(), super::pruned()]),
        expected
    );
}

#[test]
fn many_warnings_are_counted() {
    let mut report = super::untouched();
    report.warnings = (1..=1_234)
        .map(|line| Warning::at(line, "blank line"))
        .collect();
    let text = text(false, &[report]);
    let end = "               line 5: blank line\n               … and 1,229 more\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn new_defects_come_first_and_short_reasons_share_a_line() {
    let mut report = super::pruned();
    report.integrity.after = vec![defect("E07", 2), defect("E07", 3)];
    (report.cuts[0].call_id, report.cuts[0].reason) = (None, "too long".into());
    let text = text(true, &[report]);
    let defects =
        "  defects      new in the output: E07 × 2\n               in the input: E04 × 1\n";
    assert!(text.contains(defects), "{text}");
    let cut = "   9,012  3,087  trim           soft-trim   exec  too long\n";
    assert!(text.contains(cut), "{text}");
}

#[test]
fn the_total_is_one_line() {
    let many: Vec<Report> = (0..40).map(|_| super::pruned()).collect();
    let text = text(false, &many);
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("40 inputs: ") && last.ends_with("80 cleared"),
        "{text}"
    );
}

#[test]
fn colours_go_round_whole_lines() {
    let mut report = super::untouched();
    report.warnings.push(Warning::at(3, "blank line"));
    report.integrity.after.push(defect("E07", 2));
    let plain = text(false, std::slice::from_ref(&report));
    let coloured = render(
        ReportFormat::Text,
        TextStyle {
            colour: true,
            verbose: false,
            columns: 80,
            is_terminal: false,
        },
        &[report],
    );
    let codes: Vec<_> = coloured
        .lines()
        .map(|l| l.split_once('m').unwrap().0)
        .collect();
    let (bold, dim, red, yellow) = ("\x1b[1", "\x1b[2", "\x1b[31", "\x1b[33");
    assert_eq!(codes, [bold, dim, dim, dim, dim, red, yellow]);
    for (line, coloured) in plain.lines().zip(coloured.lines()) {
        assert!(coloured.ends_with(&format!("m{line}\x1b[0m")));
    }
}

proptest! {
    #[test]
    fn lines_fit_and_are_printable(
        name in "(\\PC|[日本語한글🦀]|[\\x00-\\x1f\\x7f-\\u{9f}]| ){0,150}",
        numbers in any::<[u64; 6]>(),
        dry in any::<bool>(),
    ) {
        let mut report = super::pruned();
        let [a, b, c, d, e, f] = numbers;
        report.input.path.clone_from(&name);
        report.input.format.clone_from(&name);
        report.decision.why.clone_from(&name);
        report.window.source.clone_from(&name);
        report.decision.last_call_source = Some(name.clone());
        report.warnings = vec![Warning::at(a, name.clone()); 9];
        report.skipped[0].why.clone_from(&name);
        (report.window.tokens, report.before.tokens, report.input.bytes) = (a, b, c);
        (report.before.chars, report.after.chars) = (d, e);
        for pass in &mut report.passes {
            (pass.cuts, pass.chars_removed, pass.skipped) = (a, b as i64, c);
            pass.name.clone_from(&name);
        }
        for cut in &mut report.cuts {
            (cut.chars_before, cut.chars_after) = (e, f);
            (cut.message, cut.part, cut.line) = (a as u32, b as u32, c as u32);
            cut.tool.clone_from(&name);
            cut.call_id = Some(name.clone());
            cut.reason.clone_from(&name);
        }
        if dry {
            report.output.path = None;
        }
        let text = text(true, &[report]);
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        for line in text.lines().skip(1) {
            prop_assert!(width(line) <= 80, "{} columns: {line}", width(line));
        }
    }
}
