//! The report for people: a line that a cron mail can be read by, then what there is to know, in 80 columns.
//!
//! Only the first line may be longer, as a path is of use only in full.

use super::figures::{change, commas, counted, in_message, place, ratios};
use super::page::{COLUMNS, Look, Page, Tone};
use super::tally::{by_code, by_tool, new_defects};
use super::{Totals, headline};
use deadhead_core::diagnostics::{CutRow, Decision, Integrity, MirrorTotal, Skip, Warning};
use deadhead_core::outcome::Report;
use deadhead_core::terminal_text::{escape, fill, shorten, width};
use std::io::{self, Write};

/// Warnings that are listed; of the others there is the number.
const WARNINGS: usize = 5;
/// Tools that are listed.
const TOOLS: usize = 5;

/// Prints the first line of a report, if something was cut.
pub(super) fn brief(report: &Report, look: Look, out: &mut dyn Write) -> io::Result<()> {
    if report.passes.iter().all(|pass| pass.cuts == 0) {
        return Ok(());
    }
    Page::new(look, out).headline(report)
}

/// Prints a report.
pub(super) fn one(report: &Report, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(look, out);
    page.headline(report)?;
    page.decision(report)?;
    page.sizes(report)?;
    page.session(report)?;
    page.passes(report)?;
    page.mirrors(report.mirrors)?;
    page.tools(&report.cuts)?;
    if let Some(first) = report.first_change {
        let text = format!("{}, byte {}", in_message(first.message, &first.message.to_string()), commas(first.byte));
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
    let mut page = Page::new(look, out);
    // One line however long, so that a filter by line keeps it whole.
    page.line(Tone::Headline, &headline::of_totals(totals))
}

/// Where the time of the last call was found, in words.
pub(super) fn source_of_last_call(decision: &Decision) -> &str {
    match decision.last_call_source.as_deref() {
        Some("flag") => "from --last-call",
        Some("state") => "from the state file",
        Some("marker") => "from the cache-ttl marker",
        Some("assistant") => "from the newest assistant record",
        Some(other) => other,
        None => "source unknown",
    }
}

impl Page<'_> {
    fn headline(&mut self, report: &Report) -> io::Result<()> {
        let sentence = headline::of_report(report);
        self.line(Tone::Headline, &escape(&format!("{}: {sentence}", report.input.path)))
    }

    fn decision(&mut self, report: &Report) -> io::Result<()> {
        let decision = &report.decision;
        let ran = if decision.ran { "ran" } else { "did not run" };
        let text = format!("{}, {ran}: {}", decision.mode, decision.why);
        self.field(Tone::Detail, "decision", &text)?;
        let Some(time) = &decision.last_call else {
            return Ok(());
        };
        self.field(Tone::Detail, "last call", &format!("{time}, {}", source_of_last_call(decision)))
    }

    fn sizes(&mut self, report: &Report) -> io::Result<()> {
        let (window, before, after) = (&report.window, report.before, report.after);
        let ratio = ratios(before.ratio, after.ratio);
        let text = format!("{} tokens ({}), ratio {ratio}", commas(window.tokens), window.source);
        self.field(Tone::Detail, "window", &text)?;
        let text = format!("{} ({})", change(before.tokens, after.tokens), headline::tokens_source(report));
        self.field(Tone::Detail, "tokens", &text)?;
        let (records, bytes) = (report.input.records, report.input.bytes);
        let (records, bytes) = (counted(records, "record"), counted(bytes, "byte"));
        self.field(Tone::Detail, "format", &format!("{}, {records}, {bytes}", report.input.format))
    }

    fn session(&mut self, report: &Report) -> io::Result<()> {
        if let Some(workload) = &report.workload {
            let stack = workload.stack.as_ref().map(|stack| format!(" on {stack}")).unwrap_or_default();
            self.field(Tone::Detail, "workload", &format!("{}{stack}, {}", workload.name, workload.state))?;
        }
        let Some(session) = &report.session else { return Ok(()) };
        let counts = [(session.kept, "kept"), (session.added, "new"), (session.dropped, "forgotten")];
        let counts: String = counts.iter().map(|(n, what)| format!(", {} {what}", commas(*n))).collect();
        self.field(Tone::Detail, "session", &format!("{} ({}){counts}", session.name, session.source))?;
        let Some(stable) = report.prefix_stable else { return Ok(()) };
        let text = format!("{}, {}", counted(stable.messages, "message"), counted(stable.bytes, "byte"));
        self.field(Tone::Detail, "as before", &text)
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
            self.field(Tone::Detail, label, &format!("{name} {cuts:>10} {chars:>18}{left}"))?;
            label = "";
        }
        Ok(())
    }

    fn mirrors(&mut self, mirrors: MirrorTotal) -> io::Result<()> {
        let mut label = "mirrors";
        if mirrors.cuts > 0 {
            let (cuts, bytes) = (counted(mirrors.cuts, "cut"), format!("{} bytes", commas(mirrors.bytes_removed)));
            self.field(Tone::Detail, label, &format!("{:16} {cuts:>10} {bytes:>18}  no tokens", "copies"))?;
            label = "";
        }
        if mirrors.left > 0 {
            self.field(Tone::Detail, label, &format!("{} left alone; --mirrors cuts them", counted(mirrors.left, "copy")))?;
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
            let counts = counts.iter().map(|(code, n)| format!("{code} × {}", commas(*n)));
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
            n => self.field(Tone::Warning, label, &format!("… and {} more", commas(n as u64))),
        }
    }

    /// A cut: on a line with its reason if they fit, else the reason on lines of its own.
    fn cut(&mut self, cut: &CutRow) -> io::Result<()> {
        let message = if cut.message == 0 { "" } else { "message " };
        let place = format!("{message}{}  line {}", place(cut.message, cut.part), cut.line);
        let linked = if cut.linked { ", linked" } else { "" };
        let sizes = format!("{}  {}{linked}", change(cut.chars_before, cut.chars_after), cut.action);
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
        let Skip { pass, message, part, why } = skip;
        let at = if *message == 0 { "" } else { "message " };
        self.entry(Tone::Detail, "  ", &format!("{at}{}  left by {pass}: {why}", place(*message, *part)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ReportFormat;
    use super::super::samples::{self, defect, print};
    use super::*;

    fn text(verbosity: i8, reports: &[Report]) -> String {
        print(ReportFormat::Text, verbosity, reports)
    }

    const PRUNED: &str = "\
session.jsonl: 41,000 → 23,052 chars (-44 %), 1 trimmed, 2 cleared, last call 47 m ago
  decision     cache-ttl, ran: the last call is older than the ttl of 5 m
  last call    2026-01-02T03:04:05Z, from the newest assistant record
  window       200,000 tokens (default), ratio 0.52 → 0.29
  tokens       10,250 → 5,763 (chars / 4)
  format       openclaw, 120 records, 60,200 bytes
  workload     chat, active
  session      s1 (history), 0 kept, 3 new, 0 forgotten
  as before    11 messages, 9,031 bytes
  passes       soft-trim             1 cut        5,925 chars  1 left
               hard-clear           2 cuts       12,023 chars
  top tools    read                              11,967 chars
               exec                               5,981 chars
  first change message 12, byte 9,031
  defects      in the input: E04 × 1
  warnings     line 120: the last line is torn and passes through
               the format is ambiguous
";

    const VERBOSE: &str = "  message 12/0  line 24  exec call_abc  9,012 → 3,087  trim
    older than the newest 3 assistant turns
  message 14/0  line 28  read call_def  12,000 → 33  clear
    older than the newest 3 assistant turns
  message 15/0  line 30  exec call_ghi  89 → 33  clear, linked
    older than the newest 3 assistant turns
  message 10/1  left by soft-trim: it holds an image
";

    const UNTOUCHED: &str = "\
-:1: 999 chars, nothing cut: the window is not full enough
  decision     adaptive, ran: the window is not full enough
  window       200,000 tokens (default), ratio 0.00
  tokens       249 (chars / 4)
  format       anthropic, 3 records, 1,000 bytes
";

    #[test]
    fn a_pruned_session() {
        assert_eq!(text(0, &[samples::pruned()]), PRUNED);
    }

    #[test]
    fn verbose_lists_every_cut_and_skip() {
        assert_eq!(text(1, &[samples::pruned()]), format!("{PRUNED}{VERBOSE}"));
    }

    #[test]
    fn several_inputs_end_with_a_sum() {
        let expected = format!("{UNTOUCHED}{PRUNED}2 inputs: 41,999 → 24,051 chars (-43 %), 1 trimmed, 2 cleared\n");
        assert_eq!(text(0, &[samples::untouched(), samples::pruned()]), expected);
    }

    #[test]
    fn many_warnings_are_counted() {
        let mut report = samples::untouched();
        report.warnings = (1..=1_234).map(|line| Warning::at(line, "blank line")).collect();
        let text = text(0, &[report]);
        let end = "               line 5: blank line\n               … and 1,229 more\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn new_defects_come_first_and_short_reasons_share_a_line() {
        let mut report = samples::pruned();
        report.integrity.after = vec![defect("E07", 2), defect("E07", 3)];
        report.cuts[0].reason = "too long".into();
        let text = text(1, &[report]);
        let defects = "  defects      new in the output: E07 × 2\n               in the input: E04 × 1\n";
        assert!(text.contains(defects), "{text}");
        let cut = "\n  message 12/0  line 24  exec call_abc  9,012 → 3,087  trim  too long\n";
        assert!(text.contains(cut), "{text}");
    }

    #[test]
    fn the_total_is_one_line() {
        let many: Vec<Report> = (0..40).map(|_| samples::pruned()).collect();
        let text = text(0, &many);
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with("40 inputs: ") && last.ends_with("80 cleared"), "{text}");
    }
}
