//! The report as tables, for a pull request or a mail. Everything that the input named is escaped or in a code span.

use super::columns::escape;
use super::figures::commas;
use super::tally::{by_code, new_defects};
use super::{CutRow, Integrity, PassTotal, Report, Totals, Warning, headline};
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
    row(
        out,
        &["chars".into(), commas(before.chars), commas(after.chars)],
    )?;
    row(
        out,
        &["tokens".into(), commas(before.tokens), commas(after.tokens)],
    )?;
    row(
        out,
        &[
            "bytes".into(),
            commas(totals.bytes_in),
            commas(totals.bytes_out),
        ],
    )?;
    writeln!(out)
}

fn summary(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (before, after) = (report.before, report.after);
    table(out, &["", "before", "after"], "lrr")?;
    row(
        out,
        &[
            "messages".into(),
            commas(before.messages),
            commas(after.messages),
        ],
    )?;
    row(
        out,
        &["chars".into(), commas(before.chars), commas(after.chars)],
    )?;
    row(
        out,
        &["tokens".into(), commas(before.tokens), commas(after.tokens)],
    )?;
    row(
        out,
        &[
            "ratio".into(),
            format!("{:.2}", before.ratio),
            format!("{:.2}", after.ratio),
        ],
    )?;
    row(
        out,
        &[
            "bytes".into(),
            commas(report.input.bytes),
            commas(report.output.bytes),
        ],
    )?;
    writeln!(out)?;
    let ran = if report.decision.ran {
        "ran"
    } else {
        "did not run"
    };
    let (mode, why) = (prose(&report.decision.mode), prose(&report.decision.why));
    writeln!(out, "- decision: {mode}, {ran}: {why}")?;
    let (tokens, source) = (commas(report.window.tokens), prose(&report.window.source));
    writeln!(out, "- window: {tokens} tokens ({source})")?;
    writeln!(
        out,
        "- format: {}, {} records",
        prose(&report.input.format),
        commas(report.input.records)
    )?;
    if let Some(first) = report.first_change {
        writeln!(
            out,
            "- first change: message {}, byte {}",
            first.message,
            commas(first.byte)
        )?;
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
        row(
            out,
            &[prose(&pass.name), cuts, commas(pass.chars_removed), left],
        )?;
    }
    writeln!(out)
}

fn cuts(cuts: &[CutRow], out: &mut dyn Write) -> io::Result<()> {
    if cuts.is_empty() {
        return Ok(());
    }
    let columns = [
        "message", "line", "tool", "call", "before", "after", "action", "reason",
    ];
    table(out, &columns, "rrllrrll")?;
    for cut in cuts {
        let linked = if cut.linked { ", linked" } else { "" };
        row(
            out,
            &[
                format!("{}.{}", cut.message, cut.part),
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

/// The head of a table; `sides` has `l` or `r` for each column.
fn table(out: &mut dyn Write, columns: &[&str], sides: &str) -> io::Result<()> {
    writeln!(out, "| {} |", columns.join(" | "))?;
    let rules: Vec<_> = sides
        .chars()
        .map(|c| if c == 'r' { "---:" } else { "---" })
        .collect();
    writeln!(out, "| {} |", rules.join(" | "))
}

fn row(out: &mut dyn Write, cells: &[String]) -> io::Result<()> {
    writeln!(out, "| {} |", cells.join(" | "))
}

/// A name of the input as a code span, or as prose if it would break out of one.
fn name(text: &str) -> String {
    let printable = escape(text);
    match printable.as_str() {
        "" => String::new(),
        span if span.trim().is_empty() || span.contains(['`', '|']) => prose(span),
        span => format!("`{span}`"),
    }
}

/// Text in which nothing is markup, on one line.
fn prose(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in escape(&text.replace(['\r', '\n', '\t'], " ")).chars() {
        if "\\`*_[]<>#~&|".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}
