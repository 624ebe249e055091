//! The report as tables, for a pull request or a mail. Everything that the input named is escaped or in a code span.

use super::figures::{commas, in_message, place};
use super::markup::{name, prose, row, table};
use super::tally::{by_code, new_defects};
use super::{Totals, headline};
use deadhead_core::diagnostics::{CutRow, Integrity, PassTotal, Warning};
use deadhead_core::outcome::Report;
use std::io::{self, Write};

/// Prints a report.
pub(super) fn one(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## {}\n", name(&report.input.path))?;
    writeln!(out, "{}\n", prose(&headline::of_report(report)))?;
    summary(report, out)?;
    passes(&report.passes, out)?;
    cuts(&report.cuts, out)?;
    defects(&report.integrity, out)?;
    warnings(&report.warnings, out)
}

/// Prints what several inputs came to.
pub(super) fn totals(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## Total\n\n{}\n", prose(&headline::of_totals(totals)))?;
    let (before, after) = (totals.before, totals.after);
    table(out, &["", "before", "after"], "lrr")?;
    row(out, &["chars".into(), commas(before.chars), commas(after.chars)])?;
    row(out, &["tokens".into(), commas(before.tokens), commas(after.tokens)])?;
    row(out, &["bytes".into(), commas(totals.bytes_in), commas(totals.bytes_out)])?;
    writeln!(out)
}

fn summary(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (before, after) = (report.before, report.after);
    table(out, &["", "before", "after"], "lrr")?;
    row(out, &["messages".into(), commas(before.messages), commas(after.messages)])?;
    row(out, &["chars".into(), commas(before.chars), commas(after.chars)])?;
    row(out, &[format!("tokens ({})", headline::tokens_source(report)), commas(before.tokens), commas(after.tokens)])?;
    row(out, &["ratio".into(), format!("{:.2}", before.ratio), format!("{:.2}", after.ratio)])?;
    row(out, &["bytes".into(), commas(report.input.bytes), commas(report.output.bytes)])?;
    writeln!(out)?;
    let ran = if report.decision.ran { "ran" } else { "did not run" };
    let (mode, why) = (prose(&report.decision.mode), prose(&report.decision.why));
    writeln!(out, "- decision: {mode}, {ran}: {why}")?;
    let (tokens, source) = (commas(report.window.tokens), prose(&report.window.source));
    writeln!(out, "- window: {tokens} tokens ({source})")?;
    writeln!(out, "- format: {}, {} records", prose(&report.input.format), commas(report.input.records))?;
    if let Some(workload) = &report.workload {
        writeln!(out, "- workload: {}, {}", prose(&workload.name), workload.state)?;
    }
    if let Some(session) = &report.session {
        let counts = format!("{} cuts kept, {} new, {} forgotten", commas(session.kept), commas(session.added), commas(session.dropped));
        writeln!(out, "- session: {} ({}), {counts}", prose(&session.name), session.source)?;
    }
    if let Some(stable) = report.prefix_stable {
        writeln!(out, "- as before: {} messages, {} bytes", commas(stable.messages), commas(stable.bytes))?;
    }
    if report.mirrors.cuts > 0 {
        let (cuts, bytes) = (commas(report.mirrors.cuts), commas(report.mirrors.bytes_removed));
        writeln!(out, "- mirrors: {cuts} cut, {bytes} bytes, no tokens")?;
    }
    if let Some(first) = report.first_change {
        writeln!(out, "- first change: {}, byte {}", in_message(first.message, &first.message.to_string()), commas(first.byte))?;
    }
    writeln!(out)
}

fn passes(passes: &[PassTotal], out: &mut dyn Write) -> io::Result<()> {
    if passes.is_empty() {
        return Ok(());
    }
    table(out, &["pass", "cuts", "chars removed", "left"], "lrrr")?;
    for pass in passes {
        let (cuts, left) = (commas(pass.cuts), commas(pass.skipped));
        row(out, &[prose(&pass.name), cuts, commas(pass.chars_removed), left])?;
    }
    writeln!(out)
}

