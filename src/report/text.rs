//! The report for people: a line that a cron mail can be read by, then what there is to know, in 80 columns.
//!
//! Only the first line may be longer, as a path is of use only in full. Whatever comes from the input is escaped on its
//! way through [`columns`](super::columns), and colours are put on last, so that they count for no column.

use super::columns::{escape, fill, shorten, width, wrap};
use super::figures::{change, commas, counted, ratios};
use super::tally::{by_code, by_tool, new_defects};
use super::{CutRow, Integrity, Report, Skip, Totals, Warning, headline};
use std::io::{self, Write};

/// Columns of a line, the first excepted.
const COLUMNS: usize = 80;
/// Columns that a detail's label takes, its indent included.
const LABEL: usize = 15;
/// Warnings that are listed; of the others there is the number.
const WARNINGS: usize = 5;
/// Tools that are listed.
const TOOLS: usize = 5;

/// How a text report looks.
#[derive(Clone, Copy)]
pub(super) struct Look {
    /// Whether to use ANSI colours.
    pub(super) colour: bool,
    /// Whether to list every cut and skip.
    pub(super) verbose: bool,
}

/// What a line is about, and so its colour.
#[derive(Clone, Copy)]
enum Tone {
    Headline,
    Detail,
    Warning,
    Defect,
}

/// Prints a report.
pub(super) fn one(report: &Report, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page { look, out };
    let sentence = headline::of_report(report);
    page.line(
        Tone::Headline,
        &escape(&format!("{}: {sentence}", report.input.path)),
    )?;
    page.decision(report)?;
    page.sizes(report)?;
    page.passes(report)?;
    page.tools(&report.cuts)?;
    if let Some(first) = report.first_change {
        let text = format!("message {}, byte {}", first.message, commas(first.byte));
        page.field(Tone::Detail, "first change", &text)?;
    }
    page.integrity(&report.integrity)?;
    page.warnings(&report.warnings)?;
    if look.verbose {
        report.cuts.iter().try_for_each(|cut| page.cut(cut))?;
        report.skipped.iter().try_for_each(|skip| page.skip(skip))?;
    }
    Ok(())
}

/// Prints what several inputs came to.
pub(super) fn totals(totals: &Totals, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page { look, out };
    page.entry(Tone::Headline, "", &headline::of_totals(totals))
}

struct Page<'a> {
    look: Look,
    out: &'a mut dyn Write,
}

impl Page<'_> {
    fn decision(&mut self, report: &Report) -> io::Result<()> {
        let decision = &report.decision;
        let ran = if decision.ran { "ran" } else { "did not run" };
        let text = format!("{}, {ran}: {}", decision.mode, decision.why);
        self.field(Tone::Detail, "decision", &text)?;
        let Some(time) = &decision.last_call else {
            return Ok(());
        };
        let source = match decision.last_call_source.as_deref() {
            Some("flag") => "from --last-call",
            Some("state") => "from the state file",
            Some("marker") => "from the cache-ttl marker",
            Some("assistant") => "from the newest assistant record",
            Some(other) => other,
            None => "source unknown",
        };
        self.field(Tone::Detail, "last call", &format!("{time}, {source}"))
    }

    fn sizes(&mut self, report: &Report) -> io::Result<()> {
        let (window, before, after) = (&report.window, report.before, report.after);
        let ratio = ratios(before.ratio, after.ratio);
        let text = format!(
            "{} tokens ({}), ratio {ratio}",
            commas(window.tokens),
            window.source
        );
        self.field(Tone::Detail, "window", &text)?;
        let text = format!("{} (chars / 4)", change(before.tokens, after.tokens));
        self.field(Tone::Detail, "tokens", &text)?;
        let (records, bytes) = (report.input.records, report.input.bytes);
        let (records, bytes) = (counted(records, "record"), counted(bytes, "byte"));
        self.field(
            Tone::Detail,
            "format",
            &format!("{}, {records}, {bytes}", report.input.format),
        )
    }

    fn passes(&mut self, report: &Report) -> io::Result<()> {
        let mut label = "passes";
        for pass in &report.passes {
            let (name, cuts) = (fill(&pass.name, 16), counted(pass.cuts, "cut"));
            let chars = format!("{} chars", commas(pass.chars_removed));
            let left = match pass.skipped {
                0 => String::new(),
                n => format!("  {} left", commas(n)),
            };
            self.field(
                Tone::Detail,
                label,
                &format!("{name} {cuts:>10} {chars:>18}{left}"),
            )?;
            label = "";
        }
        Ok(())
    }

    fn tools(&mut self, cuts: &[CutRow]) -> io::Result<()> {
        let mut label = "top tools";
        for (tool, chars) in by_tool(cuts).into_iter().take(TOOLS) {
            let name = fill(if tool.is_empty() { "(none)" } else { tool }, 27);
            let chars = format!("{} chars", commas(chars));
            self.field(Tone::Detail, label, &format!("{name} {chars:>18}"))?;
            label = "";
        }
        Ok(())
    }

    fn integrity(&mut self, integrity: &Integrity) -> io::Result<()> {
        let (new, old) = (new_defects(integrity), by_code(&integrity.before));
        let mut label = "defects";
        for (what, counts) in [("new in the output", new), ("in the input", old)] {
            if counts.is_empty() {
                continue;
            }
            let counts = counts
                .iter()
                .map(|(code, n)| format!("{code} × {}", commas(*n)));
            let counts = counts.collect::<Vec<_>>().join(", ");
            self.field(Tone::Defect, label, &format!("{what}: {counts}"))?;
            label = "";
        }
        Ok(())
    }

    fn warnings(&mut self, warnings: &[Warning]) -> io::Result<()> {
        let mut label = "warnings";
        for warning in warnings.iter().take(WARNINGS) {
            let text = match warning.line {
                Some(line) => format!("line {line}: {}", warning.text),
                None => warning.text.clone(),
            };
            self.field(Tone::Warning, label, &text)?;
            label = "";
        }
        match warnings.len().saturating_sub(WARNINGS) {
            0 => Ok(()),
            n => self.field(Tone::Warning, label, &format!("… and {n} more")),
        }
    }

    /// A cut: on a line with its reason if they fit, else the reason on lines of its own.
    fn cut(&mut self, cut: &CutRow) -> io::Result<()> {
        let place = format!("message {}.{}  line {}", cut.message, cut.part, cut.line);
        let linked = if cut.linked { ", linked" } else { "" };
        let sizes = format!(
            "{}  {}{linked}",
            change(cut.chars_before, cut.chars_after),
            cut.action
        );
        let room = COLUMNS.saturating_sub(2 + width(&place) + 2 + 2 + width(&sizes));
        let id = cut.call_id.as_deref().unwrap_or_default();
        let facts = match format!("{} {id}", cut.tool).trim() {
            "" => format!("{place}  {sizes}"),
            who => format!("{place}  {}  {sizes}", shorten(who, room)),
        };
        let reason = escape(&cut.reason);
        if 2 + width(&facts) + 2 + width(&reason) <= COLUMNS {
            return self.entry(Tone::Detail, "  ", &format!("{facts}  {reason}"));
        }
        self.entry(Tone::Detail, "  ", &facts)?;
        self.entry(Tone::Detail, "    ", &reason)
    }

    fn skip(&mut self, skip: &Skip) -> io::Result<()> {
        let Skip {
            pass,
            message,
            part,
            why,
        } = skip;
        self.entry(
            Tone::Detail,
            "  ",
            &format!("message {message}.{part}  left by {pass}: {why}"),
        )
    }

    /// A labelled detail; further lines stand under the first.
    fn field(&mut self, tone: Tone, label: &str, text: &str) -> io::Result<()> {
        let mut lead = fill(&format!("  {label}"), LABEL);
        for line in wrap(text, COLUMNS - LABEL) {
            self.line(tone, &format!("{lead}{line}"))?;
            lead = " ".repeat(LABEL);
        }
        Ok(())
    }

    /// A line under `indent`, further ones four deeper.
    fn entry(&mut self, tone: Tone, indent: &str, text: &str) -> io::Result<()> {
        let mut lead = indent.to_owned();
        for line in wrap(text, COLUMNS - indent.len() - 4) {
            self.line(tone, &format!("{lead}{line}"))?;
            lead = format!("{indent}    ");
        }
        Ok(())
    }

    /// A line that is escaped and laid out.
    fn line(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        let code = match tone {
            _ if !self.look.colour => return writeln!(self.out, "{text}"),
            Tone::Headline => 1,
            Tone::Detail => 2,
            Tone::Warning => 33,
            Tone::Defect => 31,
        };
        writeln!(self.out, "\x1b[{code}m{text}\x1b[0m")
    }
}