fn cuts(cuts: &[CutRow], out: &mut dyn Write) -> io::Result<()> {
    if cuts.is_empty() {
        return Ok(());
    }
    let columns = ["message", "line", "tool", "call", "before", "after", "action", "reason"];
    table(out, &columns, "rrllrrll")?;
    for cut in cuts {
        let linked = if cut.linked { ", linked" } else { "" };
        row(
            out,
            &[
                place(cut.message, cut.part),
                cut.line.to_string(),
                name(&cut.tool),
                name(cut.call_id.as_deref().unwrap_or_default()),
                commas(cut.chars_before),
                commas(cut.chars_after),
                format!("{}{linked}", cut.action),
                prose(&cut.reason),
            ],
        )?;
    }
    writeln!(out)
}

fn defects(integrity: &Integrity, out: &mut dyn Write) -> io::Result<()> {
    let (new, old) = (new_defects(integrity), by_code(&integrity.before));
    if new.is_empty() && old.is_empty() {
        return Ok(());
    }
    writeln!(out, "Defects:\n")?;
    for (what, counts) in [("new in the output", new), ("in the input", old)] {
        for (code, n) in counts {
            writeln!(out, "- {what}: {code} × {}", commas(n))?;
        }
    }
    writeln!(out)
}

fn warnings(warnings: &[Warning], out: &mut dyn Write) -> io::Result<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    writeln!(out, "Warnings:\n")?;
    for warning in warnings {
        match warning.line {
            Some(line) => writeln!(out, "- line {line}: {}", prose(&warning.text))?,
            None => writeln!(out, "- {}", prose(&warning.text))?,
        }
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::super::ReportFormat;
    use super::super::samples::{self, print};
    use deadhead_core::outcome::Report;

    fn markdown(reports: &[Report]) -> String {
        print(ReportFormat::Markdown, 0, reports)
    }

    const PRUNED: &str = "\
## `session.jsonl`

41,000 → 23,052 chars (-44 %), 1 trimmed, 2 cleared, last call 47 m ago

|  | before | after |
| --- | ---: | ---: |
| messages | 80 | 80 |
| chars | 41,000 | 23,052 |
| tokens (chars / 4) | 10,250 | 5,763 |
| ratio | 0.52 | 0.29 |
| bytes | 60,200 | 42,100 |

- decision: cache-ttl, ran: the last call is older than the ttl of 5 m
- window: 200,000 tokens (default)
- format: openclaw, 120 records
- workload: chat, active
- session: s1 (history), 0 cuts kept, 3 new, 0 forgotten
- as before: 11 messages, 9,031 bytes
- first change: message 12, byte 9,031

| pass | cuts | chars removed | left |
| --- | ---: | ---: | ---: |
| soft-trim | 1 | 5,925 | 1 |
| hard-clear | 2 | 12,023 | 0 |

| message | line | tool | call | before | after | action | reason |
| ---: | ---: | --- | --- | ---: | ---: | --- | --- |
| 12/0 | 24 | `exec` | `call_abc` | 9,012 | 3,087 | trim | older than the newest 3 assistant turns |
| 14/0 | 28 | `read` | `call_def` | 12,000 | 33 | clear | older than the newest 3 assistant turns |
| 15/0 | 30 | `exec` | `call_ghi` | 89 | 33 | clear, linked | older than the newest 3 assistant turns |

Defects:

- in the input: E04 × 1

Warnings:

- line 120: the last line is torn and passes through
- the format is ambiguous

";

    const TOTAL: &str = "\
## Total

2 inputs: 41,999 → 24,051 chars (-43 %), 1 trimmed, 2 cleared

|  | before | after |
| --- | ---: | ---: |
| chars | 41,999 | 24,051 |
| tokens | 10,499 | 6,012 |
| bytes | 61,200 | 43,100 |

";

    #[test]
    fn a_pruned_session() {
        assert_eq!(markdown(&[samples::pruned()]), PRUNED);
    }

    #[test]
    fn several_inputs_end_with_a_total() {
        let text = markdown(&[samples::pruned(), samples::untouched()]);
        assert!(text.starts_with(PRUNED), "{text}");
        assert!(text.ends_with(TOTAL), "{text}");
    }

    #[test]
    fn a_row_keeps_its_columns() {
        let mut report = samples::pruned();
        report.cuts[0].tool = "a|b`\n| c |".into();
        report.cuts[0].reason = "x | y\n\\| z".into();
        let text = markdown(&[report]);
        let rows: Vec<_> = text.lines().filter(|l| l.starts_with("| 12/0")).collect();
        let bars = rows[0].replace("\\\\", "").replace("\\|", "").matches('|').count();
        assert_eq!((rows.len(), bars), (1, 9), "{}", rows[0]);
    }
}
